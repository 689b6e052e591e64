"""Handles and storage (behaviour 13.2): clones, detaching, `into_value` and its two errors, copies."""

import copy
import gc

import numpy as np
import pytest

import tenferro as tf
from support import leaf


def address(tensor) -> int:
    return tensor.numpy().__array_interface__["data"][0]


def test_a_clone_shares_value_and_slot():
    x = leaf([1.0, 2.0])
    y = x.clone()
    (x * x).sum().backward()
    assert y.grad.numpy().tolist() == [2.0, 4.0]
    y.clear_grad()
    assert x.grad is None
    assert np.shares_memory(x.numpy(), y.numpy())
    assert hash(x) == hash(y)


def test_a_clone_of_an_intermediate_stays_in_the_graph():
    x = leaf([1.0, 2.0])
    y = (x * x).clone()
    y.sum().backward()
    assert x.grad.numpy().tolist() == [2.0, 4.0]


def test_detach_shares_storage_and_nothing_else():
    x = leaf([1.0, 2.0])
    d = x.detach()
    assert np.shares_memory(x.numpy(), d.numpy())
    assert not d.tracks_grad
    assert hash(d) != hash(x)
    (x * x).sum().backward()
    assert d.grad is None


def test_a_detached_factor_contributes_nothing():
    x = leaf([1.0, 2.0, 3.0])
    (x * x.detach()).sum().backward()
    assert x.grad.numpy().tolist() == [1.0, 2.0, 3.0]


def test_detach_of_an_intermediate_is_a_constant():
    x = leaf([1.0, 2.0])
    c = (x * x).detach()
    (c * x).sum().backward()
    assert x.grad.numpy().tolist() == [1.0, 4.0]


def test_detach_into_is_an_independent_copy(ctx):
    x = leaf([1.0, 2.0])
    d = x.detach_into(ctx)
    assert d.ctx_id == ctx.id
    assert not d.tracks_grad
    assert not np.shares_memory(x.numpy(), d.numpy())


def test_into_value_moves_the_storage_out():
    x = tf.EagerTensor.from_vec_col_major_in((2,), [1.0, 2.0], tf.EagerRuntime())
    where = address(x)
    gc.collect()
    owner = x.into_value()
    assert address(owner) == where
    assert owner.numpy().tolist() == [1.0, 2.0]


def shared_with_clone():
    x = tf.tensor([1.0, 2.0])
    return x, x.clone()


def shared_with_detached():
    x = tf.tensor([1.0, 2.0])
    return x, x.detach()


def shared_with_tensor():
    t = tf.Tensor.from_vec_col_major((2,), [1.0, 2.0])
    return tf.EagerTensor.from_tensor_in(t, tf.default_runtime()), t


def shared_with_array():
    x = tf.tensor([1.0, 2.0])
    return x, x.numpy()


def shared_with_guard():
    x = tf.tensor([1.0, 2.0])
    return x, x.value()


def shared_with_view():
    x = tf.tensor([1.0, 2.0])
    return x, x[::-1]


def shared_with_leaf():
    x = tf.tensor([1.0, 2.0])
    return x, x.as_leaf()


def saved_by_a_graph():
    x = leaf([1.0, 2.0])
    sq = x * x
    return sq, sq * sq


def saved_as_its_own_output():
    y = leaf([1.0, 2.0]).exp()
    return y, y.sum()


SHARED = [
    shared_with_clone,
    shared_with_detached,
    shared_with_tensor,
    shared_with_array,
    shared_with_guard,
    shared_with_view,
    shared_with_leaf,
    saved_by_a_graph,
    saved_as_its_own_output,
]


@pytest.mark.parametrize("make", SHARED)
def test_into_value_of_a_shared_value_is_refused(make):
    x, second = make()
    before = x.numpy(copy=True)
    with pytest.raises(tf.NotUniqueError) as caught:
        x.into_value()
    error = caught.value
    assert error.handle is x
    assert isinstance(error, tf.IntoValueError)
    assert isinstance(error, tf.RuntimeStateError)
    assert np.array_equal(x.numpy(), before)
    assert (x + 1.0).shape == (2,)
    assert second is not None


@pytest.mark.parametrize("make", [m for m in SHARED if m is not saved_as_its_own_output])
def test_into_value_works_when_the_other_owner_is_gone(make):
    x, second = make()
    where, before = address(x), x.numpy(copy=True)
    del second
    gc.collect()
    owner = x.into_value()
    assert address(owner) == where
    assert np.array_equal(owner.numpy(), before)


def test_into_value_after_a_refusal():
    x = tf.tensor([1.0, 2.0])
    y = x.clone()
    with pytest.raises(tf.NotUniqueError):
        x.into_value()
    del y
    gc.collect()
    assert x.into_value().numpy().tolist() == [1.0, 2.0]


VIEW_OF_A_MATRIX = {
    "transpose": lambda x: x.transpose([1, 0]),
    "slice": lambda x: x[1:],
    "step": lambda x: x[::2],
    "reverse": lambda x: x.reverse([0]),
    "broadcast": lambda x: x.broadcast_in_dim((2, 2, 3), [1, 2]),
}


@pytest.mark.parametrize("name", VIEW_OF_A_MATRIX)
def test_into_value_of_a_view_is_refused_and_never_reordered(name):
    base = np.arange(6.0).reshape(2, 3)
    view = VIEW_OF_A_MATRIX[name](tf.tensor(base))
    before = view.numpy(copy=True)
    gc.collect()
    with pytest.raises(tf.ExtractError) as caught:
        view.into_value()
    assert caught.value.handle is view
    assert caught.value.error is not None
    assert isinstance(caught.value, tf.IntoValueError)
    assert np.array_equal(view.numpy(), before)


def test_a_consumed_handle_of_a_leaf_is_gone():
    x = leaf([1.0, 2.0])
    x.into_value()
    with pytest.raises(tf.RuntimeStateError, match="into_value"):
        x * x
    with pytest.raises(tf.RuntimeStateError):
        tf.add(1.0, x)


@pytest.mark.parametrize("method", ["duplicate_value", "to_tensor"])
def test_copies_are_independent_and_compact(method):
    x = tf.tensor(np.arange(6.0).reshape(2, 3)).transpose([1, 0])
    t = getattr(x, method)()
    assert isinstance(t, tf.Tensor)
    assert t.strides == (1, 3)
    assert not np.shares_memory(t.numpy(), x.numpy())
    assert np.array_equal(t.numpy(), x.numpy())


def test_duplicate_of_a_tensor_is_independent():
    t = tf.Tensor.from_vec_col_major((2,), [1.0, 2.0])
    d = t.duplicate()
    assert not np.shares_memory(t.numpy(), d.numpy())
    assert d.numpy().tolist() == [1.0, 2.0]


def test_from_tensor_in_shares_and_leaves_the_tensor_usable(ctx):
    t = tf.Tensor.from_vec_col_major((2,), [1.0, 2.0])
    for make in (tf.EagerTensor.from_tensor_in, tf.EagerTensor.requires_grad_in):
        assert np.shares_memory(make(t, ctx).numpy(), t.numpy())
    assert t.numpy().tolist() == [1.0, 2.0]


def test_structural_results_keep_their_values_when_the_source_goes():
    x = tf.tensor(np.arange(6.0).reshape(2, 3))
    y = x.transpose([1, 0])
    del x
    gc.collect()
    assert y.numpy().tolist() == [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]


def test_as_leaf_shares_the_value_and_starts_a_new_leaf():
    x = leaf([1.0, 2.0])
    y = (x * 2.0).as_leaf()
    assert y.tracks_grad
    (y * y).sum().backward()
    assert y.grad.numpy().tolist() == [4.0, 8.0]
    assert x.grad is None
    constant = x.as_leaf(False)
    assert not constant.tracks_grad
    assert np.shares_memory(constant.numpy(), x.numpy())


def test_tensor_of_a_tracked_tensor_is_a_detached_copy():
    x = leaf([1.0, 2.0])
    y = tf.tensor(x)
    assert not y.tracks_grad
    assert not np.shares_memory(x.numpy(), y.numpy())


def test_asarray_returns_a_tensor_unchanged_with_its_graph():
    x = leaf([1.0, 2.0])
    y = x * x
    assert tf.asarray(y) is y
    tf.asarray(y).sum().backward()
    assert x.grad.numpy().tolist() == [2.0, 4.0]


def test_deepcopy_makes_a_fresh_leaf():
    x = leaf([1.0, 2.0])
    y = copy.deepcopy(x)
    assert y.tracks_grad
    assert hash(y) != hash(x)
    assert not copy.deepcopy(tf.tensor([1.0])).tracks_grad
    (y * y).sum().backward()
    assert x.grad is None
    assert y.grad.numpy().tolist() == [2.0, 4.0]


def test_a_snapshot_outlives_tensor_runtime_and_accumulation():
    x = leaf([1.0, 2.0], runtime=tf.EagerRuntime())
    loss = (x * x).sum()
    loss.backward()
    old = x.grad
    loss.backward()
    x.clear_grad()
    del x, loss
    gc.collect()
    assert old.numpy().tolist() == [2.0, 4.0]
