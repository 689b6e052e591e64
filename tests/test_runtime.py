"""`EagerRuntime`: identity, leaves, modes (`no_grad`, `capture_trace`), state and caches; the default runtime."""

import threading

import numpy as np
import pytest

import tenferro as tf
from support import leaf


def in_thread(function):
    """The function's result in a thread of its own."""
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join(timeout=30)
    return results[0]


def test_every_runtime_has_its_own_id():
    runtimes = [tf.EagerRuntime() for _ in range(5)]
    assert len({ctx.id for ctx in runtimes}) == 5


def test_id_stays(ctx):
    first = ctx.id
    assert ctx.id == first
    assert hash(ctx.id) == hash(first)


def test_ids_increase():
    assert tf.EagerRuntime().id < tf.EagerRuntime().id


def test_with_cpu_backend_uses_the_backend():
    ctx = tf.EagerRuntime.with_cpu_backend(tf.CpuBackend(threads=2))
    x = leaf([1.0, 2.0], runtime=ctx)
    assert (x * x).sum().item() == 5.0


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_cpu_backend_threads(threads):
    assert tf.CpuBackend(threads=threads).num_threads == threads


def test_cpu_backend_default_threads():
    assert tf.CpuBackend().num_threads >= 1


@pytest.mark.parametrize("threads", [0, -1])
def test_cpu_backend_refuses_no_threads(threads):
    with pytest.raises(tf.InvalidArgumentError, match="threads") as caught:
        tf.CpuBackend(threads=threads)
    assert caught.value.argument == "threads"


def test_cpu_backend_buffer_pool():
    backend = tf.CpuBackend(threads=1)
    backend.set_buffer_pool_limit(0)
    ctx = tf.EagerRuntime.with_cpu_backend(backend)
    x = tf.tensor(np.ones(4096), runtime=ctx)
    for _ in range(3):
        x = x + 1.0
    assert x.numpy()[0] == 4.0
    assert backend.buffer_pool_stats() is not None


def test_results_do_not_depend_on_the_buffer_pool():
    values = []
    for limit in (0, 1 << 20):
        backend = tf.CpuBackend(threads=1)
        backend.set_buffer_pool_limit(limit)
        x = tf.tensor(np.arange(5000.0), runtime=tf.EagerRuntime.with_cpu_backend(backend))
        for _ in range(4):
            x = (x * 1.5).sin()
        values.append(x.numpy(copy=True))
    assert np.array_equal(*values)


def test_constant_from(ctx):
    x = ctx.constant_from(tf.Tensor.from_vec_col_major((2,), [1.0, 2.0]))
    assert not x.tracks_grad
    assert x.runtime.id == ctx.id


def test_variable_from(ctx):
    x = ctx.variable_from(tf.Tensor.from_vec_col_major((2,), [1.0, 2.0]))
    assert x.tracks_grad
    assert x.grad is None


@pytest.mark.parametrize("dtype", ["float32", "complex128", "int32", "int64", "bool"])
def test_every_dtype_may_be_tracked(ctx, dtype):
    x = ctx.variable_from(tf.Tensor.from_numpy(np.ones(2, dtype=dtype)))
    assert x.tracks_grad
    assert x.dtype == np.dtype(dtype)


def test_clear_grads_empties_every_slot_of_this_runtime(ctx, other):
    x, y = leaf([1.0], runtime=ctx), leaf([2.0], runtime=ctx)
    foreign = leaf([3.0], runtime=other)
    (x * y).sum().backward()
    (foreign * foreign).sum().backward()
    ctx.clear_grads()
    assert x.grad is None
    assert y.grad is None
    assert foreign.grad is not None
    (x * y).sum().backward()
    assert x.grad.numpy().tolist() == [2.0]


def test_synchronize_returns_at_once(ctx):
    assert ctx.synchronize() is None


def test_clearing_caches_keeps_tensors_and_graphs(ctx):
    x = leaf([1.0, 2.0], runtime=ctx)
    loss = (x * x).sum()
    ctx.clear_caches()
    loss.backward()
    assert x.grad.numpy().tolist() == [2.0, 4.0]
    assert ctx.cache_stats() is not None


def test_tensors_keep_their_runtime_alive():
    ctx = tf.EagerRuntime()
    ident = ctx.id
    x = leaf([1.0, 2.0], runtime=ctx)
    del ctx
    (x * x).sum().backward()
    assert x.runtime.id == ident
    assert x.grad.numpy().tolist() == [2.0, 4.0]


@pytest.mark.parametrize("mode", [tf.no_grad, lambda: tf.default_runtime().no_grad()], ids=["tf", "runtime"])
def test_no_grad_records_nothing_in_any_runtime(ctx, mode):
    x, y = leaf([1.0]), leaf([1.0], runtime=ctx)
    with mode():
        assert not (x * x).tracks_grad
        assert not (y * y).tracks_grad
        assert x.tracks_grad
    assert (x * x).tracks_grad
    assert (y * y).tracks_grad


def test_no_grad_nests():
    x = leaf([1.0])
    with tf.no_grad():
        with tf.no_grad():
            pass
        assert not (x * x).tracks_grad
    assert (x * x).tracks_grad


def test_no_grad_ends_with_an_exception():
    x = leaf([1.0])
    with pytest.raises(ZeroDivisionError), tf.no_grad():
        1 / 0
    assert (x * x).tracks_grad


def test_no_grad_does_not_reach_other_threads():
    x = leaf([1.0])
    with tf.no_grad():
        assert in_thread(lambda: (x * x).tracks_grad)


def test_no_grad_decorates():
    @tf.no_grad()
    def square(x: tf.EagerTensor) -> tf.EagerTensor:
        """Docstring."""
        return x * x

    x = leaf([3.0])
    for _ in range(2):
        assert not square(x).tracks_grad
    assert (x * x).tracks_grad
    assert square.__name__ == "square"
    assert square.__doc__ == "Docstring."


def test_a_leaf_made_under_no_grad_is_tracked():
    with tf.no_grad():
        x = leaf([3.0])
    assert x.tracks_grad
    (x * x).sum().backward()
    assert x.grad.numpy().tolist() == [6.0]


def test_a_result_of_no_grad_is_a_constant_later():
    x = leaf([3.0])
    with tf.no_grad():
        c = x * x
    (c * x).sum().backward()
    assert x.grad.numpy().tolist() == [9.0]


def test_backward_works_under_no_grad():
    x = leaf([3.0])
    loss = (x * x).sum()
    with tf.no_grad():
        loss.backward()
    assert x.grad.numpy().tolist() == [6.0]


@pytest.mark.parametrize(
    "mode", [lambda ctx: ctx.capture_trace(), lambda ctx: tf.capture_trace()], ids=["runtime", "tf"]
)
def test_capture_trace_makes_untracked_leaves_differentiable(ctx, mode):
    x = ctx.constant_from(tf.Tensor.from_vec_col_major((2,), [2.0, 3.0]))
    with mode(ctx):
        y = (x * x).sum()
    assert not y.tracks_grad
    assert ctx.grad(y, x).numpy().tolist() == [4.0, 6.0]
    one = ctx.constant_from(tf.Tensor.from_vec_col_major((), [1.0]))
    assert ctx.vjp(y, x, one).numpy().tolist() == [4.0, 6.0]
    assert ctx.jvp(y, x, x).item() == 26.0


def test_without_capture_trace_untracked_leaves_are_inactive(ctx):
    x = ctx.constant_from(tf.Tensor.from_vec_col_major((2,), [2.0, 3.0]))
    with pytest.raises(tf.InvalidArgumentError) as caught:
        ctx.grad((x * x).sum(), x)
    assert caught.value.argument == "wrt"


def test_capture_trace_nests_and_ends(ctx):
    x = ctx.constant_from(tf.Tensor.from_vec_col_major((1,), [2.0]))
    with ctx.capture_trace():
        with ctx.capture_trace():
            pass
        inside = (x * x).sum()
    outside = (x * x).sum()
    assert ctx.grad_optional(inside, x).numpy().tolist() == [4.0]
    assert ctx.grad_optional(outside, x) is None


def test_capture_trace_does_not_reach_other_threads(ctx):
    x = ctx.constant_from(tf.Tensor.from_vec_col_major((1,), [2.0]))
    with ctx.capture_trace():
        y = in_thread(lambda: (x * x).sum())
    assert ctx.grad_optional(y, x) is None


def test_mixing_runtimes_is_refused_and_detach_into_is_the_way(ctx, other):
    x, y = leaf([1.0], runtime=ctx), leaf([2.0], runtime=other)
    with pytest.raises(tf.ContextMismatchError, match="detach_into") as caught:
        x + y
    assert {caught.value.lhs, caught.value.rhs} == {ctx.id, other.id}
    assert (x + y.detach_into(ctx)).numpy().tolist() == [3.0]


def test_runtimes_are_compared_before_shapes_and_dtypes(ctx, other):
    x = tf.tensor([1.0, 2.0, 3.0], runtime=ctx)
    y = tf.tensor([True, False], runtime=other)
    with pytest.raises(tf.ContextMismatchError):
        x + y


def test_use_runtime_sets_the_default_for_a_block(ctx):
    before = tf.default_runtime().id
    with tf.use_runtime(ctx):
        assert tf.default_runtime().id == ctx.id
        assert tf.tensor([1.0]).ctx_id == ctx.id
        assert tf.zeros((2,)).ctx_id == ctx.id
    assert tf.default_runtime().id == before
    assert tf.tensor([1.0]).ctx_id == before


def test_set_default_runtime(ctx):
    before = tf.default_runtime()
    try:
        tf.set_default_runtime(ctx)
        assert tf.tensor([1.0]).ctx_id == ctx.id
    finally:
        tf.set_default_runtime(before)
    assert tf.tensor([1.0]).ctx_id == before.id


def test_module_functions_use_the_runtime_of_their_arguments(ctx):
    x = tf.tensor([1.0], runtime=ctx)
    assert tf.exp(x).ctx_id == ctx.id
    assert tf.add(np.array([1.0]), x).ctx_id == ctx.id
    assert tf.concatenate([x, x], axis=0).ctx_id == ctx.id


def test_set_num_threads_keeps_results():
    a = np.random.default_rng(1).standard_normal((300, 200))
    results = []
    for threads in (1, 2):
        tf.set_num_threads(threads)
        results.append((tf.tensor(a) @ tf.tensor(a.T)).numpy(copy=True))
    assert np.array_equal(*results)


def test_set_num_threads_refuses_negative_numbers():
    with pytest.raises(tf.InvalidArgumentError, match="set_num_threads"):
        tf.set_num_threads(-1)


def test_zero_threads_means_the_number_at_the_start():
    tf.set_num_threads(0)
    first = tf.num_threads()
    tf.set_num_threads(1)
    assert tf.num_threads() == 1
    tf.set_num_threads(0)
    assert tf.num_threads() == first
