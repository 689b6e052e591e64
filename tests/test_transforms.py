"""`tf.grad` and `tf.value_and_grad`: arguments, containers, zeros, refusals."""

from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

import tenferro as tf
from support import tree_values


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
    assert tree_values(tf.grad(f, (2, 0))(2.0, 3.0, 5.0)) == [18.0, 45.0]
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
    assert tree_values(g["p"]) == [12.0, [8.0, [6.0]]]
    assert type(g["p"].y) is tuple
    assert type(g["p"].y[1]) is list
    assert tree["m"].weight.tolist() == [1.0, 2.0]


def test_subclasses_of_dict_keep_their_kind():
    ordered = OrderedDict(b=1.0, a=2.0)
    g = tf.grad(lambda d: d["a"] * d["b"])(ordered)
    assert isinstance(g, OrderedDict)
    assert list(g) == ["b", "a"]
    assert tree_values(g) == {"b": 2.0, "a": 1.0}
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
    assert tree_values(tf.grad(lambda x: x[0] * x[1][0])([2.0, (3.0,)])) == [3.0, [2.0]]


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
