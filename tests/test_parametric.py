"""Random numbers of distributions with parameters: distribution functions, moments, extremes, keys, wrong calls."""

import math

import numpy as np
import pytest
from mpmath import mp

import tenferro as tf
from support import FLOATS
from test_distributions import distance

N = 40_000
KEY = tf.random.key(12)
NAN = float("nan")
INF = float("inf")

# A distance above 2/√N, and a mean off by more than 5 of its deviations, have probabilities below 1e-3 and 1e-6.
FAR = 2 / math.sqrt(N)


def gamma_function(a):
    """The distribution function, from a table that is fine enough for distances of 1e-3."""
    grid = np.geomspace(1e-14 * a, a + 12 * math.sqrt(a) + 12, 800)
    table = [float(mp.gammainc(a, 0, x, regularized=True)) for x in grid]
    return lambda x: np.interp(x, grid, table)


def beta_function(a, b):
    grid = np.linspace(0, 1, 401) ** 2
    table = [float(mp.betainc(a, b, 0, x, regularized=True)) for x in grid]
    return lambda x: np.interp(x, grid, table)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("a", [0.3, 1.0, 2.5, 40.0])
def test_gamma(a, dtype):
    x = tf.random.gamma(KEY, a, (N,), dtype)
    assert x.dtype == np.dtype(dtype)
    values = x.numpy().astype(np.float64)
    assert values.min() >= 0
    assert distance(values, gamma_function(a)) < FAR
    assert abs(values.mean() - a) < 5 * math.sqrt(a / N)
    assert abs(values.var() - a) < 5 * math.sqrt((2 * a * a + 6 * a) / N)


@pytest.mark.parametrize(("a", "b"), [(0.4, 0.7), (1.0, 1.0), (2.0, 5.0), (30.0, 0.5)])
def test_beta(a, b):
    x = tf.random.beta(KEY, a, b, (N,)).numpy()
    assert ((x >= 0) & (x <= 1)).all()
    # 1 − x has more digits near 1.
    assert distance(1 - x if a > b else x, beta_function(min(a, b), max(a, b))) < FAR
    assert abs(x.mean() - a / (a + b)) < 5 * math.sqrt(a * b / (a + b) ** 2 / (a + b + 1) / N)


def test_tiny_parameters_are_no_problem():
    """Gamma numbers underflow there, shares of them do not."""
    x = tf.random.beta(KEY, 1e-4, 1e-4, (N,)).numpy()
    assert np.isfinite(x).all()
    assert abs(x.mean() - 0.5) < 5 * 0.5 / math.sqrt(N)
    y = tf.random.dirichlet(KEY, [1e-4, 1e-4, 2e-4], (N, 3)).numpy()
    assert np.isfinite(y).all()
    assert np.abs(y.mean(axis=0) - [0.25, 0.25, 0.5]).max() < 5 * 0.5 / math.sqrt(N)
    z = tf.random.gamma(KEY, 1e-3, (N,)).numpy()
    assert np.isfinite(z).all()
    assert abs(z.mean() - 1e-3) < 5 * math.sqrt(1e-3 / N)


def test_large_parameters():
    x = tf.random.gamma(KEY, 1e12, (N,)).numpy() / 1e12 - 1
    assert abs(x.mean()) < 5e-6 / math.sqrt(N)
    assert abs(x.std() / 1e-6 - 1) < 5 / math.sqrt(2 * N)


@pytest.mark.parametrize("axis", [0, -1])
def test_dirichlet(axis):
    alpha = np.array([0.5, 1.0, 3.5])
    shape = (3, N) if axis == 0 else (N, 3)
    x = tf.random.dirichlet(KEY, alpha[:, None] if axis == 0 else alpha, shape, axis).numpy()
    assert x.shape == shape
    x = x.T if axis == 0 else x
    np.testing.assert_allclose(x.sum(axis=1), 1, rtol=1e-14)
    for k in range(3):
        rest = alpha.sum() - alpha[k]
        if alpha[k] < rest:
            assert distance(x[:, k], beta_function(alpha[k], rest)) < FAR


def pulls(counts, probabilities, n):
    """How many deviations each count is off, for probabilities with an expected count of 5 or more."""
    enough = probabilities * n > 5
    return np.abs(counts - n * probabilities)[enough] / np.sqrt(n * probabilities * (1 - probabilities))[enough]


@pytest.mark.parametrize("m", [0.01, 1.0, 9.99, 10.0, 37.3, 1000.0])
def test_poisson(m):
    x = tf.random.poisson(KEY, m, (N,)).numpy()
    assert x.dtype == np.int64
    assert x.min() >= 0
    ks = np.arange(x.max() + 1)
    p = np.array([float(mp.exp(k * mp.log(m) - m - mp.loggamma(k + 1))) for k in ks.tolist()])
    assert pulls(np.bincount(x), p, N).max() < 4.5
    assert distance_of_counts(x, np.cumsum(p)) < FAR
    assert abs(x.mean() - m) < 5 * math.sqrt(m / N)
    assert abs(x.var() - m) < 5 * math.sqrt((2 * m * m + m) / N)


def distance_of_counts(x, function):
    return np.abs(np.cumsum(np.bincount(x)) / len(x) - function).max()


@pytest.mark.parametrize(
    ("n", "p"), [(1, 0.3), (20, 0.1), (20, 0.9), (40, 0.5), (200, 0.2), (200, 0.8), (1000, 0.5), (10**6, 1e-6)]
)
def test_binomial(n, p):
    x = tf.random.binomial(KEY, n, p, (N,)).numpy()
    assert x.dtype == np.int64
    assert x.min() >= 0
    assert x.max() <= n

    def log_probability(k):
        ways = mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)
        return ways + k * mp.log(p) + (n - k) * mp.log1p(-p)

    probabilities = np.array([float(mp.exp(log_probability(k))) for k in range(int(x.max()) + 1)])
    assert pulls(np.bincount(x), probabilities, N).max() < 4.5
    assert distance_of_counts(x, np.cumsum(probabilities)) < FAR
    assert abs(x.mean() - n * p) < 5 * math.sqrt(n * p * (1 - p) / N)


def test_counts_at_the_rims():
    assert tf.random.poisson(KEY, 0.0, (5,)).tolist() == [0] * 5
    assert tf.random.binomial(KEY, 0, 0.5, (5,)).tolist() == [0] * 5
    assert tf.random.binomial(KEY, 10**15, [0.0, 1.0]).tolist() == [0, 10**15]
    for m in (1e9, 9e15):
        x = (tf.random.poisson(KEY, m, (N,)).numpy() - m) / math.sqrt(m)
        assert abs(x.mean()) < 5 / math.sqrt(N)
        assert abs(x.std() - 1) < 5 / math.sqrt(2 * N)
    n, p = 10**15, 0.3
    x = (tf.random.binomial(KEY, n, p, (N,)).numpy() - n * p) / math.sqrt(n * p * (1 - p))
    assert abs(x.mean()) < 5 / math.sqrt(N)
    assert abs(x.std() - 1) < 5 / math.sqrt(2 * N)


CALLS = {
    "gamma": lambda key, shape=None: tf.random.gamma(key, [0.5, 2.0], shape),
    "beta": lambda key, shape=None: tf.random.beta(key, [0.5, 2.0], 3.0, shape),
    "dirichlet": lambda key, shape=None: tf.random.dirichlet(key, [0.5, 2.0], shape),
    "poisson": lambda key, shape=None: tf.random.poisson(key, [3.0, 200.0], shape),
    "binomial": lambda key, shape=None: tf.random.binomial(key, [10, 1000], 0.3, shape),
}


@pytest.mark.parametrize("name", CALLS)
def test_shapes_and_keys(name):
    draw = CALLS[name]
    assert draw(KEY).shape == (2,)
    x = draw(KEY, (500, 2))
    assert x.shape == (500, 2)
    assert x.tolist() == draw(KEY, (500, 2)).tolist()
    assert x.tolist() != draw(tf.random.key(13), (500, 2)).tolist()
    assert draw(KEY, (0, 2)).shape == (0, 2)
    for shape in ((3,), (2, 1), ()):
        with pytest.raises(tf.ShapeMismatchError) as caught:
            draw(KEY, shape)
        assert caught.value.op == name


def test_the_same_numbers_for_any_number_of_threads():
    found = []
    for threads in (1, 2, 5):
        tf.set_num_threads(threads)
        found.append([draw(KEY, (100_000, 2)).numpy().tobytes() for draw in CALLS.values()])
    assert found[0] == found[1] == found[2]


def test_neighbours_are_uncorrelated():
    for draw in CALLS.values():
        x = draw(KEY, (N, 2)).numpy()[:, 1].astype(np.float64)
        x = (x - x.mean()) / x.std()
        for lag in (1, 2, 3, 4):
            assert abs((x[lag:] * x[:-lag]).mean()) < 5 / math.sqrt(N)


def test_wrong_calls():
    for wrong in (0.0, -1.0, NAN, INF):
        for call in (
            lambda a: tf.random.gamma(KEY, a),
            lambda a: tf.random.beta(KEY, a, 1.0),
            lambda a: tf.random.beta(KEY, 1.0, [1.0, a]),
            lambda a: tf.random.dirichlet(KEY, [1.0, a]),
        ):
            with pytest.raises(tf.InvalidArgumentError, match="above 0"):
                call(wrong)
    for wrong in (-1.0, NAN, INF, 1e16):
        with pytest.raises(tf.InvalidArgumentError, match="mean"):
            tf.random.poisson(KEY, wrong)
    for wrong in (-1, 1.5, NAN, 1e16):
        with pytest.raises(tf.InvalidArgumentError, match="n"):
            tf.random.binomial(KEY, wrong, 0.5)
    for wrong in (-0.1, 1.1, NAN):
        with pytest.raises(tf.InvalidArgumentError, match="p"):
            tf.random.binomial(KEY, 3, wrong)
    with pytest.raises(tf.UnsupportedDTypeError):
        tf.random.gamma(KEY, 1j)
    with pytest.raises(tf.UnsupportedDTypeError):
        tf.random.gamma(KEY, 1.0, dtype=tf.int64)
    with pytest.raises(tf.AxisOutOfBoundsError):
        tf.random.dirichlet(KEY, 1.0)
