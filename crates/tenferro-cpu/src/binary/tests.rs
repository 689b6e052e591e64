use super::*;
use crate::test_support::{Noise, at, element_bytes, indices, layouts};

fn vector<T: Scalar>(data: &[T]) -> Tensor {
    Tensor::from_slice("test", &[data.len()], data).unwrap()
}

fn apply_to<T: Scalar>(op: BinaryOp, a: &[T], b: &[T]) -> Result<Vec<T>> {
    binary(op, &vector(a), &vector(b))?.as_slice::<T>().map(<[T]>::to_vec)
}

/// Operands that every op takes: no zero divisors, no negative exponents of integers.
fn operands(noise: &mut Noise, op: BinaryOp, dtype: DType, left: &[usize], right: &[usize]) -> (Tensor, Tensor) {
    let a = noise.tensor(dtype, left);
    let b = noise.tensor(dtype, right);
    if !matches!(dtype, DType::I32 | DType::I64) || op == BinaryOp::Add {
        return (a, b);
    }
    let one = crate::full(&[], dtype, crate::Number::Int(1)).unwrap();
    let b = crate::unary(crate::UnaryOp::Abs, &b).unwrap();
    (a, binary(BinaryOp::Add, &b, &one).unwrap())
}

#[test]
fn every_op_does_what_its_output_rule_says() {
    let mut noise = Noise(1);
    for &op in BinaryOp::ALL {
        for &dtype in DType::ALL {
            let (a, b) = (noise.tensor(dtype, &[3, 0]), noise.tensor(dtype, &[1]));
            let b = if dtype == DType::Bool { b } else { crate::full(&[1], dtype, crate::Number::Int(2)).unwrap() };
            match (binary_output(op, dtype), binary(op, &a, &b)) {
                (Some(out), Ok(y)) => assert_eq!((y.dtype(), y.shape()), (out, &[3, 0][..])),
                (None, Err(e)) => assert_eq!((e.variant(), e.op()), (Variant::UnsupportedDType, op.name())),
                (rule, result) => panic!("{op:?} {dtype}: {rule:?} but {result:?}"),
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_layouts_and_broadcasting() {
    let mut noise = Noise(2);
    let shapes: [(&[usize], &[usize]); 7] = [
        (&[], &[]),
        (&[9, 30], &[9, 30]),
        (&[5, 3, 4], &[]),
        (&[], &[33]),
        (&[6, 1, 4], &[5, 1]),
        (&[20, 30], &[20, 1]),
        (&[2, 2, 2, 2, 2, 2, 2], &[2, 1, 2, 1, 1, 2]),
    ];
    for &op in BinaryOp::ALL {
        for &dtype in DType::ALL.iter().filter(|&&dtype| binary_output(op, dtype).is_some()) {
            for (left, right) in shapes {
                let (a, b) = operands(&mut noise, op, dtype, left, right);
                let expected = binary(op, &a, &b).unwrap();
                for (a, b) in layouts(&a).iter().zip(layouts(&b).iter().rev()) {
                    let y = binary(op, a, b).unwrap();
                    assert!(y.is_compact());
                    assert_eq!(element_bytes(&y), element_bytes(&expected), "{op:?} {dtype}");
                }
                for (k, index) in indices(expected.shape()).iter().enumerate().step_by(7) {
                    let own = |x: &Tensor| {
                        let skip = index.len() - x.rank();
                        let place = index[skip..].iter().zip(x.shape()).map(|(&i, &n)| if n == 1 { 0 } else { i });
                        let ranges: Vec<_> = place.map(|i| (i, 1, 1)).collect();
                        x.with_layout(x.layout().sliced(&ranges))
                    };
                    let alone = binary(op, &own(&a), &own(&b)).unwrap();
                    assert_eq!(element_bytes(&alone)[0], element_bytes(&expected)[k], "{op:?} {dtype} {index:?}");
                }
            }
        }
    }
}

#[test]
fn real_arithmetic() {
    let (a, b) = ([1.5f64, -2.0, 0.0, 7.0], [0.5, 4.0, -0.0, -3.0]);
    assert_eq!(apply_to(BinaryOp::Add, &a, &b).unwrap(), [2.0, 2.0, 0.0, 4.0]);
    assert_eq!(apply_to(BinaryOp::Sub, &a, &b).unwrap(), [1.0, -6.0, 0.0, 10.0]);
    assert_eq!(apply_to(BinaryOp::Mul, &a, &b).unwrap(), [0.75, -8.0, -0.0, -21.0]);
    assert_eq!(apply_to(BinaryOp::Maximum, &a, &b).unwrap(), [1.5, 4.0, 0.0, 7.0]);
    assert_eq!(apply_to(BinaryOp::Minimum, &a, &b).unwrap(), [0.5, -2.0, 0.0, -3.0]);
    assert_eq!(apply_to(BinaryOp::Rem, &a, &[1.0, 3.0, 1.0, -3.0]).unwrap(), [0.5, -2.0, 0.0, 1.0]);
    assert_eq!(apply_to(BinaryOp::Remainder, &a, &[1.0, 3.0, 1.0, -3.0]).unwrap(), [0.5, 1.0, 0.0, -2.0]);
    assert_eq!(apply_to(BinaryOp::FloorDivide, &a, &[1.0, 3.0, 1.0, -3.0]).unwrap(), [1.0, -1.0, 0.0, -3.0]);
    assert!(apply_to(BinaryOp::Div, &a, &b).unwrap()[2].is_nan());
    assert!(apply_to(BinaryOp::Maximum, &[f64::NAN, 1.0], &[1.0, f64::NAN]).unwrap().iter().all(|x| x.is_nan()));
}

#[test]
fn complex_arithmetic() {
    let (a, b) = (C128::new(1.0, 2.0), C128::new(3.0, -1.0));
    let one = |op| apply_to(op, &[a], &[b]).unwrap()[0];
    assert_eq!(one(BinaryOp::Add), C128::new(4.0, 1.0));
    assert_eq!(one(BinaryOp::Sub), C128::new(-2.0, 3.0));
    assert_eq!(one(BinaryOp::Mul), C128::new(5.0, 5.0));
    assert_eq!(one(BinaryOp::Div), C128::new(0.1, 0.7));
    assert_eq!(apply_to(BinaryOp::Pow, &[a], &[C128::new(2.0, 0.0)]).unwrap(), [C128::new(-3.0, 4.0)]);
}

#[test]
fn integer_arithmetic_wraps() {
    let (a, b) = ([i32::MAX, i32::MIN, -7, 46341], [1, -1, 2, 46341]);
    assert_eq!(apply_to(BinaryOp::Add, &a, &b).unwrap(), [i32::MIN, i32::MAX, -5, 92682]);
    assert_eq!(apply_to(BinaryOp::Sub, &a, &b).unwrap(), [i32::MAX - 1, i32::MIN + 1, -9, 0]);
    assert_eq!(apply_to(BinaryOp::Mul, &a, &b).unwrap(), [i32::MAX, i32::MIN, -14, 46341i32.wrapping_mul(46341)]);
    assert_eq!(apply_to(BinaryOp::Div, &a, &b).unwrap(), [i32::MAX, i32::MIN, -3, 1]);
    assert_eq!(apply_to(BinaryOp::Rem, &a, &b).unwrap(), [0, 0, -1, 0]);
    assert_eq!(apply_to(BinaryOp::Remainder, &a, &b).unwrap(), [0, 0, 1, 0]);
    assert_eq!(apply_to(BinaryOp::FloorDivide, &a, &b).unwrap(), [i32::MAX, i32::MIN, -4, 1]);
    assert_eq!(
        apply_to(BinaryOp::Pow, &[3i64, -2, 0, 10], &[40, 63, 0, 19]).unwrap(),
        [3i64.wrapping_pow(40), i64::MIN, 1, 10i64.wrapping_pow(19)]
    );
}

#[test]
fn integer_division_by_zero_and_negative_powers_are_errors() {
    for op in [BinaryOp::Div, BinaryOp::Rem, BinaryOp::Remainder, BinaryOp::FloorDivide] {
        for error in [apply_to(op, &[1i32, 2], &[1, 0]).unwrap_err(), apply_to(op, &[1i64], &[0]).unwrap_err()] {
            assert_eq!((error.variant(), error.op()), (Variant::DivisionByZero, op.name()));
        }
        assert!(binary(op, &vector::<i64>(&[]), &vector(&[0i64])).is_ok());
    }
    let error = apply_to(BinaryOp::Pow, &[2i64], &[-3]).unwrap_err();
    assert_eq!((error.variant(), error.op()), (Variant::Numerical, "pow"));
    assert!(error.message().contains("-3"), "{error}");
}

#[test]
fn powers_of_real_numbers() {
    let x = [-8.0, -1.0, -0.0, 0.0, 0.3, 1.0, 1e-200, 1e200, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    for p in [0.0, 1.0, 2.0, 3.0, 0.5, -1.0, -2.0, -0.5, 2.7, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        let spread = apply_to(BinaryOp::Pow, &x, &[p; 11]).unwrap();
        let scalar = binary(BinaryOp::Pow, &vector(&x), &Tensor::scalar(p).unwrap()).unwrap();
        for (i, (&x, y)) in x.iter().zip(spread).enumerate() {
            let expected = x.powf(p);
            let close = (y - expected).abs() <= f64::EPSILON * expected.abs();
            assert!(y.to_bits() == expected.to_bits() || close || y.is_nan() && expected.is_nan(), "{x}^{p}: {y}");
            assert_eq!(at::<f64>(&scalar, &[i]).to_bits(), y.to_bits());
        }
    }
    assert_eq!(apply_to(BinaryOp::Pow, &[3f32], &[2.0]).unwrap(), [9.0]);
}

#[test]
fn bit_operations() {
    let (a, b) = ([0b1100i32, -1], [0b1010, 7]);
    assert_eq!(apply_to(BinaryOp::BitAnd, &a, &b).unwrap(), [0b1000, 7]);
    assert_eq!(apply_to(BinaryOp::BitOr, &a, &b).unwrap(), [0b1110, -1]);
    assert_eq!(apply_to(BinaryOp::BitXor, &a, &b).unwrap(), [0b0110, -8]);
    assert_eq!(apply_to(BinaryOp::BitXor, &[true, true], &[true, false]).unwrap(), [false, true]);
    assert_eq!(apply_to(BinaryOp::Maximum, &[true, false], &[false, false]).unwrap(), [true, false]);
}

#[test]
fn comparisons() {
    let (a, b) = ([1.0, 2.0, f64::NAN, 0.0], [2.0, 2.0, 1.0, -0.0]);
    let rows = [
        (CompareOp::Eq, [false, true, false, true]),
        (CompareOp::Ne, [true, false, true, false]),
        (CompareOp::Lt, [true, false, false, false]),
        (CompareOp::Le, [true, true, false, true]),
        (CompareOp::Gt, [false, false, false, false]),
        (CompareOp::Ge, [false, true, false, true]),
    ];
    for (op, expected) in rows {
        assert_eq!(compare(op, &vector(&a), &vector(&b)).unwrap().as_slice::<bool>().unwrap(), expected, "{op:?}");
    }
    let mut noise = Noise(5);
    for &op in CompareOp::ALL {
        for &dtype in DType::ALL {
            let (a, b) = (noise.tensor(dtype, &[4, 3]), noise.tensor(dtype, &[4, 1]));
            match compare(op, &a, &b) {
                Ok(y) => {
                    assert!(compare_supports(op, dtype));
                    assert_eq!((y.dtype(), y.shape()), (DType::Bool, &[4, 3][..]));
                }
                Err(e) => {
                    assert!(!compare_supports(op, dtype));
                    assert_eq!((e.variant(), e.op()), (Variant::UnsupportedDType, "compare"));
                }
            }
        }
    }
}

#[test]
fn selection_and_clamping() {
    let mut noise = Noise(6);
    for &dtype in DType::ALL {
        let cond = noise.tensor(DType::Bool, &[5, 1]);
        let (a, b) = (noise.tensor(dtype, &[5, 4]), noise.tensor(dtype, &[4]));
        let y = select(&cond, &a, &b).unwrap();
        let (a, b, picked) = (element_bytes(&a), element_bytes(&b), element_bytes(&y));
        for (k, index) in indices(&[5, 4]).iter().enumerate() {
            let take = at::<bool>(&cond, &[index[0], 0]);
            assert_eq!(picked[k], if take { a[k].clone() } else { b[index[1]].clone() });
        }
    }
    let nan = f64::NAN;
    let x = vector(&[-1.0, 0.5, 2.0, nan, 0.5, 0.5]);
    let (lower, upper) = (vector(&[0.0, 0.0, 0.0, 0.0, nan, 0.0]), vector(&[1.0, 1.0, 1.0, 1.0, 1.0, nan]));
    let y = clamp(&x, &lower, &upper).unwrap();
    assert_eq!(y.as_slice::<f64>().unwrap()[..3], [0.0, 0.5, 1.0]);
    assert!(y.as_slice::<f64>().unwrap()[3..].iter().all(|v| v.is_nan()));
    let crossed = clamp(&x, &Tensor::scalar(3.0).unwrap(), &Tensor::scalar(1.0).unwrap()).unwrap();
    assert_eq!(crossed.as_slice::<f64>().unwrap()[..3], [1.0; 3]);
}

#[test]
fn wrong_operands_are_named() {
    let (f, i, b) = (vector(&[1.0f64]), vector(&[1i64]), vector(&[true]));
    let three = vector(&[1.0, 2.0, 3.0]);
    let two = vector(&[1.0, 2.0]);
    for (error, variant, op, word) in [
        (binary(BinaryOp::Add, &f, &i), Variant::DTypeMismatch, "add", "int64"),
        (binary(BinaryOp::Mul, &three, &two), Variant::ShapeMismatch, "mul", "(3,)"),
        (compare(CompareOp::Lt, &f, &i), Variant::DTypeMismatch, "compare", "int64"),
        (select(&f, &f, &f), Variant::DTypeMismatch, "select", "cond"),
        (select(&b, &f, &i), Variant::DTypeMismatch, "select", "int64"),
        (select(&b, &three, &two), Variant::ShapeMismatch, "select", "(2,)"),
        (clamp(&f, &i, &f), Variant::DTypeMismatch, "clamp", "lower"),
        (clamp(&f, &f, &i), Variant::DTypeMismatch, "clamp", "upper"),
        (clamp(&i, &i, &i), Variant::UnsupportedDType, "clamp", "int64"),
    ]
    .map(|(result, variant, op, word)| (result.unwrap_err(), variant, op, word))
    {
        assert_eq!((error.variant(), error.op()), (variant, op));
        assert!(error.message().contains(word), "{error}");
    }
}
