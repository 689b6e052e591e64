"""DLPack in both directions: versioned and legacy, every dtype and layout, lifetimes, refusals."""

import gc
import threading

import numpy as np
import pytest

import dlpack_producer as dl
import tenferro as tf
from support import ALL, LAYOUTS, VIEWS, assert_equals, leaf, sample, tf_dtype

CODES = {
    "float32": (dl.FLOAT, 32),
    "float64": (dl.FLOAT, 64),
    "complex64": (dl.COMPLEX, 64),
    "complex128": (dl.COMPLEX, 128),
    "int32": (dl.INT, 32),
    "int64": (dl.INT, 64),
    "bool": (dl.BOOL, 8),
}


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 0, 3)], ids=str)
@pytest.mark.parametrize("dtype", ALL)
def test_out_to_numpy(dtype, shape):
    a = sample(dtype, shape)
    for x in (tf.tensor(a), tf.Tensor.from_numpy(a)):
        out = np.from_dlpack(x)
        assert out.dtype == a.dtype
        assert np.array_equal(out, a)
        assert not out.flags.writeable


def test_out_is_zero_copy_for_consumers_that_can_say_read_only():
    x = tf.tensor([1.0, 2.0])
    assert np.shares_memory(np.from_dlpack(x), x.numpy())


@pytest.mark.parametrize("layout", VIEWS)
def test_out_of_views(layout):
    a = sample("float64", (3, 4))
    assert np.array_equal(np.from_dlpack(VIEWS[layout](a)), a)


def test_out_of_tracked_tensors():
    x = leaf([1.0, 2.0])
    assert np.from_dlpack(x * x).tolist() == [1.0, 4.0]


def test_device():
    assert tuple(tf.tensor(1.0).__dlpack_device__()) == (1, 0)
    assert tuple(tf.Tensor.from_vec_col_major((), [1.0]).__dlpack_device__()) == (1, 0)


@pytest.mark.parametrize(
    ("version", "name"),
    [((1, 0), "dltensor_versioned"), ((1, 3), "dltensor_versioned"), ((0, 8), "dltensor"), (None, "dltensor")],
)
def test_the_capsule_is_the_one_the_consumer_asks_for(version, name):
    capsule = tf.tensor([1.0, 2.0]).__dlpack__(max_version=version)
    assert f'"{name}"' in repr(capsule)
    assert np.from_dlpack(dl.Holder(capsule)).tolist() == [1.0, 2.0]


def test_legacy_consumers_get_a_copy():
    x = tf.tensor([1.0, 2.0])
    out = np.from_dlpack(dl.Holder(x.__dlpack__()))
    assert not np.shares_memory(out, x.numpy())


def test_copy_argument():
    x = tf.tensor([1.0, 2.0])
    shared = np.from_dlpack(dl.Holder(x.__dlpack__(max_version=(1, 0), copy=False)))
    copied = np.from_dlpack(dl.Holder(x.__dlpack__(max_version=(1, 0), copy=True)))
    assert np.shares_memory(shared, x.numpy())
    assert not np.shares_memory(copied, x.numpy())
    with pytest.raises(BufferError):
        x.__dlpack__(copy=False)


def test_another_device_is_refused():
    with pytest.raises(BufferError):
        tf.tensor([1.0]).__dlpack__(dl_device=(2, 0), max_version=(1, 0))
    assert tf.tensor([1.0]).__dlpack__(dl_device=(1, 0), max_version=(1, 0)) is not None


def test_the_producer_may_die_first():
    out = np.from_dlpack(tf.tensor(np.full(10_000, 5.0)))
    gc.collect()
    churn = [np.zeros(10_000) for _ in range(20)]
    assert out.sum() == 50_000.0
    assert len(churn) == 20


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_b76_an_unconsumed_capsule_frees_its_storage(version):
    baseline = tf.live_tensors(), tf.live_bytes()
    capsule = tf.tensor(np.ones(100)).__dlpack__(max_version=version)
    assert capsule is not None
    del capsule
    gc.collect()
    assert (tf.live_tensors(), tf.live_bytes()) == baseline


def test_a_consumed_capsule_frees_its_storage():
    baseline = tf.live_tensors(), tf.live_bytes()
    out = np.from_dlpack(tf.tensor(np.ones(100)))
    assert tf.live_bytes() > baseline[1]
    del out
    gc.collect()
    assert (tf.live_tensors(), tf.live_bytes()) == baseline


def test_a_capsule_may_be_freed_on_another_thread():
    baseline = tf.live_tensors()
    held = [np.from_dlpack(tf.tensor(np.ones(100)))]
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    gc.collect()
    assert tf.live_tensors() == baseline


@pytest.mark.parametrize("layout", [n for n in LAYOUTS if n not in ("byte_swapped", "misaligned", "read_only")])
@pytest.mark.parametrize("dtype", ALL)
def test_in_from_numpy(dtype, layout):
    a = LAYOUTS[layout](sample(dtype, (3, 4)))
    x = tf.from_dlpack(a)
    assert isinstance(x, tf.EagerTensor)
    assert_equals(x, a, rtol=0.0)


def test_in_from_read_only_numpy():
    a = np.arange(3.0)
    a.flags.writeable = False
    assert tf.from_dlpack(a).numpy().tolist() == [0.0, 1.0, 2.0]


def test_writing_to_the_source_never_changes_the_tensor():
    a = np.arange(3.0)
    x = tf.from_dlpack(a)
    y = leaf([1.0, 1.0, 1.0]) * x
    a[0] = 99.0
    assert x.numpy().tolist() == [0.0, 1.0, 2.0]
    assert y.numpy().tolist() == [0.0, 1.0, 2.0]


def test_round_trip():
    x = tf.tensor(np.arange(6.0).reshape(2, 3))
    assert np.array_equal(tf.from_dlpack(x).numpy(), x.numpy())


@pytest.mark.parametrize("version", [None, (1, 0)])
@pytest.mark.parametrize("dtype", ALL)
def test_in_every_dtype(dtype, version):
    a = sample(dtype, (6,))
    code, bits = CODES[dtype]
    producer = dl.Producer(a, (6,), (1,), code=code, bits=bits, version=version)
    x = tf.from_dlpack(producer)
    assert x.dtype == tf_dtype(dtype)
    assert np.array_equal(x.numpy(), a)


MEMORY = np.arange(24.0)

LAYOUTS_IN = {
    "no strides": ((2, 3, 4), None, 0, MEMORY.reshape(2, 3, 4)),
    "column-major": ((2, 3), (1, 2), 0, MEMORY[:6].reshape(3, 2).T),
    "negative stride": ((4,), (-1,), 24, MEMORY[3::-1]),
    "zero stride": ((3, 2), (0, 1), 0, np.broadcast_to(MEMORY[:2], (3, 2))),
    "byte offset": ((3,), (1,), 40, MEMORY[5:8]),
    "rank zero": ((), (), 16, MEMORY[2]),
    "rank zero without strides": ((), None, 0, MEMORY[0]),
    "size zero": ((0, 3), (3, 1), 0, np.zeros((0, 3))),
    "gaps": ((2, 2), (12, 5), 8, MEMORY[1:][np.array([[0, 5], [12, 17]])]),
}


@pytest.mark.parametrize("version", [None, (1, 0), (1, 7)])
@pytest.mark.parametrize("name", LAYOUTS_IN)
def test_in_every_layout(name, version):
    shape, strides, offset, expected = LAYOUTS_IN[name]
    producer = dl.Producer(MEMORY, shape, strides, byte_offset=offset, version=version)
    x = tf.from_dlpack(producer)
    assert_equals(x, np.asarray(expected))
    del x
    gc.collect()
    assert producer.deleted == 1


def test_the_memory_stays_while_a_read_only_import_lives():
    producer = dl.Producer(MEMORY, (24,), version=(1, 0), flags=dl.READ_ONLY)
    x = tf.from_dlpack(producer)
    view = x.numpy()
    if np.shares_memory(view, MEMORY):
        assert producer.deleted == 0
    assert np.array_equal(view, MEMORY)
    del x, view
    gc.collect()
    assert producer.deleted == 1


REFUSED = {
    "float16": {"bits": 16},
    "int8": {"code": dl.INT, "bits": 8},
    "uint64": {"code": dl.UINT, "bits": 64},
    "bfloat16": {"code": dl.BFLOAT, "bits": 16},
    "float128": {"bits": 128},
    "complex32": {"code": dl.COMPLEX, "bits": 32},
    "unknown code": {"code": 77},
    "two lanes": {"bits": 32, "lanes": 2},
}


@pytest.mark.parametrize("version", [None, (1, 0)])
@pytest.mark.parametrize("name", REFUSED)
def test_in_unsupported_dtypes(name, version):
    producer = dl.Producer(MEMORY, (3,), (1,), version=version, **REFUSED[name])
    with pytest.raises(tf.UnsupportedDTypeError, match="from_dlpack"):
        tf.from_dlpack(producer)
    gc.collect()
    assert producer.deleted <= 1


def test_in_another_device_is_refused():
    with pytest.raises((BufferError, tf.UnsupportedError), match="device"):
        tf.from_dlpack(dl.Producer(MEMORY, (3,), (1,), device=dl.CUDA))


def test_in_a_newer_major_version_is_refused():
    with pytest.raises((BufferError, tf.UnsupportedError), match="version"):
        tf.from_dlpack(dl.Producer(MEMORY, (3,), (1,), version=(2, 0)))


@pytest.mark.parametrize("shape", [(-1,), (2**62, 2**62), (2**40,) * 3], ids=str)
def test_in_absurd_shapes(shape):
    with pytest.raises((tf.TenferroError, BufferError, ValueError)):
        tf.from_dlpack(dl.Producer(MEMORY, shape))


def test_b76_a_capsule_is_consumed_once():
    producer = dl.Producer(MEMORY, (3,), (1,))
    holder = dl.Holder(producer.__dlpack__())
    assert tf.from_dlpack(holder).numpy().tolist() == [0.0, 1.0, 2.0]
    with pytest.raises((BufferError, ValueError), match="capsule|consumed|dltensor"):
        tf.from_dlpack(holder)
    gc.collect()
    assert producer.deleted == 1


def test_our_capsule_is_consumed_once():
    holder = dl.Holder(tf.tensor([1.0]).__dlpack__(max_version=(1, 0)))
    assert np.from_dlpack(holder).tolist() == [1.0]
    with pytest.raises((BufferError, ValueError, RuntimeError)):
        np.from_dlpack(holder)


def test_the_request_names_a_version():
    producer = dl.Producer(MEMORY, (3,), (1,), version=(1, 0))
    tf.from_dlpack(producer)
    assert producer.requests[0]["max_version"][0] >= 1


@pytest.mark.parametrize("thing", [1.0, "text", None, dl.Holder("no capsule")], ids=["float", "str", "None", "holder"])
def test_what_is_no_producer(thing):
    with pytest.raises((TypeError, AttributeError, BufferError), match="dlpack|capsule"):
        tf.from_dlpack(thing)


def test_an_exception_of_the_producer_comes_out():
    class Broken(dl.Holder):
        def __dlpack__(self, **_):
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        tf.from_dlpack(Broken(None))
