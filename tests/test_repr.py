"""How values show themselves: shape, dtype, values by NumPy's print options, and whether they track."""

import numpy as np
import pytest

import tenferro as tf
from support import ALL, leaf, sample


@pytest.mark.parametrize("show", [repr, str])
@pytest.mark.parametrize("dtype", ALL)
def test_shape_dtype_and_values(dtype, show):
    a = sample(dtype, (2, 3))
    for x in (tf.tensor(a), tf.Tensor.from_numpy(a)):
        text = show(x)
        assert "(2, 3)" in text
        assert dtype in text
        numbers = np.array2string(a, separator=", ").replace("[", " ").replace("]", " ").split(",")
        assert all(n.strip() in text for n in numbers)
        assert type(x).__name__ in text


def test_print_options_of_numpy_hold():
    x = tf.tensor([1.23456789])
    with np.printoptions(precision=2):
        assert "1.23]" in repr(x)
    assert "1.23456789" in repr(x)


def test_tracking_shows():
    x = leaf([1.0])
    texts = {repr(x), repr(x.detach()), repr(x * 1.0)}
    assert len(texts) == 3


def test_large_tensors_are_abridged():
    assert "..." in repr(tf.zeros((1000, 1000)))
    assert len(repr(tf.zeros((1000, 1000)))) < 2000


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1, 1, 1)])
def test_every_shape_has_a_repr(shape):
    assert str(shape) in repr(tf.zeros(shape))


def test_rank_65_has_a_repr():
    assert "float64" in repr(tf.ones((1,) * 65))


def test_views_show_their_own_values():
    x = tf.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert "[4., 3.]" in repr(x[1, ::-1])


def test_formats():
    assert f"{tf.tensor(1.5):.3f}" == "1.500"
    assert f"{tf.tensor(2)}" == str(tf.tensor(2))
    with pytest.raises((TypeError, ValueError)):
        f"{tf.ones((2,)):.3f}"


def test_runtimes_and_backends():
    ctx = tf.EagerRuntime.with_cpu_backend(tf.CpuBackend(threads=3))
    assert "3" in repr(ctx)
    assert "3" in repr(tf.CpuBackend(threads=3))
