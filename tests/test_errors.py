"""The exception classes: bases, fields, messages; each that a present op can raise is raised by a real call.

`EinsumSyntaxError`, `FileFormatError`, `SingularMatrixError`, `NonConvergenceError`, `NonFiniteError`, `GaugeError`,
`GaugeWarning` and `UnsupportedAdRuleError` belong to ops that do not exist yet; their bases are checked here.
"""

import copy
import pickle

import numpy as np
import pytest

import tenferro as tf
from support import leaf
from tenferro import _tenferro

BASES = {
    "TenferroError": (Exception,),
    "ValidationError": ("TenferroError", ValueError),
    "ShapeMismatchError": ("ValidationError",),
    "RankMismatchError": ("ValidationError",),
    "AxisOutOfBoundsError": ("ValidationError", IndexError),
    "DTypeMismatchError": ("ValidationError", TypeError),
    "DuplicateAxisError": ("ValidationError",),
    "InvalidArgumentError": ("ValidationError",),
    "IntegerOverflowError": ("ValidationError", OverflowError),
    "IndexOutOfBoundsError": ("ValidationError", IndexError),
    "NonScalarGradError": ("ValidationError",),
    "EinsumSyntaxError": ("ValidationError",),
    "NonContiguousError": ("ValidationError",),
    "FileFormatError": ("ValidationError",),
    "NotATensorKeyError": ("ValidationError", KeyError),
    "UnsupportedError": ("TenferroError", NotImplementedError),
    "UnsupportedAdRuleError": ("UnsupportedError",),
    "UnsupportedDTypeError": ("UnsupportedError", TypeError),
    "NumericalError": ("TenferroError", ArithmeticError),
    "SingularMatrixError": ("NumericalError", np.linalg.LinAlgError),
    "NonConvergenceError": ("NumericalError", np.linalg.LinAlgError),
    "NonFiniteError": ("NumericalError",),
    "DivisionByZeroError": ("NumericalError", ZeroDivisionError),
    "GaugeError": ("NumericalError",),
    "RuntimeStateError": ("TenferroError", RuntimeError),
    "ContextMismatchError": ("RuntimeStateError",),
    "SessionEntryError": ("RuntimeStateError",),
    "HostAccessError": ("RuntimeStateError",),
    "IntoValueError": ("RuntimeStateError",),
    "NotUniqueError": ("IntoValueError",),
    "ExtractError": ("IntoValueError",),
    "BackendError": ("TenferroError", RuntimeError),
    "OutOfMemoryError": ("BackendError", MemoryError),
    "MemoryLimitError": ("OutOfMemoryError",),
    "InternalError": ("TenferroError", RuntimeError),
}


@pytest.mark.parametrize("name", BASES)
def test_bases(name):
    cls = getattr(tf.errors, name)
    assert getattr(tf, name) is cls
    for base in BASES[name]:
        assert issubclass(cls, getattr(tf.errors, base) if isinstance(base, str) else base)
    assert cls.__module__.startswith("tenferro")
    assert cls.__doc__


def test_the_warning():
    assert issubclass(tf.errors.GaugeWarning, Warning)


def test_every_public_exception_is_in_the_table():
    found = {n for n, c in vars(tf.errors).items() if isinstance(c, type) and issubclass(c, Exception)}
    ours = {n for n in found if getattr(tf.errors, n).__module__.startswith("tenferro")}
    assert ours == {*BASES, "GaugeWarning"}


def finished_session():
    ctx = tf.EagerRuntime()
    with ctx.session() as s:
        pass
    s.add(1.0, 2.0)


def second_session():
    ctx = tf.EagerRuntime()
    with ctx.session(), ctx.session():
        pass


def guard_after_its_block():
    with tf.tensor([1.0]).value() as guard:
        pass
    guard.numpy()


def shared_value():
    x = tf.tensor([1.0])
    y = x.clone()
    x.into_value()
    return y


def key_of_another_leaf():
    x, y = leaf([1.0]), leaf([1.0])
    (x * x).sum().backward()[y]


RAISED = {
    "ShapeMismatchError": (lambda: tf.add(tf.ones((2,)), tf.ones((3,))), {"op": "add", "lhs": (2,), "rhs": (3,)}),
    "ShapeMismatchError of lengths": (
        lambda: tf.Tensor.from_vec_col_major((2, 2), [1.0]),
        {"expected": (4,), "actual": (1,)},
    ),
    "RankMismatchError": (lambda: tf.ones((2, 3)).slice([0], [1]), {"op": "slice", "expected": 2, "actual": 1}),
    "RankMismatchError of a permutation": (
        lambda: tf.ones((2, 3)).transpose([0]),
        {"op": "transpose", "expected": 2, "actual": 1},
    ),
    "AxisOutOfBoundsError": (lambda: tf.ones((2,)).reduce_sum([3]), {"op": "reduce_sum", "axis": 3, "rank": 1}),
    "DTypeMismatchError": (
        lambda: tf.Tensor.from_numpy(np.ones(1)).as_slice(tf.int32),
        {"expected": tf.int32, "actual": tf.float64},
    ),
    "DuplicateAxisError": (lambda: tf.ones((2, 2)).transpose([0, 0]), {"op": "transpose", "axis": 0}),
    "InvalidArgumentError": (lambda: tf.concatenate([], 0), {"op": "concatenate", "argument": "inputs"}),
    "IntegerOverflowError": (lambda: tf.zeros((2**40, 2**40)), {"op": "zeros"}),
    "IndexOutOfBoundsError": (lambda: tf.ones((2,)).take([5], axis=0), {"op": "take"}),
    "NonScalarGradError": (lambda: leaf([1.0, 2.0]).backward(), {"op": "backward", "shape": (2,)}),
    "NonContiguousError": (lambda: tf.ones((2, 3)).transpose([1, 0]).value().as_slice(), {}),
    "NotATensorKeyError": (key_of_another_leaf, {}),
    "UnsupportedDTypeError": (
        lambda: tf.tensor(1.0).convert(tf.float32),
        {"op": "convert", "from_dtype": "float64", "to_dtype": "float32"},
    ),
    "NumericalError": (lambda: tf.pow(tf.tensor([2]), tf.tensor([-1])), {"op": "pow"}),
    "DivisionByZeroError": (lambda: tf.div(tf.tensor([2]), tf.tensor([0])), {"op": "div"}),
    "RuntimeStateError": (lambda: tf.tensor(1.0).backward(), {"op": "backward"}),
    "RuntimeStateError of a session": (finished_session, {}),
    "ContextMismatchError": (lambda: tf.tensor(1.0) + tf.tensor(1.0, runtime=tf.EagerRuntime()), {"op": "add"}),
    "SessionEntryError": (second_session, {}),
    "HostAccessError": (guard_after_its_block, {}),
    "NotUniqueError": (shared_value, {"op": "into_value"}),
    "ExtractError": (lambda: tf.ones((2, 3)).reverse([0]).into_value(), {"op": "into_value"}),
    "InternalError": (lambda: _tenferro._panic(), {}),
    "OutOfMemoryError": (lambda: tf.zeros((2**46,)), {"bytes": 2**49, "shape": (2**46,), "dtype": tf.float64}),
}


FIELDS = (
    "op kind phase lhs rhs expected actual axis rank role argument shape transform from_dtype to_dtype bytes dtype"
).split()


def raise_it(name):
    with pytest.raises(tf.TenferroError) as caught:
        RAISED[name][0]()
    return caught.value


@pytest.mark.parametrize("name", RAISED)
def test_is_raised_with_its_fields(name):
    error = raise_it(name)
    assert type(error).__name__ == name.split(" ")[0]
    fields = RAISED[name][1]
    assert {f: getattr(error, f) for f in fields} == fields
    assert isinstance(error.kind, str)
    assert error.kind
    assert error.phase in ("graph_build", "compile", "execution", None)
    assert str(error)


def test_fields_that_a_variant_lacks_are_none():
    broadcast, lengths = raise_it("ShapeMismatchError"), raise_it("ShapeMismatchError of lengths")
    assert (broadcast.expected, broadcast.actual) == (None, None)
    assert (lengths.lhs, lengths.rhs) == (None, None)
    assert raise_it("RuntimeStateError").phase in ("graph_build", "compile", "execution", None)


@pytest.mark.parametrize("way", ["pickle 2", "pickle 3", "pickle 4", "pickle 5", "copy", "deepcopy"])
@pytest.mark.parametrize("name", RAISED)
def test_round_trips_keep_the_fields(name, way):
    error = raise_it(name)
    if way.startswith("pickle"):
        again = pickle.loads(pickle.dumps(error, int(way[-1])))
    else:
        again = getattr(copy, way)(error)
    assert type(again) is type(error)
    assert str(again) == str(error)
    for field in FIELDS:
        assert getattr(again, field, None) == getattr(error, field, None), field


@pytest.mark.parametrize("name", ["NotUniqueError", "ExtractError"])
def test_the_handle_comes_back_usable(name):
    error = raise_it(name)
    assert isinstance(error.handle, tf.EagerTensor)
    assert (error.handle + 1.0).numpy().ravel()[0] == 2.0
    assert pickle.loads(pickle.dumps(error)).handle.shape == error.handle.shape


def test_context_mismatch_names_both_runtimes(ctx, other):
    with pytest.raises(tf.ContextMismatchError) as caught:
        tf.tensor(1.0, runtime=ctx) + tf.tensor(1.0, runtime=other)
    assert {caught.value.lhs, caught.value.rhs} == {ctx.id, other.id}
    assert str(ctx.id) in str(caught.value)
    assert str(other.id) in str(caught.value)


def test_a_key_error_shows_its_message_without_quotes():
    error = raise_it("NotATensorKeyError")
    assert not str(error).startswith(("'", '"'))


def test_except_builtin_classes_work():
    with pytest.raises(ValueError, match="add"):
        tf.ones((2,)) + tf.ones((3,))
    with pytest.raises(MemoryError):
        tf.zeros((2**46,))
    with pytest.raises(IndexError):
        tf.ones((2,))[5]
    with pytest.raises(RuntimeError):
        tf.tensor(1.0).backward()
    with pytest.raises(ArithmeticError):
        tf.tensor([1]) // tf.tensor([0])
    with pytest.raises(NotImplementedError):
        tf.tensor([1j]) < 1.0  # noqa: B015


def test_exceptions_are_raised_by_user_code_too():
    error = tf.InvalidArgumentError("mine", op="my_op", argument="x")
    assert "mine" in str(error)
    assert (error.op, error.argument, error.phase) == ("my_op", "x", None)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.op, again.argument) == (str(error), "my_op", "x")


def test_a_panic_is_an_internal_error_and_the_library_goes_on(ctx):
    x = leaf([1.0, 2.0], runtime=ctx)

    def panicking(s):
        _tenferro._panic()

    for use in (_tenferro._panic, lambda: ctx.with_eager_session(panicking)):
        with pytest.raises(RuntimeError, match="requested by a test") as caught:
            use()
        assert type(caught.value) is tf.InternalError
        assert isinstance(caught.value, Exception)
        (x * x).sum().backward()
        with ctx.session() as s:
            assert s.add(x, 1.0).numpy().tolist() == [2.0, 3.0]
    assert x.grad.numpy().tolist() == [4.0, 8.0]
