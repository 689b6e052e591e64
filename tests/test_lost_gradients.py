"""Nothing drops a gradient without a word."""

from __future__ import annotations

import pytest

import tenferro as tf


@pytest.mark.parametrize("call", [tf.sum, tf.exp, lambda v: tf.add(v, 1.0), lambda v: tf.ones(2) * v], ids=str)
def test_a_list_of_tracked_tensors_is_refused_as_an_operand(call):
    x = tf.tensor(2.0, requires_grad=True)
    with pytest.raises(tf.InvalidArgumentError, match=r"tf\.stack"):
        call([x, x])
    with pytest.raises(tf.InvalidArgumentError, match=r"tf\.stack"):
        call([[x], [x]])


def test_constructors_detach_as_documented():
    x = tf.tensor(2.0, requires_grad=True)
    assert not tf.tensor([x, x]).tracks_grad
    assert tf.stack([x, x]).tracks_grad
    assert tf.sum([x.detach(), 1.0]).item() == 3.0


def test_a_gradient_is_a_number_when_it_has_one_element():
    x = tf.tensor(3.0, requires_grad=True)
    (x * x).backward()
    assert x.grad is not None
    assert (x.grad.item(), float(x.grad), complex(x.grad)) == (6.0, 6.0, 6.0 + 0j)
