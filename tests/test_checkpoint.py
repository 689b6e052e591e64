"""`tf.checkpoint`: the same derivatives, of any order, with less memory."""

import gc
import math
import threading

import numpy as np
import pytest

import tenferro as tf


def both(f, *args):
    """`f` of the plain and of the checkpointed sine of an exponential."""
    step = lambda x: tf.sin(tf.exp(x))  # noqa: E731
    return f(step, *args), f(tf.checkpoint(step), *args)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_of_any_order(order):
    def derivative(step):
        f = lambda x: step(step(x)) * x  # noqa: E731
        for _ in range(order):
            f = tf.grad(f)
        return f(0.3).item()

    plain, saving = both(derivative)
    assert saving == pytest.approx(plain, rel=1e-13)


def test_forward_mode_and_mixed():
    for transform in (
        lambda f: tf.jvp(f, (0.3,), (2.0,))[1],
        lambda f: tf.jvp(tf.grad(f), (0.3,), (2.0,))[1],
        lambda f: tf.grad(lambda x: tf.jvp(f, (x,), (2.0,))[1])(0.3),
        lambda f: tf.hessian(f)(0.3),
    ):
        plain, saving = both(lambda step, transform=transform: transform(lambda x: step(x) * step(x)))
        assert saving.item() == pytest.approx(plain.item(), rel=1e-13)


def test_backward_and_its_slots():
    x = tf.tensor([0.1, 0.2], requires_grad=True)
    plain, saving = both(lambda step: step(x).sum().backward()[x].tolist())
    assert plain == saving
    assert x.grad.numpy() == pytest.approx(2 * np.array(plain))


def test_closures_get_their_gradients():
    w = tf.tensor(3.0, requires_grad=True)
    v = tf.exp(w)
    f = tf.checkpoint(lambda x: tf.sin(w * x) * v * w)
    grads = f(2.0).backward()
    ev = math.exp(3.0)
    expected = 2 * math.cos(6.0) * ev * 3 + math.sin(6.0) * ev * 3 + math.sin(6.0) * ev
    assert grads[w].to_tensor().tolist() == pytest.approx(expected, rel=1e-13)
    assert w.grad.to_tensor().tolist() == pytest.approx(expected, rel=1e-13)


def test_second_order_through_closures():
    """f = w² x: ∂²/∂w∂x = 2w, ∂²/∂w² = 2x, with w closed over by the checkpointed function."""

    def f(w, x):
        return tf.checkpoint(lambda x: w * w * x)(x)

    hessian = tf.hessian(f, argnums=(0, 1))(3.0, 5.0)
    assert [[entry.item() for entry in row] for row in hessian] == [[10.0, 6.0], [6.0, 0.0]]
    w = tf.tensor(3.0, requires_grad=True)
    gradient = w.runtime.grad(tf.checkpoint(lambda: w**3)(), w)
    assert gradient.item() == 27.0
    assert w.runtime.grad(gradient, w).item() == 18.0
    assert tf.jvp(lambda w: tf.checkpoint(lambda: w**3)(), (3.0,), (2.0,))[1].item() == 54.0


def test_closures_that_depend_on_each_other():
    """a = w², b = a·w: both closed over, ∂(a·b·x)/∂w = 5 w⁴ x."""

    def f(w):
        a = w * w
        b = a * w
        return tf.checkpoint(lambda x: a * b * x)(2.0)

    assert tf.grad(f)(3.0).item() == pytest.approx(5 * 81 * 2)


def test_containers_and_other_results():
    @tf.checkpoint
    def f(p, *, scale, note):
        return {"a": p["x"] * scale, "b": [p["x"].sum(), note, p["x"] > 1.0, None]}

    x = tf.tensor([1.0, 2.0], requires_grad=True)
    out = f({"x": x}, scale=tf.tensor(3.0), note="text")
    assert out["b"][1:] == ["text", out["b"][2], None]
    assert out["b"][2].tolist() == [False, True]
    assert (out["a"].sum() + out["b"][0]).backward()[x].to_tensor().tolist() == [4.0, 4.0]
    # Only one of the results.
    assert out["b"][0].backward()[x].to_tensor().tolist() == [1.0, 1.0]


def test_nested_checkpoints():
    inner = tf.checkpoint(lambda x: tf.sin(x) * x)
    outer = tf.checkpoint(lambda x: inner(inner(x)))
    plain = lambda x: (lambda y: tf.sin(y) * y)(tf.sin(x) * x)  # noqa: E731
    assert tf.grad(tf.grad(outer))(0.7).item() == pytest.approx(tf.grad(tf.grad(plain))(0.7).item(), rel=1e-13)


def test_calls():
    calls = []

    @tf.checkpoint
    def f(x):
        calls.append(1)
        return x * x

    assert not f(tf.tensor(2.0)).tracks_grad
    assert len(calls) == 1
    y = f(tf.tensor(2.0, requires_grad=True))
    assert len(calls) == 2
    y.backward()
    assert len(calls) == 3
    with tf.no_grad():
        assert not f(tf.tensor(2.0, requires_grad=True)).tracks_grad


def test_exceptions_pass_in_both_runs():
    class Custom(Exception):
        pass

    error = Custom("mine")
    fail = [True]

    @tf.checkpoint
    def f(x):
        if fail[0]:
            raise error
        return x * x

    x, w = tf.tensor(2.0, requires_grad=True), tf.tensor(3.0, requires_grad=True)
    with pytest.raises(Custom):
        f(x)
    fail[0] = False
    y = w * f(x)
    fail[0] = True
    with pytest.raises(Custom) as caught:
        y.backward()
    assert caught.value is error
    assert x.grad is None
    assert w.grad is None
    fail[0] = False
    y.backward()
    assert (x.grad.to_tensor().tolist(), w.grad.to_tensor().tolist()) == (12.0, 4.0)


def test_a_function_that_is_not_pure():
    results = [2, 1]

    @tf.checkpoint
    def f(x):
        return [x * x for _ in range(results.pop(0))]

    y = f(tf.tensor(2.0, requires_grad=True))
    with pytest.raises(tf.InvalidArgumentError, match="pure"):
        y[0].backward()


def test_memory_of_a_recurrence():
    """h ← tanh(W h + x), 1,000 steps, in 32 segments: the peak is a fraction of the plain one, and nothing stays."""
    rng = np.random.default_rng(0)
    weight = tf.tensor(rng.normal(size=(64, 64)) / 8.0, requires_grad=True)
    start = rng.normal(size=(64, 16))
    peak = [0]

    def step(h):
        h = tf.tanh(tf.matmul(weight, h) + 0.1)
        peak[0] = max(peak[0], tf.live_bytes())
        return h

    def segment(h, steps):
        for _ in range(steps):
            h = step(h)
        return h

    def measure(run):
        h = tf.tensor(start)
        before, peak[0] = tf.live_bytes(), 0
        for k in range(0, 1000, 32):
            h = run(h, min(32, 1000 - k))
        gradient = h.sum().backward()[weight].numpy(copy=True)
        return peak[0] - before, gradient

    plain, expected = measure(segment)
    saving, gradient = measure(tf.checkpoint(segment))
    assert np.allclose(gradient, expected, rtol=1e-9, atol=1e-12)
    assert plain >= 1000 * 64 * 16 * 8
    assert saving * 8 < plain, (saving, plain)
    weight.clear_grad()


def test_long_chains_are_dropped_without_recursion():
    """5,000 segments, one after the other, in a thread with a small stack; with and without a backward pass."""
    results = []
    step = tf.checkpoint(lambda y: y * 1.0)
    rule = tf.custom_op(lambda y: y.numpy() * 1.0, vjp=lambda primals, out, ct: ct)

    def work():
        for backward in (True, False):
            x = tf.tensor(1.0, requires_grad=True)
            y = x
            for _ in range(2_500):
                y = rule(step(y))
            if backward:
                results.append(y.backward()[x].to_tensor().tolist())
            del y, x

    gc.collect()
    before = tf.live_tensors()
    size = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
    finally:
        threading.stack_size(size)
    thread.join()
    assert results == [1.0]
    gc.collect()
    assert tf.live_tensors() == before
