use super::*;
use crate::math::{analytic, narrow};
use crate::test_support::Noise;

fn filled<F: Lanes>(x: &[F::In], fill: impl Fn(&[F::In], &mut [MaybeUninit<F::Out>])) -> Vec<F::Out> {
    let mut out = vec![MaybeUninit::uninit(); x.len()];
    fill(x, &mut out);
    // SAFETY: all elements were written.
    out.iter().map(|y| unsafe { y.assume_init() }).collect()
}

/// Numbers of all sizes and signs, special ones among them.
fn numbers(n: usize) -> Vec<f64> {
    let mut noise = Noise(1);
    let special = [0.0, -0.0, 1.0, -1.0, 709.9, -745.2, 1e-310, 1e200, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let ordinary = |noise: &mut Noise| noise.real() * 10f64.powi(noise.below(24) as i32 - 20 + noise.below(8) as i32);
    (0..n).map(|i| if i % 11 == 3 { special[noise.below(11)] } else { ordinary(&mut noise) }).collect()
}

fn complex_numbers(n: usize) -> Vec<C128> {
    let (re, mut im) = (numbers(n), numbers(n + 5));
    im.rotate_left(5);
    re.into_iter().zip(im).map(|(x, y)| C128::new(x, y)).collect()
}

macro_rules! for_each_function {
    ($test:ident) => {
        $test!(Exp, Expm1, Log, Log1p, Sqrt, Rsqrt, Sin, Cos, Tanh)
    };
}

#[test]
fn every_width_and_position_gives_the_same_bits() {
    fn check<F: Lanes>(x: &[F::In], bits: impl Fn(&F::Out) -> [u64; 2]) {
        let bits = |y: Vec<F::Out>| y.iter().map(&bits).collect::<Vec<_>>();
        let expected = bits(filled::<F>(x, fill::<F>));
        assert_eq!(bits(filled::<F>(x, run::<F>)), expected);
        for start in [1, 3, 60] {
            assert_eq!(bits(filled::<F>(&x[start..], fill::<F>)), expected[start..]);
        }
        for (i, one) in x.chunks(1).enumerate() {
            assert_eq!(bits(filled::<F>(one, fill::<F>))[0], expected[i]);
        }
    }
    let real = |y: &f64| [if y.is_nan() { 0 } else { y.to_bits() }, 0];
    let (x, z) = (numbers(200), complex_numbers(200));
    let (short, thin) =
        (x.iter().map(|&x| x as f32).collect::<Vec<_>>(), z.iter().map(|&z| narrow(z)).collect::<Vec<_>>());
    macro_rules! check_all {
        ($($name:ident),*) => {$(
            check::<F64<$name>>(&x, real);
            check::<F32<$name>>(&short, |y| real(&f64::from(*y)));
            check::<Complex128<$name>>(&z, |w| [real(&w.re)[0], real(&w.im)[0]]);
            check::<Complex64<$name>>(&thin, |w| [real(&w.re.into())[0], real(&w.im.into())[0]]);
        )*};
    }
    for_each_function!(check_all);
}

#[test]
fn real_functions_are_close_to_the_standard_library() {
    let x = numbers(50_000);
    let ulps = |y: f64, expected: f64| (y.to_bits() as i64 - expected.to_bits() as i64).unsigned_abs();
    macro_rules! check_all {
        ($(($name:ident, $f:expr, $limit:literal)),*) => {$(
            for (&x, y) in x.iter().zip(filled::<F64<$name>>(&x, fill::<F64<$name>>)) {
                let expected: f64 = $f(x);
                assert!(y.is_nan() && expected.is_nan() || ulps(y, expected) <= $limit, "{x}: {y} {expected}");
            }
        )*};
    }
    check_all!(
        (Exp, f64::exp, 2),
        (Expm1, f64::exp_m1, 3),
        (Log, f64::ln, 2),
        (Log1p, f64::ln_1p, 3),
        (Sqrt, f64::sqrt, 0),
        (Rsqrt, |x: f64| 1.0 / x.sqrt(), 2),
        (Sin, f64::sin, 2),
        (Cos, f64::cos, 2),
        (Tanh, f64::tanh, 3)
    );
}

#[test]
fn complex_functions_agree_with_the_scalar_ones() {
    let z = complex_numbers(20_000);
    let same = |x: f64, y: f64| x == y || x.is_nan() && y.is_nan();
    macro_rules! check_all {
        ($(($name:ident, $f:path)),*) => {$(
            for (&z, w) in z.iter().zip(filled::<Complex128<$name>>(&z, fill::<Complex128<$name>>)) {
                let expected = $f(z);
                let close = (w - expected).norm() <= 8.0 * f64::EPSILON * expected.norm() + 1e-322;
                assert!(close || same(w.re, expected.re) && same(w.im, expected.im), "{z}: {w} {expected}");
            }
        )*};
    }
    check_all!(
        (Exp, analytic::exp),
        (Expm1, analytic::expm1),
        (Log, analytic::log),
        (Log1p, analytic::log1p),
        (Sqrt, analytic::sqrt),
        (Rsqrt, analytic::rsqrt),
        (Sin, analytic::sin),
        (Cos, analytic::cos),
        (Tanh, analytic::tanh)
    );
}
