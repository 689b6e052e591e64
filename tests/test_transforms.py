"""`tf.grad` and its sisters: functions in, functions out; any nesting, containers, no gradient slot touched."""

import gc
import math
import threading
from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

import tenferro as tf


def values(tree):
    """Tensors of a container as lists."""
    if isinstance(tree, dict):
        return {key: values(entry) for key, entry in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [values(entry) for entry in tree]
    return tree.tolist()


# Nesting


def test_grad_to_sixth_order():
    f, expected = (lambda x: x**6), 1.5**6
    for order in range(7):
        assert f(tf.tensor(1.5)).item() == pytest.approx(expected, rel=1e-13)
        f, expected = tf.grad(f), expected * (6 - order) / 1.5


@pytest.mark.parametrize(
    "inner",
    [
        lambda f, y: tf.grad(f)(y),
        lambda f, y: tf.jvp(f, (y,), (1.0,))[1],
        lambda f, y: tf.vjp(f, y)[1](1.0)[0],
        lambda f, y: tf.linearize(f, y)[1](1.0),
        lambda f, y: tf.jacobian(f)(y),
    ],
)
@pytest.mark.parametrize(
    "outer",
    [
        lambda f, x: tf.grad(f)(x),
        lambda f, x: tf.jvp(f, (x,), (1.0,))[1],
        lambda f, x: tf.jacobian(f)(x),
    ],
)
def test_no_perturbation_confusion(outer, inner):
    """d/dx x·(d/dy xy at y=2) = 2x, d/dx x·(d/dy (x+y)) = 1, d/dx x·(d/dy xy² at y=x) = 6x²."""
    assert outer(lambda x: x * inner(lambda y: x * y, 2.0), 3.0).item() == 6.0
    assert outer(lambda x: x * inner(lambda y: x + y, 1.0), 3.0).item() == 1.0
    assert outer(lambda x: x * inner(lambda y: x * y * y, x), 3.0).item() == pytest.approx(6 * 9.0)


@pytest.mark.parametrize("outer", [lambda f: tf.grad(f), lambda f: lambda x: tf.jvp(f, (x,), (1.0,))[1]])
@pytest.mark.parametrize("inner", [lambda f: tf.grad(f), lambda f: lambda x: tf.jvp(f, (x,), (1.0,))[1]])
def test_all_pairs_of_modes_give_second_derivatives(outer, inner):
    assert outer(inner(lambda x: tf.sin(x) * x))(0.7).item() == pytest.approx(2 * math.cos(0.7) - 0.7 * math.sin(0.7))


def test_inner_function_that_ignores_its_argument():
    assert tf.grad(lambda x: x * tf.grad(lambda y: x * x)(1.0))(3.0).item() == 0.0


def test_the_identity():
    assert tf.grad(lambda x: x)(3.0).item() == 1.0
    assert tf.grad(tf.grad(lambda x: x))(3.0).item() == 0.0
    assert tf.grad(lambda x: tf.grad(lambda y: y)(x) * x)(3.0).item() == 1.0


def test_derivative_of_a_pullback_in_its_cotangent():
    """ct ↦ Jᴴ·ct is linear, so its derivative is Jᴴ."""
    _, pullback = tf.vjp(lambda x: x * x, tf.tensor([1.0, 2.0]))
    jacobian = tf.jacobian(lambda ct: pullback(ct)[0])(tf.tensor([1.0, 1.0]))
    assert jacobian.tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_derivative_of_a_linear_map_in_its_tangent():
    _, linear = tf.linearize(lambda x: x**3, tf.tensor([1.0, 2.0]))
    assert tf.jacobian(linear)(tf.tensor([1.0, 1.0])).tolist() == [[3.0, 0.0], [0.0, 12.0]]


# Values, zeros, containers


def test_zeros_where_nothing_depends():
    assert tf.grad(lambda x: 3.0)(2.0).item() == 0.0
    assert tf.grad(lambda x: tf.tensor(3.0))(tf.ones((2, 3))).tolist() == np.zeros((2, 3)).tolist()
    assert tf.grad(lambda x, y: x, argnums=1)(1.0, tf.ones(2, dtype=tf.float32)).dtype == tf.float32
    out, tangent = tf.jvp(lambda x: tf.ones(3), (1.0,), (1.0,))
    assert (out.tolist(), tangent.tolist()) == ([1.0] * 3, [0.0] * 3)
    assert tf.vjp(lambda x: tf.ones(3), 1.0)[1]([1.0, 2.0, 3.0])[0].item() == 0.0
    assert tf.jacobian(lambda x: tf.ones(3))(tf.ones(2)).tolist() == np.zeros((3, 2)).tolist()
    assert tf.grad(lambda x: tf.sign(x))(2.0).item() == 0.0
    assert tf.grad(lambda x: x.astype(tf.int64).astype(tf.float64))(2.5).item() == 0.0


def test_argnums():
    def f(x, y, z):
        return x * y * y * z

    assert tf.grad(f, 1)(2.0, 3.0, 5.0).item() == 60.0
    assert values(tf.grad(f, (2, 0))(2.0, 3.0, 5.0)) == [18.0, 45.0]
    assert tf.grad(f, -1)(2.0, 3.0, 5.0).item() == 18.0
    assert isinstance(tf.grad(f, [0])(2.0, 3.0, 5.0), tuple)
    assert tf.grad(f, np.int64(1))(2.0, 3.0, 5.0).item() == 60.0


@pytest.mark.parametrize("argnums", [3, -4, (0, 5), (0, 0), (1, -2)])
def test_argnums_that_do_not_exist(argnums):
    with pytest.raises(tf.InvalidArgumentError) as caught:
        tf.grad(lambda x, y, z: x, argnums)(1.0, 2.0, 3.0)
    assert (caught.value.op, caught.value.argument) == ("grad", "argnums")


def test_argnums_of_a_wrong_type():
    for argnums in (True, 1.5, "x"):
        with pytest.raises(TypeError):
            tf.grad(lambda x, y: x, argnums)(1.0, 2.0)


def test_value_and_grad_with_aux():
    def f(x):
        y = x * x
        return y.sum(), {"squares": y, "note": "kept", "n": 3}

    value, gradient = tf.value_and_grad(lambda x: f(x)[0])(tf.tensor([1.0, 2.0]))
    assert (value.item(), gradient.tolist()) == (5.0, [2.0, 4.0])
    (value, aux), gradient = tf.value_and_grad(f, has_aux=True)(tf.tensor([1.0, 2.0]))
    assert (value.item(), gradient.tolist()) == (5.0, [2.0, 4.0])
    assert aux["squares"].tolist() == [1.0, 4.0]
    assert (aux["note"], aux["n"]) == ("kept", 3)
    assert not value.tracks_grad
    assert not aux["squares"].tracks_grad
    assert not gradient.tracks_grad
    gradient, aux = tf.grad(f, has_aux=True)(tf.tensor([1.0, 2.0]))
    assert gradient.tolist() == [2.0, 4.0]
    assert aux["note"] == "kept"


def test_aux_without_tensors_is_the_same_object():
    thing = {"a": [1, 2], "b": object()}
    assert tf.grad(lambda x: (x, thing), has_aux=True)(1.0)[1] is thing


def test_derivatives_through_aux():
    """d/dx of the auxiliary result and of the gradient of an inner transform."""

    def f(x):
        gradient, aux = tf.grad(lambda y: (x * y * y, y**3 * x), has_aux=True)(x)
        return gradient + aux

    assert tf.grad(f)(2.0).item() == 4 * 2.0 + 4 * 8.0


class Point(NamedTuple):
    x: object
    y: object


@dataclass(frozen=True)
class Model:
    weight: object
    bias: object
    more: list = field(default_factory=list)

    def __post_init__(self):
        if isinstance(self.weight, float):
            raise AssertionError("not made anew")


@dataclass(slots=True)
class Slotted:
    a: object
    b: object = field(init=False, default=None)


def test_containers():
    tree = {"m": Model(tf.tensor([1.0, 2.0]), np.array(3.0), [tf.tensor(2.0), None]), "p": Point(2.0, (3.0, [4.0]))}

    def f(t):
        m, p = t["m"], t["p"]
        assert isinstance(m, Model)
        assert isinstance(p, Point)
        assert m.more[1] is None
        return (m.weight * m.bias).sum() * m.more[0] + p.x * p.y[0] * p.y[1][0]

    g = tf.grad(f)(tree)
    assert list(g) == ["m", "p"]
    assert isinstance(g["m"], Model)
    assert isinstance(g["p"], Point)
    assert g["m"].weight.tolist() == [6.0, 6.0]
    assert g["m"].bias.item() == 6.0
    assert g["m"].more[0].item() == 9.0
    assert g["m"].more[1] is None
    assert values(g["p"]) == [12.0, [8.0, [6.0]]]
    assert type(g["p"].y) is tuple
    assert type(g["p"].y[1]) is list
    assert tree["m"].weight.tolist() == [1.0, 2.0]


def test_subclasses_of_dict_keep_their_kind():
    ordered = OrderedDict(b=1.0, a=2.0)
    g = tf.grad(lambda d: d["a"] * d["b"])(ordered)
    assert isinstance(g, OrderedDict)
    assert list(g) == ["b", "a"]
    assert values(g) == {"b": 2.0, "a": 1.0}
    default = defaultdict(float, {"a": 2.0})
    g = tf.grad(lambda d: d["a"] * d["none"] + d["a"])(default)
    assert isinstance(g, defaultdict)
    assert g["a"].item() == 1.0
    assert g["other"] == 0.0


def test_slotted_dataclass_with_a_field_outside_init():
    s = Slotted(tf.tensor(2.0))
    s.b = tf.tensor(5.0)
    g = tf.grad(lambda s: s.a * s.b)(s)
    assert (g.a.item(), g.b.item()) == (5.0, 2.0)
    assert (s.a.item(), s.b.item()) == (2.0, 5.0)


def test_arguments_of_all_kinds_become_leaves():
    f = tf.grad(lambda x: (x * x).real.sum())
    assert f(3.0).item() == 6.0
    assert f(1 + 2j).item() == 2 - 4j
    assert f(np.float32(3.0)).dtype == tf.float32
    assert f(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]
    assert f(tf.Tensor.from_numpy(np.array([1.0]))).tolist() == [2.0]
    x = tf.tensor(3.0, requires_grad=True)
    (x * x).backward()
    assert f(x.grad).item() == 12.0
    assert values(tf.grad(lambda x: x[0] * x[1][0])([2.0, (3.0,)])) == [3.0, [2.0]]


@pytest.mark.parametrize("bad", [1, True, np.int64(1), np.array([1, 2]), tf.tensor([1]), tf.tensor(True)])
@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: {"a": (1.0, x)}])
def test_integers_are_refused(bad, wrap):
    for transform in (tf.grad, tf.jacobian, tf.hessian, tf.value_and_grad):
        with pytest.raises(tf.DTypeMismatchError, match="argument 0"):
            transform(lambda x: 1.0)(wrap(bad))
    with pytest.raises(tf.DTypeMismatchError, match="argument 1"):
        tf.vjp(lambda x, y: x, 1.0, wrap(bad))
    with pytest.raises(tf.DTypeMismatchError):
        tf.jvp(lambda x: x, (wrap(bad),), (wrap(1.0),))


def test_the_place_of_a_wrong_leaf_is_named():
    with pytest.raises(tf.DTypeMismatchError, match=r"argument 1\['m'\]\.bias\[0\]") as caught:
        tf.grad(lambda a, b: a, (0, 1))(1.0, {"l": 1.0, "m": Model(tf.tensor(1.0), [7])})
    assert caught.value.op == "grad"
    assert caught.value.expected == tf.float64
    with pytest.raises(TypeError, match=r"argument 0\['s'\]: expected a tensor.*got str"):
        tf.grad(lambda a: 1.0)({"s": "text"})


def test_other_arguments_pass_unchanged():
    marker, integers = object(), np.array([1, 2])

    def f(x, a, b, *, key, number=2):
        assert a is marker
        assert b is integers
        assert key is marker
        return x * number

    assert tf.grad(f)(2.0, marker, integers, key=marker, number=3).item() == 3.0
    assert tf.jacobian(f)(2.0, marker, integers, key=marker).item() == 2.0
    assert tf.value_and_grad(f)(2.0, marker, integers, key=marker)[0].item() == 4.0


def test_other_arguments_may_be_any_objects():
    loop = [1.0]
    loop.append(loop)
    assert tf.grad(lambda x, other: x * other[0])(2.0, loop).item() == 1.0
    ctx = tf.EagerRuntime()
    nested = {"a": [Point(1, tf.tensor(3.0, runtime=ctx))]}
    assert tf.grad(lambda x, other: x * other["a"][0].y)(2.0, nested).runtime is ctx
    assert tf.grad(lambda x, *, other: x * other["a"][0].y)(2.0, other=nested).item() == 3.0


def test_results_must_be_scalars():
    with pytest.raises(tf.NonScalarGradError) as caught:
        tf.grad(lambda x: x * x)(tf.ones((2, 1)))
    assert (caught.value.op, caught.value.shape) == ("grad", (2, 1))
    with pytest.raises(TypeError, match="has_aux"):
        tf.grad(lambda x: (x, x))(1.0)
    with pytest.raises(TypeError, match="has_aux"):
        tf.grad(lambda x: x, has_aux=True)(1.0)
    with pytest.raises(TypeError, match="NoneType"):
        tf.grad(lambda x: None)(1.0)
    with pytest.raises(tf.DTypeMismatchError):
        tf.grad(lambda x: x.astype(tf.int64))(1.0)


def test_not_a_function():
    x = tf.tensor(1.0, requires_grad=True)
    with pytest.raises(TypeError, match=r"loss\.runtime\.grad\(loss, x\)"):
        tf.grad(x, x)
    for transform in (tf.grad, tf.value_and_grad, tf.jacobian, tf.hessian):
        with pytest.raises(TypeError, match="expected a function, got int"):
            transform(3)
    for call in (lambda: tf.vjp(3, 1.0), lambda: tf.jvp(3, (1.0,), (1.0,)), lambda: tf.hvp(3, (1.0,), (1.0,))):
        with pytest.raises(TypeError, match="expected a function, got int"):
            call()


def test_names_and_documentation_are_kept():
    def energy(x):
        """The energy."""
        return x

    for transform in (tf.grad, tf.value_and_grad, tf.jacobian, tf.hessian):
        assert (transform(energy).__name__, transform(energy).__doc__) == ("energy", "The energy.")


# vjp, jvp, linearize, hvp


def test_vjp_of_several_results():
    def f(x, p):
        return {"a": x * p["w"], "b": [x.sum(), p["w"] ** 2]}

    out, pullback = tf.vjp(f, tf.tensor([1.0, 2.0]), {"w": 3.0})
    assert values(out) == {"a": [3.0, 6.0], "b": [3.0, 9.0]}
    for _ in range(2):
        gx, gp = pullback({"a": tf.tensor([1.0, 10.0]), "b": [100.0, 1.0]})
        assert gx.tolist() == [103.0, 130.0]
        assert gp["w"].item() == 21.0 + 6.0
    gx, gp = pullback({"b": [None, 1.0], "a": None})
    assert gx.tolist() == [0.0, 0.0]
    assert gp["w"].item() == 6.0


def test_cotangents_must_fit():
    _, pullback = tf.vjp(lambda x: (x, x), tf.ones(2))
    with pytest.raises(tf.InvalidArgumentError) as caught:
        pullback((tf.ones(2),))
    assert (caught.value.op, caught.value.argument) == ("vjp", "cotangent")
    with pytest.raises(tf.ShapeMismatchError):
        pullback((tf.ones(3), tf.ones(2)))
    with pytest.raises(tf.DTypeMismatchError):
        pullback((tf.ones(2, dtype=tf.float32), tf.ones(2)))
    with pytest.raises(tf.InvalidArgumentError, match=r"at \['a'\]"):
        tf.vjp(lambda x: {"a": [x]}, 1.0)[1]({"a": 1.0})
    with pytest.raises(tf.InvalidArgumentError, match="with 'a'"):
        tf.vjp(lambda x: {"a": x}, 1.0)[1]({"b": 1.0})


def test_jvp_of_several_arguments_and_results():
    out, tangent = tf.jvp(lambda x, p: (x * p["w"], p["w"]), (2.0, {"w": 3.0}), (1.0, {"w": 10.0}))
    assert values(out) == [6.0, 3.0]
    assert values(tangent) == [23.0, 10.0]
    assert tf.jvp(lambda x, y: x * y, (2.0, 3.0), (None, 1.0))[1].item() == 2.0


def test_tangents_must_fit():
    with pytest.raises(TypeError, match="primals"):
        tf.jvp(lambda x: x, tf.ones(2), tf.ones(2))
    with pytest.raises(TypeError, match="tangents"):
        tf.jvp(lambda x: x, (tf.ones(2),), tf.ones(2))
    with pytest.raises(tf.InvalidArgumentError):
        tf.jvp(lambda x: x, (tf.ones(2),), (tf.ones(2), tf.ones(2)))
    with pytest.raises(tf.ShapeMismatchError):
        tf.jvp(lambda x: x, (tf.ones(2),), (tf.ones(3),))
    with pytest.raises(tf.DTypeMismatchError):
        tf.jvp(lambda x: x, (tf.ones(2),), (tf.ones(2, dtype=tf.complex128),))


def test_integer_results_have_zero_tangents_and_take_no_cotangent():
    def f(x):
        return x * x, x > 1.0

    _out, tangent = tf.jvp(f, (tf.tensor([1.0, 2.0]),), (tf.ones(2),))
    assert tangent[0].tolist() == [2.0, 4.0]
    assert tangent[1].tolist() == [False, False]
    assert tf.vjp(f, tf.tensor([1.0, 2.0]))[1]((tf.ones(2), None))[0].tolist() == [2.0, 4.0]


def test_linearize_calls_the_function_once():
    calls = []

    def f(x, y):
        calls.append(1)
        return tf.sin(x) * y

    out, linear = tf.linearize(f, 0.5, 2.0)
    assert out.item() == pytest.approx(2 * math.sin(0.5))
    assert linear(1.0, 0.0).item() == pytest.approx(2 * math.cos(0.5))
    assert linear(0.0, 3.0).item() == pytest.approx(3 * math.sin(0.5))
    assert calls == [1]


def test_hvp_matches_the_hessian():
    rng = np.random.default_rng(1)
    a, x, v = rng.normal(size=(4, 4)), rng.normal(size=4), rng.normal(size=4)

    def f(x):
        return tf.sin(tf.matmul(a, x)).prod() + (x**4).sum()

    gradient, product = tf.hvp(f, (x,), (v,))
    hessian = tf.hessian(f)(x).numpy()
    assert np.allclose(gradient.numpy(), tf.grad(f)(x).numpy(), rtol=1e-14)
    assert np.allclose(hessian, hessian.T, rtol=1e-12)
    assert np.allclose(product.numpy(), hessian @ v, rtol=1e-12)
    forward_over_reverse = tf.jvp(tf.grad(f), (x,), (v,))[1]
    assert np.allclose(product.numpy(), forward_over_reverse.numpy(), rtol=1e-12)


def test_hvp_of_several_arguments():
    gradient, product = tf.hvp(lambda x, p: x * x * p["w"] ** 3, (2.0, {"w": 3.0}), (1.0, {"w": 10.0}))
    assert values(gradient) == [108.0, {"w": 108.0}]
    assert values(product) == [54.0 + 1080.0, {"w": 108.0 + 10 * 72.0}]


def test_complex_hvp():
    """behaviour 12.3: the derivative of the gradient of a real function along v."""
    z, v = np.array([1 + 2j, 0.5 - 1j]), np.array([0.3 - 1j, 2 + 1j])

    def f(z):
        return (z * z.conj() * z * z).real.sum()

    _, product = tf.hvp(f, (z,), (v,))
    assert np.allclose(product.numpy(), tf.jvp(tf.grad(f), (z,), (v,))[1].numpy(), rtol=1e-13)


# Jacobians


def test_jacobian_forward_and_reverse():
    x = np.random.default_rng(2).normal(size=(2, 3))
    tall = tf.jacobian(lambda x: tf.stack([tf.sin(x), x * x, tf.exp(x)]))(x)
    assert tall.shape == (3, 2, 3, 2, 3)
    for k, slope in enumerate([np.cos(x), 2 * x, np.exp(x)]):
        expected = np.einsum("ij,ik,jl->ijkl", slope, np.eye(2), np.eye(3))
        assert np.allclose(tall.numpy()[k], expected, rtol=1e-14)
    wide = tf.jacobian(lambda x: (x * x).sum(axis=0))(x)
    assert wide.shape == (3, 2, 3)
    assert np.allclose(wide.numpy(), np.einsum("ij,jl->jil", 2 * x, np.eye(3)))


def test_jacobian_of_containers():
    def f(p, q):
        return {"a": p["x"] * q, "b": p["x"].sum()}

    jacobian = tf.jacobian(f, argnums=(0, 1))({"x": tf.tensor([1.0, 2.0])}, 3.0)
    assert values(jacobian) == {
        "a": [{"x": [[3.0, 0.0], [0.0, 3.0]]}, [1.0, 2.0]],
        "b": [{"x": [1.0, 1.0]}, 0.0],
    }
    assert isinstance(jacobian["a"], tuple)


def test_hessian_of_containers():
    hessian = tf.hessian(lambda p: p["x"] ** 2 * p["y"])({"x": 3.0, "y": 5.0})
    assert values(hessian) == {"x": {"x": 10.0, "y": 6.0}, "y": {"x": 6.0, "y": 0.0}}


def test_hessian_of_a_vector_function():
    hessian = tf.hessian(lambda x: tf.stack([x[0] * x[1], x[1] ** 3]))(tf.tensor([2.0, 3.0]))
    assert hessian.tolist() == [[[0.0, 1.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 18.0]]]


@pytest.mark.parametrize("shape", [(0,), (2, 0)])
def test_jacobian_of_nothing(shape):
    assert tf.jacobian(lambda x: x * 2)(tf.zeros(shape)).shape == shape + shape
    assert tf.jacobian(lambda x: x.sum())(tf.zeros(shape)).shape == shape
    assert tf.jacobian(lambda x: tf.zeros(shape) * x)(1.0).shape == shape


def test_complex_jacobians_need_holomorphic():
    z = tf.tensor([1 + 2j, 3j])
    for transform in (tf.jacobian, tf.hessian):
        with pytest.raises(tf.InvalidArgumentError) as caught:
            transform(lambda z: (z * z).sum())(z)
        assert caught.value.argument == "holomorphic"
        with pytest.raises(tf.InvalidArgumentError):
            transform(lambda x: x * x, holomorphic=True)(1.0)
    with pytest.raises(tf.InvalidArgumentError):
        tf.jacobian(lambda z: z.real, holomorphic=True)(z)


@pytest.mark.parametrize("f", [lambda z: tf.exp(z) * z[0], lambda z: tf.stack([z * z, z**3, z])])
def test_holomorphic_jacobian(f):
    z = np.array([0.3 + 1j, -0.7 + 0.2j])
    jacobian = tf.jacobian(f, holomorphic=True)(z).numpy()
    for k in range(2):
        direction = np.eye(2, dtype=complex)[k]
        assert np.allclose(jacobian[..., k], tf.jvp(f, (z,), (direction,))[1].numpy(), rtol=1e-13)


def test_holomorphic_hessian():
    hessian = tf.hessian(lambda z: z[0] ** 3 * z[1], holomorphic=True)(tf.tensor([1 + 1j, 2j])).numpy()
    z = np.array([1 + 1j, 2j])
    assert np.allclose(hessian, [[6 * z[0] * z[1], 3 * z[0] ** 2], [3 * z[0] ** 2, 0]], rtol=1e-13)


def test_jacobian_of_a_complex_function_of_a_real_argument():
    jacobian = tf.jacobian(lambda x: tf.exp(1j * x).sum())(tf.tensor([0.3, 0.5])).numpy()
    assert np.allclose(jacobian, 1j * np.exp(1j * np.array([0.3, 0.5])), rtol=1e-14)


def test_jacobian_of_integers_is_refused():
    with pytest.raises(tf.DTypeMismatchError, match="result"):
        tf.jacobian(lambda x: x.astype(tf.int64))(1.0)


# Closures, slots, modes, runtimes


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
