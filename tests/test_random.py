"""Random numbers: keys, reproducibility, independence of threads, moments."""

import pickle

import numpy as np
import pytest

import tenferro as tf
from support import FLOATS, INEXACT, INTS, run_child

N = 200_000
KEY = tf.random.key(42)


def draw(name, key, shape, **options):
    if name == "randint":
        return tf.random.randint(key, shape, 0, 1000, **options)
    return getattr(tf.random, name)(key, shape, **options)


NAMES = ["normal", "uniform", "randint"]


@pytest.mark.parametrize("name", NAMES)
def test_the_same_key_gives_the_same_numbers(name):
    a, b = draw(name, tf.random.key(7), (100,)), draw(name, tf.random.key(7), (100,))
    assert np.array_equal(a.numpy(), b.numpy())


@pytest.mark.parametrize("name", NAMES)
def test_another_seed_gives_other_numbers(name):
    a, b = draw(name, tf.random.key(7), (100,)), draw(name, tf.random.key(8), (100,))
    assert not np.array_equal(a.numpy(), b.numpy())


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**63 - 1])
def test_seeds(seed):
    assert np.isfinite(tf.random.normal(tf.random.key(seed), (10,)).numpy()).all()


def test_keys_are_immutable():
    key = tf.random.key(3)
    first = tf.random.normal(key, (5,)).numpy(copy=True)
    key.split(4)
    key.fold_in(9)
    assert np.array_equal(tf.random.normal(key, (5,)).numpy(), first)


def test_split_gives_different_reproducible_keys():
    keys, again = KEY.split(5), KEY.split(5)
    assert len(keys) == 5
    draws = [tf.random.normal(k, (50,)).numpy().tobytes() for k in keys]
    assert len({*draws, tf.random.normal(KEY, (50,)).numpy().tobytes()}) == 6
    assert draws == [tf.random.normal(k, (50,)).numpy().tobytes() for k in again]


def test_fold_in_gives_different_reproducible_keys():
    draws = [tf.random.normal(KEY.fold_in(i), (50,)).numpy().tobytes() for i in range(10)]
    assert len(set(draws)) == 10
    assert draws[3] == tf.random.normal(KEY.fold_in(3), (50,)).numpy().tobytes()
    assert draws[3] != tf.random.normal(tf.random.key(3), (50,)).numpy().tobytes()


def test_nested_splits_do_not_collide():
    seen = set()
    for a in KEY.split(8):
        for b in a.split(8):
            seen.add(tf.random.uniform(b, (4,)).numpy().tobytes())
    for i in range(64):
        seen.add(tf.random.uniform(KEY.fold_in(i), (4,)).numpy().tobytes())
    assert len(seen) == 128


def correlation(a, b):
    return abs(np.corrcoef(a, b)[0, 1])


def test_streams_are_uncorrelated():
    k1, k2 = KEY.split(2)
    a, b = (tf.random.normal(k, (N,)).numpy() for k in (k1, k2))
    c = tf.random.normal(KEY.fold_in(1), (N,)).numpy()
    d = tf.random.normal(tf.random.key(43), (N,)).numpy()
    limit = 5 / np.sqrt(N)
    assert max(correlation(a, b), correlation(a, c), correlation(b, c), correlation(a, d)) < limit
    assert correlation(a[1:], a[:-1]) < limit


@pytest.mark.parametrize("dtype", FLOATS)
def test_moments_of_normal(dtype):
    x = tf.random.normal(KEY, (N,), dtype=dtype)
    assert x.dtype == np.dtype(dtype)
    a = x.numpy().astype(np.float64)
    assert abs(a.mean()) < 5 / np.sqrt(N)
    assert abs(a.var() - 1) < 5 * np.sqrt(2 / N)
    assert abs((a**3).mean()) < 5 * np.sqrt(15 / N)
    assert abs((a**4).mean() - 3) < 5 * np.sqrt(96 / N)
    assert 4 < np.abs(a).max() < 7


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_moments_of_complex_normal(dtype):
    """E|z|² = 1, E z = E z² = 0."""
    z = tf.random.normal(KEY, (N,), dtype=dtype).numpy().astype(np.complex128)
    limit = 5 / np.sqrt(N)
    assert abs((np.abs(z) ** 2).mean() - 1) < limit
    assert abs(z.mean()) < limit
    assert abs((z**2).mean()) < 1.5 * limit
    assert abs(z.real.var() - 0.5) < limit
    assert correlation(z.real, z.imag) < limit


@pytest.mark.parametrize("dtype", FLOATS)
def test_moments_of_uniform(dtype):
    a = tf.random.uniform(KEY, (N,), dtype=dtype).numpy().astype(np.float64)
    assert a.min() >= 0.0
    assert a.max() < 1.0
    assert abs(a.mean() - 0.5) < 5 / np.sqrt(12 * N)
    assert abs(a.var() - 1 / 12) < 5 * np.sqrt(1 / 180 / N)
    counts = np.histogram(a, bins=100, range=(0, 1))[0]
    assert ((counts - N / 100) ** 2 / (N / 100)).sum() < 99 + 5 * np.sqrt(2 * 99)


@pytest.mark.parametrize("dtype", INTS)
def test_randint(dtype):
    a = tf.random.randint(KEY, (N,), -3, 4, dtype=dtype).numpy()
    assert a.dtype == np.dtype(dtype)
    assert set(np.unique(a)) == set(range(-3, 4))
    counts = np.bincount(a + 3)
    assert ((counts - N / 7) ** 2 / (N / 7)).sum() < 6 + 5 * np.sqrt(12)


def test_randint_over_the_whole_range():
    a = tf.random.randint(KEY, (1000,), -(2**63), 2**63 - 1).numpy()
    assert a.dtype == np.int64
    assert (a < 0).sum() > 300
    assert (a > 2**62).sum() > 100


def test_randint_defaults_to_int64():
    assert tf.random.randint(KEY, (3,), 0, 5).dtype == tf.int64


@pytest.mark.parametrize("n", [0, 1, 2, 10, 1000])
def test_permutation(n):
    p = tf.random.permutation(KEY, n)
    assert p.dtype == tf.int64
    assert sorted(p.numpy().tolist()) == list(range(n))
    assert np.array_equal(p.numpy(), tf.random.permutation(KEY, n).numpy())


def test_permutations_are_fair():
    counts: dict[tuple[int, ...], int] = {}
    for i in range(3000):
        p = tuple(tf.random.permutation(KEY.fold_in(i), 3).numpy().tolist())
        counts[p] = counts.get(p, 0) + 1
    assert len(counts) == 6
    assert sum((c - 500) ** 2 / 500 for c in counts.values()) < 5 + 5 * np.sqrt(10)


@pytest.mark.parametrize("dtype", INEXACT)
@pytest.mark.parametrize("shape", [(), (0,), (2, 3), (2, 0, 4)], ids=str)
def test_shapes(shape, dtype):
    x = tf.random.normal(KEY, shape, dtype=dtype)
    assert x.shape == shape
    assert not x.tracks_grad


def test_default_dtype_is_float64():
    assert tf.random.normal(KEY, (2,)).dtype == tf.float64
    assert tf.random.uniform(KEY, (2,)).dtype == tf.float64


def test_numbers_do_not_depend_on_threads():
    results = set()
    for threads in (1, 2, 3):
        tf.set_num_threads(threads)
        results.add(tf.random.normal(KEY, (300_001,)).numpy().tobytes())
    assert len(results) == 1


def test_numbers_are_the_same_in_another_process():
    code = """
    import tenferro as tf
    key = tf.random.key(42)
    print(tf.random.normal(key.split(3)[1], (3,)).numpy().tolist())
    print(tf.random.randint(key.fold_in(5), (3,), 0, 100).numpy().tolist())
    """
    here = [
        tf.random.normal(KEY.split(3)[1], (3,)).numpy().tolist(),
        tf.random.randint(KEY.fold_in(5), (3,), 0, 100).numpy().tolist(),
    ]
    assert run_child(code) == "".join(f"{row}\n" for row in here)


def test_keys_pickle():
    again = pickle.loads(pickle.dumps(KEY.fold_in(1)))
    assert np.array_equal(tf.random.normal(again, (5,)).numpy(), tf.random.normal(KEY.fold_in(1), (5,)).numpy())


def test_no_value_repeats_in_a_long_float64_draw():
    a = tf.random.uniform(KEY, (N,)).numpy()
    assert len(np.unique(a)) == N


@pytest.mark.parametrize("dtype", ["int32", "bool"])
def test_uniform_refuses_other_dtypes(dtype):
    with pytest.raises(tf.UnsupportedDTypeError, match="uniform"):
        tf.random.uniform(KEY, (2,), dtype=dtype)
