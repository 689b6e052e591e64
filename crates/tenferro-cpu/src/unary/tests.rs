use super::*;
use crate::test_support::{Noise, element_bytes, indices, layouts};
use tenferro_tensor::{Scalar, Variant};

fn vector<T: Scalar>(data: &[T]) -> Tensor {
    Tensor::from_slice("test", &[data.len()], data).unwrap()
}

fn apply_to<A: Scalar, R: Scalar>(op: UnaryOp, data: &[A]) -> Vec<R> {
    unary(op, &vector(data)).unwrap().as_slice::<R>().unwrap().to_vec()
}

#[test]
fn every_op_does_what_its_output_rule_says() {
    let mut noise = Noise(1);
    for &op in UnaryOp::ALL {
        for &dtype in DType::ALL {
            for shape in [&[][..], &[3], &[2, 0]] {
                let result = unary(op, &noise.tensor(dtype, shape));
                match (unary_output(op, dtype), result) {
                    (Some(out), Ok(y)) => assert_eq!((y.dtype(), y.shape()), (out, shape), "{op:?}"),
                    (None, Err(e)) => assert_eq!((e.variant(), e.op()), (Variant::UnsupportedDType, op.name())),
                    (rule, result) => panic!("{op:?} {dtype}: {rule:?} but {result:?}"),
                }
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_the_layout_or_the_neighbours() {
    let mut noise = Noise(2);
    for &op in UnaryOp::ALL {
        for &dtype in DType::ALL.iter().filter(|&&dtype| unary_output(op, dtype).is_some()) {
            for shape in [&[][..], &[0], &[17, 1], &[16, 5, 3], &[2, 2, 2, 2, 2, 2, 2]] {
                let x = noise.tensor(dtype, shape);
                let expected = element_bytes(&unary(op, &x).unwrap());
                for view in layouts(&x) {
                    let y = unary(op, &view).unwrap();
                    assert!(y.is_compact());
                    assert_eq!(element_bytes(&y), expected, "{op:?} {dtype} {:?}", view.layout());
                }
            }
            let x = noise.tensor(dtype, &[300]);
            let together = element_bytes(&unary(op, &x).unwrap());
            for index in indices(&[300]) {
                let one = x.with_layout(x.layout().sliced(&[(index[0], 1, 1)]));
                assert_eq!(element_bytes(&unary(op, &one).unwrap())[0], together[index[0]], "{op:?} {dtype}");
            }
        }
    }
}

#[test]
fn integers_wrap() {
    let n = [i32::MIN, -7, 0, 5, i32::MAX];
    assert_eq!(apply_to::<_, i32>(UnaryOp::Neg, &n), [i32::MIN, 7, 0, -5, -i32::MAX]);
    assert_eq!(apply_to::<_, i32>(UnaryOp::Abs, &n), [i32::MIN, 7, 0, 5, i32::MAX]);
    assert_eq!(apply_to::<_, i32>(UnaryOp::Sign, &n), [-1, -1, 0, 1, 1]);
    assert_eq!(apply_to::<_, i32>(UnaryOp::Not, &n), [i32::MAX, 6, -1, -6, i32::MIN]);
    assert_eq!(apply_to::<_, i64>(UnaryOp::Square, &[3i64, i64::MAX]), [9, 1]);
    assert_eq!(apply_to::<_, i32>(UnaryOp::Imag, &n), [0; 5]);
    assert_eq!(apply_to::<_, bool>(UnaryOp::Not, &[true, false]), [false, true]);
}

#[test]
fn rounding_goes_to_even() {
    let x = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.6];
    assert_eq!(apply_to::<_, f64>(UnaryOp::Round, &x), [-2.0, -2.0, -0.0, 0.0, 2.0, 2.0, 3.0]);
    assert_eq!(apply_to::<_, f64>(UnaryOp::Floor, &x), [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 2.0]);
    assert_eq!(apply_to::<_, f64>(UnaryOp::Ceil, &x), [-2.0, -1.0, -0.0, 1.0, 2.0, 3.0, 3.0]);
    assert_eq!(apply_to::<_, f64>(UnaryOp::Trunc, &x), [-2.0, -1.0, -0.0, 0.0, 1.0, 2.0, 2.0]);
    let z = [C128::new(0.5, -1.5)];
    assert_eq!(apply_to::<_, C128>(UnaryOp::Round, &z), [C128::new(0.0, -2.0)]);
}

#[test]
fn complex_parts_and_tests() {
    let z = [C64::new(3.0, -4.0), C64::new(f32::NAN, 1.0), C64::new(0.0, f32::INFINITY)];
    assert_eq!(apply_to::<_, f32>(UnaryOp::Abs, &z[..1]), [5.0]);
    assert_eq!(apply_to::<_, f32>(UnaryOp::Real, &z[..1]), [3.0]);
    assert_eq!(apply_to::<_, f32>(UnaryOp::Imag, &z[..1]), [-4.0]);
    assert_eq!(apply_to::<_, C64>(UnaryOp::Conj, &z[..1]), [C64::new(3.0, 4.0)]);
    assert_eq!(apply_to::<_, C64>(UnaryOp::Square, &z[..1]), [C64::new(-7.0, -24.0)]);
    assert_eq!(apply_to::<_, bool>(UnaryOp::Isnan, &z), [false, true, false]);
    assert_eq!(apply_to::<_, bool>(UnaryOp::Isinf, &z), [false, false, true]);
    assert_eq!(apply_to::<_, bool>(UnaryOp::Isfinite, &z), [true, false, false]);
    assert_eq!(apply_to::<_, bool>(UnaryOp::Isfinite, &[1i32]), [true]);
}

/// Names the functions of the standard library that the real analytic ops stand for.
const REAL: [(UnaryOp, fn(f64) -> f64); 11] = [
    (UnaryOp::Exp, f64::exp),
    (UnaryOp::Expm1, f64::exp_m1),
    (UnaryOp::Log, f64::ln),
    (UnaryOp::Log1p, f64::ln_1p),
    (UnaryOp::Sqrt, f64::sqrt),
    (UnaryOp::Rsqrt, |x| 1.0 / x.sqrt()),
    (UnaryOp::Sin, f64::sin),
    (UnaryOp::Cos, f64::cos),
    (UnaryOp::Tanh, f64::tanh),
    (UnaryOp::Sign, |x| if x == 0.0 || x.is_nan() { x } else { x.signum() }),
    (UnaryOp::Reciprocal, |x| 1.0 / x),
];

/// Arguments of every size and sign, with the rims and the special values.
fn arguments() -> Vec<f64> {
    let mut noise = Noise(3);
    let mut all: Vec<f64> = (0..40_000).map(|i| noise.real() * 10f64.powi(i % 40 - 25)).collect();
    for x in
        [0.0, 1.0, 0.5, 709.7, 709.8, 745.1, 745.2, 1e308, 5e-324, 1e-310, 1e22, 22.0, 44.0, f64::INFINITY, f64::NAN]
    {
        all.extend([x, -x, 1.0 + x * 1e-10, 1.0 - x * 1e-10]);
    }
    all
}

#[test]
fn real_functions_agree_with_the_standard_library() {
    for (op, f) in REAL {
        let x = arguments();
        for (&x, y) in x.iter().zip(apply_to::<f64, f64>(op, &x)) {
            let expected = f(x);
            let close = (y - expected).abs() <= 2.0 * f64::EPSILON * expected.abs() + 5e-324;
            let equal = y.to_bits() == expected.to_bits() || y.is_nan() && expected.is_nan();
            let zero = expected == 0.0 || y == 0.0;
            assert!(
                equal || close && (!zero || y.is_sign_negative() == x.is_sign_negative()),
                "{op:?} {x}: {y} {expected}"
            );
        }
        let single: Vec<f32> = arguments().iter().map(|&x| x as f32).collect();
        for (&x, y) in single.iter().zip(apply_to::<f32, f32>(op, &single)) {
            let expected = f(x.into()) as f32;
            let close = (y - expected).abs() <= 2.0 * f32::EPSILON * expected.abs() + 1e-45;
            assert!(y == expected || close || y.is_nan() && expected.is_nan(), "{op:?} {x}: {y} {expected}");
        }
    }
}

#[test]
fn complex_functions_of_real_numbers_agree_with_the_real_ones() {
    let close = |z: C128, w: C128| (z - w).norm() <= 4.0 * f64::EPSILON * w.norm();
    for (op, f) in REAL {
        for x in [0.01, 0.3, 1.0, 2.5, 30.0] {
            let y = apply_to::<C128, C128>(op, &[C128::new(x, 0.0)])[0];
            assert!(close(y, C128::new(f(x), 0.0)), "{op:?} {x} {y}");
            let narrow = apply_to::<C64, C64>(op, &[C64::new(x as f32, 0.0)])[0];
            assert!(
                (math::widen(narrow) - y).norm() <= 1e-6 * x.max(1.0) * y.norm() + 1e-12,
                "{op:?} {x} {narrow} {y}"
            );
        }
    }
}
