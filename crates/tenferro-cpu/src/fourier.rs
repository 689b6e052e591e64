//! Discrete Fourier transforms along axes, by rustfft (complex) and realfft (real).
//!
//! Forward: X[k] = Σⱼ x[j]·exp(−2πi·jk/n); inverse: the other sign. Neither divides by n: `scale` multiplies the result.

use crate::{compact, threads};
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftNum, FftPlanner};
use std::cell::RefCell;
use std::sync::Arc;
use tenferro_tensor::{C64, C128, DType, Dims, Error, Result, Scalar, Tensor};

/// Elements per block of parallel work, at least.
const GRAIN: usize = 1 << 14;
/// Lines that are gathered together where they do not lie one behind the other: a cache line of them.
const LINES: usize = 8;
/// A thread's planner starts anew after so many lengths, so that its tables do not grow for ever.
const MOST_PLANS: usize = 64;

/// One planner per thread and precision: no lock that a forked child could find locked.
struct Planner<T: FftNum> {
    complex: FftPlanner<T>,
    real: RealFftPlanner<T>,
    seen: Vec<usize>,
}

impl<T: FftNum> Planner<T> {
    fn new() -> Planner<T> {
        Planner { complex: FftPlanner::new(), real: RealFftPlanner::new(), seen: Vec::new() }
    }

    fn note(&mut self, n: usize) {
        if self.seen.contains(&n) {
            return;
        }
        if self.seen.len() == MOST_PLANS {
            *self = Planner::new();
        }
        self.seen.push(n);
    }
}

/// Single or double precision.
trait Real: FftNum + Scalar {
    type Complex: Scalar;

    fn with_planner<R>(use_it: impl FnOnce(&mut Planner<Self>) -> R) -> R;
    fn of(x: f64) -> Self;
}

type Complex<T> = rustfft::num_complex::Complex<T>;

macro_rules! precision {
    ($real:ty, $complex:ty, $cell:ident) => {
        thread_local! {
            static $cell: RefCell<Planner<$real>> = RefCell::new(Planner::new());
        }

        impl Real for $real {
            type Complex = $complex;

            fn with_planner<R>(use_it: impl FnOnce(&mut Planner<$real>) -> R) -> R {
                $cell.with_borrow_mut(use_it)
            }

            fn of(x: f64) -> $real {
                x as $real
            }
        }
    };
}

precision!(f32, C64, SINGLE);
precision!(f64, C128, DOUBLE);

/// A pointer that threads share; they write disjoint elements.
struct Shared<T>(*mut T);

// SAFETY: whoever writes through it writes lines that belong to its block alone.
unsafe impl<T> Sync for Shared<T> {}

/// The lines of one axis of a compact tensor: line `(inner, outer)` starts at inner + outer·n·stride.
#[derive(Clone, Copy)]
struct Lines {
    stride: usize,
    count: usize,
}

impl Lines {
    fn of(shape: &[usize], axis: usize) -> Lines {
        let stride = shape[..axis].iter().product();
        Lines { stride, count: stride * shape[axis + 1..].iter().product::<usize>() }
    }

    /// Where line `at` starts, for lines of `n` elements.
    fn start(self, at: usize, n: usize) -> usize {
        at % self.stride + at / self.stride * self.stride * n
    }
}

fn grain(n: usize) -> usize {
    (GRAIN / n.max(1)).max(1).next_multiple_of(LINES)
}

/// Runs `work` on groups of neighbouring lines: the first one and how many.
fn for_each_group(op: &'static str, count: usize, n: usize, work: impl Fn(usize, usize) + Sync) -> Result<()> {
    threads::try_for_each_block(op, count, grain(n), |range| {
        let mut at = range.start;
        while at < range.end {
            let many = LINES.min(range.end - at);
            work(at, many);
            at += many;
        }
    })
}

/// Transforms a compact buffer in place along one axis.
///
/// # Safety
/// `data` holds the elements of a compact tensor of this shape, and nobody else uses them.
unsafe fn in_place<T: Real>(
    op: &'static str,
    data: *mut Complex<T>,
    shape: &[usize],
    axis: usize,
    inverse: bool,
    scale: f64,
) -> Result<()> {
    let n = shape[axis];
    let plan: Arc<dyn Fft<T>> = T::with_planner(|p| {
        p.note(n);
        if inverse { p.complex.plan_fft_inverse(n) } else { p.complex.plan_fft_forward(n) }
    });
    let lines = Lines::of(shape, axis);
    let factor = T::of(scale);
    let data = Shared(data);
    let data = &data;
    for_each_group(op, lines.count, n, |first, many| {
        let zero = Complex::new(T::zero(), T::zero());
        let mut scratch = vec![zero; plan.get_inplace_scratch_len()];
        let mut group = vec![zero; n * many];
        // Element j of all lines of the group before element j + 1: neighbours in memory are read together.
        for j in 0..n {
            for line in 0..many {
                // SAFETY: inside the tensor; this block alone works on its lines.
                group[line * n + j] = unsafe { *data.0.add(lines.start(first + line, n) + j * lines.stride) };
            }
        }
        plan.process_with_scratch(&mut group, &mut scratch);
        for j in 0..n {
            for line in 0..many {
                let value = group[line * n + j] * factor;
                // SAFETY: as above.
                unsafe { *data.0.add(lines.start(first + line, n) + j * lines.stride) = value };
            }
        }
    })
}

fn complex_transform<T: Real>(x: &Tensor, axes: &[usize], inverse: bool, scale: f64) -> Result<Tensor> {
    let op = "fft";
    let source = compact(x)?;
    // SAFETY: every element is copied before the transforms read it; complex numbers of both crates are two reals.
    unsafe {
        Tensor::build(op, x.shape(), |out: *mut T::Complex, count| {
            std::ptr::copy_nonoverlapping(source.as_ptr::<T::Complex>(), out, count);
            let data = out.cast::<Complex<T>>();
            for (i, &axis) in axes.iter().enumerate().filter(|_| count > 0) {
                in_place::<T>(op, data, source.shape(), axis, inverse, if i == 0 { scale } else { 1.0 })?;
            }
            Ok(())
        })
    }
}

/// The complex transform along `axes`, times `scale`. Extents of the axes are at least 1.
pub fn fft(x: &Tensor, axes: &[usize], inverse: bool, scale: f64) -> Result<Tensor> {
    if axes.is_empty() {
        return Ok(x.clone());
    }
    match x.dtype() {
        DType::C64 => complex_transform::<f32>(x, axes, inverse, scale),
        DType::C128 => complex_transform::<f64>(x, axes, inverse, scale),
        other => Err(Error::unsupported_dtype("fft", other, "complex64 or complex128")),
    }
}

fn forward_real<T: Real>(x: &Tensor, axis: usize, scale: f64) -> Result<Tensor> {
    let op = "rfft";
    let source = compact(x)?;
    let n = x.shape()[axis];
    let half = n / 2 + 1;
    let mut shape = Dims::from_slice(x.shape());
    shape[axis] = half;
    let plan: Arc<dyn RealToComplex<T>> = T::with_planner(|p| {
        p.note(n);
        p.real.plan_fft_forward(n)
    });
    let lines = Lines::of(x.shape(), axis);
    let factor = T::of(scale);
    let from = Shared(source.as_ptr::<T>().cast_mut());
    let from = &from;
    // SAFETY: every line of the result is written.
    unsafe {
        Tensor::build(op, &shape, |out: *mut T::Complex, _| {
            let to = Shared(out.cast::<Complex<T>>());
            let to = &to;
            for_each_group(op, lines.count, n, |first, many| {
                let zero = Complex::new(T::zero(), T::zero());
                let mut scratch = vec![zero; plan.get_scratch_len()];
                let (mut input, mut output) = (vec![T::zero(); n * many], vec![zero; half * many]);
                for j in 0..n {
                    for line in 0..many {
                        input[line * n + j] = *from.0.add(lines.start(first + line, n) + j * lines.stride);
                    }
                }
                for (line, spectrum) in input.chunks_exact_mut(n).zip(output.chunks_exact_mut(half)) {
                    let done = plan.process_with_scratch(line, spectrum, &mut scratch);
                    debug_assert!(done.is_ok(), "the lengths are the plan's");
                }
                for j in 0..half {
                    for line in 0..many {
                        let value = output[line * half + j] * factor;
                        to.0.add(lines.start(first + line, half) + j * lines.stride).write(value);
                    }
                }
            })
        })
    }
}

/// The first n/2 + 1 elements of the forward transform of a real tensor along an axis of extent n ≥ 1, times `scale`.
pub fn rfft(x: &Tensor, axis: usize, scale: f64) -> Result<Tensor> {
    match x.dtype() {
        DType::F32 => forward_real::<f32>(x, axis, scale),
        DType::F64 => forward_real::<f64>(x, axis, scale),
        other => Err(Error::unsupported_dtype("rfft", other, "float32 or float64")),
    }
}

fn inverse_real<T: Real>(x: &Tensor, axis: usize, n: usize, scale: f64) -> Result<Tensor> {
    let op = "irfft";
    let source = compact(x)?;
    let half = n / 2 + 1;
    let mut shape = Dims::from_slice(x.shape());
    shape[axis] = n;
    let plan: Arc<dyn ComplexToReal<T>> = T::with_planner(|p| {
        p.note(n);
        p.real.plan_fft_inverse(n)
    });
    let lines = Lines::of(x.shape(), axis);
    let factor = T::of(scale);
    let from = Shared(source.as_ptr::<T::Complex>().cast_mut().cast::<Complex<T>>());
    let from = &from;
    // SAFETY: every line of the result is written.
    unsafe {
        Tensor::build(op, &shape, |out: *mut T, _| {
            let to = Shared(out);
            let to = &to;
            for_each_group(op, lines.count, n, |first, many| {
                let zero = Complex::new(T::zero(), T::zero());
                let mut scratch = vec![zero; plan.get_scratch_len()];
                let (mut input, mut output) = (vec![zero; half * many], vec![T::zero(); n * many]);
                for j in 0..half {
                    for line in 0..many {
                        input[line * half + j] = *from.0.add(lines.start(first + line, half) + j * lines.stride);
                    }
                }
                for (spectrum, line) in input.chunks_exact_mut(half).zip(output.chunks_exact_mut(n)) {
                    // Of a Hermitian spectrum these are real; other imaginary parts have no place in a real result.
                    spectrum[0].im = T::zero();
                    if n.is_multiple_of(2) {
                        spectrum[half - 1].im = T::zero();
                    }
                    let done = plan.process_with_scratch(spectrum, line, &mut scratch);
                    debug_assert!(done.is_ok(), "the lengths are the plan's");
                }
                for j in 0..n {
                    for line in 0..many {
                        let value = output[line * n + j] * factor;
                        to.0.add(lines.start(first + line, n) + j * lines.stride).write(value);
                    }
                }
            })
        })
    }
}

/// The real tensor of extent `n` ≥ 1 along `axis` whose inverse spectrum begins with `x`, which has n/2 + 1 elements there:
/// Σₖ X[k]·exp(+2πi·jk/n) over the spectrum continued to a Hermitian one, times `scale`.
pub fn irfft(x: &Tensor, axis: usize, n: usize, scale: f64) -> Result<Tensor> {
    match x.dtype() {
        DType::C64 => inverse_real::<f32>(x, axis, n, scale),
        DType::C128 => inverse_real::<f64>(x, axis, n, scale),
        other => Err(Error::unsupported_dtype("irfft", other, "complex64 or complex128")),
    }
}

#[cfg(test)]
mod tests;
