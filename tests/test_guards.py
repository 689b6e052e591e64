"""`ValueGuard` and `TensorRead`: borrowed, zero-copy, valid inside their with-block."""

import gc

import numpy as np
import pytest

import tenferro as tf
from support import ALL, leaf, tf_dtype

MATRIX = np.arange(6.0).reshape(2, 3)


def borrow(kind: str, x: tf.EagerTensor):
    return x.value() if kind == "value" else x.tensor_read()


KINDS = ["value", "tensor_read"]
both = pytest.mark.parametrize("kind", KINDS)


@both
def test_types(kind):
    expected = tf.ValueGuard if kind == "value" else tf.TensorRead
    assert isinstance(borrow(kind, tf.tensor(MATRIX)), expected)


@both
def test_members(kind):
    x = tf.tensor(MATRIX)
    with borrow(kind, x) as guard:
        assert guard.dtype == tf.float64
        assert guard.shape == (2, 3)
        assert guard.strides == (1, 2)
        assert guard.as_slice(tf.float64).tolist() == [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]
        assert np.array_equal(guard.numpy(), MATRIX)


@both
@pytest.mark.parametrize("dtype", ALL)
def test_every_dtype(kind, dtype):
    a = np.ones((2, 2), dtype=dtype)
    with borrow(kind, tf.tensor(a)) as guard:
        assert guard.dtype == tf_dtype(dtype)
        assert guard.as_slice().dtype == np.dtype(dtype)
        assert guard.as_slice(dtype).tolist() == a.ravel().tolist()


@both
def test_is_zero_copy_and_read_only(kind):
    x = leaf(MATRIX)
    with borrow(kind, x) as guard:
        for array in (guard.numpy(), guard.as_slice()):
            assert np.shares_memory(array, x.numpy())
            assert not array.flags.writeable
            with pytest.raises(ValueError, match="WRITEABLE|writeable"):
                array.flags.writeable = True


@both
def test_works_without_a_with_block(kind):
    assert borrow(kind, tf.tensor([1.0, 2.0])).as_slice(tf.float64).tolist() == [1.0, 2.0]


@both
def test_keeps_the_value_alive(kind):
    guard = borrow(kind, tf.tensor(np.full(1000, 7.0)))
    gc.collect()
    churn = [np.zeros(1000) for _ in range(50)]
    assert guard.numpy().tolist() == [7.0] * 1000
    assert len(churn) == 50


@both
@pytest.mark.parametrize(
    "use",
    [
        lambda g: g.as_slice(),
        lambda g: g.as_slice(tf.float64),
        lambda g: g.numpy(),
        lambda g: g.__enter__(),
    ],
)
def test_is_refused_after_its_block(kind, use):
    with borrow(kind, tf.tensor([1.0, 2.0])) as guard:
        pass
    with pytest.raises(tf.HostAccessError) as caught:
        use(guard)
    assert isinstance(caught.value, tf.RuntimeStateError)


@both
def test_an_array_taken_inside_outlives_the_block(kind):
    with borrow(kind, tf.tensor([1.0, 2.0])) as guard:
        array = guard.numpy()
    del guard
    gc.collect()
    assert array.tolist() == [1.0, 2.0]


@both
def test_an_exception_passes_through(kind):
    with pytest.raises(ZeroDivisionError), borrow(kind, tf.tensor([1.0])):
        1 / 0


@both
def test_wrong_dtype(kind):
    with borrow(kind, tf.tensor([1.0])) as guard, pytest.raises(tf.DTypeMismatchError) as caught:
        guard.as_slice(tf.complex128)
    assert (caught.value.expected, caught.value.actual) == (tf.complex128, tf.float64)


VIEWS = {
    "transpose": (lambda x: x.transpose([1, 0]), (2, 1)),
    "step": (lambda x: x[:, ::2], (1, 4)),
    "broadcast": (lambda x: x.broadcast_in_dim((2, 2, 3), [1, 2]), (0, 1, 2)),
    "reverse": (lambda x: x.reverse([1]), (1, -2)),
}


@both
@pytest.mark.parametrize("name", VIEWS)
def test_views_show_their_strides_and_have_no_flat_slice(kind, name):
    make, strides = VIEWS[name]
    x = tf.tensor(MATRIX)
    view = make(x)
    with borrow(kind, view) as guard:
        assert guard.strides == strides
        assert np.shares_memory(guard.numpy(), x.numpy())
        with pytest.raises(tf.NonContiguousError):
            guard.as_slice()


def test_the_strides_of_the_original():
    """Behaviour 3.4: slicing [4, 3] by 2, 2 gives strides [2, 8]; broadcasting [3] to [3, 2] gives [1, 0]."""
    x = tf.tensor(np.arange(12.0).reshape(4, 3))
    assert x.slice([0, 0], [4, 3], [2, 2]).tensor_read().strides == (2, 8)
    assert tf.tensor([1.0, 2.0, 3.0]).broadcast_in_dim((3, 2), [0]).tensor_read().strides == (1, 0)


def test_guards_of_gradients():
    x = leaf(MATRIX)
    (x * x).sum().backward()
    for borrowed in (x.grad.value(), x.grad.tensor_read()):
        with borrowed as guard:
            assert np.array_equal(guard.numpy(), 2 * MATRIX)
        with pytest.raises(tf.HostAccessError):
            guard.numpy()


def test_repr_names_dtype_and_shape():
    for kind in KINDS:
        text = repr(borrow(kind, tf.tensor(MATRIX)))
        assert "float64" in text
        assert "0x" not in text
