"""Transforms with closures, gradient slots, modes, sessions, runtimes, threads, exceptions."""

import gc
import threading

import numpy as np
import pytest

import tenferro as tf


def test_slots_are_never_touched():
    x, w = tf.tensor([1.0, 2.0], requires_grad=True), tf.tensor([3.0, 4.0], requires_grad=True)
    f = lambda x: (x * x * w).sum()  # noqa: E731
    tf.value_and_grad(f)(x)
    tf.hvp(f, (x,), (tf.ones(2),))
    tf.jacobian(f)(x)
    tf.hessian(f)(x)
    tf.linearize(f, x)[1](tf.ones(2))
    tf.vjp(f, x)[1](1.0)
    assert x.grad is None
    assert w.grad is None


def test_gradients_of_closures_and_arguments_flow_to_backward():
    """d/dw of Σ (∂/∂x Σ w x³)² = Σ 18 w x⁴, d/dx = Σ 36 w² x³."""
    x, w = tf.tensor([1.0, 2.0], requires_grad=True), tf.tensor([3.0, 4.0], requires_grad=True)
    gradient = tf.grad(lambda x: (w * x**3).sum())(x)
    assert gradient.tracks_grad
    grads = (gradient**2).sum().backward()
    assert np.allclose(grads[w].numpy(), 18 * np.array([3.0, 4.0]) * np.array([1.0, 16.0]))
    assert np.allclose(grads[x].numpy(), 36 * np.array([9.0, 16.0]) * np.array([1.0, 8.0]))


def test_values_remember_the_outer_graph_only():
    x, w = tf.tensor(2.0), tf.tensor(3.0, requires_grad=True)
    value, gradient = tf.value_and_grad(lambda x: x * x)(x)
    assert not value.tracks_grad
    assert not gradient.tracks_grad
    value, gradient = tf.value_and_grad(lambda x: x * w)(x)
    assert value.tracks_grad
    assert gradient.tracks_grad
    out, tangent = tf.jvp(lambda x: (x * w, x * x), (x,), (1.0,))
    assert [t.tracks_grad for t in (*out, *tangent)] == [True, False, True, False]
    out, _ = tf.vjp(lambda x: {"a": x * w, "b": x}, x)
    assert out["a"].tracks_grad
    assert not out["b"].tracks_grad


def test_a_runtime_can_differentiate_inside():
    def f(x):
        assert x.is_leaf
        assert x.tracks_grad
        y = x**3
        return x.runtime.grad(y, x)

    assert tf.grad(f)(2.0).item() == 12.0


def test_no_grad_outside_does_not_matter():
    w = tf.tensor(3.0, requires_grad=True)
    with tf.no_grad():
        value, gradient = tf.value_and_grad(lambda x: w * x * x)(2.0)
        second = tf.grad(tf.grad(lambda x: w * x**3))(w)
        out, tangent = tf.jvp(lambda x: w * x, (2.0,), (1.0,))
        assert not (w * w).tracks_grad
    assert (value.item(), gradient.item(), second.item(), tangent.item()) == (12.0, 12.0, 54.0, 3.0)
    assert not any(t.tracks_grad for t in (value, gradient, second, out, tangent))
    assert (w * w).tracks_grad


def test_no_grad_inside_makes_constants():
    def f(x):
        with tf.no_grad():
            y = x * x
            inner = tf.grad(lambda z: z**3)(x)
        return x * y + inner

    assert tf.grad(f)(3.0).item() == 9.0


def test_stop_gradient():
    assert tf.grad(lambda x: x * tf.stop_gradient(x * x))(3.0).item() == 9.0
    assert tf.jvp(lambda x: x + tf.stop_gradient(x), (3.0,), (1.0,))[1].item() == 1.0
    tree = tf.stop_gradient({"a": [tf.tensor(1.0, requires_grad=True), "text", 2]})
    assert not tree["a"][0].tracks_grad
    assert tree["a"][1:] == ["text", 2]
    assert tf.stop_gradient(2.5) == 2.5
    assert tf.grad(tf.grad(lambda x: x**2 * tf.stop_gradient(x)))(3.0).item() == 6.0


def test_captured_traces_reach_through_transforms():
    c = tf.tensor(3.0)
    with tf.capture_trace():
        gradient = tf.grad(lambda x: x**3)(c)
    assert not gradient.tracks_grad
    assert c.runtime.grad(gradient, c).item() == 18.0


def test_in_another_runtime_and_in_sessions():
    ctx = tf.EagerRuntime()
    x = tf.tensor([1.0, 2.0], runtime=ctx)
    value, gradient = tf.value_and_grad(lambda x, k: (x * k).sum())(x, 3.0)
    assert value.runtime is ctx
    assert gradient.runtime is ctx
    assert tf.grad(lambda k, x: (x * k).sum())(3.0, x).runtime is ctx
    with ctx.session() as s:
        gradient = tf.grad(lambda x: s.reduce_sum(s.mul(x, x)))(x)
        assert gradient.tolist() == [2.0, 4.0]
        second = tf.hessian(lambda x: s.reduce_sum(s.mul(s.mul(x, x), x)))(x)
    assert second.tolist() == [[6.0, 0.0], [0.0, 12.0]]
    with tf.use_runtime(ctx):
        assert tf.grad(lambda x: x * x)(2.0).runtime is ctx


def test_tensors_of_two_runtimes_are_refused():
    with pytest.raises(tf.ContextMismatchError):
        tf.grad(lambda x, y: x * y)(tf.tensor(1.0), tf.tensor(2.0, runtime=tf.EagerRuntime()))
    _, pullback = tf.vjp(lambda x: x * x, tf.tensor(1.0))
    with pytest.raises(tf.ContextMismatchError):
        pullback(tf.tensor(1.0, runtime=tf.EagerRuntime()))


class Custom(Exception):
    pass


@pytest.mark.parametrize(
    "run",
    [
        lambda f: tf.grad(f)(1.0),
        lambda f: tf.value_and_grad(f)(1.0),
        lambda f: tf.vjp(f, 1.0),
        lambda f: tf.jvp(f, (1.0,), (1.0,)),
        lambda f: tf.linearize(f, 1.0),
        lambda f: tf.hvp(f, (1.0,), (1.0,)),
        lambda f: tf.jacobian(f)(1.0),
        lambda f: tf.hessian(f)(1.0),
    ],
)
def test_exceptions_of_the_function_pass(run):
    error = Custom("mine")

    def f(x):
        raise error

    with pytest.raises(Custom) as caught:
        run(f)
    assert caught.value is error
    assert error.__cause__ is None
    assert error.__context__ is None
    with tf.no_grad():
        with pytest.raises(Custom):
            run(f)
        assert not (tf.tensor(1.0, requires_grad=True) * 2).tracks_grad
    assert (tf.tensor(1.0, requires_grad=True) * 2).tracks_grad


def test_in_threads():
    results = [None] * 8

    def work(k):
        results[k] = [tf.grad(tf.grad(lambda x: x**3 * k))(float(n)).item() for n in range(100)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[6.0 * k * n for n in range(100)] for k in range(8)]


def test_long_chains_of_nested_leaves_are_dropped_without_recursion():
    """8,000 leaves of transforms, one inside the other, in a thread with a small stack."""
    results = []

    def work():
        x = tf.tensor(1.0, requires_grad=True)
        y = x
        for _ in range(8_000):
            y = tf.vjp(lambda y: y, y)[0]
        results.append(y.backward()[x].to_tensor().tolist())
        del y, x

    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert results == [1.0]


def test_records_are_freed():
    gc.collect()
    before = tf.live_tensors()
    x = tf.ones(1000)
    for _ in range(3):
        value, gradient = tf.value_and_grad(lambda x: (tf.sin(x) * x).sum())(x)
        second = tf.hessian(lambda x: (x[:3] ** 3).sum())(x[:3])
    del value, gradient, second, x
    assert tf.live_tensors() == before


def test_training_on_a_dict_of_parameters():
    rng = np.random.default_rng(0)
    data = rng.normal(size=(50, 3))
    target = data @ np.array([1.0, -2.0, 0.5]) + 0.3
    params = {"w": tf.zeros(3), "b": tf.tensor(0.0)}

    def loss(p):
        return ((tf.matmul(data, p["w"]) + p["b"] - target) ** 2).mean()

    step = tf.value_and_grad(loss)
    for _ in range(300):
        value, gradient = step(params)
        params = {name: params[name] - 0.1 * gradient[name] for name in params}
    assert value.item() < 1e-10
    assert np.allclose(params["w"].numpy(), [1.0, -2.0, 0.5], atol=1e-5)
