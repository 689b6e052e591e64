"""Python operators: every symbol, both sides, with tensors, arrays, scalars, `Tensor` and `GradientValue`."""

import operator

import numpy as np
import pytest

import tenferro as tf
from support import assert_equals, gradient, leaf

A = np.array([[1.0, -2.5, 3.0], [4.0, 5.5, -6.0]])
B = np.array([2.0, 3.0, -4.0])
M, N = np.array([7, -7, 6, -6]), np.array([2, 2, -4, -4])

ARITHMETIC = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
COMPARISON = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
BITWISE = {"&": operator.and_, "|": operator.or_, "^": operator.xor}

OTHER_SIDE = {
    "tensor": tf.tensor,
    "array": lambda b: b,
    "Tensor": tf.Tensor.from_numpy,
}


@pytest.mark.parametrize("kind", OTHER_SIDE)
@pytest.mark.parametrize("symbol", ARITHMETIC)
def test_arithmetic_on_both_sides(symbol, kind):
    f, other = ARITHMETIC[symbol], OTHER_SIDE[kind](B)
    assert_equals(f(tf.tensor(A), other), f(A, B))
    assert_equals(f(other, tf.tensor(A)), f(B, A))


@pytest.mark.parametrize("scalar", [2, -3.5, np.float64(1.5)], ids=repr)
@pytest.mark.parametrize("symbol", ARITHMETIC)
def test_arithmetic_with_scalars(symbol, scalar):
    f = ARITHMETIC[symbol]
    assert_equals(f(tf.tensor(A), scalar), f(A, scalar))
    assert_equals(f(scalar, tf.tensor(A)), f(scalar, A))


@pytest.mark.parametrize("scalar", [1j, 2 - 1j, np.complex128(1 + 1j)], ids=repr)
@pytest.mark.parametrize("symbol", ["+", "-", "*", "/"])
def test_arithmetic_with_complex_scalars(symbol, scalar):
    f = ARITHMETIC[symbol]
    assert_equals(f(tf.tensor(A), scalar), f(A, scalar))
    assert_equals(f(scalar, tf.tensor(A)), f(scalar, A))


@pytest.mark.parametrize("symbol", ARITHMETIC)
def test_arithmetic_of_integers_is_pythons(symbol):
    f = ARITHMETIC[symbol]
    expected = np.array([f(int(m), int(n)) for m, n in zip(M, N, strict=True)])
    assert_equals(f(tf.tensor(M), tf.tensor(N)), expected)
    assert_equals(f(tf.tensor(M), 4), f(M, 4))
    assert_equals(f(40, tf.tensor(N)), f(40, N))


def test_true_division_of_int32_is_float64():
    x = tf.tensor(np.array([1, 2], dtype=np.int32))
    assert_equals(x / x, np.ones(2))
    assert_equals(1 / x, np.array([1.0, 0.5]))


def test_power():
    x = tf.tensor(np.abs(A))
    assert_equals(x**2, np.abs(A) ** 2)
    assert_equals(x**0.5, np.abs(A) ** 0.5)
    assert_equals(2.0**x, 2.0 ** np.abs(A))
    assert_equals(x ** tf.tensor(B), np.abs(A) ** B)
    assert_equals(np.abs(A) ** tf.tensor(B), np.abs(A) ** B)
    assert_equals(tf.tensor(M) ** 2, M**2)


def test_power_with_a_modulus_is_refused():
    with pytest.raises(TypeError):
        pow(tf.tensor(M), 2, 3)


def test_divmod():
    for a, b in ((A, B), (M, N)):
        quotient, remainder = divmod(tf.tensor(a), tf.tensor(b))
        expected = np.divmod(a, b)
        assert_equals(quotient, expected[0])
        assert_equals(remainder, expected[1])


def test_unary():
    assert_equals(-tf.tensor(A), -A)
    assert_equals(+tf.tensor(A), A)
    assert_equals(abs(tf.tensor(A)), np.abs(A))


def test_matmul_on_both_sides():
    assert_equals(tf.tensor(A) @ tf.tensor(B), A @ B)
    assert_equals(A @ tf.tensor(B), A @ B)
    assert_equals(tf.tensor(A) @ B, A @ B)
    assert_equals(tf.Tensor.from_numpy(A) @ tf.tensor(B), A @ B)


@pytest.mark.parametrize("symbol", COMPARISON)
def test_comparison(symbol):
    f = COMPARISON[symbol]
    for other in (B, 3.0, 3, np.float64(3.0)):
        assert_equals(f(tf.tensor(A), other), f(A, other))
        assert_equals(f(other, tf.tensor(A)), f(other, A))
    assert_equals(f(tf.tensor(A), tf.tensor(B)), f(A, B))


@pytest.mark.parametrize("symbol", ["==", "!="])
def test_equality_of_complex(symbol):
    z = np.array([1 + 1j, 1.0, 1j])
    f = COMPARISON[symbol]
    assert_equals(f(tf.tensor(z), 1.0), f(z, 1.0))


@pytest.mark.parametrize("symbol", ["<", "<=", ">", ">="])
def test_ordering_of_complex_raises(symbol):
    with pytest.raises(TypeError) as caught:
        COMPARISON[symbol](tf.tensor([1j]), tf.tensor([2j]))
    assert isinstance(caught.value, tf.UnsupportedDTypeError)


@pytest.mark.parametrize("symbol", BITWISE)
def test_logic_of_bools(symbol):
    f = BITWISE[symbol]
    p, q = np.array([True, True, False, False]), np.array([True, False, True, False])
    assert_equals(f(tf.tensor(p), tf.tensor(q)), f(p, q))
    assert_equals(f(tf.tensor(p), q), f(p, q))
    assert_equals(f(p, tf.tensor(q)), f(p, q))
    assert_equals(f(tf.tensor(p), True), f(p, True))
    assert_equals(f(tf.tensor(A) > 0, tf.tensor(B) > 0), f(A > 0, B > 0))


def test_invert_of_bools():
    p = np.array([True, False])
    assert_equals(~tf.tensor(p), ~p)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("symbol", BITWISE)
def test_logic_of_integers_is_bitwise(symbol, dtype):
    f = BITWISE[symbol]
    p, q = np.array([12, -7, 5], dtype=dtype), np.array([10, 3, -1], dtype=dtype)
    assert_equals(f(tf.tensor(p), tf.tensor(q)), f(p, q))
    assert_equals(~tf.tensor(p), ~p)


@pytest.mark.parametrize("symbol", BITWISE)
def test_logic_of_floats_is_refused(symbol):
    with pytest.raises(TypeError):
        BITWISE[symbol](tf.tensor([1.0]), tf.tensor([2.0]))


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "//", "%"])
@pytest.mark.parametrize("other", ["text", None, object(), {1: 2}], ids=["str", "None", "object", "dict"])
def test_wrong_types_are_type_errors(symbol, other):
    left = [(other, tf.tensor(A))] if not (symbol == "%" and isinstance(other, str)) else []
    for sides in ((tf.tensor(A), other), *left):
        with pytest.raises(TypeError):
            ARITHMETIC[symbol](*sides)


def test_arrays_on_the_left_are_recorded():
    x = leaf(A)
    (B * x).sum().backward()
    assert np.array_equal(x.grad.numpy(), np.broadcast_to(B, A.shape))
    y = leaf(B)
    (A @ y).sum().backward()
    assert np.allclose(y.grad.numpy(), A.sum(axis=0))


@pytest.mark.parametrize("function", [np.exp, np.sin, np.add, np.matmul])
def test_numpy_functions_refuse_instead_of_dropping_the_gradient(function):
    x = leaf(np.eye(2))
    with pytest.raises(TypeError):
        function(*([x] * function.nin))


def test_array_ufunc_is_none():
    assert tf.EagerTensor.__array_ufunc__ is None
    assert tf.GradientValue.__array_ufunc__ is None


def test_augmented_assignment_rebinds():
    x = leaf([1.0, 2.0])
    y = x
    y += 1.0
    y *= 2.0
    assert x.numpy().tolist() == [1.0, 2.0]
    assert y.numpy().tolist() == [4.0, 6.0]
    assert gradient(y.sum(), x).tolist() == [2.0, 2.0]


@pytest.mark.parametrize(("convert", "expected"), [(float, 2.5), (int, 2), (complex, 2.5 + 0j), (bool, True)])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_conversion_to_python_numbers(convert, expected, shape):
    value = convert(tf.tensor(np.full(shape, 2.5)))
    assert value == expected
    assert type(value) is convert


def test_item_gives_the_python_type():
    assert type(tf.tensor(2.5).item()) is float
    assert type(tf.tensor(2).item()) is int
    assert type(tf.tensor(True).item()) is bool
    assert type(tf.tensor(1j).item()) is complex
    assert tf.tensor([[2.5]]).item() == 2.5


@pytest.mark.parametrize("convert", [float, int, complex, bool, lambda x: x.item()])
@pytest.mark.parametrize("shape", [(2,), (0,), (1, 2)])
def test_conversion_needs_one_element(convert, shape):
    with pytest.raises((ValueError, TypeError), match=r"element|size|shape"):
        convert(tf.ones(shape))


@pytest.mark.parametrize("convert", [float, int])
def test_complex_is_not_a_real_number(convert):
    with pytest.raises(TypeError, match="complex"):
        convert(tf.tensor(1j))


def test_integers_are_an_index():
    assert [10, 20, 30][tf.tensor(1)] == 20
    with pytest.raises(TypeError):
        [10, 20, 30][tf.tensor(1.0)]


def test_len_and_iteration():
    x = leaf(A)
    assert len(x) == 2
    rows = list(x)
    assert [r.numpy().tolist() for r in rows] == A.tolist()
    assert gradient((rows[0] * rows[1]).sum(), x).tolist() == A[::-1].tolist()
    for use in (len, iter):
        with pytest.raises(TypeError):
            use(tf.tensor(1.0))


def test_tolist_follows_numpy():
    assert tf.tensor(A).tolist() == A.tolist()
    assert tf.tensor(2.0).tolist() == 2.0


def test_transposes():
    a = np.arange(24.0).reshape(2, 3, 4) + 1j
    x = tf.tensor(a)
    assert_equals(x.T, a.T)
    assert_equals(x.mT, a.transpose(1, 0, 2))
    assert_equals(x.H, a.transpose(1, 0, 2).conj())
