"""`grad`, `vjp`, `jvp` of the runtime and their optional forms (behaviour 2.4): composable, never touching slots."""

import math

import numpy as np
import pytest

import tenferro as tf
from support import leaf


def test_grad_has_shape_and_dtype_of_the_leaf(ctx):
    x = leaf(np.ones((2, 3), dtype=np.float32), runtime=ctx)
    g = ctx.grad((x * x).sum(), x)
    assert isinstance(g, tf.EagerTensor)
    assert (g.shape, g.dtype) == ((2, 3), tf.float32)
    assert np.array_equal(g.numpy(), np.full((2, 3), 2.0))


@pytest.mark.parametrize("many", [list, tuple])
def test_grad_of_several_leaves_is_a_tuple(ctx, many):
    x, y = leaf([1.0, 2.0], runtime=ctx), leaf([3.0, 4.0], runtime=ctx)
    result = ctx.grad((x * x * y).sum(), many([x, y]))
    assert isinstance(result, tuple)
    assert [g.numpy().tolist() for g in result] == [[6.0, 16.0], [1.0, 4.0]]


def test_vjp(ctx):
    x, y = leaf([1.0, 2.0], runtime=ctx), leaf([3.0, 4.0], runtime=ctx)
    ct = tf.tensor([10.0, 100.0], runtime=ctx)
    assert ctx.vjp(x * y, x, ct).numpy().tolist() == [30.0, 400.0]
    assert [g.numpy().tolist() for g in ctx.vjp(x * y, [x, y], ct)] == [[30.0, 400.0], [10.0, 200.0]]


def test_jvp(ctx):
    x = leaf([[1.0, 2.0], [3.0, 4.0]], runtime=ctx)
    v = tf.tensor([[1.0, 0.0], [0.0, 2.0]], runtime=ctx)
    assert ctx.jvp(x * x, x, v).numpy().tolist() == [[2.0, 0.0], [0.0, 16.0]]
    assert ctx.jvp((x * x).sum(), x, v).item() == 18.0


def test_optional_forms_agree_with_the_others(ctx):
    x = leaf([1.0, 2.0], runtime=ctx)
    y, v = x * x, tf.tensor([1.0, 1.0], runtime=ctx)
    assert ctx.grad_optional(y.sum(), x).numpy().tolist() == [2.0, 4.0]
    assert ctx.vjp_optional(y, x, v).numpy().tolist() == [2.0, 4.0]
    assert ctx.jvp_optional(y, x, v).numpy().tolist() == [2.0, 4.0]


def test_slots_are_never_touched(ctx):
    x = leaf([1.0, 2.0], runtime=ctx)
    loss = (x * x).sum()
    ctx.grad(loss, x)
    ctx.vjp(loss, x, tf.tensor(1.0, runtime=ctx))
    ctx.jvp(loss, x, tf.tensor([1.0, 1.0], runtime=ctx))
    assert x.grad is None
    loss.backward()
    ctx.grad(loss, x)
    assert x.grad.numpy().tolist() == [2.0, 4.0]


def test_hessian_vector_product_forward_over_reverse(ctx):
    x = leaf(3.0, runtime=ctx)
    f = x * x * x
    g = ctx.grad(f, x)
    assert g.item() == 27.0
    assert g.tracks_grad
    assert ctx.jvp(g, x, tf.tensor(1.0, runtime=ctx)).item() == 18.0


def test_hessian_vector_product_reverse_over_reverse(ctx):
    x = leaf([1.0, 2.0, 3.0], runtime=ctx)
    v = tf.tensor([1.0, 0.5, -1.0], runtime=ctx)
    g = ctx.grad((x * x * x).sum(), x)
    assert ctx.grad((g * v).sum(), x).numpy().tolist() == [6.0, 6.0, -18.0]


def test_reverse_over_forward(ctx):
    x = leaf([1.0, 2.0], runtime=ctx)
    v = tf.tensor([1.0, 3.0], runtime=ctx)
    assert ctx.grad(ctx.jvp(x * x * x, x, v).sum(), x).numpy().tolist() == [6.0, 36.0]


@pytest.mark.parametrize("route", ["grad", "jvp"])
def test_composes_to_any_order(ctx, route):
    x = leaf(1.5, runtime=ctx)
    one = tf.tensor(1.0, runtime=ctx)
    y = x**6
    for order in range(1, 7):
        y = ctx.grad(y, x) if route == "grad" else ctx.jvp(y, x, one)
        expected = math.factorial(6) / math.factorial(6 - order) * 1.5 ** (6 - order)
        assert y.item() == pytest.approx(expected, rel=1e-13)


def test_exp_derivatives_to_eighth_order(ctx):
    x = leaf(0.3, runtime=ctx)
    y = (2.0 * x).exp()
    for order in range(1, 9):
        y = ctx.grad(y, x)
        assert y.item() == pytest.approx(2.0**order * math.exp(0.6), rel=1e-12)


def test_backward_of_a_functional_result_accumulates(ctx):
    x = leaf([1.0, 2.0], runtime=ctx)
    g = ctx.grad((x * x * x).sum(), x)
    g.sum().backward()
    assert x.grad.numpy().tolist() == [6.0, 12.0]


def test_grad_of_a_complex_scalar_differentiates_its_real_part(ctx):
    z = leaf(1 + 2j, runtime=ctx)
    assert ctx.grad(z * z, z).item() == 2 - 4j


def test_grad_of_a_leaf_by_itself_is_one(ctx):
    x = leaf(5.0, runtime=ctx)
    assert ctx.grad(x, x).item() == 1.0
    v = leaf([1.0, 2.0], runtime=ctx)
    ct = tf.tensor([3.0, 4.0], runtime=ctx)
    assert ctx.vjp(v, v, ct).numpy().tolist() == [3.0, 4.0]
    assert ctx.jvp(v, v, ct).numpy().tolist() == [3.0, 4.0]


@pytest.mark.parametrize("shape", [(1,), (2, 2), (0,)])
def test_grad_needs_rank_zero(ctx, shape):
    x = leaf(np.ones(shape), runtime=ctx)
    with pytest.raises(tf.NonScalarGradError) as caught:
        ctx.grad(x * x, x)
    assert caught.value.shape == shape


def calls(ctx, y, x, seed):
    return {
        "grad": lambda: ctx.grad(y.sum(), x),
        "vjp": lambda: ctx.vjp(y, x, seed),
        "jvp": lambda: ctx.jvp(y, x, seed),
        "grad_optional": lambda: ctx.grad_optional(y.sum(), x),
        "vjp_optional": lambda: ctx.vjp_optional(y, x, seed),
        "jvp_optional": lambda: ctx.jvp_optional(y, x, seed),
    }


STRICT = ("grad", "vjp", "jvp")
OPTIONAL = ("grad_optional", "vjp_optional", "jvp_optional")


def inactive_outputs(x):
    """Outputs that have no differentiable path to x."""
    return {
        "another leaf": leaf([1.0, 2.0], runtime=x.runtime) * 2.0,
        "constant": tf.tensor([1.0, 2.0], runtime=x.runtime),
        "detached": x.detach() * 2.0,
        "comparison": (x > 0).cast(tf.float64),
        "integer cast": x.cast(tf.int64).cast(tf.float64),
    }


@pytest.mark.parametrize("kind", ["another leaf", "constant", "detached", "comparison", "integer cast"])
@pytest.mark.parametrize("name", STRICT)
def test_inactive_wrt_is_an_error(ctx, kind, name):
    x = leaf([1.0, 2.0], runtime=ctx)
    with pytest.raises(tf.InvalidArgumentError, match="wrt") as caught:
        calls(ctx, inactive_outputs(x)[kind], x, x.detach())[name]()
    assert caught.value.argument == "wrt"
    assert caught.value.op == name


@pytest.mark.parametrize("kind", ["another leaf", "constant", "detached", "comparison", "integer cast"])
@pytest.mark.parametrize("name", OPTIONAL)
def test_inactive_wrt_is_none_in_the_optional_forms(ctx, kind, name):
    x = leaf([1.0, 2.0], runtime=ctx)
    assert calls(ctx, inactive_outputs(x)[kind], x, x.detach())[name]() is None


@pytest.mark.parametrize("name", STRICT + OPTIONAL)
def test_an_intermediate_is_no_wrt(ctx, name):
    x = leaf([1.0, 2.0], runtime=ctx)
    middle = x * x
    call = calls(ctx, middle * 3.0, middle, x.detach())[name]
    if name in OPTIONAL:
        assert call() is None
    else:
        with pytest.raises(tf.InvalidArgumentError, match="wrt"):
            call()


def test_one_inactive_leaf_of_several(ctx):
    x, y = leaf([1.0], runtime=ctx), leaf([2.0], runtime=ctx)
    loss = (x * x).sum()
    gx, gy = ctx.grad_optional(loss, [x, y])
    assert gx.numpy().tolist() == [2.0]
    assert gy is None
    with pytest.raises(tf.InvalidArgumentError, match="wrt"):
        ctx.grad(loss, [x, y])


@pytest.mark.parametrize("name", OPTIONAL)
def test_a_zero_derivative_is_zeros_not_none(ctx, name):
    x = leaf([1.0, 2.0], runtime=ctx)
    result = calls(ctx, x * 0.0, x, x.detach())[name]()
    assert result.numpy().tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", OPTIONAL)
def test_sign_has_a_zero_derivative(ctx, name):
    x = leaf([1.0, -2.0], runtime=ctx)
    result = calls(ctx, x.sign(), x, x.detach())[name]()
    assert result.numpy().tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", ["vjp", "jvp", "vjp_optional", "jvp_optional"])
def test_seeds_are_checked(ctx, other, name):
    x = leaf([1.0, 2.0], runtime=ctx)
    y = x * x
    with pytest.raises(tf.ContextMismatchError):
        calls(ctx, y, x, tf.tensor([1.0, 2.0], runtime=other))[name]()
    with pytest.raises(tf.DTypeMismatchError) as wrong_dtype:
        calls(ctx, y, x, tf.tensor(np.ones(3, dtype=np.float32), runtime=ctx))[name]()
    with pytest.raises(tf.ShapeMismatchError) as wrong_shape:
        calls(ctx, y, x, tf.tensor(np.ones(3), runtime=ctx))[name]()
    assert (wrong_dtype.value.expected, wrong_dtype.value.actual) == (tf.float64, tf.float32)
    assert (wrong_shape.value.lhs, wrong_shape.value.rhs) == ((2,), (3,))
    assert wrong_shape.value.op.removesuffix("_optional") == name.removesuffix("_optional")


@pytest.mark.parametrize("name", STRICT + OPTIONAL)
def test_a_foreign_output_is_refused(ctx, other, name):
    x = leaf([1.0, 2.0], runtime=other)
    with pytest.raises(tf.ContextMismatchError):
        calls(ctx, x * x, x, x.detach())[name]()


def test_mixed_real_and_complex_to_second_order(ctx):
    """f = |exp(i x)·(1 + 2i)·x|² = 5 x², so f' = 10 x and f'' = 10."""
    x = leaf(0.7, runtime=ctx)
    z = (x * 1j).exp() * (1 + 2j) * x
    f = (z * z.conj()).real
    g = ctx.grad(f, x)
    assert g.dtype == tf.float64
    assert g.item() == pytest.approx(7.0, rel=1e-13)
    assert ctx.grad(g, x).item() == pytest.approx(10.0, rel=1e-12)
