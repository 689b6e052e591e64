"""Every op in three spellings from one declaration: module function, method, session; same docstring and signature."""

import inspect

import numpy as np
import pytest

import tenferro as tf
from support import leaf

SETTINGS = {
    "capture_trace",
    "default_runtime",
    "live_bytes",
    "live_tensors",
    "no_grad",
    "num_threads",
    "set_default_runtime",
    "set_memory_limit",
    "set_num_threads",
    "use_runtime",
}
MAKES_LEAVES = {"asarray", "from_dlpack", "tensor"}
CREATION = {
    "arange",
    "empty",
    "eye",
    "full",
    "geomspace",
    "linspace",
    "logspace",
    "tril_indices",
    "triu_indices",
    "ones",
    "tri",
    "zeros",
}
OF_LISTS = {"concat", "concatenate", "stack", "hstack", "vstack", "dstack", "column_stack"}
OF_LISTS |= {"broadcast_arrays", "broadcast_tensors", "meshgrid", "ravel_multi_index"}
PROPERTIES = {"real", "imag"}
ORDER_FIRST = {"polygamma"}

FUNCTIONS = {n for n in tf.__all__ if inspect.isbuiltin(getattr(tf, n))}
OPS = FUNCTIONS - SETTINGS - MAKES_LEAVES


def test_the_lists_name_functions_that_exist():
    assert FUNCTIONS >= SETTINGS | MAKES_LEAVES | CREATION | OF_LISTS | PROPERTIES | ORDER_FIRST


@pytest.mark.parametrize("name", sorted(OPS))
def test_every_op_is_on_a_session(name):
    assert callable(getattr(tf.EagerSession, name))


@pytest.mark.parametrize("name", sorted(OPS - CREATION - OF_LISTS))
def test_every_op_of_a_tensor_is_a_method(name):
    member = getattr(tf.EagerTensor, name)
    assert callable(member) or name in PROPERTIES


@pytest.mark.parametrize("name", sorted(OPS - CREATION - OF_LISTS - PROPERTIES - ORDER_FIRST - {"reshape"}))
def test_spellings_share_docstring_and_parameters(name):
    function, method = getattr(tf, name), getattr(tf.EagerTensor, name)
    on_session = getattr(tf.EagerSession, name)
    assert function.__doc__
    assert function.__doc__ == method.__doc__ == on_session.__doc__
    parameters = list(inspect.signature(function).parameters)
    assert list(inspect.signature(on_session).parameters)[1:] == parameters
    assert list(inspect.signature(method).parameters)[1:] == parameters[1:]


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_function_says_what_it_does(name):
    doc = getattr(tf, name).__doc__
    assert doc
    assert ">>>" in doc or name in SETTINGS


@pytest.mark.parametrize("name", sorted(OPS))
def test_no_op_takes_a_session_that_has_ended(ctx, name):
    with ctx.session() as s:
        pass
    x = tf.ones((2, 2)).detach_into(ctx)
    required = [
        p
        for p in inspect.signature(getattr(tf, name)).parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    values = {"dir": "lt", "dtype": "float64", "shape": (2, 2), "inputs": [x, x], "start": 1, "stop": 2}
    values |= {p: [0, 1] for p in ("dims", "starts", "limits", "sizes")}
    values |= dict.fromkeys(["axis", "axis1", "axis2", "source", "destination", "n", "k"], 1)
    values |= dict.fromkeys(["shift", "repeats", "repetitions", "indices_or_sections"], 1)
    if name in ("embed_diag", "extract_diag"):
        values |= {"a": 0, "b": 1}
    values |= dict.fromkeys(["p", "factor", "kth"], 1)
    if name == "index_select":
        values["indices"] = [0]
    with pytest.raises(tf.RuntimeStateError, match="session"):
        getattr(s, name)(*(values.get(p.name, x) for p in required), **EXTRA.get(name, {}))


EXTRA = {
    "dot_general": {"lhs_contracting": [1], "rhs_contracting": [0]},
    "gather": {
        "offset_dims": [0],
        "collapsed_slice_dims": [0],
        "start_index_map": [0],
        "index_vector_dim": 1,
        "slice_sizes": [1, 2],
    },
    "scatter": {
        "update_window_dims": [0],
        "inserted_window_dims": [0],
        "scatter_dims_to_operand_dims": [0],
        "index_vector_dim": 1,
    },
}


BITWISE = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}


@pytest.mark.parametrize("name", BITWISE)
def test_bitwise_ops_have_names(name):
    a, b = np.array([12, -7, 5]), np.array([10, 3, -1])
    assert getattr(tf, name)(tf.tensor(a), tf.tensor(b)).tolist() == BITWISE[name](a, b).tolist()
    assert tf.bitwise_invert(tf.tensor(a)).tolist() == (~a).tolist()


def test_divide_is_true_division():
    assert tf.divide(tf.tensor([7]), tf.tensor([2])).tolist() == [3.5]
    assert tf.true_divide(tf.tensor([7]), tf.tensor([2])).tolist() == [3.5]


def test_leaves_say_so():
    x = leaf([1.0])
    assert x.is_leaf
    assert x.detach().is_leaf
    assert not (x * x).is_leaf


def test_membership_asks_the_values():
    x = tf.tensor([1.0, 2.0])
    assert 2.0 in x
    assert 3.0 not in x


def test_public_classes_say_where_they_live():
    for name in tf.__all__:
        thing = getattr(tf, name)
        if inspect.isclass(thing):
            assert thing.__module__.split(".")[0] == "tenferro"
    assert tf.EagerTensor.__module__ == "tenferro"


def test_help_reads_well():
    text = tf.EagerTensor.backward.__doc__
    for word in ("scalar", "NonScalarGradError", ">>>"):
        assert word in text
