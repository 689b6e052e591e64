use super::*;
use Number::{Bool, Complex, Float, Int};

fn values<T: Scalar>(x: Result<Tensor>) -> Vec<T> {
    x.unwrap().as_slice::<T>().unwrap().to_vec()
}

fn variant(x: Result<Tensor>) -> Variant {
    x.unwrap_err().variant()
}

#[test]
fn full_checks_what_integers_hold() {
    assert_eq!(values::<f32>(full(&[2, 1], DType::F32, Float(0.1))), [0.1, 0.1]);
    assert_eq!(values::<i32>(full(&[1], DType::I32, Int(-5))), [-5]);
    assert_eq!(values::<i64>(full(&[1], DType::I64, Float(-5.9))), [-5]);
    assert_eq!(values::<i64>(full(&[1], DType::I64, Int(i64::MAX))), [i64::MAX]);
    assert_eq!(values::<bool>(full(&[1], DType::Bool, Complex(C128::new(0.0, 2.0)))), [true]);
    assert_eq!(values::<C64>(full(&[], DType::C64, Complex(C128::new(1.0, 2.0)))), [C64::new(1.0, 2.0)]);
    assert_eq!(values::<f64>(full(&[1], DType::F64, Bool(true))), [1.0]);
    assert_eq!(full(&[0, 3], DType::F64, Int(1)).unwrap().shape(), [0, 3]);
    assert_eq!(variant(full(&[1], DType::I32, Int(1 << 40))), Variant::IntegerOverflow);
    assert_eq!(variant(full(&[1], DType::I32, Float(1e10))), Variant::InvalidArgument);
    assert_eq!(variant(full(&[1], DType::I64, Float(f64::NAN))), Variant::InvalidArgument);
    assert_eq!(variant(full(&[usize::MAX, 2], DType::I64, Int(0))), Variant::IntegerOverflow);
}

#[test]
fn eye_has_ones_on_its_diagonal() {
    for &dtype in DType::ALL {
        for (rows, cols, k) in [(3, 3, 0), (2, 4, 1), (4, 2, -2), (3, 3, 9), (0, 2, 0), (2, 0, 0), (2, 2, i64::MIN)] {
            let x = eye(rows, cols, k, dtype).unwrap();
            assert_eq!((x.dtype(), x.shape()), (dtype, &[rows, cols][..]));
            let x = cast(&x, DType::I64).unwrap();
            for (place, &value) in x.as_slice::<i64>().unwrap().iter().enumerate() {
                let (row, column) = (place % rows, place / rows);
                assert_eq!(value == 1, column as i64 - row as i64 == k);
                assert!(value == 0 || value == 1);
            }
        }
    }
}

#[test]
fn arange_counts_exactly() {
    assert_eq!(values::<i64>(arange(Int(0), Int(5), Int(2), DType::I64)), [0, 2, 4]);
    assert_eq!(values::<i32>(arange(Int(5), Int(0), Int(-2), DType::I32)), [5, 3, 1]);
    assert_eq!(values::<i64>(arange(Int(0), Int(-5), Int(1), DType::I64)), []);
    assert_eq!(values::<f64>(arange(Float(0.0), Float(1.0), Float(0.25), DType::F64)), [0.0, 0.25, 0.5, 0.75]);
    assert_eq!(values::<f32>(arange(Int(1), Int(3), Bool(true), DType::F32)), [1.0, 2.0]);
    assert_eq!(
        values::<C128>(arange(Float(0.5), Int(2), Int(1), DType::C128)),
        [C128::new(0.5, 0.0), C128::new(1.5, 0.0)]
    );
    let rim = arange(Int(i64::MAX - 2), Int(i64::MAX), Int(1), DType::I64);
    assert_eq!(values::<i64>(rim), [i64::MAX - 2, i64::MAX - 1]);
    assert_eq!(values::<i64>(arange(Int(i64::MIN), Int(i64::MAX), Int(i64::MAX), DType::I64)).len(), 3);
    assert_eq!(values::<f64>(arange(Float(3.0), Float(1.0), Float(1.0), DType::F64)).len(), 0);
}

#[test]
fn arange_refuses_what_makes_no_sense() {
    for (start, stop, step, argument) in [
        (Int(0), Int(5), Int(0), "step"),
        (Int(0), Float(5.0), Float(0.0), "step"),
        (Int(0), Float(f64::NAN), Int(1), "stop"),
        (Float(f64::INFINITY), Int(1), Int(1), "start"),
        (Int(0), Complex(C128::new(1.0, 1.0)), Int(1), "stop"),
    ] {
        let error = arange(start, stop, step, DType::F64).unwrap_err();
        assert_eq!((error.op(), error.fields()), ("arange", &[("argument", argument.into())][..]));
    }
    assert_eq!(variant(arange(Int(0), Int(5), Int(1), DType::Bool)), Variant::UnsupportedDType);
    assert_eq!(variant(arange(Int(0), Int(1 << 40), Int(1 << 39), DType::I32)), Variant::IntegerOverflow);
    assert_eq!(variant(arange(Float(0.0), Float(1e300), Float(1e-300), DType::F64)), Variant::IntegerOverflow);
    assert_eq!(variant(arange(Int(i64::MIN), Int(i64::MAX), Int(1), DType::I64)), Variant::IntegerOverflow);
}

#[test]
fn linspace_meets_both_ends() {
    assert_eq!(values::<f64>(linspace(Int(0), Int(1), 5, true, DType::F64)), [0.0, 0.25, 0.5, 0.75, 1.0]);
    assert_eq!(values::<f64>(linspace(Int(0), Int(1), 4, false, DType::F64)), [0.0, 0.25, 0.5, 0.75]);
    assert_eq!(values::<f64>(linspace(Float(3.0), Int(1), 1, true, DType::F64)), [3.0]);
    assert_eq!(values::<f64>(linspace(Float(3.0), Int(1), 0, true, DType::F64)), []);
    assert_eq!(*values::<f64>(linspace(Float(0.1), Float(0.7), 1001, true, DType::F64)).last().unwrap(), 0.7);
    assert_eq!(values::<i64>(linspace(Int(0), Int(5), 3, true, DType::I64)), [0, 2, 5]);
    let wide = values::<f64>(linspace(Float(-f64::MAX), Float(f64::MAX), 3, true, DType::F64));
    assert_eq!(wide, [-f64::MAX, 0.0, f64::MAX]);
    let z = values::<C128>(linspace(Int(0), Complex(C128::new(1.0, 2.0)), 3, true, DType::C128));
    assert_eq!(z[1..], [C128::new(0.5, 1.0), C128::new(1.0, 2.0)]);
    let error = linspace(Float(0.0), Float(1e300), 2, true, DType::I64).unwrap_err();
    assert_eq!((error.variant(), error.op()), (Variant::InvalidArgument, "linspace"));
}

#[test]
fn iota_counts_in_column_major_order() {
    assert_eq!(values::<i64>(iota(&[2, 3])), [0, 1, 2, 3, 4, 5]);
    assert_eq!(values::<i64>(iota(&[])), [0]);
}

#[test]
fn numbers_know_their_dtype() {
    let numbers = [Bool(true), Int(1), Float(1.0), Complex(C128::new(1.0, 0.0))];
    assert_eq!(numbers.map(Number::dtype), [DType::Bool, DType::I64, DType::F64, DType::C128]);
    assert!(numbers.iter().all(|n| n.complex() == C128::new(1.0, 0.0)));
}
