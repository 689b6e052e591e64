"""Fourier transforms against NumPy's, over dtypes, lengths, axes, norms and views."""

import inspect

import numpy as np
import pytest

import tenferro as tf
from support import gradient, leaf

LENGTHS = [1, 2, 3, 4, 5, 8, 15, 31, 64, 101]
NORMS = [None, "backward", "ortho", "forward"]
SINGLE = ["float32", "complex64"]
rng = np.random.default_rng(5)


def numbers(shape, dtype="complex128"):
    a = rng.standard_normal(shape)
    return (a + 1j * rng.standard_normal(shape) if "complex" in dtype else a * 3).astype(dtype)


def assert_close(result, expected, single=False):
    result = result.numpy()
    assert result.shape == expected.shape
    wanted = np.dtype({"c": np.complex64, "f": np.float32}[expected.dtype.kind]) if single else expected.dtype
    assert result.dtype == wanted
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(result, expected, rtol=0, atol=scale * (3e-6 if single else 3e-14))


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "ihfft", "irfft", "hfft"])
@pytest.mark.parametrize("n", LENGTHS)
def test_lengths_against_numpy(name, n):
    a = numbers((n, 3), "float64" if name in ("rfft", "ihfft") else "complex128")
    for norm in NORMS:
        for length in (n + 1, 2 * n + 3, max(1, n // 2)):
            expected = getattr(np.fft, name)(a, length, 0, norm)
            assert_close(getattr(tf.fft, name)(tf.tensor(a), length, 0, norm), expected)


@pytest.mark.parametrize("name", ["fft", "ifft", "irfft", "hfft"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int32", "int64", "bool"])
def test_dtypes(name, dtype):
    a = numbers((2, 6), dtype)
    wide = a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)
    assert_close(getattr(tf.fft, name)(tf.tensor(a)), getattr(np.fft, name)(wide), single=dtype in SINGLE)


@pytest.mark.parametrize("name", ["rfft", "ihfft"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "bool"])
def test_dtypes_of_real_transforms(name, dtype):
    a = numbers((2, 6), dtype)
    assert_close(getattr(tf.fft, name)(tf.tensor(a)), getattr(np.fft, name)(a.astype(float)), single=dtype in SINGLE)


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"])
def test_several_axes(name):
    a = numbers((4, 3, 5), "float64" if name.startswith("r") else "complex128")
    for norm in NORMS:
        for s, axes in [(None, (0, 1)), ((6, 2), (2, 0)), (None, (-1, 1)), ((3, 4), (-2, -1))]:
            expected = getattr(np.fft, name)(a, s, axes, norm)
            assert_close(getattr(tf.fft, name)(tf.tensor(a), s, axes, norm), expected)
    assert_close(getattr(tf.fft, name)(tf.tensor(a)), getattr(np.fft, name)(a))


@pytest.mark.parametrize("view", [lambda a: a.T, lambda a: a[::-1, ::2], lambda a: a[1:, :3]])
def test_strided_input(view):
    a = numbers((6, 8))
    for axis in (0, 1):
        assert_close(tf.fft.fft(view(tf.tensor(a)), axis=axis), np.fft.fft(view(a), axis=axis))
        assert_close(tf.fft.rfft(view(tf.tensor(a.real)), axis=axis), np.fft.rfft(view(a.real), axis=axis))


def test_a_large_batch():
    a = numbers((300, 257))
    for axis in (0, 1):
        assert_close(tf.fft.fft(a, axis=axis), np.fft.fft(a, axis=axis))


def test_nothing_in_a_batch():
    assert tf.fft.fft(tf.zeros((4, 0)), axis=0).shape == (4, 0)
    assert tf.fft.rfft(tf.zeros((4, 0)), axis=0).shape == (3, 0)
    assert tf.fft.irfft(tf.zeros((3, 0)), axis=0).shape == (4, 0)


def test_frequencies_and_shifts():
    for n in (1, 2, 5, 8):
        np.testing.assert_array_equal(tf.fft.fftfreq(n, 0.5).numpy(), np.fft.fftfreq(n, 0.5))
        np.testing.assert_array_equal(tf.fft.rfftfreq(n, 0.5).numpy(), np.fft.rfftfreq(n, 0.5))
        a = np.arange(n * 3.0).reshape(n, 3)
        for axes in (None, 0, (0, 1)):
            np.testing.assert_array_equal(tf.fft.fftshift(a, axes).numpy(), np.fft.fftshift(a, axes))
            np.testing.assert_array_equal(tf.fft.ifftshift(a, axes).numpy(), np.fft.ifftshift(a, axes))


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_the_gradient_is_the_adjoint(name):
    real = name in ("rfft", "ihfft")
    x = numbers(5, "float64" if real else "complex128")
    t = numbers(5, "float64" if real else "complex128")
    f = getattr(tf.fft, name)
    y = f(tf.tensor(x), 6)
    ct = numbers(y.shape, "complex128" if y.dtype == np.complex128 else "float64")
    tracked = leaf(x)
    out = f(tracked, 6)
    pulled = out.runtime.vjp(out, tracked, tf.tensor(ct).detach_into(out.runtime)).numpy()
    pushed = f(tf.tensor(t), 6).numpy()
    assert np.vdot(ct, pushed).real == pytest.approx(np.vdot(pulled, t).real, rel=1e-12)


def test_the_energy_is_kept():
    x = leaf(numbers(7))
    y = tf.fft.fft(x, norm="ortho")
    np.testing.assert_allclose(gradient((y.abs() ** 2).sum(), x), 2 * x.numpy(), rtol=1e-13)


@pytest.mark.parametrize("name", tf.fft.__all__)
def test_three_spellings(ctx, name):
    function, on_session = getattr(tf.fft, name), getattr(tf.EagerSession, name)
    assert function.__doc__ == on_session.__doc__
    assert ">>>" in function.__doc__
    assert list(inspect.signature(on_session).parameters)[1:] == list(inspect.signature(function).parameters)
    if not name.endswith("freq"):
        assert getattr(tf.EagerTensor, name).__doc__ == function.__doc__
        x = tf.ones((4, 4), dtype=tf.float64)
        with x.runtime.session() as s:
            np.testing.assert_array_equal(getattr(s, name)(x).numpy(), getattr(x, name)().numpy())


def test_wrong_calls():
    x = tf.ones((3, 4))
    with pytest.raises(tf.AxisOutOfBoundsError):
        tf.fft.fft(x, axis=2)
    with pytest.raises(tf.InvalidArgumentError, match=r"fft: argument 'n'"):
        tf.fft.fft(x, n=0)
    with pytest.raises(tf.InvalidArgumentError, match=r"fft: argument 'norm'.*'ortho'.*got 'orto'"):
        tf.fft.fft(x, norm="orto")
    with pytest.raises(tf.UnsupportedDTypeError, match=r"rfft.*complex"):
        tf.fft.rfft(x.to_complex())
    with pytest.raises(tf.InvalidArgumentError, match="at least one element"):
        tf.fft.fft(tf.zeros(0))
    with pytest.raises(tf.DuplicateAxisError):
        tf.fft.fftn(x, axes=(0, 0))
    with pytest.raises(tf.InvalidArgumentError, match="'s'"):
        tf.fft.fftn(x, s=(1, 2), axes=(0,))
    with pytest.raises(tf.AxisOutOfBoundsError):
        tf.fft.fft2(tf.ones(3))
    with pytest.raises(tf.InvalidArgumentError, match="'n'"):
        tf.fft.fftfreq(0)
