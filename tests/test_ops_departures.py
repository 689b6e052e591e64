"""One test for each deliberate departure from the original whose op exists (section 7 of the API contract)."""

import math
import threading

import numpy as np
import pytest

import tenferro as tf
from support import gradient, leaf


def test_reducing_a_zero_length_axis():
    x = tf.zeros((0, 2))
    assert x.sum(0).numpy().tolist() == [0.0, 0.0]
    assert x.prod(0).numpy().tolist() == [1.0, 1.0]
    assert np.isnan(x.mean(0).numpy()).all()
    for name in ("max", "min"):
        with pytest.raises(tf.InvalidArgumentError):
            getattr(x, name)(0)


def test_negative_axes_and_none_everywhere():
    x = tf.tensor(np.arange(6.0).reshape(2, 3))
    assert x.sum(axis=-1).numpy().tolist() == [3.0, 12.0]
    assert x.sum(axis=None).item() == 15.0
    assert tf.concatenate([x, x], axis=-1).shape == (2, 6)
    assert x.reverse([-1]).numpy()[0].tolist() == [2.0, 1.0, 0.0]
    assert x.transpose([-1, -2]).shape == (3, 2)
    assert x.take([0], axis=-1).shape == (2, 1)


def test_matmul_of_vectors_and_trailing_batches():
    v = tf.tensor([1.0, 2.0, 3.0])
    assert (v @ v).item() == 14.0
    assert (tf.ones((2, 3, 5)) @ tf.ones((3, 4, 1))).shape == (2, 4, 5)


def test_true_division_of_integers():
    x, y = tf.tensor([7, -7]), tf.tensor([2, 2])
    assert (x / y).numpy().tolist() == [3.5, -3.5]
    assert (x / y).dtype == tf.float64
    assert (x // y).numpy().tolist() == [3, -4]
    assert (x // y).dtype == tf.int64
    assert tf.div(x, y).numpy().tolist() == [3, -3]


def test_out_of_range_positions():
    x = tf.tensor([1.0, 2.0, 3.0])
    for use in (lambda: x[3], lambda: x[-4], lambda: x[[0, 3]], lambda: x.take([3]), lambda: x.index_select(0, [3])):
        with pytest.raises(tf.IndexOutOfBoundsError) as caught:
            use()
        assert isinstance(caught.value, IndexError)


def test_not_equal_and_complex_equality():
    z = tf.tensor([1j, 2.0])
    assert (z != 1j).numpy().tolist() == [False, True]
    assert tf.compare(z, 1j, "ne").numpy().tolist() == [False, True]


def test_sign_of_complex_has_vjp_and_jvp(ctx):
    z = leaf(3 + 4j, runtime=ctx)
    y = z.sign()
    i = tf.tensor(1j, runtime=ctx)
    assert ctx.vjp(y, z, i).item() == pytest.approx(ctx.jvp(y, z, i).item())


BRANCHES = {
    "where": (lambda x: tf.where(x > 0, x.sqrt(), x), [-1.0, -4.0], [1.0, 1.0]),
    "where with log": (lambda x: tf.where(x > 1, (x - 1).log(), 0.0), [1.0, 3.0], [0.0, 0.5]),
    "maximum": (lambda x: tf.maximum(x.sqrt(), 1.0), [0.0, 4.0], [0.0, 0.25]),
    "minimum": (lambda x: tf.minimum(1 / x, 1.0), [0.0, 2.0], [0.0, -0.25]),
    "clamp": (lambda x: (1 / x).clamp(-1.0, 1.0), [0.0, 2.0], [0.0, -0.25]),
    "reduce_max": (lambda x: tf.stack([x.sqrt(), tf.ones((2,))], 0).max(axis=0), [0.0, 4.0], [0.0, 0.25]),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_a_branch_not_taken_never_poisons_the_gradient(name):
    function, at, expected = BRANCHES[name]
    x = leaf(at)
    assert gradient(function(x).sum(), x) == pytest.approx(expected)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_non_finite_cotangent_stays_in_its_branch(bad):
    x, y = leaf([1.0, 2.0]), leaf([3.0, 0.0])
    out = tf.where(np.array([True, False]), x, y)
    out.backward_with(tf.tensor([bad, 1.0]))
    assert x.grad.numpy()[1] == 0.0
    assert y.grad.numpy().tolist() == [0.0, 1.0]
    m = leaf([1.0, 5.0])
    tf.maximum(m, 2.0).backward_with(tf.tensor([bad, 1.0]))
    assert m.grad.numpy().tolist() == [0.0, 1.0]


def test_backward_without_a_tracked_leaf():
    with pytest.raises(tf.RuntimeStateError, match="track"):
        tf.tensor(1.0).backward()


def test_a_failed_allocation_is_an_error():
    with pytest.raises(tf.OutOfMemoryError) as caught:
        tf.zeros((2**46,))
    assert isinstance(caught.value, MemoryError)
    assert tf.zeros((2,)).sum().item() == 0.0


def test_methods_and_other_threads_inside_a_session(ctx):
    x = leaf([2.0], runtime=ctx)
    results = []
    with ctx.session() as s:
        results.append((x * x).item())
        thread = threading.Thread(target=lambda: results.append(ctx.with_eager_session(lambda t: t.mul(x, x).item())))
        thread.start()
        thread.join(timeout=20)
        with pytest.raises(tf.SessionEntryError):
            ctx.with_eager_session(lambda t: t)
        results.append(s.mul(x, x).item())
    assert results == [4.0, 4.0, 4.0]


@pytest.mark.parametrize(("x", "y"), [(5.5, 2.0), (-5.5, 2.0), (5.5, -2.0), (-5.5, -2.0)])
def test_remainder_has_the_sign_of_the_divisor_and_a_derivative(x, y):
    a, b = leaf([x]), leaf([y])
    r = a % b
    assert r.numpy().tolist() == [x % y]
    ga, gb = gradient(r.sum(), a, b)
    assert ga.tolist() == [1.0]
    assert gb.tolist() == [-math.floor(x / y)]


@pytest.mark.parametrize("name", ["rem", "fmod"])
def test_rem_has_the_sign_of_the_dividend_and_a_derivative(name):
    a, b = leaf([-5.5]), leaf([2.0])
    r = getattr(tf, name)(a, b)
    assert r.numpy().tolist() == [-1.5]
    ga, gb = gradient(r.sum(), a, b)
    assert (ga.tolist(), gb.tolist()) == ([1.0], [2.0])


def test_remainder_of_integers():
    assert (tf.tensor([7, -7, 7, -7]) % tf.tensor([3, 3, -3, -3])).numpy().tolist() == [1, 2, -2, -1]


def test_piecewise_constant_ops_have_a_zero_derivative():
    x = leaf([1.5, -2.5])
    assert gradient((x.sign() + 0.0 * x).sum(), x).tolist() == [0.0, 0.0]
    y = leaf([1.5, -2.5])
    assert gradient(y.sign().sum(), y).tolist() == [0.0, 0.0]
    for name in ("floor", "ceil", "round", "trunc"):
        z = leaf([1.25, -2.75])
        assert gradient(getattr(tf, name)(z).sum(), z).tolist() == [0.0, 0.0]


def test_sums_of_bool_and_means_of_ints():
    assert tf.tensor([True, True, False]).sum().item() == 2
    assert tf.tensor([True, True]).sum().dtype == tf.int64
    assert tf.tensor([1, 2]).mean().item() == 1.5


def test_an_error_in_one_call_leaves_the_runtime_working(ctx):
    x = leaf([1.0, 2.0], runtime=ctx)
    for _ in range(3):
        with pytest.raises(tf.ShapeMismatchError):
            x + tf.ones((3,)).detach_into(ctx)
        assert (x + x).numpy().tolist() == [2.0, 4.0]
