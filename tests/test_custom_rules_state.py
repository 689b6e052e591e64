"""Custom rules: exceptions, constants, threads, and what is kept in memory."""

import gc
import math
import threading
import weakref

import numpy as np
import pytest

import tenferro as tf


class Custom(Exception):
    pass


def doubled(x):
    """The identity, with a derivative of 2."""
    return x * 1.0


double = tf.custom_vjp(doubled, lambda x: (x * 1.0, None), lambda _, ct: ct * 2.0)
double_forward = tf.custom_jvp(doubled, lambda primals, tangents: (primals[0], tangents[0] * 2.0))


def test_exceptions_of_rules_pass_unchanged_and_change_nothing():
    error = Custom("mine")

    def fail(*args):
        raise error

    w = tf.tensor(3.0, requires_grad=True)
    x = tf.tensor(2.0, requires_grad=True)
    for f in (
        tf.custom_vjp(doubled, lambda x: (x * 1.0, None), fail),
        tf.custom_jvp(doubled, fail),
        tf.custom_op(lambda x: x, vjp=fail),
        tf.custom_op(lambda x: x, jvp=fail),
    ):
        y = w * f(x * w)
        for run in (y.backward, lambda y=y: x.runtime.grad(y, x), lambda f=f: tf.grad(f)(1.0)):
            with pytest.raises(Custom) as caught:
                run()
            assert caught.value is error
        assert x.grad is None
        assert w.grad is None
    for f in (tf.custom_jvp(doubled, fail), tf.custom_op(lambda x: x, jvp=fail)):
        with pytest.raises(Custom) as caught:
            tf.jvp(f, (1.0,), (1.0,))
        assert caught.value is error
    with pytest.raises(KeyboardInterrupt):
        tf.grad(tf.custom_op(lambda x: x, vjp=lambda *args: (_ for _ in ()).throw(KeyboardInterrupt)))(1.0)
    # The next calls are as ever.
    assert (w * x).backward()[x].to_tensor().tolist() == 3.0


def test_a_transform_inside_a_rule():
    x = tf.tensor(1.0, requires_grad=True)
    f = tf.custom_vjp(doubled, lambda x: (x * 1.0, None), lambda _, ct: tf.grad(lambda t: t * t)(ct))
    assert (f(x) * 5.0).backward()[x].to_tensor().tolist() == 10.0


def test_an_op_sees_no_graph():
    seen = []

    def f(x):
        seen.append((x.tracks_grad, (x * x).tracks_grad))
        return x * x

    tf.custom_op(f)(tf.tensor(1.0, requires_grad=True))
    assert seen == [(False, False)]


def test_as_a_decorator_with_several_results():
    @tf.custom_op(vjp=lambda primals, out, ct: ct[0] * out[1] + ct[1] * -out[0], name="sincos")
    def sincos(x):
        return np.sin(x.numpy()), np.cos(x.numpy())

    assert sincos.__name__ == "sincos"
    f = lambda x: sincos(x)[0] * sincos(x)[1]  # noqa: E731
    expected = [0.5 * math.sin(1.0), math.cos(1.0), -2 * math.sin(1.0), -4 * math.cos(1.0)]
    for value in expected:
        assert f(tf.tensor(0.5)).item() == pytest.approx(value, rel=1e-13)
        f = tf.grad(f)


def test_integer_results_and_arguments():
    op = tf.custom_op(
        lambda x, n: (x.numpy() ** n, np.int64(n)),
        vjp=lambda primals, out, ct: (ct[0] * primals[1] * primals[0] ** (primals[1] - 1), None),
    )
    _power, n = op(tf.tensor(2.0, requires_grad=True), 3)
    assert n.item() == 3
    assert not n.tracks_grad
    assert tf.grad(lambda x: op(x, 3)[0])(2.0).item() == 12.0
    assert tf.grad(tf.grad(lambda x: op(x, 3)[0]))(2.0).item() == 12.0


def test_no_grad_and_constants():
    for f in (double, double_forward, tf.custom_op(lambda x: x.numpy(), vjp=lambda p, o, ct: ct)):
        assert not f(tf.tensor(1.0)).tracks_grad
        with tf.no_grad():
            assert not f(tf.tensor(1.0, requires_grad=True)).tracks_grad


def test_inside_checkpoint():
    f = tf.checkpoint(lambda x: double(x) * x)
    assert tf.grad(f)(3.0).item() == 9.0
    assert tf.grad(tf.grad(f))(3.0).item() == 4.0


def test_locks_in_rules_of_many_threads():
    """A lock held inside two rules, 16 threads on one runtime (pytorch's deadlock of GIL and lock)."""
    lock = threading.Lock()

    def bwd(_, ct):
        with lock:
            return ct * 2.0

    f = tf.custom_vjp(doubled, lambda x: (x * 1.0, None), bwd)
    results = [0.0] * 16

    def work(k):
        x = tf.tensor(np.full(20_000, float(k)), requires_grad=True)
        for _ in range(5):
            results[k] = (f(f(x)) * x).sum().backward()[x].numpy()[0]

    threads = [threading.Thread(target=work, args=(k,), daemon=True) for k in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert results == [5.0 * k for k in range(16)]


def test_rules_and_results_are_freed():
    class Owner:
        def __init__(self):
            self.op = tf.custom_vjp(self.f, self.fwd, self.bwd)

        def f(self, x):
            return x * 1.0

        def fwd(self, x):
            y = tf.exp(x)
            return y, (x, y)

        def bwd(self, residuals, ct):
            return ct * residuals[1]

    gc.collect()
    before = tf.live_tensors()
    owner = Owner()
    x = tf.tensor(np.ones(1000), requires_grad=True)
    loss = owner.op(owner.op(x)).sum()
    loss.backward()
    seen = weakref.ref(owner)
    del owner, loss, x
    gc.collect()
    assert seen() is None
    assert tf.live_tensors() == before


def test_what_a_rule_does_not_read_is_not_kept():
    gc.collect()
    before = tf.live_bytes()
    f = tf.custom_vjp(lambda x: x.sum(), lambda x: (x.sum(), None), lambda _, ct: tf.broadcast_to(ct, (100_000,)))
    x = tf.tensor(np.ones(100_000), requires_grad=True)
    y = f(x * 2.0)
    assert tf.live_bytes() - before < 1_000_000
    assert y.backward()[x].numpy()[0] == 2.0
    x.clear_grad()


def test_results_that_no_rule_reads_are_not_kept():
    gc.collect()
    before = tf.live_bytes()
    big = lambda x: (x * tf.ones(100_000), x * 3.0)  # noqa: E731
    pair = lambda ct: ct[0].sum() + ct[1] * 3.0  # noqa: E731
    x = tf.tensor(2.0, requires_grad=True)
    for f in (
        tf.custom_vjp(big, lambda x: (big(x), None), lambda _, ct: pair(ct)),
        tf.custom_vjp(big, lambda x: (lambda out: (out, out[1]))(big(x)), lambda y, ct: pair(ct) * y / y),
        tf.custom_jvp(big, lambda primals, tangents: (big(primals[0]), big(tangents[0]))),
    ):
        small = f(x)[1]
        assert tf.live_bytes() - before < 10_000
        assert small.backward()[x].to_tensor().tolist() == pytest.approx(3.0)
    x.clear_grad()


def test_residuals_are_constants_where_the_arguments_are():
    seen = []

    def bwd(residuals, ct):
        seen.append([r.tracks_grad for r in residuals])
        return ct * residuals[1], None

    f = tf.custom_vjp(lambda x, y: x * y, lambda x, y: (x * y, (x * 2.0, y * 1.0)), bwd)
    y = f(tf.tensor(2.0, requires_grad=True), tf.tensor(3.0))
    y.backward()
    assert seen == [[True, False]]
