"""`backward` and `backward_with` (behaviour 3.3), accumulation (13.1) and the lifetime of graphs (13.3)."""

import gc
import weakref

import numpy as np
import pytest

import tenferro as tf
from support import ALL, NUMERIC, leaf


def test_only_rank_zero_is_scalar(ctx):
    x = leaf([2.0], runtime=ctx)
    with pytest.raises(tf.NonScalarGradError) as caught:
        (x * x).backward()
    assert caught.value.shape == (1,)
    assert caught.value.op == "backward"
    assert x.grad is None


@pytest.mark.parametrize("dtype", ALL)
def test_backward_of_a_leaf_by_itself_is_one(dtype):
    x = leaf(np.ones((), dtype=dtype))
    grads = x.backward()
    assert grads[x].dtype == np.dtype(dtype)
    assert grads[x].numpy() == np.ones((), dtype=dtype)
    assert x.grad.dtype == np.dtype(dtype)


@pytest.mark.parametrize("dtype", NUMERIC)
def test_backward_with_of_a_leaf_by_itself_is_the_cotangent(dtype):
    x = leaf(np.ones((2, 3), dtype=dtype))
    ct = np.arange(6).reshape(2, 3).astype(dtype)
    x.backward_with(tf.tensor(ct))
    assert x.grad.dtype == np.dtype(dtype)
    assert np.array_equal(x.grad.numpy(), ct)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_gradient_has_the_dtype_of_the_leaf(dtype):
    x = leaf(np.ones(3, dtype=dtype))
    y = x * np.array([1j, 2.0, 3.0])
    y.real.sum().backward()
    assert x.grad.dtype == np.dtype(dtype)


def test_seed_checks_go_runtime_dtype_shape(ctx, other):
    y = leaf([1.0, 2.0], runtime=ctx) * 2.0
    wrong = np.ones(3, dtype=np.float32)
    with pytest.raises(tf.ContextMismatchError):
        y.backward_with(tf.tensor(wrong, runtime=other))
    with pytest.raises(tf.DTypeMismatchError):
        y.backward_with(tf.tensor(wrong, runtime=ctx))
    with pytest.raises(tf.ShapeMismatchError):
        y.backward_with(tf.tensor(wrong.astype(np.float64), runtime=ctx))


@pytest.mark.parametrize("shape", [(1, 2), (), (2, 1)])
def test_seeds_do_not_broadcast(shape):
    y = leaf([1.0, 2.0]) * 2.0
    with pytest.raises(tf.ShapeMismatchError):
        y.backward_with(tf.ones(shape))


def test_without_a_tracked_leaf_backward_says_so():
    x = tf.tensor([1.0, 2.0])
    with pytest.raises(tf.RuntimeStateError, match="backward"):
        (x * x).sum().backward()


def test_without_any_differentiable_path_backward_says_so():
    x = leaf([1.0, -2.0])
    with pytest.raises(tf.RuntimeStateError, match="backward"):
        (x > 0).cast(tf.float64).sum().backward()
    assert x.grad is None


def test_a_leaf_without_differentiable_path_is_skipped():
    x, y = leaf([1.0, -2.0]), leaf([3.0, 4.0])
    grads = (y * (x > 0).cast(tf.float64)).sum().backward()
    assert y in grads
    assert x not in grads
    assert x.grad is None


def test_intermediates_store_no_gradient():
    x = leaf([1.0, 2.0])
    y = x * x
    y.sum().backward()
    assert y.grad is None
    assert y.tracks_grad


def test_an_unused_leaf_keeps_none():
    x, y = leaf([1.0]), leaf([1.0])
    (x * x).sum().backward()
    assert y.grad is None


def test_a_failed_pass_leaves_slots_unchanged():
    x = leaf([1.0, 2.0])
    y = x * x
    y.sum().backward()
    with pytest.raises(tf.ShapeMismatchError):
        y.backward_with(tf.ones((3,)))
    assert x.grad.numpy().tolist() == [2.0, 4.0]


def test_two_fresh_losses_accumulate():
    x = leaf([1.0, 2.0, 3.0])
    (x * x).sum().backward()
    assert x.grad.numpy().tolist() == [2.0, 4.0, 6.0]
    (x * x).sum().backward()
    assert x.grad.numpy().tolist() == [4.0, 8.0, 12.0]


def test_sum_of_x_plus_x_accumulates():
    x = leaf([1.0, 2.0, 3.0])
    for expected in (2.0, 4.0):
        (x + x).sum().backward()
        assert x.grad.numpy().tolist() == [expected] * 3


def test_the_same_loss_may_be_differentiated_twice():
    x = leaf([1.0, 2.0])
    loss = (x * x).sum()
    first, second = loss.backward(), loss.backward()
    assert x.grad.numpy().tolist() == [4.0, 8.0]
    assert first[x].numpy().tolist() == second[x].numpy().tolist() == [2.0, 4.0]


def test_clear_grad_starts_again_from_none():
    x, y = leaf([1.0]), leaf([2.0])
    loss = (x * y).sum()
    loss.backward()
    x.clear_grad()
    assert x.grad is None
    assert y.grad.numpy().tolist() == [1.0]
    loss.backward()
    assert x.grad.numpy().tolist() == [2.0]
    assert y.grad.numpy().tolist() == [2.0]


def test_clear_grad_of_an_untracked_tensor_does_nothing():
    x = tf.tensor([1.0])
    assert x.clear_grad() is None
    assert x.grad is None


def test_backward_of_an_unrelated_graph_keeps_gradients():
    x, y = leaf([1.0]), leaf([2.0])
    (x * x).sum().backward()
    (y * y).sum().backward()
    assert x.grad.numpy().tolist() == [2.0]


def test_shared_subexpressions_are_summed_once():
    x, y = leaf([2.0]), leaf([5.0])
    (x + x * y).sum().backward()
    assert x.grad.numpy().tolist() == [6.0]
    assert y.grad.numpy().tolist() == [2.0]
    x.clear_grad()
    s = x * x
    ((s * s) + s).sum().backward()
    assert x.grad.numpy().tolist() == [4 * 2.0**3 + 2 * 2.0]


def test_the_map_has_one_entry_per_leaf_reached():
    x, y, z = leaf([1.0]), leaf([2.0]), leaf([3.0])
    grads = (x * y * x).sum().backward()
    assert len(grads) == 2
    assert z not in grads


def test_accumulation_is_in_the_dtype_of_the_leaf():
    x = leaf(np.ones(2, dtype=np.float32))
    for _ in range(3):
        (x.cast(tf.float64) * 0.1).sum().backward()
    assert x.grad.dtype == tf.float32
    step = np.float32(0.1)
    assert np.array_equal(x.grad.numpy(), np.full(2, step + step + step))


def test_a_zero_size_leaf_gets_a_zero_size_gradient():
    x = leaf(np.ones((0, 3)))
    (x * x).sum().backward()
    assert x.grad.shape == (0, 3)


def test_gradients_are_compact_whatever_the_graph():
    x = leaf(np.arange(6.0).reshape(2, 3))
    (x.T[::-1] * np.arange(6.0).reshape(3, 2)).sum().backward()
    assert x.grad.numpy().flags.f_contiguous
    assert x.grad.as_slice().shape == (6,)


def test_intermediates_may_be_dropped():
    x = leaf([1.0, 2.0])
    squared = x * x
    root = squared.sqrt()
    loss = root.exp().sum()
    del squared, root
    gc.collect()
    loss.backward()
    np.testing.assert_allclose(x.grad.numpy(), np.exp([1.0, 2.0]), rtol=1e-14)


def test_a_dropped_leaf_is_no_target_any_more():
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    loss = (x * y).sum()
    del x
    gc.collect()
    grads = loss.backward()
    assert len(grads) == 1
    assert grads[y].numpy().tolist() == [1.0, 2.0]


def test_a_clone_keeps_the_leaf_alive():
    x = leaf([1.0, 2.0])
    y = x.clone()
    loss = (x * x).sum()
    del x
    gc.collect()
    loss.backward()
    assert y.grad.numpy().tolist() == [2.0, 4.0]


def test_a_graph_without_living_leaves_gives_empty_gradients():
    x = leaf([1.0, 2.0])
    loss = (x * x).sum()
    del x
    gc.collect()
    assert len(loss.backward()) == 0


def test_dropping_the_loss_frees_the_graph():
    baseline = tf.live_tensors()
    x = leaf(np.ones(1000))
    y = x
    for _ in range(50):
        y = (y * 1.01).tanh()
    loss = y.sum()
    assert tf.live_tensors() > baseline + 10
    del y, loss
    gc.collect()
    assert tf.live_tensors() == baseline + 1
    del x
    gc.collect()
    assert tf.live_tensors() == baseline


def test_no_graph_under_no_grad_and_for_untracked_inputs():
    baseline = tf.live_tensors()
    x, c = leaf(np.ones(10)), tf.tensor(np.ones(10))
    with tf.no_grad():
        y = x
        for _ in range(20):
            y = y * 1.5
    for _ in range(20):
        c = c * 1.5
    assert tf.live_tensors() == baseline + 3


def test_an_untracked_intermediate_is_a_constant():
    x, c = leaf([1.0, 2.0]), tf.tensor([3.0, 4.0])
    mixed = (c * c) * x
    mixed.sum().backward()
    assert x.grad.numpy().tolist() == [9.0, 16.0]
    assert c.grad is None


def test_tensors_can_be_weakly_referenced_and_die_at_once():
    x = leaf([1.0])
    y = x * x
    dead = weakref.ref(y)
    del y
    assert dead() is None
    assert weakref.ref(x)() is x


def test_first_store_is_a_copy_of_its_own():
    x = leaf([1.0, 2.0])
    seed = tf.tensor([5.0, 6.0])
    x.backward_with(seed)
    before = x.grad
    x.backward_with(seed)
    assert before.numpy().tolist() == [5.0, 6.0]
    assert seed.numpy().tolist() == [5.0, 6.0]
    assert x.grad.numpy().tolist() == [10.0, 12.0]


def test_many_uses_of_one_leaf():
    x = leaf([1.0])
    total = x
    for _ in range(999):
        total = total + x
    total.sum().backward()
    assert x.grad.numpy().tolist() == [1000.0]


def test_a_ladder_of_shared_subexpressions_is_linear_work():
    """y ← y + y, 60 times: 2⁶⁰ paths, 60 nodes."""
    x = leaf(1.0)
    y = x
    for _ in range(60):
        y = y + y
    y.backward()
    assert x.grad.numpy() == 2.0**60
