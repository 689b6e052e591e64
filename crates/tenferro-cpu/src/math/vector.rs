//! Analytic functions of many numbers at once: straight-line code on short arrays, which the compiler turns into vector
//! instructions. Fused multiply-adds make the results the same bits on every processor and in every width.
//!
//! Arguments that the straight-line code does not cover (huge, subnormal, not finite) go one by one through the scalar
//! functions. Errors: at most 1 ulp for real numbers, 4 eps of the magnitude for complex ones.

mod complex;
mod real;

pub(crate) use complex::ComplexLanes;
pub(crate) use real::RealLanes;
use std::mem::MaybeUninit;
use tenferro_tensor::{C64, C128, Scalar};

/// Elements that are computed together.
const LANES: usize = 64;
/// Elements that are computed together at the end of an array.
const FEW: usize = 8;

/// A function from arrays to arrays of one length, element by element.
pub(crate) trait Lanes {
    type In: Scalar;
    type Out: Scalar;

    fn eval<const N: usize>(x: &[Self::In; N]) -> [Self::Out; N];
}

/// The names of the functions.
pub(crate) struct Exp;
pub(crate) struct Expm1;
pub(crate) struct Log;
pub(crate) struct Log1p;
pub(crate) struct Sqrt;
pub(crate) struct Rsqrt;
pub(crate) struct Sin;
pub(crate) struct Cos;
pub(crate) struct Tan;
pub(crate) struct Sinh;
pub(crate) struct Cosh;
pub(crate) struct Tanh;

/// `F` of the four inexact dtypes; the narrow ones go through the wide ones and round once.
pub(crate) struct F32<F>(F);
pub(crate) struct F64<F>(F);
pub(crate) struct Complex64<F>(F);
pub(crate) struct Complex128<F>(F);

macro_rules! lanes {
    ($($name:ident: $ty:ty, $through:ident::$f:ident($widen:expr, $narrow:expr);)*) => {$(
        impl<F: $through> Lanes for $name<F> {
            type In = $ty;
            type Out = $ty;

            #[inline(always)]
            fn eval<const N: usize>(x: &[$ty; N]) -> [$ty; N] {
                F::$f(&x.map($widen)).map($narrow)
            }
        }
    )*};
}
lanes! {
    F32: f32, RealLanes::real(f64::from, |y| y as f32);
    F64: f64, RealLanes::real(|x| x, |y| y);
    Complex64: C64, ComplexLanes::complex(super::widen, super::narrow);
    Complex128: C128, ComplexLanes::complex(|z| z, |w| w);
}

/// `F` of every element of `x`, into `out`.
pub(crate) fn fill<F: Lanes>(x: &[F::In], out: &mut [MaybeUninit<F::Out>]) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
        fn widest<F: Lanes>(x: &[F::In], out: &mut [MaybeUninit<F::Out>]) {
            run::<F>(x, out);
        }
        #[target_feature(enable = "avx2,fma")]
        fn wide<F: Lanes>(x: &[F::In], out: &mut [MaybeUninit<F::Out>]) {
            run::<F>(x, out);
        }
        use std::is_x86_feature_detected as has;
        if has!("avx512f") && has!("avx512dq") && has!("avx512vl") && has!("avx512bw") {
            // SAFETY: the processor has the features; those with AVX-512 have AVX2 and FMA too.
            return unsafe { widest::<F>(x, out) };
        }
        if has!("avx2") && has!("fma") {
            // SAFETY: the processor has the features.
            return unsafe { wide::<F>(x, out) };
        }
    }
    run::<F>(x, out);
}

#[inline(always)]
fn run<F: Lanes>(x: &[F::In], out: &mut [MaybeUninit<F::Out>]) {
    let (chunks, rest) = x.as_chunks::<LANES>();
    let (places, last) = out.as_chunks_mut::<LANES>();
    for (chunk, place) in chunks.iter().zip(places) {
        *place = F::eval(chunk).map(MaybeUninit::new);
    }
    for (few, place) in rest.chunks(FEW).zip(last.chunks_mut(FEW)) {
        let mut padded = [few[0]; FEW];
        padded[..few.len()].copy_from_slice(few);
        for (slot, value) in place.iter_mut().zip(F::eval(&padded)) {
            slot.write(value);
        }
    }
}

#[cfg(test)]
mod tests;
