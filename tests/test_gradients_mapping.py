"""`Gradients`: the mapping that a backward pass returns."""

from collections.abc import Mapping

import pytest

import tenferro as tf
from support import leaf


@pytest.fixture
def xy() -> tuple[tf.EagerTensor, tf.EagerTensor]:
    return leaf([1.0, 2.0]), leaf([3.0, 4.0])


def test_is_a_mapping(xy):
    x, y = xy
    grads = (x * y).sum().backward()
    assert isinstance(grads, tf.Gradients)
    assert isinstance(grads, Mapping)
    assert len(grads) == 2
    assert isinstance(grads[x], tf.GradientValue)
    assert grads[x].numpy().tolist() == [3.0, 4.0]
    assert grads[y].numpy().tolist() == [1.0, 2.0]


def test_holds_this_pass_not_the_slots(xy):
    x, _ = xy
    (x * x).sum().backward()
    grads = (x * x).sum().backward()
    assert grads[x].numpy().tolist() == [2.0, 4.0]
    assert x.grad.numpy().tolist() == [4.0, 8.0]
    (x * x).sum().backward()
    assert grads[x].numpy().tolist() == [2.0, 4.0]


def test_is_looked_up_by_leaf(xy):
    x, y = xy
    grads = (x * x).sum().backward()
    assert x in grads
    assert x.clone() in grads
    assert grads[x.clone()].numpy().tolist() == [2.0, 4.0]
    assert y not in grads
    assert x.detach() not in grads
    assert (x * x) not in grads
    assert grads.get(y) is None
    assert grads.get(y, "nothing") == "nothing"
    assert grads.get(x).numpy().tolist() == [2.0, 4.0]


def test_iteration_keys_values_items(xy):
    x, y = xy
    grads = (x * y).sum().backward()
    assert {hash(key) for key in grads} == {hash(x), hash(y)}
    assert {hash(key) for key in grads.keys()} == {hash(x), hash(y)}  # noqa: SIM118
    assert sorted(v.numpy().tolist() for v in grads.values()) == [[1.0, 2.0], [3.0, 4.0]]
    found = {hash(key): value.numpy().tolist() for key, value in grads.items()}
    assert found == {hash(x): [3.0, 4.0], hash(y): [1.0, 2.0]}
    for key in grads:
        assert isinstance(key, tf.EagerTensor)
        assert key.grad is not None


def test_take_grad_removes_the_entry(xy):
    x, y = xy
    grads = (x * y).sum().backward()
    taken = grads.take_grad(x)
    assert isinstance(taken, tf.Tensor)
    assert taken.as_slice(tf.float64).tolist() == [3.0, 4.0]
    assert x not in grads
    assert len(grads) == 1
    assert grads.take_grad(x) is None
    assert x.grad.numpy().tolist() == [3.0, 4.0]


def test_a_leaf_that_was_not_reached_is_a_key_error(xy):
    x, y = xy
    grads = (x * x).sum().backward()
    with pytest.raises(KeyError) as caught:
        grads[y]
    assert isinstance(caught.value, tf.NotATensorKeyError)
    assert isinstance(caught.value, tf.ValidationError)


@pytest.mark.parametrize("key", ["x", 0, None, 1.5])
def test_only_tensors_are_keys(xy, key):
    x, _ = xy
    grads = (x * x).sum().backward()
    with pytest.raises(tf.NotATensorKeyError, match=type(key).__name__):
        grads[key]
    assert key not in grads
    assert grads.get(key) is None


def test_is_empty_when_every_leaf_is_gone():
    loss = (leaf([1.0]) * 2.0).sum()
    grads = loss.backward()
    assert len(grads) == 0
    assert not grads
    assert list(grads) == []


def test_repr_is_readable(xy):
    x, y = xy
    text = repr((x * y).sum().backward())
    assert "Gradients" in text
    assert "0x" not in text
