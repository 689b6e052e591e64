"""Functions with derivative rules of their own inside `tf.vmap`: values, their own gradients, second order, refusals."""

import numpy as np
import pytest

import tenferro as tf
from support import assert_equals, sample

# The rules are wrong on purpose, so that a derivative which does not come from them shows.


def fwd(x, w):
    y = tf.sin(x) * w
    return y, (x, w, y, "a label", None)


def bwd(residuals, ct):
    x, w, y, label, nothing = residuals
    assert label == "a label"
    assert nothing is None
    return 10.0 * tf.cos(x) * w * ct + y * ct, (5.0 * tf.sin(x) * ct).sum()


vjp_rule = tf.custom_vjp(lambda x, w: tf.sin(x) * w, fwd, bwd)


def tangent(primals, tangents):
    (x, w), (tx, tw) = primals, tangents
    return tf.sin(x) * w, 10.0 * tf.cos(x) * w * tx + 5.0 * tf.sin(x) * tw


jvp_rule = tf.custom_jvp(lambda x, w: tf.sin(x) * w, tangent)


@tf.custom_op(vjp=lambda primals, out, ct: (10.0 * out * ct, (5.0 * tf.sin(primals[0]) * ct).sum()))
def opaque(x, w):
    return np.sin(x.numpy()) * w.item()


RULES = {"custom_vjp": vjp_rule, "custom_jvp": jvp_rule, "custom_op": opaque}


@pytest.fixture(params=RULES)
def rule(request):
    return RULES[request.param]


X, W = sample("float64", (4, 3)), sample("float64", (4,), seed=1)


def each(f, *args):
    """`f` of the items of all arguments, side by side."""
    return np.stack([f(*(tf.tensor(a[k]) for a in args)).numpy() for k in range(len(args[0]))])


def test_values(rule):
    assert_equals(tf.vmap(rule)(X, W), np.sin(X) * W[:, None], rtol=1e-14)
    assert_equals(tf.vmap(rule, in_axes=(-1, None), out_axes=1)(X.T, tf.tensor(2.0)), 2.0 * np.sin(X).T, rtol=1e-14)
    assert tf.vmap(rule)(tf.zeros((0, 3)), tf.zeros((0,))).shape == (0, 3)


def test_gradients_through_a_batch_come_from_the_rule(rule):
    def total(x, w):
        return tf.vmap(rule)(x, w).sum()

    got = tf.grad(total, argnums=(0, 1))(tf.tensor(X), tf.tensor(W))
    for k in range(2):
        one = tf.grad(lambda x, w: rule(x, w).sum(), argnums=k)
        assert_equals(got[k], each(one, X, W), rtol=1e-13)


def test_a_shared_argument_gets_the_sum(rule):
    def total(x, w):
        return tf.vmap(rule, in_axes=(0, None))(x, w).sum()

    one = tf.grad(lambda x, w: rule(x, w).sum(), argnums=1)
    w = tf.tensor(0.7)
    assert tf.grad(total, argnums=1)(X, w).item() == pytest.approx(sum(one(tf.tensor(x), w).item() for x in X))


def test_gradients_per_item_come_from_the_rule(rule):
    f = tf.value_and_grad(lambda x, w: rule(x, w).sum(), argnums=(0, 1))
    value, (gx, gw) = tf.vmap(f)(X, W)
    assert_equals(value, (np.sin(X) * W[:, None]).sum(axis=1), rtol=1e-13)
    assert_equals(gx, each(lambda x, w: f(x, w)[1][0], X, W), rtol=1e-13)
    assert_equals(gw, each(lambda x, w: f(x, w)[1][1], X, W), rtol=1e-13)


@pytest.mark.parametrize("name", RULES)
def test_forward_mode(name):
    rule, (tx, tw) = RULES[name], (sample("float64", (4, 3), seed=2), sample("float64", (4,), seed=3))
    got = tf.jvp(lambda x, w: tf.vmap(rule)(x, w), (X, W), (tx, tw))[1]
    expected = each(lambda x, w, a, b: tf.jvp(rule, (x, w), (a, b))[1], X, W, tx, tw)
    assert_equals(got, expected, rtol=1e-12)


@pytest.mark.parametrize("name", RULES)
def test_second_order(name):
    rule = RULES[name]

    def one(x, w):
        return tf.grad(lambda x: (rule(x, w) ** 2).sum())(x).sum()

    second = tf.grad(lambda x: tf.vmap(one)(x, tf.tensor(W)).sum())(tf.tensor(X))
    assert_equals(second, each(tf.grad(one), X, W), rtol=1e-12)
    outside = tf.hvp(lambda x: (tf.vmap(rule)(x, tf.tensor(W)) ** 2).sum(), (tf.tensor(X),), (tf.ones(X.shape),))[1]
    assert_equals(
        outside,
        each(lambda x, w: tf.hvp(lambda x: (rule(x, w) ** 2).sum(), (x,), (tf.ones((3,)),))[1], X, W),
        rtol=1e-12,
    )


def test_two_levels(rule):
    got = tf.vmap(lambda x: tf.vmap(lambda w: rule(x, w))(tf.tensor(W)))(tf.tensor(X))
    assert_equals(got, np.sin(X)[:, None, :] * W[None, :, None], rtol=1e-14)

    def total(x):
        return tf.vmap(lambda x: tf.vmap(lambda w: rule(x, w))(tf.tensor(W)))(x).sum()

    expected = sum(each(tf.grad(lambda x, w=w: rule(x, tf.tensor(w)).sum()), X) for w in W)
    assert_equals(tf.grad(total)(tf.tensor(X)), expected, rtol=1e-12)


def test_no_grad_inside_makes_constants(rule):
    def f(x, w):
        with tf.no_grad():
            y = rule(x, w)
        return (x * y).sum()

    got = tf.grad(lambda x: tf.vmap(f)(x, tf.tensor(W)).sum())(tf.tensor(X))
    assert_equals(got, np.sin(X) * W[:, None], rtol=1e-13)


def test_integers_among_arguments_and_results():
    def plain(x, place):
        return x * place, tf.argsort(x) + place

    f = tf.custom_vjp(plain, lambda x, place: (plain(x, place), place), lambda place, ct: (7.0 * ct[0] * place, None))
    places = np.arange(4)
    scaled, order = tf.vmap(f)(tf.tensor(X), tf.tensor(places))
    assert_equals(scaled, X * places[:, None])
    assert_equals(order, np.argsort(X, axis=1) + places[:, None])
    assert order.dtype == tf.int64
    gradient = tf.vmap(tf.grad(lambda x, place: f(x, place)[0].sum()))(tf.tensor(X), tf.tensor(places))
    assert_equals(gradient, np.broadcast_to(7.0 * places[:, None], X.shape))
    outer = tf.grad(lambda x: tf.vmap(f)(x, tf.tensor(places))[0].sum())(tf.tensor(X))
    assert_equals(outer, np.broadcast_to(7.0 * places[:, None], X.shape))


def test_integers_of_an_opaque_function_are_of_each_item():
    count = tf.custom_op(lambda x: np.count_nonzero(x.numpy() > 0))
    assert tf.vmap(count)(X).tolist() == (X > 0).sum(axis=1).tolist()
    assert tf.vmap(lambda x: count(x) + 1)(X).tolist() == ((X > 0).sum(axis=1) + 1).tolist()


def test_containers():
    f = tf.custom_vjp(
        lambda p: {"s": p["a"] * p["b"], "n": (p["a"], 2.0)},
        lambda p: ({"s": p["a"] * p["b"], "n": (p["a"], 2.0)}, p),
        lambda p, ct: {"a": 3.0 * p["b"] * ct["s"] + ct["n"][0], "b": None},
    )
    a, b = sample("float64", (5,)), sample("float64", (5,), seed=4)
    out = tf.vmap(f)({"a": tf.tensor(a), "b": tf.tensor(b)})
    assert_equals(out["s"], a * b)
    assert_equals(out["n"][1], np.full(5, 2.0))
    got = tf.grad(lambda p: tf.vmap(f)(p)["s"].sum())({"a": tf.tensor(a), "b": tf.tensor(b)})
    assert_equals(got["a"], 3.0 * b, rtol=1e-14)
    assert_equals(got["b"], np.zeros(5))


def test_checkpoint_is_the_function_itself():
    def f(x):
        return tf.sin(tf.exp(x)).sum()

    assert_equals(tf.vmap(tf.grad(tf.checkpoint(f)))(X), tf.vmap(tf.grad(f))(X))
    assert_equals(tf.grad(lambda x: tf.vmap(tf.checkpoint(f))(x).sum())(X), tf.vmap(tf.grad(f))(X))
    closed = tf.vmap(lambda x: tf.grad(tf.checkpoint(lambda w: (w * x).sum()))(tf.ones((3,))))(X)
    assert_equals(closed, X)


def test_a_function_that_closes_over_an_item_is_refused(rule):
    closing = tf.custom_vjp(lambda w: w, lambda w: (w, None), lambda _, ct: ct)

    def f(x):
        inside = tf.custom_jvp(lambda w: w * x, lambda primals, tangents: (primals[0] * x, tangents[0] * x))
        return inside(tf.tensor(1.0)) + closing(tf.tensor(1.0))

    with pytest.raises(tf.InvalidArgumentError, match="closes over"):
        tf.vmap(f)(tf.ones((3,)))


def test_results_that_differ_between_items_are_refused():
    positive = tf.custom_op(lambda x: x.numpy()[x.numpy() > 0])
    with pytest.raises(tf.InvalidArgumentError, match="same shapes"):
        tf.vmap(positive)(np.array([[1.0, 2.0], [1.0, -1.0]]))


def test_exceptions_pass():
    def angry(x):
        raise KeyError("mine")

    before = tf.live_tensors()
    with pytest.raises(KeyError, match="mine"):
        tf.vmap(tf.custom_op(angry))(tf.ones((3,)))
    calls = []

    def later(x):
        calls.append(x)
        if len(calls) > 2:
            raise KeyError("later")
        return x

    with pytest.raises(KeyError, match="later"):
        tf.vmap(tf.custom_op(later))(tf.ones((3,)))
    calls.clear()
    assert tf.live_tensors() == before
