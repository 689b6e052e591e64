"""The buffer protocol of `Tensor`, and flat slices."""

import ctypes
import gc
import sys

import numpy as np
import pytest

import tenferro as tf
from support import ALL, assert_equals, sample


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 0, 3), (2, 3, 4)], ids=str)
@pytest.mark.parametrize("dtype", ALL)
def test_memoryview(dtype, shape):
    a = sample(dtype, shape)
    view = memoryview(tf.Tensor.from_numpy(a))
    assert view.readonly
    assert view.shape == shape
    assert view.ndim == len(shape)
    assert view.itemsize == a.itemsize
    assert view.nbytes == a.nbytes
    assert view.f_contiguous
    if a.size:
        assert view.strides == np.array(a, order="F").strides
    back = np.asarray(view)
    assert back.dtype == a.dtype
    assert np.array_equal(back, a)


def test_is_zero_copy():
    t = tf.Tensor.from_vec_col_major((3,), [1.0, 2.0, 3.0])
    assert np.shares_memory(np.asarray(memoryview(t)), t.numpy())


def test_bytes_are_row_major_or_column_major_as_asked():
    a = sample("float64", (2, 3))
    view = memoryview(tf.Tensor.from_numpy(a))
    assert view.tobytes() == a.tobytes()
    assert view.tobytes(order="F") == a.tobytes(order="F")


def test_a_writable_buffer_is_refused():
    t = tf.Tensor.from_vec_col_major((3,), [1.0, 2.0, 3.0])
    with pytest.raises((BufferError, TypeError)):
        (ctypes.c_double * 3).from_buffer(t)
    with pytest.raises(TypeError):
        memoryview(t)[0] = 5.0


def test_a_row_major_request_of_a_column_major_matrix_is_refused():
    """PyBUF_C_CONTIGUOUS asks for row-major memory; a matrix that is not must say so."""

    class Buffer(ctypes.Structure):
        _fields_ = [("space", ctypes.c_byte * 256)]

    get = ctypes.pythonapi.PyObject_GetBuffer
    get.argtypes = [ctypes.py_object, ctypes.POINTER(Buffer), ctypes.c_int]
    get.restype = ctypes.c_int
    release = ctypes.pythonapi.PyBuffer_Release
    release.argtypes = [ctypes.POINTER(Buffer)]
    release.restype = None
    nd_strides_c = 0x0008 | 0x0010 | 0x0020
    with pytest.raises(BufferError):
        get(tf.Tensor.from_numpy(np.ones((2, 3))), ctypes.byref(Buffer()), nd_strides_c)
    held = Buffer()
    assert get(tf.Tensor.from_numpy(np.ones(3)), ctypes.byref(held), nd_strides_c) == 0
    release(ctypes.byref(held))


def test_the_view_keeps_the_storage_alive():
    view = memoryview(tf.Tensor.from_numpy(np.full(10_000, 3.0)))
    gc.collect()
    churn = [np.zeros(10_000) for _ in range(20)]
    assert np.asarray(view).sum() == 30_000.0
    assert len(churn) == 20


def test_released_views_free_the_storage():
    baseline = tf.live_tensors()
    view = memoryview(tf.Tensor.from_numpy(np.ones(10)))
    assert tf.live_tensors() == baseline + 1
    view.release()
    gc.collect()
    assert tf.live_tensors() == baseline


def test_many_views_do_not_leak_references():
    t = tf.Tensor.from_numpy(np.ones(10))
    before = sys.getrefcount(t)
    for _ in range(100):
        memoryview(t).release()
    assert sys.getrefcount(t) == before


def test_tensors_come_in_from_buffers():
    t = tf.Tensor.from_numpy(np.arange(6.0).reshape(2, 3))
    assert_equals(tf.tensor(memoryview(t)), np.arange(6.0).reshape(2, 3))
    assert_equals(tf.tensor(np.frombuffer(bytes(16), dtype=np.float64)), np.zeros(2))


@pytest.mark.parametrize("dtype", ALL)
def test_as_slice_is_flat_column_major_and_read_only(dtype):
    a = sample(dtype, (2, 3))
    flat = tf.Tensor.from_numpy(a).as_slice(dtype)
    assert flat.dtype == np.dtype(dtype)
    assert flat.tolist() == a.ravel(order="F").tolist()
    assert not flat.flags.writeable


def test_members_of_a_tensor():
    t = tf.Tensor.from_vec_col_major((2, 3), [1, 2, 3, 4, 5, 6])
    assert (t.dtype, t.shape, t.ndim, t.size, t.strides) == (tf.int64, (2, 3), 2, 6, (1, 2))
    assert t.numpy().tolist() == [[1, 3, 5], [2, 4, 6]]
    text = repr(t)
    assert "int64" in text
    assert "0x" not in text


@pytest.mark.parametrize("dtype", ALL)
def test_from_vec_col_major_takes_a_dtype(dtype):
    t = tf.Tensor.from_vec_col_major((2,), [0, 1], dtype)
    assert t.dtype == np.dtype(dtype)
    assert t.numpy().tolist() == [0, 1]


@pytest.mark.parametrize("data", [(1.0, 2.0), np.array([1.0, 2.0]), range(2), np.array([1.0, 0.0, 2.0])[::2]], ids=repr)
def test_from_vec_col_major_takes_flat_data(data):
    assert tf.Tensor.from_vec_col_major((2,), data).numpy().tolist() == list(data)
