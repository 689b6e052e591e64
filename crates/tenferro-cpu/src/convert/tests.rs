use super::*;
use crate::test_support::{Noise, element_bytes, layouts};
use tenferro_tensor::Variant;

fn vector<T: Scalar>(data: &[T]) -> Tensor {
    Tensor::from_slice("test", &[data.len()], data).unwrap()
}

fn cast_to<A: Scalar, R: Scalar>(data: &[A]) -> Vec<R> {
    cast(&vector(data), R::DTYPE).unwrap().as_slice::<R>().unwrap().to_vec()
}

#[test]
fn every_pair_of_dtypes_in_every_layout() {
    let mut noise = Noise(1);
    for &from in DType::ALL {
        for &to in DType::ALL {
            let x = noise.tensor(from, &[5, 7]);
            let expected = cast(&x, to).unwrap();
            assert_eq!((expected.dtype(), expected.shape()), (to, x.shape()));
            for view in layouts(&x) {
                assert_eq!(element_bytes(&cast(&view, to).unwrap()), element_bytes(&expected));
            }
            assert_eq!(cast(&noise.tensor(from, &[0, 2]), to).unwrap().shape(), [0, 2]);
        }
    }
}

#[test]
fn what_is_lost() {
    assert_eq!(cast_to::<f64, i32>(&[1.9, -1.9, 2147483647.9, -2147483648.9]), [1, -1, i32::MAX, i32::MIN]);
    assert_eq!(cast_to::<f64, i64>(&[-9223372036854775808.0, 9.2e18]), [i64::MIN, 9_200_000_000_000_000_000]);
    assert_eq!(cast_to::<i64, i32>(&[1 << 32 | 5, -1]), [5, -1]);
    assert_eq!(cast_to::<i64, f32>(&[16777217]), [16777216.0]);
    assert_eq!(cast_to::<f64, f32>(&[1e300, 0.1]), [f32::INFINITY, 0.1]);
    assert_eq!(cast_to::<C128, f64>(&[C128::new(1.5, 7.0)]), [1.5]);
    assert_eq!(cast_to::<C128, i32>(&[C128::new(-1.5, f64::NAN)]), [-1]);
    assert_eq!(cast_to::<C64, C128>(&[C64::new(0.5, -2.0)]), [C128::new(0.5, -2.0)]);
    assert_eq!(cast_to::<f32, C128>(&[0.5]), [C128::new(0.5, 0.0)]);
    assert_eq!(cast_to::<f64, bool>(&[0.0, -0.0, f64::NAN, 1e-300]), [false, false, true, true]);
    assert_eq!(cast_to::<C64, bool>(&[C64::new(0.0, 1.0), C64::new(0.0, 0.0)]), [true, false]);
    assert_eq!(cast_to::<bool, C64>(&[true, false]), [C64::new(1.0, 0.0), C64::new(0.0, 0.0)]);
    assert_eq!(cast_to::<bool, i64>(&[true, false]), [1, 0]);
}

#[test]
fn floats_that_no_integer_equals_are_errors() {
    let bad = [f64::NAN, f64::INFINITY, 2147483648.0, -2147483649.0];
    for value in bad {
        for x in [vector(&[0.0, value]), cast(&vector(&[value]), DType::C128).unwrap()] {
            let error = cast(&x, DType::I32).unwrap_err();
            assert_eq!((error.variant(), error.op()), (Variant::InvalidArgument, "cast"));
            assert_eq!(error.fields(), [("argument", "value".into())]);
        }
    }
    assert!(cast(&vector(&[9223372036854775808.0]), DType::I64).is_err());
    assert!(cast(&vector(&[-9.3e18f32]), DType::I64).is_err());
    assert!(cast(&vector(&[2147483648.0f32]), DType::I32).is_err());
}

#[test]
fn parts_make_a_complex_number() {
    let z = complex_from_parts(&vector(&[1.0, 2.0]), &Tensor::scalar(3.0).unwrap()).unwrap();
    assert_eq!(z.as_slice::<C128>().unwrap(), [C128::new(1.0, 3.0), C128::new(2.0, 3.0)]);
    let z = complex_from_parts(&vector(&[1f32]), &vector(&[-0f32])).unwrap();
    assert!(z.as_slice::<C64>().unwrap()[0].im.is_sign_negative());
    assert_eq!(complex_from_parts(&vector(&[1f32]), &vector(&[1f64])).unwrap_err().variant(), Variant::DTypeMismatch);
    assert_eq!(complex_from_parts(&vector(&[1]), &vector(&[1])).unwrap_err().variant(), Variant::UnsupportedDType);
}
