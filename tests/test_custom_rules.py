"""`tf.custom_vjp`, `tf.custom_jvp`, `tf.custom_op`: rules in Python."""

import math

import numpy as np
import pytest

import tenferro as tf


def doubled(x):
    """The identity, with a derivative of 2."""
    return x * 1.0


double = tf.custom_vjp(doubled, lambda x: (x * 1.0, None), lambda _, ct: ct * 2.0)
double_forward = tf.custom_jvp(doubled, lambda primals, tangents: (primals[0], tangents[0] * 2.0))


@pytest.mark.parametrize("f", [double, double_forward])
def test_the_rule_is_used(f):
    assert f(tf.tensor(3.0)).item() == 3.0
    assert tf.grad(f)(3.0).item() == 2.0
    assert tf.grad(lambda x: f(f(x)) * x)(3.0).item() == 3.0 + 4.0 * 3.0
    x = tf.tensor([1.0, 2.0], requires_grad=True)
    assert f(x).sum().backward()[x].to_tensor().tolist() == [2.0, 2.0]
    assert f.__name__ == "doubled"
    assert f.__doc__ == doubled.__doc__


def test_the_forward_rule_is_used():
    assert tf.jvp(double_forward, (3.0,), (5.0,))[1].item() == 10.0
    assert tf.jvp(lambda x: double_forward(double_forward(x)) * x, (3.0,), (1.0,))[1].item() == 15.0
    assert tf.jacobian(lambda x: tf.stack([double_forward(x), x]))(3.0).tolist() == [2.0, 1.0]


# Several arguments and results


def product(x, p, n):
    return {"xy": x * p["y"] ** n, "x": x}


def test_several_arguments_and_results_in_reverse():
    def fwd(x, p, n):
        return product(x, p, n), (x, p["y"], n)

    def bwd(residuals, ct):
        x, y, n = residuals
        assert set(ct) == {"xy", "x"}
        return ct["xy"] * y**n + ct["x"], {"y": ct["xy"] * x * n * y ** (n - 1)}, None

    f = tf.custom_vjp(product, fwd, bwd)
    out, pullback = tf.vjp(lambda x, y: f(x, {"y": y}, 3), 2.0, 5.0)
    assert (out["xy"].item(), out["x"].item()) == (250.0, 2.0)
    assert [g.item() for g in pullback({"xy": 1.0, "x": 10.0})] == [135.0, 150.0]
    assert [g.item() for g in pullback({"xy": None, "x": 10.0})] == [10.0, 0.0]
    # Second order, through the residuals: f = x y³, so f_xy = 3y², f_yy = 6xy.
    hessian = tf.hessian(lambda x, y: f(x, {"y": y}, 3)["xy"], argnums=(0, 1))(2.0, 5.0)
    assert [[entry.item() for entry in row] for row in hessian] == [[0.0, 75.0], [75.0, 60.0]]


def test_several_arguments_and_results_forward():
    def rule(primals, tangents):
        (x, p, n), (tx, tp, tn) = primals, tangents
        assert tn is None
        xy = tx * p["y"] ** n + tp["y"] * x * n * p["y"] ** (n - 1)
        return product(x, p, n), {"xy": xy, "x": tx}

    f = tf.custom_jvp(product, rule)
    _out, tangent = tf.jvp(lambda x, y: f(x, {"y": y}, 3), (2.0, 5.0), (1.0, 10.0))
    assert (tangent["xy"].item(), tangent["x"].item()) == (125.0 + 1500.0, 1.0)
    _, pullback = tf.vjp(lambda x, y: f(x, {"y": y}, 3), 2.0, 5.0)
    assert [g.item() for g in pullback({"xy": 1.0, "x": 10.0})] == [135.0, 150.0]
    hessian = tf.hessian(lambda x, y: f(x, {"y": y}, 3)["xy"], argnums=(0, 1))(2.0, 5.0)
    assert [[entry.item() for entry in row] for row in hessian] == [[0.0, 75.0], [75.0, 60.0]]


def test_the_rule_runs_once_for_all_results():
    calls = []

    def bwd(_, ct):
        calls.append([c.item() for c in ct])
        return ct[0] + ct[1]

    f = tf.custom_vjp(lambda x: (x, x), lambda x: ((x * 1.0, x * 1.0), None), bwd)

    def g(x):
        a, b = f(x)
        return a * 2.0 + b * 3.0 + a * 10.0

    assert tf.grad(g)(1.0).item() == 15.0
    assert calls == [[12.0, 3.0]]


# Higher order


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_a_residual_that_is_the_result_is_differentiated_by_the_rule(order):
    """The derivative of exp is its value, computed with NumPy: no recorded op connects the two."""
    fwd = lambda x: (lambda y: (y, y))(tf.asarray(np.exp(x.numpy())))  # noqa: E731
    by_vjp = tf.custom_vjp(tf.exp, fwd, lambda y, ct: ct * y)
    op = tf.custom_op(lambda x: np.exp(x.numpy()), vjp=lambda primals, out, ct: ct * out, name="exp")
    op_forward = tf.custom_op(lambda x: np.exp(x.numpy()), jvp=lambda primals, out, t: t[0] * out, name="exp")
    for f in (by_vjp, op, op_forward):
        for _ in range(order):
            f = tf.grad(f)
        assert f(0.5).item() == pytest.approx(math.exp(0.5), rel=1e-14)


def test_second_order_modes_of_a_forward_rule():
    sine = tf.custom_jvp(tf.sin, lambda primals, tangents: (tf.sin(primals[0]), tangents[0] * tf.cos(primals[0])))
    expected = -math.sin(0.7)
    forward = lambda f: lambda x: tf.jvp(f, (x,), (1.0,))[1]  # noqa: E731
    for outer in (tf.grad, forward):
        for inner in (tf.grad, forward):
            assert outer(inner(sine))(0.7).item() == pytest.approx(expected, rel=1e-13)
    assert tf.hvp(sine, (0.7,), (2.0,))[1].item() == pytest.approx(2 * expected, rel=1e-13)


def test_hessian_vector_products_of_a_reverse_rule():
    sine = tf.custom_vjp(tf.sin, lambda x: (tf.sin(x), x), lambda x, ct: ct * tf.cos(x))
    assert tf.hvp(sine, (0.7,), (2.0,))[1].item() == pytest.approx(-2 * math.sin(0.7), rel=1e-13)
    assert tf.hessian(lambda x: (sine(x) * x).sum())(tf.tensor([0.7, 0.2])).numpy() == pytest.approx(
        tf.hessian(lambda x: (tf.sin(x) * x).sum())(tf.tensor([0.7, 0.2])).numpy()
    )


def test_complex_rules():
    z = np.array([1 + 2j, -0.5 + 1j])
    square = tf.custom_vjp(tf.square, lambda z: (z * z, z), lambda z, ct: ct * 2.0 * z.conj())
    forward = tf.custom_jvp(tf.square, lambda p, t: (p[0] * p[0], 2.0 * p[0] * t[0]))
    for f in (square, forward):
        assert np.allclose(tf.grad(lambda z, f=f: f(z).sum())(z).numpy(), 2 * z.conj())
    assert np.allclose(tf.jvp(forward, (z,), (1j * z,))[1].numpy(), 2j * z * z)


# One rule for both modes


SINE = {
    "custom_vjp": lambda: tf.custom_vjp(tf.sin, lambda x: (tf.sin(x), x), lambda x, ct: ct * tf.cos(x)),
    "custom_jvp": lambda: tf.custom_jvp(tf.sin, lambda p, t: (tf.sin(p[0]), tf.cos(p[0]) * t[0])),
    "custom_op_vjp": lambda: tf.custom_op(lambda x: np.sin(x.numpy()), vjp=lambda p, out, ct: ct * tf.cos(p[0])),
    "custom_op_jvp": lambda: tf.custom_op(lambda x: np.sin(x.numpy()), jvp=lambda p, out, t: t[0] * tf.cos(p[0])),
}


@pytest.mark.parametrize("kind", SINE)
def test_one_rule_is_enough_for_both_modes(kind):
    f = SINE[kind]()
    x, v = tf.tensor([0.3, 1.1]), tf.tensor([1.0, -2.0])
    a = x.numpy()
    assert np.allclose(tf.jvp(f, (x,), (v,))[1].numpy(), np.cos(a) * v.numpy(), rtol=1e-14)
    assert np.allclose(tf.grad(lambda x: f(x).sum())(x).numpy(), np.cos(a), rtol=1e-14)

    def square(x):
        return (f(x) ** 2).sum()

    # The result itself is part of the gradient, so forward over reverse passes through the call.
    expected = 2.0 * np.cos(2.0 * a) * v.numpy()
    assert np.allclose(tf.hvp(square, (x,), (v,))[1].numpy(), expected, rtol=1e-13)
    assert np.allclose(tf.jvp(tf.grad(square), (x,), (v,))[1].numpy(), expected, rtol=1e-13)
    assert np.allclose(tf.grad(lambda x: tf.jvp(square, (x,), (v,))[1])(x).numpy(), expected, rtol=1e-13)
    assert np.allclose(tf.hessian(square)(x).numpy(), np.diag(2.0 * np.cos(2.0 * a)), atol=1e-13)
    assert tf.grad(tf.grad(tf.grad(f)))(0.3).item() == pytest.approx(-math.cos(0.3), rel=1e-13)
    tf.check_grads(f, (x,), order=2)


def test_the_adjoint_of_complex_rules():
    scale = 2.0 - 1.0j
    rules = (
        tf.custom_vjp(lambda z: z * scale, lambda z: (z * scale, None), lambda _, ct: ct * scale.conjugate()),
        tf.custom_jvp(lambda z: z * scale, lambda p, t: (p[0] * scale, t[0] * scale)),
        tf.custom_op(lambda z: z * scale, vjp=lambda p, out, ct: ct * scale.conjugate()),
        tf.custom_op(lambda z: z * scale, jvp=lambda p, out, t: t[0] * scale),
    )
    z, ct = tf.tensor([1 + 2j, 0.5j]), tf.tensor([1j, 2 + 0j])
    for f in rules:
        assert np.allclose(tf.vjp(f, z)[1](ct)[0].numpy(), ct.numpy() * scale.conjugate())
        assert np.allclose(tf.jvp(f, (z,), (ct,))[1].numpy(), ct.numpy() * scale)


def test_several_outputs_forward_through_a_reverse_rule():
    def fwd(p, n):
        return (p["a"] * n, p["a"] * p["b"], n), p

    def bwd(p, ct):
        return {"a": ct[0] * 3.0 + ct[1] * p["b"], "b": ct[1] * p["a"]}, None

    f = tf.custom_vjp(lambda p, n: fwd(p, n)[0], fwd, bwd)
    p = {"a": tf.tensor([1.0, 2.0]), "b": tf.tensor([3.0, 4.0])}
    t = {"a": tf.tensor([1.0, 0.0]), "b": tf.tensor([0.0, 1.0])}
    tangent = tf.jvp(lambda p: f(p, 3)[:2], (p,), (t,))[1]
    assert tangent[0].tolist() == [3.0, 0.0]
    assert tangent[1].tolist() == [3.0, 2.0]


def test_rules_outside_the_library_have_no_adjoint():
    reverse = tf.custom_op(lambda x: x * 2.0, vjp=lambda p, out, ct: ct.numpy() * 2.0, name="reverse")
    forward = tf.custom_op(lambda x: x * 2.0, jvp=lambda p, out, t: t[0].numpy() * 2.0, name="forward")
    assert tf.grad(reverse)(1.0).item() == 2.0
    assert tf.jvp(forward, (1.0,), (1.0,))[1].item() == 2.0
    for name, transform, run in (
        ("reverse", "jvp", lambda: tf.jvp(reverse, (1.0,), (1.0,))),
        ("forward", "vjp", lambda: tf.grad(forward)(1.0)),
    ):
        with pytest.raises(tf.UnsupportedAdRuleError) as caught:
            run()
        assert (caught.value.op, caught.value.transform) == (name, transform)
    zero = tf.custom_op(lambda x: x * 0.0, vjp=lambda p, out, ct: tf.zeros_like(p[0]))
    assert tf.jvp(zero, (1.0,), (1.0,))[1].item() == 0.0


# Missing and wrong rules


def test_missing_rules():
    x = tf.tensor(2.0, requires_grad=True)
    op = tf.custom_op(lambda x: x.numpy() ** 2, name="numpy_square")
    y = op(x) * x
    assert y.item() == 8.0
    for run in (y.backward, lambda: tf.grad(op)(2.0)):
        with pytest.raises(tf.UnsupportedAdRuleError) as caught:
            run()
        assert (caught.value.op, caught.value.transform) == ("numpy_square", "vjp")
    assert x.grad is None
    with pytest.raises(tf.UnsupportedAdRuleError) as caught:
        tf.jvp(op, (2.0,), (1.0,))
    assert caught.value.transform == "jvp"
    assert isinstance(caught.value, NotImplementedError)
    assert op(tf.tensor(3.0)).item() == 9.0


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (lambda ct: tf.ones(3), tf.ShapeMismatchError),
        (lambda ct: ct.astype(tf.float32), tf.DTypeMismatchError),
        (lambda ct: ct * 1j, tf.DTypeMismatchError),
        (lambda ct: (ct, ct), tf.InvalidArgumentError),
        (lambda ct: "text", TypeError),
        (lambda ct: tf.tensor([1.0, 1.0], runtime=tf.EagerRuntime()), tf.ContextMismatchError),
    ],
)
def test_wrong_results_of_rules(result, error):
    x, w = tf.tensor([1.0, 2.0], requires_grad=True), tf.tensor([1.0, 2.0], requires_grad=True)
    f = tf.custom_vjp(doubled, lambda x: (x * 1.0, None), lambda _, ct: result(ct))
    with pytest.raises(error):
        (w * f(x)).sum().backward()
    assert w.grad is None
    g = tf.custom_jvp(doubled, lambda primals, tangents: (primals[0], result(tangents[0])))
    with pytest.raises(error):
        tf.jvp(g, (x,), (tf.ones(2),))


def test_none_and_numbers_from_rules():
    none = tf.custom_vjp(lambda x, y: x * y, lambda x, y: (x * y, y), lambda y, ct: (ct * y, None))
    assert [g.item() for g in tf.grad(none, (0, 1))(2.0, 3.0)] == [3.0, 0.0]
    number = tf.custom_vjp(lambda x: x, lambda x: (x * 1.0, None), lambda _, ct: 7)
    assert tf.grad(number)(tf.tensor(1.0, dtype=tf.float32)).item() == 7.0


def test_forward_rules_outside_this_library_have_no_adjoint():
    """A tangent that NumPy computed cannot be traced back; no silent zero."""
    f = tf.custom_jvp(doubled, lambda p, t: (p[0], t[0].numpy() * 3.0))
    assert tf.jvp(f, (1.0,), (2.0,))[1].item() == 6.0
    with pytest.raises(tf.UnsupportedAdRuleError, match="no adjoint"):
        tf.grad(f)(1.0)
    zero = tf.custom_jvp(doubled, lambda p, t: (p[0], t[0].numpy() * 0.0))
    assert tf.grad(zero)(1.0).item() == 0.0


def test_tracked_keyword_arguments_are_refused():
    x, k = tf.tensor(1.0, requires_grad=True), tf.tensor(2.0, requires_grad=True)
    for f in (
        tf.custom_op(lambda x, *, k: x.numpy() * k.numpy(), vjp=lambda p, out, ct: ct),
        tf.custom_vjp(lambda x, *, k: x * k, lambda x, *, k: (x * k, k), lambda k, ct: ct * k),
        tf.custom_jvp(lambda x, *, k: x * k, lambda p, t, *, k: (p[0] * k, t[0] * k)),
    ):
        with pytest.raises(tf.InvalidArgumentError):
            f(x, k=k)
        assert f(x, k=k.detach()).item() == 2.0


def test_a_pair_is_expected():
    x = tf.tensor(1.0, requires_grad=True)
    with pytest.raises(TypeError, match="pair"):
        tf.custom_vjp(doubled, lambda x: x, lambda _, ct: ct)(x)
    with pytest.raises(TypeError, match="pair"):
        tf.jvp(tf.custom_jvp(doubled, lambda p, t: t[0]), (1.0,), (1.0,))
    with pytest.raises(TypeError, match="expected a function"):
        tf.custom_vjp(doubled, 3, lambda _, ct: ct)


def test_closures_without_a_rule_are_refused():
    w = tf.tensor(3.0, requires_grad=True)
    for f in (
        tf.custom_vjp(lambda x: x * w, lambda x: (x * w, None), lambda _, ct: ct),
        tf.custom_jvp(lambda x: x * w, lambda p, t: (p[0] * w, t[0])),
        tf.custom_op(lambda x: x * w, vjp=lambda p, out, ct: ct),
    ):
        with pytest.raises(tf.InvalidArgumentError, match="closes over"):
            f(tf.tensor(2.0))
        with pytest.raises(tf.InvalidArgumentError, match="closes over"):
            tf.grad(f)(2.0)
