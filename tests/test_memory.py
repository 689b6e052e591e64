"""Counters and lifetimes: `live_tensors`, `live_bytes`, weak references, graphs freed as soon as they can be."""

import gc
import weakref

import numpy as np
import pytest

import tenferro as tf
from support import leaf


def test_live_bytes_counts_storage():
    tensors, total = tf.live_tensors(), tf.live_bytes()
    x = tf.tensor(np.ones(1000))
    assert tf.live_tensors() == tensors + 1
    assert tf.live_bytes() >= total + 8000
    assert tf.live_bytes() <= total + 8000 + 4096
    del x
    assert (tf.live_tensors(), tf.live_bytes()) == (tensors, total)


def test_views_and_clones_share_storage():
    x = tf.tensor(np.ones(10_000))
    total = tf.live_bytes()
    shared = [x.clone(), x.detach(), x[::2], x.reshape((100, 100)), x.as_leaf(), x.reverse([0])]
    assert tf.live_bytes() < total + 10_000
    assert len(shared) == 6


WORKLOADS = {
    "forward and backward": lambda: (leaf(np.ones(50)) * 2.0).sum().backward(),
    "no backward": lambda: leaf(np.ones(50)).exp().tanh().sum(),
    "functional": lambda: functional(),
    "session": lambda: tf.default_runtime().with_eager_session(lambda s: s.exp(np.ones(50))),
    "views": lambda: leaf(np.ones((5, 10))).T[::2].numpy(),
    "guards": lambda: tf.tensor(np.ones(50)).value().as_slice(),
    "gradients": lambda: gradients(),
    "errors": lambda: errors(),
    "dlpack": lambda: np.from_dlpack(tf.tensor(np.ones(50))),
    "iteration": lambda: [row.sum() for row in leaf(np.ones((5, 3)))],
    "indexing": lambda: leaf(np.ones(50)).at[[0, 0, 3]].add(1.0)[np.arange(50) % 2 == 0],
    "no_grad": lambda: untracked(),
}


def functional():
    ctx = tf.EagerRuntime()
    x = leaf([1.0, 2.0], runtime=ctx)
    g = ctx.grad((x**3).sum(), x)
    return ctx.jvp(g, x, tf.tensor([1.0, 1.0], runtime=ctx))


def gradients():
    x = leaf(np.ones(5))
    grads = (x * x).sum().backward()
    return list(grads.items()), x.grad.value(), grads.take_grad(x)


def errors():
    x = tf.tensor(np.ones(5))
    y = x.clone()
    with pytest.raises(tf.NotUniqueError):
        x.into_value()
    with pytest.raises(tf.ShapeMismatchError):
        y + np.ones(4)


def untracked():
    with tf.no_grad():
        return leaf(np.ones(5)).exp()


@pytest.mark.parametrize("name", WORKLOADS)
def test_everything_is_released(name):
    WORKLOADS[name]()
    gc.collect()
    baseline = tf.live_tensors(), tf.live_bytes()
    for _ in range(20):
        WORKLOADS[name]()
    gc.collect()
    assert (tf.live_tensors(), tf.live_bytes()) == baseline


OBJECTS = {
    "EagerRuntime": tf.EagerRuntime,
    "EagerTensor": lambda: tf.tensor([1.0]),
    "tracked": lambda: leaf([1.0]),
    "Tensor": lambda: tf.Tensor.from_vec_col_major((), [1.0]),
    "Gradients": lambda: leaf(1.0).backward(),
    "GradientValue": lambda: stored_gradient(),
    "CpuBackend": lambda: tf.CpuBackend(threads=1),
}


def stored_gradient():
    x = leaf(1.0)
    x.backward()
    return x.grad


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_die_with_their_last_reference(name):
    thing = OBJECTS[name]()
    reference = weakref.ref(thing)
    assert reference() is thing
    del thing
    assert reference() is None


def test_objects_in_cycles_are_collected():
    class Holder:
        pass

    baseline = tf.live_tensors()
    holder = Holder()
    holder.me = holder
    holder.x = leaf(np.ones(10))
    holder.loss = holder.x.sum()
    del holder
    gc.collect()
    assert tf.live_tensors() == baseline


def test_untracked_chains_keep_nothing():
    x = tf.tensor(np.ones(10_000))
    most = tf.live_bytes()
    for _ in range(50):
        x = x * 1.0001
        assert tf.live_bytes() <= most + 2 * 80_000
    x = leaf(np.ones(10_000))
    with tf.no_grad():
        for _ in range(50):
            x = x * 1.0001
            assert tf.live_bytes() <= most + 3 * 80_000


def test_linear_ops_save_no_values():
    """Adding constants needs nothing saved: only the last value lives."""
    x = leaf(np.ones(10_000))
    y = x
    before = tf.live_bytes()
    for _ in range(30):
        y = y + 1.0
    assert tf.live_bytes() < before + 3 * 80_000
    y.sum().backward()
    assert x.grad.numpy()[0] == 1.0


def test_dropped_leaves_do_not_pile_up(ctx):
    keep = leaf([1.0], runtime=ctx)
    baseline = tf.live_tensors()
    for _ in range(2000):
        y = leaf([1.0], runtime=ctx)
        (y * keep).sum().backward()
    del y
    gc.collect()
    assert tf.live_tensors() <= baseline + 1
    assert keep.grad.numpy().tolist() == [2000.0]
