"""Pickle (protocols 2 to 5), copy and deepcopy of every value type."""

import copy
import pickle
import pickletools

import numpy as np
import pytest

import tenferro as tf
from support import ALL, SHAPES, VIEWS, leaf, sample, tf_dtype

PROTOCOLS = [2, 3, 4, 5]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_tensors(protocol, dtype, shape):
    a = sample(dtype, shape)
    for x in (tf.Tensor.from_numpy(a), tf.tensor(a)):
        y = pickle.loads(pickle.dumps(x, protocol))
        assert type(y) is type(x)
        assert y.dtype == tf_dtype(dtype)
        assert np.array_equal(y.numpy(), a)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_column_major_matrix_does_not_come_back_transposed(protocol):
    a = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    for x in (tf.tensor(a), tf.tensor(a.T).T, tf.tensor(np.asfortranarray(a))):
        y = pickle.loads(pickle.dumps(x, protocol))
        assert y.numpy().tolist() == a.tolist()
        assert y.numpy().flags.f_contiguous


@pytest.mark.parametrize("layout", VIEWS)
def test_views_are_stored_compactly(layout):
    a = sample("complex128", (3, 4))
    y = pickle.loads(pickle.dumps(VIEWS[layout](a)))
    assert np.array_equal(y.numpy(), a)
    wide = tf.tensor(np.zeros(100_000))
    assert len(pickle.dumps(wide[:10])) < 2000
    assert len(pickle.dumps(tf.tensor(1.0).broadcast_in_dim((2, 3), []))) < 2000


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_special_values_survive(protocol):
    a = np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324, complex(-0.0, np.nan)])
    b = pickle.loads(pickle.dumps(tf.tensor(a), protocol)).numpy()
    assert a.tobytes() == b.tobytes()


def test_a_tracked_tensor_comes_back_as_a_fresh_tracked_leaf(ctx):
    x = leaf([1.0, 2.0], runtime=ctx)
    for source in (x, x * x):
        y = pickle.loads(pickle.dumps(source))
        assert y.tracks_grad
        assert y.grad is None
        assert y.ctx_id == tf.default_runtime().id
        (y * y).sum().backward()
        assert y.grad.numpy().tolist() == (2 * source.numpy()).tolist()
    assert x.grad is None


def test_an_untracked_tensor_comes_back_untracked():
    assert not pickle.loads(pickle.dumps(tf.tensor([1.0]))).tracks_grad
    assert not copy.deepcopy(tf.tensor([1.0])).tracks_grad


def test_the_stored_gradient_does_not_travel():
    x = leaf([1.0, 2.0])
    (x * x).sum().backward()
    assert pickle.loads(pickle.dumps(x)).grad is None
    assert copy.deepcopy(x).grad is None


def test_deepcopy_is_in_the_default_runtime_and_independent(ctx):
    x = leaf([1.0, 2.0], runtime=ctx)
    y = copy.deepcopy({"weights": [x]})["weights"][0]
    assert y.ctx_id == tf.default_runtime().id
    assert not np.shares_memory(x.numpy(), y.numpy())


def test_deepcopy_keeps_one_tensor_one():
    x = leaf([1.0])
    a, b = copy.deepcopy([x, x])
    assert hash(a) == hash(b)


def test_copy_of_a_plain_tensor():
    t = tf.Tensor.from_vec_col_major((2,), [1.0, 2.0])
    for other in (copy.copy(t), copy.deepcopy(t)):
        assert isinstance(other, tf.Tensor)
        assert other.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("dtype", ALL)
def test_dtypes(dtype, protocol):
    d = tf_dtype(dtype)
    assert pickle.loads(pickle.dumps(d, protocol)) == d
    assert copy.deepcopy(d) == d


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "make", [lambda: tf.Tensor.from_numpy(np.ones(3)), lambda: leaf(np.ones(3)), lambda: tf.float64]
)
def test_a_pickle_names_our_module_and_plain_data_only(make, protocol):
    """Nothing but functions of this package (and the codec that old protocols need for bytes) is called on loading."""
    modules, strings = set(), []
    for opcode, argument, _ in pickletools.genops(pickle.dumps(make(), protocol)):
        if opcode.name == "GLOBAL":
            modules.add(argument.split(" ")[0])
        elif opcode.name == "STACK_GLOBAL":
            modules.add(strings[-2])
        elif isinstance(argument, str):
            strings.append(argument)
    assert modules
    assert all(m.split(".")[0] == "tenferro" or m == "_codecs" for m in modules)


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.95])
def test_truncated_bytes_are_refused(cut):
    data = pickle.dumps(tf.tensor(np.ones(100)))
    with pytest.raises((pickle.UnpicklingError, EOFError, ValueError)):
        pickle.loads(data[: int(len(data) * cut)])


def test_a_wrong_payload_is_a_typed_error():
    function, arguments = tf.Tensor.from_numpy(np.ones(3)).__reduce_ex__(4)[:2]
    broken = tuple(a[:-1] if isinstance(a, bytes) else a for a in arguments)
    assert broken != arguments
    with pytest.raises(ValueError, match=r"\d"):
        function(*broken)
