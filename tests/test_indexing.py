"""`x[...]` against NumPy, and `x.at[...].set/add`."""

import operator

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import tenferro as tf
from support import ALL, VIEWS, assert_equals, gradient, leaf, sample

A = np.arange(60.0).reshape(3, 4, 5)
I0, I1, I2 = np.array([0, 2, 1]), np.array([3, 0, 1]), np.array([[4], [0]])
M = A % 3 == 0

KEYS = {
    "int": 1,
    "negative int": -1,
    "NumPy int": np.int64(2),
    "two ints": (0, 2),
    "all ints": (1, -1, 3),
    "empty tuple": (),
    "ellipsis": ...,
    "ellipsis int": (..., 2),
    "int ellipsis int": (1, ..., 2),
    "full slice": slice(None),
    "range": slice(1, 3),
    "open ends": (slice(None, 2), slice(1, None)),
    "negative bounds": (slice(-2, None), slice(None, -1)),
    "clipped bounds": (slice(-100, 100), slice(2, 100)),
    "empty slice": slice(2, 2),
    "backwards empty": slice(3, 1),
    "step": (slice(None, None, 2), slice(None), slice(1, None, 3)),
    "negative step": slice(None, None, -1),
    "negative step bounds": (slice(None), slice(3, 0, -2), slice(None, None, -3)),
    "huge step": slice(None, None, 10**9),
    "new axis": None,
    "new axes": (None, slice(1, 2), None, 0, ..., None),
    "int array": I0,
    "int list": [0, 2, 2],
    "negative positions": np.array([-1, -3, 0]),
    "2-d int array": np.array([[0, 1], [2, 2]]),
    "0-d int array": np.array(1),
    "empty list": [],
    "empty int array": np.zeros((2, 0), dtype=np.int64),
    "int32 array": I0.astype(np.int32),
    "uint8 array": I0.astype(np.uint8),
    "array on the middle": (slice(None), I0),
    "array on the last": (..., I0),
    "two arrays": (I0, I1),
    "two arrays broadcast": (I2 // 2, I0),
    "three arrays": (I0, I1, I2),
    "adjacent in the middle": (slice(None), I1, I2),
    "not adjacent": (I0, slice(None), I1),
    "not adjacent with int": (0, slice(None), I1),
    "array and int": (slice(None), I1, 2),
    "array and slice": (I0, slice(None, None, -2)),
    "array and new axis": (I0, None, I1),
    "array, ellipsis, array": (I0, ..., I1),
    "mask": M,
    "mask of the first axis": np.array([True, False, True]),
    "mask of two axes": M[:, :, 0],
    "mask on the last axis": (..., np.array([True, False, True, True, False])),
    "mask and int": (np.array([True, False, True]), 1),
    "mask and array": (np.array([True, False, True]), np.array([3, 0])),
    "mask and slice": (slice(1, None), np.array([True, False, False, True])),
    "empty mask": np.zeros((3, 4, 5), dtype=bool),
    "bool list": [True, False, True],
    "True": True,
    "False": False,
    "True and int": (True, 1),
    "0-d mask": np.array(True),
}


@pytest.mark.parametrize("name", KEYS)
def test_getitem(name):
    assert_equals(tf.tensor(A)[KEYS[name]], np.asarray(A[KEYS[name]]))


@pytest.mark.parametrize("layout", VIEWS)
@pytest.mark.parametrize("name", KEYS)
def test_getitem_of_views(name, layout):
    assert_equals(VIEWS[layout](A)[KEYS[name]], np.asarray(A[KEYS[name]]))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("key", [(0, slice(None, None, -1)), (slice(None), I0), M])
def test_getitem_of_every_dtype(dtype, key):
    a = sample(dtype, A.shape)
    assert_equals(tf.tensor(a)[key], a[key])


def as_tensors(key):
    """The same key with every array as a tensor."""
    if isinstance(key, tuple):
        return tuple(as_tensors(k) for k in key)
    return tf.tensor(key) if isinstance(key, np.ndarray) and key.dtype in (np.int64, np.int32, np.bool_) else key


@pytest.mark.parametrize("name", [n for n in KEYS if as_tensors(KEYS[n]) is not KEYS[n]])
def test_tensors_are_keys(name):
    assert_equals(tf.tensor(A)[as_tensors(KEYS[name])], np.asarray(A[KEYS[name]]))


@pytest.mark.parametrize("name", KEYS)
def test_gradient_goes_where_the_value_came_from(name):
    key = KEYS[name]
    x = leaf(A)
    y = x[key]
    w = np.arange(1.0, y.size + 1).reshape(y.shape)
    expected = np.zeros_like(A)
    np.add.at(expected, key, w)
    assert np.array_equal(gradient((y * w).sum(), x), expected)


@pytest.mark.parametrize(
    "key", [slice(0, 2), (..., slice(None, None, -1)), (None, 0), (slice(None), slice(None, None, 2))]
)
def test_basic_keys_give_views(key):
    x = tf.tensor(A)
    assert np.shares_memory(x[key].numpy(), x.numpy())


OUT_OF_BOUNDS = [3, -4, (0, 4), (0, 0, -6), [0, 3], (slice(None), np.array([0, 4])), (I0, np.array([0, 1, -5]))]


@pytest.mark.parametrize("key", OUT_OF_BOUNDS, ids=str)
def test_positions_out_of_bounds(key):
    with pytest.raises(tf.IndexOutOfBoundsError) as caught:
        tf.tensor(A)[key]
    assert isinstance(caught.value, IndexError)


WRONG_KEYS = {
    "too many": ((0, 0, 0, 0), IndexError),
    "two ellipses": ((..., ...), IndexError),
    "float": (1.0, (IndexError, TypeError)),
    "float array": (np.array([0.0, 1.0]), (IndexError, TypeError)),
    "string": ("a", (IndexError, TypeError)),
    "complex tensor": (1j, (IndexError, TypeError)),
    "mask of the wrong length": (np.array([True, False]), IndexError),
    "mask of the wrong shape": (np.ones((3, 3), dtype=bool), IndexError),
    "mask of too many axes": (np.ones((3, 4, 5, 1), dtype=bool), IndexError),
    "arrays that do not broadcast": ((I0, np.array([0, 1])), (IndexError, ValueError)),
    "step zero": (slice(None, None, 0), ValueError),
    "float bound": (slice(0.5, 2), TypeError),
}


@pytest.mark.parametrize("name", WRONG_KEYS)
def test_wrong_keys(name):
    key, error = WRONG_KEYS[name]
    with pytest.raises(error):
        tf.tensor(A)[key]


def test_rank_zero_keys():
    x = tf.tensor(2.5)
    assert_equals(x[()], np.asarray(2.5))
    assert_equals(x[...], np.asarray(2.5))
    assert_equals(x[None], np.array([2.5]))
    with pytest.raises(IndexError):
        x[0]


def test_zero_size():
    a = np.zeros((0, 3))
    x = tf.tensor(a)
    for key in (slice(None), (slice(None), 1), np.zeros((0, 3), dtype=bool), [], (slice(None), [0, 2])):
        assert_equals(x[key], a[key])
    with pytest.raises(tf.IndexOutOfBoundsError):
        x[0]


def test_assignment_is_refused_and_names_at():
    x = tf.tensor(A)
    with pytest.raises(TypeError, match=r"\.at\["):
        x[0] = 1.0
    with pytest.raises(TypeError, match=r"at|immutable"):
        del x[0]


@pytest.mark.parametrize("name", KEYS)
def test_at_set(name):
    key = KEYS[name]
    x = tf.tensor(A)
    assert_equals(x.at[key].set(-1.0), set_item(A, key, -1.0))
    assert np.array_equal(x.numpy(), A)


@pytest.mark.parametrize("name", KEYS)
def test_at_add_accumulates_repeats(name):
    key = KEYS[name]
    w = np.arange(1.0, A[key].size + 1).reshape(A[key].shape)
    expected = A.copy()
    np.add.at(expected, key, w)
    assert_equals(tf.tensor(A).at[key].add(w), expected)


def set_item(a, key, value):
    b = a.copy()
    b[key] = value
    return b


@pytest.mark.parametrize(
    "key", [(0,), (slice(None), 1), (..., slice(None, None, 2)), (I0,), (I0, slice(None), I1), (M[:, :, 0],)], ids=str
)
def test_at_set_gradients(key):
    x = leaf(A)
    v = leaf(np.full(A[key].shape, 7.0))
    w = sample("float64", A.shape)
    gx, gv = gradient((x.at[key].set(v) * w).sum(), x, v)
    assert np.array_equal(gx, set_item(w, key, 0.0))
    assert np.array_equal(gv, w[key])


def test_at_add_gradients():
    x, v = leaf(np.zeros(3)), leaf([1.0, 2.0, 3.0])
    w = np.array([10.0, 20.0, 30.0])
    gx, gv = gradient((x.at[[1, 1, 2]].add(v) * w).sum(), x, v)
    assert gx.tolist() == [10.0, 20.0, 30.0]
    assert gv.tolist() == [20.0, 20.0, 30.0]


def test_at_broadcasts_values():
    x = tf.tensor(A)
    row = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert_equals(x.at[0].set(row), set_item(A, 0, row))
    assert_equals(x.at[:, I1].add(1), A + np.isin(np.arange(4), I1)[:, None])
    with pytest.raises(tf.ShapeMismatchError):
        x.at[0].set(np.ones(3))


@pytest.mark.parametrize("use", [lambda x: x.at[3].set(0.0), lambda x: x.at[:, [0, 4]].add(1.0)])
def test_at_out_of_bounds(use):
    with pytest.raises(tf.IndexOutOfBoundsError):
        use(tf.tensor(A))


def slices(extent):
    bound = st.none() | st.integers(-extent - 2, extent + 2)
    return st.builds(slice, bound, bound, st.none() | st.integers(-3, 3).filter(bool))


@st.composite
def shapes_and_keys(draw):
    shape = tuple(draw(st.lists(st.integers(0, 4), min_size=1, max_size=4)))
    broadcast = draw(st.sampled_from([(2,), (3,), (2, 1), (1, 3), (0,)]))
    parts = []
    for extent in shape[: draw(st.integers(0, len(shape)))]:
        kinds = [slices(extent)]
        if extent:
            positions = st.integers(-extent, extent - 1)
            array = st.lists(positions, min_size=int(np.prod(broadcast)), max_size=int(np.prod(broadcast)))
            kinds += [positions, array.map(lambda p: np.array(p, dtype=np.int64).reshape(broadcast))]
        parts.append(draw(st.one_of(kinds)))
    for extra in draw(st.lists(st.sampled_from([None, ...]), max_size=2, unique_by=id)):
        parts.insert(draw(st.integers(0, len(parts))), extra)
    return shape, tuple(parts)


@hypothesis.settings(max_examples=400)
@hypothesis.given(shapes_and_keys(), st.booleans())
def test_any_key_agrees_with_numpy(case, transposed):
    shape, key = case
    a = np.arange(float(np.prod(shape))).reshape(shape)
    x = tf.tensor(a.T).T if transposed else tf.tensor(a)
    try:
        expected = operator.getitem(a, key)
    except IndexError:
        with pytest.raises(IndexError):
            x[key]
        return
    assert_equals(x[key], np.asarray(expected))
    changed = a.copy()
    np.add.at(changed, key, 1.0)
    assert_equals(x.at[key].add(1.0), changed)
