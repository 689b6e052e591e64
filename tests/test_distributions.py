"""Random distributions: their distribution functions, moments, ends, keys and wrong calls."""

import math

import numpy as np
import pytest

import tenferro as tf
from support import FLOATS

N = 40_000
KEY = tf.random.key(7)
phi = np.vectorize(lambda x: 0.5 * math.erfc(-x / math.sqrt(2)))

FUNCTIONS = {
    "exponential": lambda x: 1 - np.exp(-x),
    "laplace": lambda x: np.where(x < 0, 0.5 * np.exp(np.minimum(x, 0)), 1 - 0.5 * np.exp(-np.maximum(x, 0))),
    "gumbel": lambda x: np.exp(-np.exp(-x)),
    "cauchy": lambda x: 0.5 + np.arctan(x) / np.pi,
}


def distance(values, function):
    """Kolmogorov's: the largest difference between the counted and the expected distribution function."""
    x = np.sort(np.asarray(values, dtype=np.float64))
    expected = function(x)
    steps = np.arange(len(x) + 1) / len(x)
    return max(np.max(steps[1:] - expected), np.max(expected - steps[:-1]))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_distribution_functions(name, dtype):
    x = getattr(tf.random, name)(KEY, N, dtype)
    assert x.dtype == np.dtype(dtype)
    assert x.shape == (N,)
    assert np.isfinite(x.numpy()).all()
    # A distance above 2/√n has the probability 7e-4; the key is fixed.
    assert distance(x.numpy(), FUNCTIONS[name]) < 2 / math.sqrt(N)
    assert x.tolist() == getattr(tf.random, name)(KEY, N, dtype).tolist()
    assert x.tolist()[:9] != getattr(tf.random, name)(tf.random.key(8), 9, dtype).tolist()


@pytest.mark.parametrize(
    "ends", [(-1.0, 2.0), (0.5, 0.6), (3.0, math.inf), (-math.inf, -6.0), (7.0, 9.0), (-math.inf, math.inf)]
)
def test_truncated_normal(ends):
    low, high = ends
    x = tf.random.truncated_normal(KEY, N, low, high).numpy()
    assert np.isfinite(x).all()
    assert low <= x.min()
    assert x.max() <= high
    # On the far side of 0 the complementary function keeps its digits.
    below, above = (-high, -low) if low > 0 else (low, high)

    def p(v):
        return (phi(v) - phi(below)) / (phi(above) - phi(below))

    assert distance(-x if low > 0 else x, p) < 2 / math.sqrt(N)


def test_bernoulli():
    p = np.linspace(0, 1, 5)
    hits = tf.random.bernoulli(KEY, p, (N, 5)).numpy()
    assert hits.dtype == bool
    assert np.abs(hits.mean(axis=0) - p).max() < 4 * 0.5 / math.sqrt(N)
    assert not hits[:, 0].any()
    assert hits[:, -1].all()
    assert tf.random.bernoulli(KEY).shape == ()


@pytest.mark.parametrize("axis", [0, -1])
def test_categorical(axis):
    p = np.array([0.1, 0.0, 0.6, 0.3])
    with np.errstate(divide="ignore"):
        logits = np.broadcast_to(np.log(p), (N, 4))
    logits = logits.T if axis == 0 else logits
    counts = np.bincount(tf.random.categorical(KEY, logits, axis).numpy(), minlength=4) / N
    assert counts[1] == 0
    assert np.abs(counts - p).max() < 4 * 0.5 / math.sqrt(N)


def test_choice():
    p = np.array([0.2, 0.0, 0.8])
    counts = np.bincount(tf.random.choice(KEY, 3, (N,), p=p).numpy(), minlength=3) / N
    assert counts[1] == 0
    assert np.abs(counts - p).max() < 4 * 0.5 / math.sqrt(N)
    equal = np.bincount(tf.random.choice(KEY, 4, (N,)).numpy(), minlength=4) / N
    assert np.abs(equal - 0.25).max() < 4 * 0.5 / math.sqrt(N)
    a = np.arange(12.0).reshape(6, 2)
    rows = tf.random.choice(KEY, a, (2, 3), replace=False).numpy()
    assert rows.shape == (2, 3, 2)
    assert sorted(rows[..., 0].ravel().tolist()) == a[:, 0].tolist()
    without = tf.random.choice(KEY, 3, (2,), replace=False, p=p).tolist()
    assert sorted(without) == [0, 2]
    firsts = [tf.random.choice(KEY.fold_in(i), 3, (2,), replace=False, p=p).tolist()[0] for i in range(2000)]
    assert abs(np.mean(np.array(firsts) == 2) - 0.8) < 0.04


def test_choice_has_a_gradient():
    x = tf.tensor([1.0, 2.0, 3.0], requires_grad=True)
    picked = tf.random.choice(KEY, x, (3,), replace=False)
    assert x.runtime.grad((picked * picked).sum(), x).tolist() == [2.0, 4.0, 6.0]


def test_wrong_calls():
    with pytest.raises(tf.InvalidArgumentError, match="high"):
        tf.random.truncated_normal(KEY, 3, 1.0, 1.0)
    for p in (-0.1, 1.1, math.nan):
        with pytest.raises(tf.InvalidArgumentError, match="p"):
            tf.random.bernoulli(KEY, p)
    with pytest.raises(tf.InvalidArgumentError, match="at most 3"):
        tf.random.choice(KEY, 3, (4,), replace=False)
    with pytest.raises(tf.ShapeMismatchError, match="p"):
        tf.random.choice(KEY, 3, (2,), p=[0.5, 0.5])
    with pytest.raises(tf.InvalidArgumentError, match="above 0"):
        tf.random.choice(KEY, 2, (2,), p=[0.0, 0.0])
    with pytest.raises(tf.InvalidArgumentError, match="above 0"):
        tf.random.choice(KEY, 2, (2,), p=[0.0, 1.0], replace=False)
    with pytest.raises(tf.UnsupportedDTypeError):
        tf.random.exponential(KEY, 3, tf.int64)
    with pytest.raises(tf.UnsupportedDTypeError):
        tf.random.categorical(KEY, [1j])
    with pytest.raises(tf.AxisOutOfBoundsError):
        tf.random.categorical(KEY, 1.0)


def test_the_same_numbers_for_any_number_of_threads():
    before = tf.num_threads()
    found = []
    for threads in (1, 2, 5):
        tf.set_num_threads(threads)
        found.append([getattr(tf.random, name)(KEY, 300_000).numpy().tobytes() for name in FUNCTIONS])
    tf.set_num_threads(before)
    assert found[0] == found[1] == found[2]
