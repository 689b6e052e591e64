"""NumPy in and out: every layout, alignment, byte order and dtype; copies; read-only views that keep storage alive."""

import gc
import itertools

import numpy as np
import pytest

import tenferro as tf
from support import ALL, LAYOUTS, SHAPES, VIEWS, assert_equals, leaf, sample, tf_dtype

ENTRANCES = {
    "tensor": tf.tensor,
    "asarray": tf.asarray,
    "Tensor.from_numpy": tf.Tensor.from_numpy,
    "operand": lambda a: tf.reduce_sum(a, axes=()),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("entrance", ENTRANCES)
def test_values_come_in_exactly(entrance, dtype, layout):
    for shape in SHAPES:
        a = LAYOUTS[layout](sample(dtype, shape))
        x = ENTRANCES[entrance](a)
        assert x.dtype == tf_dtype(dtype)
        assert x.shape == shape
        got = x.numpy()
        assert got.dtype == np.dtype(dtype)
        assert np.array_equal(got, a)


ODD_ARRAYS = {
    "negative stride on one axis": np.arange(12.0).reshape(3, 4)[:, ::-1],
    "size-1 axis with a negative stride": np.zeros((1, 10, 20))[::-1],
    "slice of the middle": np.arange(125.0).reshape(5, 5, 5)[:, 1],
    "stride zero": np.broadcast_to(np.array([1.0, 2.0]), (3, 2)),
    "size-1 axis with an absurd stride": np.lib.stride_tricks.as_strided(np.arange(3.0), (1, 3), (10**12, 8)),
    "overlapping windows": np.lib.stride_tricks.sliding_window_view(np.arange(6.0), 3),
    "diagonal": np.diagonal(np.arange(9.0).reshape(3, 3)),
    "permuted": np.arange(24.0).reshape(2, 3, 4).transpose(1, 2, 0),
    "field of a record": np.array([(1, 2.5), (2, 3.5)], dtype=[("i", "i1"), ("x", "f8")])["x"],
    "odd record, byte-swapped": np.array([(1, 2 + 1j), (2, 3j)], dtype=[("i", "i1"), ("z", ">c16")])["z"],
    "misaligned frombuffer": np.frombuffer(b"\0" + np.arange(3.0).tobytes(), dtype=np.float64, offset=1),
    "imaginary part": np.array([1 + 2j, 3 + 4j]).imag,
    "zero size": np.zeros((3, 0, 2))[::-1],
}


@pytest.mark.parametrize("name", ODD_ARRAYS)
@pytest.mark.parametrize("entrance", ENTRANCES)
def test_odd_arrays(entrance, name):
    a = ODD_ARRAYS[name]
    x = ENTRANCES[entrance](a)
    assert x.shape == a.shape
    assert np.array_equal(x.numpy(), np.asarray(a))


def test_indices_are_kept():
    a = np.arange(6.0).reshape(2, 3)
    x = tf.tensor(a)
    for i, j in itertools.product(range(2), range(3)):
        assert x[i, j].item() == a[i, j]


def test_memmap(tmp_path):
    path = tmp_path / "a.bin"
    np.arange(6.0).tofile(path)
    mapped = np.memmap(path, dtype=np.float64, mode="r", shape=(2, 3))
    assert np.array_equal(tf.tensor(mapped).numpy(), mapped)


def test_subclasses_come_in_as_arrays():
    class Sub(np.ndarray):
        pass

    a = np.arange(3.0).view(Sub)
    assert np.array_equal(tf.tensor(a).numpy(), np.arange(3.0))
    assert type(tf.tensor(a).numpy()) is np.ndarray


UNSUPPORTED = [
    "int8",
    "int16",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "longdouble",
    "clongdouble",
    "O",
    "U3",
    "S3",
    "datetime64[s]",
    "timedelta64[s]",
    "V4",
    [("a", "f8")],
]


@pytest.mark.parametrize("dtype", UNSUPPORTED, ids=str)
@pytest.mark.parametrize("entrance", ENTRANCES)
def test_unsupported_dtypes(entrance, dtype):
    a = np.zeros(2, dtype=dtype)
    with pytest.raises(tf.UnsupportedDTypeError) as caught:
        ENTRANCES[entrance](a)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, NotImplementedError)


def test_an_explicit_dtype_converts():
    a = np.array([1, 2, 3], dtype=np.int32)
    assert_equals(tf.tensor(a, dtype=tf.float64), a.astype(np.float64))
    assert_equals(tf.asarray(np.arange(3.0), dtype="complex64"), np.arange(3.0).astype(np.complex64))


def test_tensor_copies():
    a = np.arange(3.0)
    x = tf.tensor(a)
    a[0] = 99.0
    assert x.numpy().tolist() == [0.0, 1.0, 2.0]
    frozen = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    frozen.flags.writeable = False
    assert not np.shares_memory(tf.tensor(frozen).numpy(), frozen)


@pytest.mark.parametrize("make", [tf.asarray, tf.Tensor.from_numpy, lambda a: tf.asarray(a, copy=True)])
def test_writable_memory_is_copied(make):
    a = np.arange(3.0)
    x = make(a)
    assert not np.shares_memory(x.numpy(), a)
    a[0] = 99.0
    assert x.numpy().tolist() == [0.0, 1.0, 2.0]


def frozen(a):
    b = np.array(a, order="K")
    b.flags.writeable = False
    return b


def test_asarray_copy_false_shares_read_only_memory():
    a = frozen(np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    x = tf.asarray(a, copy=False)
    assert np.shares_memory(x.numpy(), a)
    assert np.array_equal(x.numpy(), a)


def test_shared_memory_stays_alive():
    a = frozen(np.full(10_000, 7.0))
    x = tf.asarray(a, copy=False)
    del a
    gc.collect()
    churn = [np.zeros(10_000) for _ in range(20)]
    assert x.sum().item() == 70_000.0
    assert len(churn) == 20


NOT_SHARED = {
    "writable": (np.arange(3.0), {}),
    "another dtype": (frozen(np.arange(3.0)), {"dtype": tf.float32}),
    "byte-swapped": (frozen(np.arange(3.0).astype(">f8")), {}),
    "a list": ([1.0, 2.0], {}),
    "a scalar": (1.0, {}),
}


@pytest.mark.parametrize("name", NOT_SHARED)
def test_copy_false_refuses_what_it_would_have_to_copy(name):
    data, keywords = NOT_SHARED[name]
    with pytest.raises(ValueError, match="copy"):
        tf.asarray(data, copy=False, **keywords)


@pytest.mark.parametrize("dtype", ALL)
def test_numpy_out_is_a_read_only_view(dtype):
    x = tf.tensor(sample(dtype, (2, 3)))
    out = x.numpy()
    assert np.shares_memory(out, x.numpy())
    assert out.flags.f_contiguous
    assert not out.flags.writeable
    with pytest.raises(ValueError, match="WRITEABLE|writeable"):
        out.flags.writeable = True
    with pytest.raises(ValueError, match="read-only"):
        out[0, 0] = 1


@pytest.mark.parametrize("make", [np.asarray, lambda x: x.numpy(), lambda x: np.asarray(x.detach().to_tensor())])
def test_ways_out(make):
    a = sample("complex128", (2, 3))
    assert np.array_equal(make(leaf(a)), a)


def test_out_of_tracked_tensors():
    x = leaf([1.0, 2.0])
    y = x * x
    assert np.asarray(y).tolist() == [1.0, 4.0]
    assert np.shares_memory(np.asarray(x), x.numpy())


def test_copies_are_the_users_own():
    x = tf.tensor([1.0, 2.0])
    for mine in (x.numpy(copy=True), np.array(x)):
        assert mine.flags.writeable
        assert not np.shares_memory(mine, x.numpy())
        mine[0] = 9.0
    assert x.numpy().tolist() == [1.0, 2.0]


def test_array_protocol_arguments():
    x = tf.tensor([1.0, 2.5])
    assert np.asarray(x, dtype=np.float32).dtype == np.float32
    assert np.asarray(x, dtype=np.complex128).tolist() == [1.0, 2.5]
    assert np.shares_memory(np.asarray(x, copy=False), x.numpy())
    assert not np.shares_memory(np.asarray(x, copy=True), x.numpy())
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, dtype=np.float32, copy=False)


@pytest.mark.parametrize("layout", VIEWS)
def test_views_come_out_with_their_strides(layout):
    a = sample("float64", (3, 4))
    x = VIEWS[layout](a)
    out = x.numpy()
    assert np.array_equal(out, a)
    assert tuple(s // 8 for s in out.strides) == x.tensor_read().strides
    assert not out.flags.writeable


def test_results_of_computing_ops_are_compact():
    x = tf.tensor(np.arange(6.0).reshape(2, 3)).transpose([1, 0])
    for y in (x + 1.0, x.exp(), x.sum(0), x @ tf.ones((2, 2)), x.take([0, 1], axis=0)):
        assert y.numpy().flags.f_contiguous


@pytest.mark.parametrize(
    "owner",
    [
        lambda a: tf.tensor(a),
        lambda a: tf.Tensor.from_numpy(a),
        lambda a: tf.tensor(a).exp().log(),
        lambda a: tf.tensor(a).value(),
    ],
)
def test_a_view_keeps_the_storage_alive(owner):
    a = sample("float64", (50, 40), low=0.5)
    out = owner(a).numpy()
    gc.collect()
    churn = [np.zeros((50, 40)) for _ in range(50)]
    assert np.allclose(out, a)
    assert len(churn) == 50


def test_the_base_of_a_view_cannot_be_written():
    out = tf.tensor([1.0, 2.0]).numpy()
    base = out.base
    while isinstance(base, np.ndarray):
        assert not base.flags.writeable
        base = base.base


@pytest.mark.parametrize(
    "value", [1.5, 1, True, 2j, np.float32(1.5), np.int64(3), np.bool_(True), np.complex64(1j)], ids=repr
)
def test_scalars_come_in(value):
    x = tf.tensor(value)
    assert x.shape == ()
    assert x.dtype == np.asarray(value).dtype
    assert x.item() == value


NESTED = [
    [1, 2, 3],
    [1.0, 2],
    [[1, 2], [3, 4]],
    [True, False],
    [True, 2],
    [1j, 2.0, 3],
    [[[1.0]], [[2.0]]],
    ((1, 2), (3, 4)),
    [],
    [[], []],
    [np.float64(1.0), 2],
    [np.array([1.0, 2.0]), [3.0, 4.0]],
    range(4),
]


@pytest.mark.parametrize("data", NESTED, ids=repr)
def test_nested_lists_come_in(data):
    assert_equals(tf.tensor(data), np.array(data))


@pytest.mark.parametrize("data", [[[1.0], [1.0, 2.0]], [1.0, [2.0]]], ids=repr)
def test_ragged_lists(data):
    with pytest.raises(tf.ValidationError, match="tensor"):
        tf.tensor(data)


@pytest.mark.parametrize("data", ["text", ["a"], [None], None, {1: 2}, object(), [1.0, "x"], {1.0}], ids=repr)
def test_other_objects_are_type_errors(data):
    with pytest.raises(TypeError):
        tf.tensor(data)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**30])
def test_ints_beyond_int64(value):
    for data in (value, [1, value]):
        with pytest.raises(tf.IntegerOverflowError):
            tf.tensor(data)


def test_objects_with_array_or_dlpack():
    class WithArray:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0])

    class WithDLPack:
        def __init__(self):
            self.a = np.array([3.0, 4.0])

        def __dlpack__(self, **keywords):
            return self.a.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return self.a.__dlpack_device__()

    for make in (tf.tensor, tf.asarray):
        assert make(WithArray()).numpy().tolist() == [1.0, 2.0]
        assert make(WithDLPack()).numpy().tolist() == [3.0, 4.0]


def test_an_exception_of_a_foreign_object_comes_out():
    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        tf.tensor(Broken())


def test_rank_65_has_no_numpy_view():
    x = tf.ones((1,) * 65)
    for out in (lambda: x.numpy(), lambda: np.asarray(x)):
        with pytest.raises(ValueError, match="65"):
            out()
    assert tf.ones((1,) * 64).numpy().ndim == 64
