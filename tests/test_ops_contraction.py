"""`matmul` and `dot_general` against NumPy: vectors, trailing batch axes, dtypes, layouts, zero sizes."""

import itertools

import numpy as np
import pytest

import tenferro as tf
from support import INEXACT, INTS, VIEWS, assert_equals, gradient, leaf, sample, spellings

MATMUL = {"float32": 1e-5, "complex64": 1e-5, "float64": 1e-13, "complex128": 1e-13}


def trailing_matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """NumPy's matmul with the matrices on the first two axes and batch axes after them."""

    def lead(x: np.ndarray) -> np.ndarray:
        return np.moveaxis(x, (0, 1), (-2, -1))

    if a.ndim <= 2 and b.ndim <= 2:
        return a @ b
    if a.ndim == 1:
        return np.moveaxis(np.matmul(a, lead(b)), -1, 0)
    if b.ndim == 1:
        return np.moveaxis(np.matmul(lead(a), b), -1, 0)
    return np.moveaxis(np.matmul(lead(a), lead(b)), (-2, -1), (0, 1))


SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((1, 1), (1, 1)),
    ((2, 3, 5), (3, 4, 5)),
    ((2, 3), (3, 4, 5)),
    ((2, 3, 5), (3, 4)),
    ((2, 3, 1), (3, 4, 5)),
    ((2, 3, 6, 5), (3, 4, 5)),
    ((2, 3, 6, 1), (3, 4, 1, 5)),
    ((2, 3, 5), (3,)),
    ((3,), (3, 4, 5)),
    ((0, 3), (3, 4)),
    ((2, 0), (0, 4)),
    ((2, 3), (3, 0)),
    ((0,), (0,)),
    ((2, 3, 0), (3, 4, 0)),
    ((17, 33), (33, 9)),
    ((70, 65), (65, 71)),
]


@pytest.mark.parametrize(("lhs", "rhs"), SHAPES, ids=str)
@pytest.mark.parametrize("dtype", INEXACT)
def test_matmul(dtype, lhs, rhs):
    a, b = sample(dtype, lhs, seed=1), sample(dtype, rhs, seed=2)
    expected = np.asarray(trailing_matmul(a, b))
    scale = MATMUL[dtype] * max(1, lhs[-1])
    for result in (*spellings("matmul", tf.tensor(a), tf.tensor(b)), tf.tensor(a) @ b, a @ tf.tensor(b)):
        assert_equals(result, expected, rtol=scale, atol=scale)
        assert result.numpy().flags.f_contiguous


@pytest.mark.parametrize("dtype", INTS)
def test_matmul_of_integers(dtype):
    a, b = sample(dtype, (3, 4), seed=1, low=-9, high=9), sample(dtype, (4, 5), seed=2, low=-9, high=9)
    assert_equals(tf.tensor(a) @ tf.tensor(b), a @ b)


@pytest.mark.parametrize(("left", "right"), list(itertools.product(VIEWS, VIEWS)))
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_strided_operands_are_exact(dtype, left, right):
    """Small integers in floating point: every order of summation gives the same bits."""
    a = np.round(sample(dtype, (20, 30), seed=1, low=-8, high=8))
    b = np.round(sample(dtype, (30, 10), seed=2, low=-8, high=8))
    assert_equals(VIEWS[left](a) @ VIEWS[right](b), a @ b, rtol=0.0)


def test_batches_on_trailing_axes_are_matrix_products():
    a, b = sample("float64", (3, 4, 2, 5), seed=1), sample("float64", (4, 6, 2, 5), seed=2)
    result = (tf.tensor(a) @ tf.tensor(b)).numpy()
    assert result.shape == (3, 6, 2, 5)
    for i, j in itertools.product(range(2), range(5)):
        np.testing.assert_allclose(result[:, :, i, j], a[:, :, i, j] @ b[:, :, i, j], rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    ("lhs", "rhs"), [((2, 3), (4, 5)), ((3,), (4,)), ((2, 3), (2,)), ((2, 3, 5), (4, 3, 5))], ids=str
)
def test_inner_extents_must_agree(lhs, rhs):
    with pytest.raises(tf.ShapeMismatchError, match="matmul"):
        tf.ones(lhs) @ tf.ones(rhs)


def test_batch_extents_must_broadcast():
    with pytest.raises(tf.ShapeMismatchError, match="matmul"):
        tf.ones((2, 3, 5)) @ tf.ones((3, 4, 6))


@pytest.mark.parametrize(("lhs", "rhs"), [((), (3,)), ((3,), ()), ((), ())], ids=str)
def test_rank_zero_is_refused(lhs, rhs):
    with pytest.raises(tf.RankMismatchError, match="matmul") as caught:
        tf.ones(lhs) @ tf.ones(rhs)
    assert caught.value.actual == 0


def test_non_finite_values_stay_where_they_belong():
    a = np.zeros((40, 40))
    a[3, 5] = np.nan
    b = np.ones((40, 40))
    result = (tf.tensor(a) @ tf.tensor(b)).numpy()
    assert np.isnan(result[3]).all()
    assert np.isfinite(np.delete(result, 3, axis=0)).all()


def test_large_product_matches_numpy():
    a, b = sample("float64", (500, 300), seed=1), sample("float64", (300, 400), seed=2)
    assert_equals(tf.tensor(a) @ tf.tensor(b), a @ b, rtol=1e-12, atol=1e-12)


def test_results_do_not_depend_on_threads():
    a, b = sample("complex128", (200, 150), seed=1), sample("complex128", (150, 180), seed=2)
    results = []
    for threads in (1, 2, 3):
        tf.set_num_threads(threads)
        results.append((tf.tensor(a) @ tf.tensor(b)).numpy().tobytes())
    assert len(set(results)) == 1


def general(a, b, lc, rc, lb=(), rb=()):
    """Free axes of the left, free axes of the right, batch axes last."""
    names = "abcdefghijklmnop"
    left = list(names[: a.ndim])
    right = list(names[a.ndim : a.ndim + b.ndim])
    for i, j in [*zip(lc, rc, strict=True), *zip(lb, rb, strict=True)]:
        right[j] = left[i]
    batch = [left[i] for i in lb]
    contracted = [left[i] for i in lc]
    free_left = [c for c in left if c not in batch + contracted]
    free_right = [c for c in right if c not in batch + contracted]
    out = "".join(free_left + free_right + batch)
    return np.einsum(f"{''.join(left)},{''.join(right)}->{out}", a, b)


CONFIGS = [
    ((2, 3), (3, 4), [1], [0], [], []),
    ((2, 3), (4, 3), [1], [1], [], []),
    ((2, 3, 4), (4, 3, 5), [1, 2], [1, 0], [], []),
    ((2, 3), (4, 5), [], [], [], []),
    ((2, 3, 4), (2, 4, 5), [2], [1], [0], [0]),
    ((2, 3, 4, 5), (5, 4, 2, 6), [2], [1], [0, 3], [2, 0]),
    ((2, 3), (2, 3), [0, 1], [0, 1], [], []),
    ((2, 3), (2, 3), [], [], [0, 1], [0, 1]),
    ((), (2,), [], [], [], []),
    ((2, 0, 3), (0, 4), [1], [0], [], []),
    ((0, 3), (3, 0), [1], [0], [], []),
    ((2, 3, 0), (3, 0, 4), [1], [0], [2], [1]),
]


@pytest.mark.parametrize(("lhs", "rhs", "lc", "rc", "lb", "rb"), CONFIGS, ids=str)
@pytest.mark.parametrize("dtype", ["float64", "complex64", "int64"])
def test_dot_general(dtype, lhs, rhs, lc, rc, lb, rb):
    a, b = sample(dtype, lhs, seed=1), sample(dtype, rhs, seed=2)
    expected = np.asarray(general(a, b, lc, rc, lb, rb), dtype=dtype)
    keywords = {"lhs_contracting": lc, "rhs_contracting": rc, "lhs_batch": lb, "rhs_batch": rb}
    for result in spellings("dot_general", tf.tensor(a), tf.tensor(b), **keywords):
        assert_equals(result, expected, rtol=2e-5 if dtype == "complex64" else 1e-13)


def test_dot_general_takes_negative_axes():
    a, b = sample("float64", (2, 3), seed=1), sample("float64", (4, 3), seed=2)
    assert_equals(tf.dot_general(tf.tensor(a), tf.tensor(b), lhs_contracting=[-1], rhs_contracting=[-1]), a @ b.T)


A, B = (2, 3, 4), (4, 3, 5)
WRONG_CONFIGS = {
    "axis of lhs": ({"lhs_contracting": [3], "rhs_contracting": [0]}, tf.AxisOutOfBoundsError, {"axis": 3, "rank": 3}),
    "axis of rhs": (
        {"lhs_contracting": [0], "rhs_contracting": [-4]},
        tf.AxisOutOfBoundsError,
        {"axis": -4, "rank": 3},
    ),
    "axis twice": ({"lhs_contracting": [1, 1], "rhs_contracting": [1, 0]}, tf.DuplicateAxisError, {"axis": 1}),
    "two roles": (
        {"lhs_contracting": [1], "rhs_contracting": [1], "lhs_batch": [1], "rhs_batch": [1]},
        tf.ValidationError,
        {},
    ),
    "counts": ({"lhs_contracting": [1, 2], "rhs_contracting": [1]}, tf.InvalidArgumentError, {}),
    "batch counts": ({"lhs_contracting": [], "rhs_contracting": [], "lhs_batch": [1]}, tf.InvalidArgumentError, {}),
    "extents": ({"lhs_contracting": [0], "rhs_contracting": [0]}, tf.ShapeMismatchError, {}),
}


@pytest.mark.parametrize("name", WRONG_CONFIGS)
def test_dot_general_checks_its_configuration(name):
    keywords, error, fields = WRONG_CONFIGS[name]
    with pytest.raises(error, match="dot_general") as caught:
        tf.dot_general(tf.ones(A), tf.ones(B), **keywords)
    assert {f: getattr(caught.value, f) for f in fields} == fields


@pytest.mark.parametrize(("lhs", "rhs"), [s for s in SHAPES if 0 not in s[0] + s[1]][:13], ids=str)
def test_gradients_of_matmul(lhs, rhs):
    """⟨C̄, A B⟩ is bilinear: its gradients are read off by differences of exact integers."""
    a, b = (np.round(sample("float64", s, seed=k, low=-4, high=4)) for k, s in enumerate((lhs, rhs)))
    ct = np.round(sample("float64", trailing_matmul(a, b).shape, seed=5, low=-4, high=4))
    x, y = leaf(a), leaf(b)
    gx, gy = gradient(((x @ y) * ct).sum(), x, y)
    for g, base, other, left in ((gx, a, b, True), (gy, b, a, False)):
        expected = np.zeros_like(base)
        for index in np.ndindex(*base.shape):
            unit = np.zeros_like(base)
            unit[index] = 1.0
            product = trailing_matmul(unit, other) if left else trailing_matmul(other, unit)
            expected[index] = np.sum(product * ct)
        assert np.array_equal(g, expected)
