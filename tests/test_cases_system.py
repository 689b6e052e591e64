"""Inputs from bug reports of other libraries, groups F to H: shapes, allocation, NumPy, graph life, processes.

B67 and the table of impossible shapes are in `test_creation.py`, B71 to B78 have their matrices in `test_numpy.py`,
`test_dlpack.py` and `test_pickle.py`, B79 in `test_deep.py`, B82 in `test_fork.py`, B84 in `test_interrupt.py`.
B68's narrow and B81's custom ops come with their ops.
"""

import copy
import gc
import pickle
import threading

import numpy as np
import pytest

import tenferro as tf
from support import gradient, leaf


def test_b63_too_many_bytes():
    with pytest.raises((ValueError, MemoryError)):
        tf.ones((2, 2, 1, 2305843009213693952))


def test_b64_a_product_that_wraps_to_zero():
    with pytest.raises((ValueError, MemoryError)):
        tf.zeros((2,) * 64)


def test_b65_a_reshape_whose_product_wraps():
    with pytest.raises(ValueError, match="reshape"):
        tf.ones((5,)).reshape((3, 7, 29, 36760123, 823996703))


def test_b66_a_size_that_is_too_large():
    with pytest.raises((OverflowError, ValueError), match="large|overflow|big"):
        tf.zeros((2 * 10**20,))


def test_b68_sizes_near_the_end_of_64_bits():
    with pytest.raises(tf.TenferroError):
        tf.tensor([1.0]).pad([0], [2**64 - 1])
    with pytest.raises(tf.TenferroError):
        tf.tensor([1.0]).pad([2**63 - 1], [2**63 - 1])
    with pytest.raises(tf.TenferroError):
        tf.zeros((2**64 - 1, 2))
    with pytest.raises(tf.TenferroError):
        tf.ones((3,)).slice([2**64 - 2], [2**64])


EMPTY = [(1, 0), (0, 1), (1, 0, 1), (0, 3, 2)]


@pytest.mark.parametrize("shape", EMPTY, ids=str)
def test_b69_zero_sizes_end_with_the_right_shape(shape):
    x = leaf(np.zeros(shape))
    for y in (x + x, x.exp(), -x, x.T.T, tf.where(x > 0, x, 1.0), x.cast(tf.complex64), x.at[...].set(1.0), x[...]):
        assert y.shape == shape
    for axis, extent in enumerate(shape):
        rest = shape[:axis] + shape[axis + 1 :]
        assert x.sum(axis).shape == rest
        assert x.sum(axis, keepdims=True).shape == (*shape[:axis], 1, *shape[axis + 1 :])
        if extent:
            assert x.max(axis).shape == rest
    assert x.sum().item() == 0.0
    assert gradient((x * x).sum(), x).shape == shape


def test_b70_extremes_of_nothing():
    x = tf.zeros((0, 3))
    assert x.min(axis=1).shape == (0,)
    for use in (lambda: x.min(axis=0), lambda: x.min(), lambda: x.max(axis=0), lambda: x.max()):
        with pytest.raises(tf.InvalidArgumentError):
            use()
    assert x.sum().item() == 0.0
    assert x.prod().item() == 1.0
    assert np.isnan(x.mean().item())


IMPORTS = {
    "tensor": tf.tensor,
    "asarray": tf.asarray,
    "from_dlpack": tf.from_dlpack,
    "buffer": lambda a: tf.tensor(memoryview(a)),
    "from_numpy": tf.Tensor.from_numpy,
}


@pytest.mark.parametrize("name", IMPORTS)
def test_b71_negative_strides(name):
    a = np.arange(12.0).reshape(3, 4)[:, ::-1]
    assert np.array_equal(IMPORTS[name](a).numpy(), a)


@pytest.mark.parametrize("name", IMPORTS)
def test_b72_a_size_one_axis_with_a_negative_stride(name):
    a = np.zeros((1, 10, 20))[::-1]
    assert np.array_equal(IMPORTS[name](a).numpy(), a)


def test_b73_read_only_arrays_are_never_written():
    a = np.arange(3.0)
    a.flags.writeable = False
    x = leaf(a)
    (x * x).sum().backward()
    x.at[0].set(9.0)
    assert a.tolist() == [0.0, 1.0, 2.0]
    assert np.array_equal(
        tf.tensor(np.arange(125.0).reshape(5, 5, 5)[:, 1]).numpy(), np.arange(125.0).reshape(5, 5, 5)[:, 1]
    )


def test_b74_writing_to_the_source_changes_nothing_recorded():
    a = np.array([1.0, 2.0])
    x = leaf(a)
    factor = tf.asarray(a)
    loss = (x * factor).sum()
    guard = factor.value()
    a.flags.writeable = True
    a[0] = 9.0
    assert guard.numpy().tolist() == [1.0, 2.0]
    assert gradient(loss, x).tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="WRITEABLE|writeable"):
        x.numpy().flags.writeable = True


def test_b75_rank_65_out():
    with pytest.raises(ValueError, match="65"):
        tf.ones((1,) * 65).numpy()


def test_b77_read_only_survives_the_round_trip():
    a = np.arange(3.0)
    a.flags.writeable = False
    assert not np.from_dlpack(tf.from_dlpack(a)).flags.writeable
    assert not tf.asarray(a, copy=False).numpy().flags.writeable


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_b78_column_major_round_trips(protocol):
    a = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    x = tf.tensor(a)
    for y in (pickle.loads(pickle.dumps(x, protocol)), copy.copy(x), copy.deepcopy(x), tf.tensor(x.numpy())):
        assert y.numpy().tolist() == a.tolist()


def test_b80_second_order_graphs_die(ctx):
    baseline = tf.live_tensors()
    x = leaf(np.ones(5), runtime=ctx)
    g = ctx.grad(x.tanh().sum(), x)
    h = ctx.grad((g * g).sum(), x)
    assert h.shape == (5,)
    del x, g, h
    gc.collect()
    assert tf.live_tensors() == baseline


def test_b80_imports_in_a_loop_are_freed_at_once():
    baseline = tf.live_bytes()
    a = np.ones(1000)
    for _ in range(100):
        tf.tensor(a)
        assert tf.live_bytes() <= baseline + 2 * a.nbytes
    assert tf.live_bytes() == baseline


def test_b83_sixteen_threads_on_one_runtime(ctx):
    x = leaf(np.arange(10.0), runtime=ctx)
    expected = 2 * np.arange(10.0)
    wrong = []

    def work():
        for _ in range(50):
            y = leaf(np.arange(10.0), runtime=ctx)
            grads = ((y * y).sum() + (x * 0.0).sum()).backward()
            if not np.array_equal(grads[y].numpy(), expected):
                wrong.append(grads[y].numpy(copy=True))

    threads = [threading.Thread(target=work) for _ in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(timeout=60)
    assert not any(t.is_alive() for t in threads)
    assert not wrong
    assert x.grad.numpy().tolist() == [0.0] * 10


@pytest.mark.parametrize(
    "use",
    [
        lambda: tf.tensor([1.0]).reshape((0,)),
        lambda: tf.tensor(np.ones((2, 2))) @ tf.ones((3,)),
        lambda: tf.tensor([1.0])[{}],
        lambda: tf.EagerRuntime().with_eager_session(lambda s: s.exp()),
    ],
)
def test_b85_no_input_panics(use):
    with pytest.raises(Exception, match=".") as caught:
        use()
    assert type(caught.value).__name__ != "PanicException"
