"""`tf.vmap`: values as item by item, gradients inside and outside, nesting, containers, and refusals."""

from dataclasses import dataclass

import numpy as np
import pytest

import tenferro as tf
from support import INEXACT, assert_equals, sample


def stacked(f, *args):
    """What `f` gives for each item along the first axis, side by side."""
    return np.stack([f(*(tf.tensor(a[k]) for a in args)).numpy() for k in range(len(args[0]))])


FUNCTIONS = {
    "elementwise": lambda x: tf.exp(x) * x[0] + 1.0,
    "reduction": lambda x: x.sum(axis=0) / x.max(),
    "structure": lambda x: tf.concatenate([x.T.reshape(-1), x[1:, ::2].ravel()]),
    "product": lambda x: x @ x.T,
    "indexing": lambda x: x[[1, 0, 1]] * x.at[0].set(2.0)[0],
    "choice": lambda x: tf.where(x > 0, tf.sqrt(tf.abs(x)), -x),
    "sorting": lambda x: tf.sort(x, 0) + tf.cumsum(x, 1),
    "positions": lambda x: tf.take_along_axis(x, tf.argsort(x, 1), 1),
    "statistics": lambda x: tf.softmax(x) * tf.std(x) + tf.logsumexp(x, 0),
    "padding": lambda x: x.pad([1, 0], [0, 2]).transpose(),
    "constant": lambda x: tf.ones((2,)) * 3.0,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("size", [1, 4])
def test_values(name, size):
    f, a = FUNCTIONS[name], sample("float64", (size, 3, 3))
    assert_equals(tf.vmap(f)(tf.tensor(a)), stacked(f, a), rtol=1e-12)
    assert_equals(
        tf.vmap(f, in_axes=-1, out_axes=-1)(np.moveaxis(a, 0, -1)), np.moveaxis(stacked(f, a), 0, -1), rtol=1e-12
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_empty_batch(name):
    one = FUNCTIONS[name](tf.zeros((3, 3)) + 1.0)
    assert tf.vmap(FUNCTIONS[name])(tf.zeros((0, 3, 3))).shape == (0, *one.shape)


@pytest.mark.parametrize("dtype", INEXACT)
def test_shared_arguments(dtype):
    a, b = sample(dtype, (4, 2, 3)), sample(dtype, (3, 2), seed=1)
    expected = np.stack([x @ b for x in a])
    tolerance = 1e-5 if dtype in ("float32", "complex64") else 1e-13
    assert_equals(tf.vmap(tf.matmul, in_axes=(0, None))(a, b), expected, rtol=tolerance)
    assert_equals(tf.vmap(lambda x: x @ b)(tf.tensor(a)), expected, rtol=tolerance)
    assert_equals(
        tf.vmap(lambda y: y @ tf.tensor(a[0]), in_axes=1)(sample(dtype, (2, 5), seed=2)),
        sample(dtype, (2, 5), seed=2).T @ a[0],
        rtol=tolerance,
    )


def test_two_levels():
    a, b = sample("float64", (3, 4)), sample("float64", (5, 4), seed=1)
    outer = tf.vmap(lambda x: tf.vmap(lambda y: (x * y).sum() + x[0])(tf.tensor(b)))
    assert_equals(outer(tf.tensor(a)), a @ b.T + a[:, :1], rtol=1e-13)
    both = tf.vmap(tf.vmap(lambda x, y: x * y + 1.0, in_axes=(0, None)), in_axes=(None, 0))
    assert_equals(both(tf.tensor(a), tf.tensor(b)), b[:, None] * a[None] + 1.0, rtol=1e-13)


def loss(w, x):
    return (tf.tanh(x @ w) ** 2).sum()


def test_gradients_per_item():
    w, x = sample("float64", (3, 2)), sample("float64", (5, 4, 3))
    each = tf.vmap(tf.grad(loss), in_axes=(None, 0))(tf.tensor(w), tf.tensor(x))
    expected = np.stack([tf.grad(loss)(tf.tensor(w), tf.tensor(one)).numpy() for one in x])
    assert_equals(each, expected, rtol=1e-12)
    value, both = tf.vmap(tf.value_and_grad(loss, argnums=(0, 1)), in_axes=(None, 0))(tf.tensor(w), tf.tensor(x))
    assert value.shape == (5,)
    assert_equals(both[0], expected, rtol=1e-12)
    assert both[1].shape == x.shape


def test_gradients_through_a_batch():
    w, x = sample("float64", (3, 2)), sample("float64", (5, 4, 3))

    def total(w):
        return tf.vmap(loss, in_axes=(None, 0))(w, tf.tensor(x)).sum()

    expected = sum(tf.grad(loss)(tf.tensor(w), tf.tensor(one)).numpy() for one in x)
    assert_equals(tf.grad(total)(tf.tensor(w)), expected, rtol=1e-12)
    leaf = tf.tensor(w, requires_grad=True)
    total(leaf).backward()
    assert_equals(leaf.grad, expected, rtol=1e-12)
    direction = tf.tensor(sample("float64", (3, 2), seed=4))
    product = tf.hvp(total, (tf.tensor(w),), (direction,))[1]
    each = sum(
        tf.hvp(lambda w, one=one: loss(w, tf.tensor(one)), (tf.tensor(w),), (direction,))[1].numpy() for one in x
    )
    assert_equals(product, each, rtol=1e-11)


def test_second_order_per_item():
    x = sample("float64", (4, 3))

    def f(v):
        return (v**3).sum() * v[0]

    assert_equals(tf.vmap(tf.hessian(f))(tf.tensor(x)), stacked(tf.hessian(f), x), rtol=1e-12)
    tangent = sample("float64", (4, 3), seed=1)
    got = tf.vmap(lambda v, t: tf.jvp(f, (v,), (t,))[1])(tf.tensor(x), tf.tensor(tangent))
    assert_equals(
        got,
        np.array([tf.jvp(f, (tf.tensor(a),), (tf.tensor(b),))[1].item() for a, b in zip(x, tangent, strict=True)]),
        rtol=1e-12,
    )


def test_a_tracked_value_outside_the_function():
    scale = tf.tensor(2.0, requires_grad=True)
    x = sample("float64", (3, 2))
    out = tf.vmap(lambda v: v * scale)(tf.tensor(x))
    out.sum().backward()
    assert scale.grad.item() == pytest.approx(x.sum())


@dataclass
class Pair:
    left: tf.EagerTensor
    right: tf.EagerTensor


def test_containers():
    a, b = sample("float64", (4, 2)), sample("float64", (3, 4), seed=1)

    def f(p, d):
        return Pair(p.left + d["x"].sum(), p.right * 2.0)

    got = tf.vmap(f, in_axes=(Pair(0, 1), {"x": None}))(Pair(tf.tensor(a), tf.tensor(b)), {"x": tf.tensor(b)})
    assert isinstance(got, Pair)
    assert_equals(got.left, a + b.sum(), rtol=1e-13)
    assert_equals(got.right, 2 * b.T)
    first, rest = tf.vmap(lambda x, *, y: (x, [y, 1.0]), out_axes=(1, 0))(tf.tensor(a), y=tf.tensor(b.T))
    assert_equals(first, a.T)
    assert_equals(rest[0], b.T)
    assert rest[1].tolist() == [1.0] * 4


@pytest.mark.parametrize(
    "read",
    [
        float,
        bool,
        lambda x: x.item(),
        lambda x: x.numpy(),
        lambda x: x.tolist(),
        np.asarray,
        lambda x: x.value(),
        lambda x: x.to_tensor(),
        lambda x: x.into_value(),
        lambda x: x.as_leaf(),
        lambda x: tf.tensor(x),
        lambda x: tf.ones((3,))[tf.cast(x, tf.int64)],
        lambda x: tf.nonzero(x.reshape(1)),
        lambda x: tf.unique(x),
        lambda x: np.from_dlpack(x),
        lambda x: x.detach().item(),
        lambda x: (x > 0).item(),
        lambda x: tf.stop_gradient(x * 2.0).item(),
        lambda x: x.sign().cast(tf.int32).item(),
        lambda x: tf.take(tf.ones((3,)), tf.cast(x, tf.int64)),
    ],
)
def test_values_cannot_be_read(read):
    with pytest.raises(tf.RuntimeStateError, match="vmap"):
        tf.vmap(lambda x: (read(x), x)[1])(tf.ones((3,)))


def test_under_no_grad_values_cannot_be_read_either():
    def f(x):
        with tf.no_grad():
            y = x * 2.0
        return y.item()

    with pytest.raises(tf.RuntimeStateError, match="vmap"):
        tf.vmap(f)(tf.ones((3,)))


def test_a_value_that_escapes_cannot_be_read():
    kept = []
    tf.vmap(lambda x: (kept.append(x), x)[1])(tf.ones((3,)))
    with pytest.raises(tf.RuntimeStateError, match="vmap"):
        (kept[0] + 1.0).item()
    assert "item of a batch" in repr(kept[0])


def test_no_grad_inside_gives_constants():
    def f(x):
        with tf.no_grad():
            y = x * 2.0
        return x * y

    x = tf.tensor([1.0, 2.0])
    assert tf.vmap(f)(x).tolist() == [2.0, 8.0]
    assert tf.grad(lambda x: tf.vmap(lambda v: v * v.detach())(x).sum())(x).tolist() == [1.0, 2.0]
    assert tf.grad(lambda x: tf.vmap(f)(x).sum())(x).tolist() == [2.0, 4.0]


def test_backward_inside_is_refused():
    def f(x):
        y = x.detach() * 1.0
        (y * y).backward()
        return y

    with pytest.raises(tf.RuntimeStateError):
        tf.vmap(f)(tf.ones((3,)))


def test_wrong_calls():
    x = tf.ones((3, 2))
    with pytest.raises(tf.ShapeMismatchError, match="3 items.*got 2"):
        tf.vmap(lambda a, b: a)(x, tf.ones((2,)))
    with pytest.raises(tf.AxisOutOfBoundsError):
        tf.vmap(lambda a: a, in_axes=2)(x)
    with pytest.raises(tf.AxisOutOfBoundsError):
        tf.vmap(lambda a: a, out_axes=3)(x)
    with pytest.raises(tf.InvalidArgumentError, match="in_axes"):
        tf.vmap(lambda a: a, in_axes=(0, 0))(x)
    with pytest.raises(tf.InvalidArgumentError, match="at least one"):
        tf.vmap(lambda a: a, in_axes=None)(x)
    with pytest.raises(tf.InvalidArgumentError, match="float"):
        tf.vmap(lambda a, b: a)(x, 1.0)
    with pytest.raises(tf.InvalidArgumentError, match="out_axes"):
        tf.vmap(lambda a: a, out_axes=(0, 1))(x)


def test_exceptions_pass_and_leave_nothing():
    def f(x):
        raise KeyError("mine")

    before = tf.live_tensors()
    for _ in range(2):
        with pytest.raises(KeyError, match="mine"):
            tf.vmap(f)(tf.ones((3,)))
    assert tf.live_tensors() == before
    assert tf.vmap(lambda x: x + 1.0)(tf.ones((2,))).tolist() == [2.0, 2.0]


def test_no_dimension_is_looped_over():
    x = tf.tensor(sample("float64", (200, 5, 5)))
    baseline = tf.live_tensors()
    y = tf.vmap(lambda a: (a @ a).tanh().sum())(x)
    assert y.shape == (200,)
    assert tf.live_tensors() - baseline < 20
