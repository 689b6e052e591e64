"""Structure composites and products against NumPy: values over dtypes and views, gradients by the adjoint identity."""

import math

import numpy as np
import pytest

import tenferro as tf
from support import ALL, gradient, leaf, spellings

rng = np.random.default_rng(3)
A3 = rng.integers(-5, 6, (2, 3, 4)).astype(float)


def same(result, expected):
    if isinstance(expected, (list, tuple)):
        assert isinstance(result, tuple)
        assert len(result) == len(expected)
        for r, e in zip(result, expected, strict=True):
            same(r, e)
        return
    expected = np.asarray(expected)
    got = result.numpy()
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-14)


# name, arguments, keywords: called as tf.name(x, *args) and np.name(a, *args).
AS_NUMPY = [
    ("roll", (2, 1), {}),
    ("roll", (-5, 0), {}),
    ("roll", ((1, 2), (0, 2)), {}),
    ("roll", (1, (0, 1, 0)), {}),
    ("repeat", (2, 1), {}),
    ("repeat", ([1, 0, 3], 1), {}),
    ("repeat", (0, 0), {}),
    ("tile", (2,), {}),
    ("tile", ((2, 1, 3),), {}),
    ("tile", ((2, 1, 1, 2),), {}),
    ("tile", ((3, 0),), {}),
    ("split", (2, 2), {}),
    ("split", ([1, 3], -1), {}),
    ("split", ([3, 1, -1, 9], 2), {}),
    ("array_split", (3, 2), {}),
    ("array_split", (5, 2), {}),
    ("hsplit", (3,), {}),
    ("vsplit", (2,), {}),
    ("fliplr", (), {}),
    ("flipud", (), {}),
    ("rot90", (), {}),
    ("rot90", (2,), {}),
    ("rot90", (3, (0, 2)), {}),
    ("rot90", (-1, (2, 1)), {}),
    ("atleast_1d", (), {}),
    ("atleast_2d", (), {}),
    ("atleast_3d", (), {}),
    ("diagonal", (), {}),
    ("diagonal", (1, 2, 0), {}),
    ("diagonal", (-1, 0, 2), {}),
    ("diagonal", (9, 0, 2), {}),
    ("trace", (), {}),
    ("trace", (1, 2, 1), {}),
    ("moveaxis", (0, -1), {}),
]


@pytest.mark.parametrize(("name", "args", "keywords"), AS_NUMPY)
def test_structure_as_numpy(name, args, keywords):
    for a in (A3, np.asfortranarray(A3), A3[:, ::-1]):
        x = tf.tensor(a)
        expected = getattr(np, name)(a, *args, **keywords)
        same(getattr(tf, name)(x, *args, **keywords), expected)
        same(getattr(x, name)(*args, **keywords), expected)
        with x.runtime.session() as s:
            same(getattr(s, name)(x, *args, **keywords), expected)
    turned = tf.tensor(A3).transpose((2, 0, 1)).transpose((1, 2, 0))
    same(getattr(tf, name)(turned, *args, **keywords), getattr(np, name)(A3, *args, **keywords))


@pytest.mark.parametrize(("name", "args", "keywords"), [c for c in AS_NUMPY if c[0] != "moveaxis"])
def test_structure_is_linear_and_its_gradient_is_the_adjoint(name, args, keywords):
    x = leaf(A3)
    out = getattr(tf, name)(x, *args, **keywords)
    outs = out if isinstance(out, tuple) else (out,)
    cts = [rng.standard_normal(o.shape) for o in outs]
    loss = sum((o * tf.tensor(c)).sum() for o, c in zip(outs, cts, strict=True))
    t = rng.standard_normal(A3.shape)
    pushed = getattr(np, name)(t, *args, **keywords)
    pushed = pushed if isinstance(pushed, (list, tuple)) else [pushed]
    expected = sum(float((p * c).sum()) for p, c in zip(pushed, cts, strict=True))
    assert float((gradient(loss, x) * t).sum()) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("dtype", ALL)
def test_every_dtype_keeps_its_kind(dtype):
    a = (np.arange(9).reshape(3, 3) % 3).astype(dtype)
    x = tf.tensor(a)
    for name, args in [
        ("roll", (1, 0)),
        ("repeat", (2, 1)),
        ("tile", (2,)),
        ("diag", ()),
        ("tril", ()),
        ("triu", (1,)),
    ]:
        y = getattr(tf, name)(x, *args)
        assert y.dtype == a.dtype
        same(y, getattr(np, name)(a, *args))
    same(tf.diag(x[0], 1), np.diag(a[0], 1))
    same(tf.hstack([x, x]), np.hstack([a, a]))


def test_column_major_order_where_axes_are_flattened():
    a = np.arange(6.0).reshape(2, 3)
    x = tf.tensor(a)
    same(tf.repeat(x, 2), np.repeat(a.ravel("F"), 2))
    same(tf.repeat(x, 2, order="C"), np.repeat(a, 2))
    same(tf.roll(x, 1), np.roll(a.ravel("F"), 1).reshape(2, 3, order="F"))
    same(tf.roll(x, 1, order="C"), np.roll(a, 1))
    same(tf.flatten(x), a.ravel("F"))
    same(tf.diagflat(x), np.diagflat(a.ravel("F")))
    same(tf.outer(x, [1.0, 2.0]), np.outer(a.ravel("F"), [1, 2]))


def test_triangles_with_trailing_batches():
    a = rng.standard_normal((3, 4, 2))
    for k in (-3, -1, 0, 2, 5):
        for name in ("tril", "triu"):
            expected = np.stack([getattr(np, name)(a[..., i], k) for i in range(2)], -1)
            for result in spellings(name, tf.tensor(a), k):
                same(result, expected)
            x = leaf(a)
            same_mask = getattr(np, name)(np.ones((3, 4)), k)[..., None] * np.ones(2)
            np.testing.assert_array_equal(gradient(getattr(tf, name)(x, k).sum(), x), same_mask)
    for n, m, k in [(3, None, 0), (2, 4, 1), (4, 2, -1), (0, 3, 0)]:
        same(tf.tri(n, m, k), np.tri(n, m, k))
        assert tf.tri(n, m, k, dtype=tf.int32).dtype == np.int32


def test_what_a_triangle_drops_is_gone():
    a = np.array([[1.0, math.nan], [2.0, math.inf]])
    same(tf.tril(a, -1), np.array([[0, 0], [2, 0]]))
    x = leaf(a)
    np.testing.assert_array_equal(gradient(tf.tril(x, -1).sum(), x), [[0, 0], [1, 0]])


def test_diagonals_of_vectors_and_batches():
    v = np.arange(1.0, 4.0)
    for k in (-2, 0, 1):
        same(tf.diag(v, k), np.diag(v, k))
        same(tf.diag(np.diag(v, k), k), v)
        x = leaf(v)
        np.testing.assert_array_equal(gradient((tf.diag(x, k) * 3.0).sum(), x), [3, 3, 3])
    batch = rng.standard_normal((3, 3, 2))
    same(tf.diag(batch, 1), np.stack([np.diag(batch[..., i], 1) for i in range(2)], -1))
    same(tf.diag(np.zeros(0)), np.zeros((0, 0)))
    same(tf.diag(np.zeros(0), -2), np.zeros((2, 2)))


@pytest.mark.parametrize(("a", "b"), [(0, 1), (2, 0), (0, 2), (1, 3), (3, 1), (-1, 0)])
def test_embedding_is_the_inverse_of_extracting(a, b):
    shape = [2, 3, 4, 5]
    shape[b] = shape[a]
    rest = rng.standard_normal([n for i, n in enumerate(shape) if i != b % 4])
    wide = tf.embed_diag(rest, a - (b < a), b)
    assert wide.shape == tuple(shape)
    same(tf.extract_diag(wide, a, b), rest)
    assert np.count_nonzero(wide.numpy()) == rest.size


def test_products():
    a, b = rng.standard_normal((2, 3)) + 1j, rng.standard_normal((3, 2)) - 2j
    for result in spellings("kron", tf.tensor(a), tf.tensor(b)):
        same(result, np.kron(a, b))
    same(tf.kron(a[0], b), np.kron(a[0], b))
    same(tf.kron(A3, a), np.kron(A3, a))
    same(tf.kron(2.0, b), np.kron(2.0, b))
    same(tf.inner(a, b.T), np.inner(a, b.T))
    same(tf.inner(2.0, b), np.inner(2.0, b))
    same(tf.vdot(a, b.T), np.vdot(a, b.T))
    same(tf.tensordot(A3, A3, ([0, 2], [0, 2])), np.tensordot(A3, A3, ([0, 2], [0, 2])))
    same(tf.tensordot(a, b, 1), np.tensordot(a, b, 1))
    same(tf.tensordot(a, b, 0), np.tensordot(a, b, 0))
    same(tf.tensordot(a, b.T), np.tensordot(a, b.T))
    same(tf.tensordot(a, b, (1, 0)), np.tensordot(a, b, (1, 0)))
    same(tf.vecdot(a, a * 2j), (a.conj() * a * 2j).sum(0))
    same(tf.vecdot(a, a * 2j, axis=1), (a.conj() * a * 2j).sum(1))
    same(tf.vecdot(a, a[:, :1]), (a.conj() * a[:, :1]).sum(0))
    same(tf.vecdot(A3, A3[:, 0]), (A3 * A3[:, :1]).sum(0))
    for c, d in [(np.array([1, 2, 3.0]), np.array([3, -1, 2.0])), (rng.standard_normal((4, 3)), np.array([1, 2, 3j]))]:
        same(tf.cross(c, d), np.cross(c, d))
    c = rng.standard_normal((3, 4))
    same(tf.cross(c, c[::-1], axis=0), np.cross(c, c[::-1], axis=0))
    same(tf.cross(c, c.T, axisa=0), np.cross(c, c.T, axisa=0))


@pytest.mark.parametrize("name", ["kron", "outer", "inner", "vdot", "vecdot", "cross", "tensordot"])
def test_gradients_of_products(name):
    a, b = (rng.standard_normal((3, 3)) + 1j * rng.standard_normal((3, 3)) for _ in range(2))
    x, y = leaf(a), leaf(b)
    f = getattr(tf, name)
    out = f(x, y)
    ct = rng.standard_normal(out.shape) + 1j * rng.standard_normal(out.shape)
    loss = (tf.tensor(ct.conj()) * out).sum().real
    da, db = (rng.standard_normal((3, 3)) + 1j * rng.standard_normal((3, 3)) for _ in range(2))
    assert np.vdot(gradient(loss, x), da).real == pytest.approx(np.vdot(ct, f(da, b).numpy()).real, rel=1e-10)
    assert np.vdot(gradient(loss, y), db).real == pytest.approx(np.vdot(ct, f(a, db).numpy()).real, rel=1e-10)


def test_stacks_and_grids():
    v, w, m = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([[5.0, 6.0], [7.0, 8.0]])
    for name in ("hstack", "vstack", "dstack", "column_stack"):
        for lists in ([v, w], [m, m], [A3, A3]):
            same(getattr(tf, name)(lists), getattr(np, name)(lists))
    same(tf.column_stack([v, m]), np.column_stack([v, m]))
    same(tf.vstack([v, m]), np.vstack([v, m]))
    same(tf.hstack([1.0, 2.0]), np.hstack([1.0, 2.0]))
    same(tf.unstack(A3, 1), [A3[:, i] for i in range(3)])
    for indexing in ("xy", "ij"):
        for vectors in ([v], [v, [1.0, 2.0, 3.0]], [v, [1.0, 2.0, 3.0], [4.0]], []):
            same(tf.meshgrid(*vectors, indexing=indexing), np.meshgrid(*vectors, indexing=indexing))
    same(tf.broadcast_arrays(v, m, 1.0), np.broadcast_arrays(v, m, 1.0))
    x = leaf(v)
    g, _ = tf.meshgrid(x, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(gradient(g.sum(), x), [3, 3])


def test_wrong_calls():
    x = tf.ones((2, 3))
    wrong = [
        (lambda: tf.roll(x, 1, 2), tf.AxisOutOfBoundsError),
        (lambda: tf.roll(x, [1, 2], [0, 1, 0]), tf.InvalidArgumentError),
        (lambda: tf.repeat(x, -1), tf.InvalidArgumentError),
        (lambda: tf.repeat(x, [1, 2], 1), tf.InvalidArgumentError),
        (lambda: tf.repeat(x, 2**62, 1), tf.TenferroError),
        (lambda: tf.tile(x, (2**40, 2**40)), tf.TenferroError),
        (lambda: tf.split(x, 2, 1), tf.InvalidArgumentError),
        (lambda: tf.split(x, 0), tf.InvalidArgumentError),
        (lambda: tf.vsplit(tf.ones(3), 3), tf.RankMismatchError),
        (lambda: tf.diag(1.0), tf.RankMismatchError),
        (lambda: tf.diag([1.0], 2**62), tf.TenferroError),
        (lambda: tf.diagonal(x, 0, 1, 1), tf.DuplicateAxisError),
        (lambda: tf.trace([1.0]), tf.RankMismatchError),
        (lambda: tf.tril([1.0]), tf.RankMismatchError),
        (lambda: tf.tri(-1), tf.InvalidArgumentError),
        (lambda: tf.embed_diag(x, 0, 0), tf.DuplicateAxisError),
        (lambda: tf.cross(x, [1.0, 2.0]), tf.InvalidArgumentError),
        (lambda: tf.vecdot(x, [1.0, 2.0, 3.0]), tf.ShapeMismatchError),
        (lambda: tf.tensordot(x, x, 1), tf.ShapeMismatchError),
        (lambda: tf.tensordot(x, x, 3), tf.InvalidArgumentError),
        (lambda: tf.tensordot(x, x, "ab"), TypeError),
        (lambda: tf.inner(x, [1.0]), tf.ShapeMismatchError),
        (lambda: tf.vdot(x, [1.0]), tf.ShapeMismatchError),
        (lambda: tf.rot90(x, 1, (0,)), tf.InvalidArgumentError),
        (lambda: tf.rot90(tf.ones(3)), tf.AxisOutOfBoundsError),
        (lambda: tf.hstack([]), tf.InvalidArgumentError),
        (lambda: tf.hstack([x, tf.ones((3, 3))]), tf.ShapeMismatchError),
        (lambda: tf.meshgrid(x), tf.RankMismatchError),
        (lambda: tf.meshgrid([1.0], indexing="yx"), tf.InvalidArgumentError),
        (lambda: tf.broadcast_arrays(x, [1.0, 2.0]), tf.ShapeMismatchError),
    ]
    for i, (call, error) in enumerate(wrong):
        with pytest.raises(error):
            pytest.fail(f"case {i}: {call()}")
