"""Calls that type checkers must reject: a marker that suppresses nothing is an error of both checkers."""

import numpy as np
from numpy.typing import NDArray

import tenferro as tf

x = tf.tensor([1.0])
ctx = tf.default_runtime()
t = x.to_tensor()

x + "text"  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
"text" + x  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
x @ None  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
x[0] = 1.0  # type: ignore[index]  # pyright: ignore[reportIndexIssue]
x[0.5]  # type: ignore[index]  # pyright: ignore[reportArgumentType]
x["a"]  # type: ignore[index]  # pyright: ignore[reportArgumentType]
x.grad.numpy()  # type: ignore[union-attr]  # pyright: ignore[reportOptionalMemberAccess]
x.grad = None  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
x.shape = (1,)  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
x.shap  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
x.exp(1.0)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
x.sum("rows")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
x.backward(x)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
x.backward_with()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
x.detach_into("cpu")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
x.numpy().astype(float).nothing  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
x.slice_builder().axis("0", range(1))  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]

tf.add(x)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
tf.add(x, object())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
tf.exp(["text"])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
tf.exp({0: 1.0})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
tf.exp(None)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
tf.exp("text")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
tf.compare(x, x, "between")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
tf.concatenate(3, axis=0)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
tf.reshape(x, "six")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
tf.reshape(x, (1,), order="K")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
tf.zeros((2,), dtype=3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
tf.zeros((1.5,))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
tf.tensor([1.0], runtime="cpu")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
tf.nothing_of_this_name  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]

tf.Tensor()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
tf.EagerTensor()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
tf.EagerTensor.from_tensor_in(x, ctx)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
tf.EagerTensor.from_tensor_in(t)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
tf.CpuBackend(threads="two")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
ctx.grad(x, "wrt")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
ctx.with_eager_session(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
ctx.session().nothing()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
tf.random.normal(0, (2,))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

wrong: np.ndarray = x  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
flat = t.as_slice(tf.float64)
integers: NDArray[np.int32] = flat  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
