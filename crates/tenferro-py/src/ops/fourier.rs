//! Discrete Fourier transforms, with NumPy's names and conventions: X[k] = Σⱼ x[j]·exp(−2πi·jk/n). The functions are those
//! of the module `tenferro.fft`.

use crate::args::{AxesArg, count, normalize};
use tenferro_ad::ops::compose::Build;

use tenferro_ad::ops::{Fft, Interp, Pad, PadDims, RealFft, RealInverseFft, numeric, structure};
use tenferro_ad::{Eager, Var};
use tenferro_cpu::{Number, arange};
use tenferro_tensor::{DType, Dims, Error, Result};

/// A direction with its factor per axis.
#[derive(Clone, Copy)]
struct Direction {
    op: &'static str,
    inverse: bool,
    norm: Norm,
}

#[derive(Clone, Copy, PartialEq)]
enum Norm {
    Backward,
    Ortho,
    Forward,
}

impl Direction {
    fn new(op: &'static str, inverse: bool, norm: Option<&str>) -> Result<Direction> {
        let norm = match norm {
            None | Some("backward") => Norm::Backward,
            Some("ortho") => Norm::Ortho,
            Some("forward") => Norm::Forward,
            Some(other) => {
                let message = format!("expected 'backward', 'ortho' or 'forward', got '{other}'");
                return Err(Error::argument(op, "norm", message));
            }
        };
        Ok(Direction { op, inverse, norm })
    }

    /// The factor of a transform of `n` elements.
    fn scale(self, n: usize) -> f64 {
        match (self.norm, self.inverse) {
            (Norm::Ortho, _) => (n as f64).sqrt().recip(),
            (Norm::Backward, true) | (Norm::Forward, false) => (n as f64).recip(),
            _ => 1.0,
        }
    }
}

/// How many elements to transform: at least one.
fn length(op: &'static str, argument: &str, n: i64) -> Result<usize> {
    match count(op, argument, n)? {
        0 => Err(Error::argument(op, argument, "expected at least 1 element, got 0")),
        n => Ok(n),
    }
}

/// Cropped or padded with zeros to `n` elements along an axis.
fn resized(cx: &mut Eager, x: &Var, axis: usize, n: usize) -> Result<Var> {
    let extent = x.value.shape()[axis];
    if n <= extent {
        return if n == extent { Ok(x.clone()) } else { cx.slice_axis(x, axis, 0, n) };
    }
    let rank = x.value.rank();
    let mut high = vec![0; rank];
    high[axis] = (n - extent) as i64;
    let dims = PadDims { low: vec![0; rank], high, interior: vec![0; rank] };
    cx.bind(Pad(Box::new(dims)).into(), &[x])
}

/// The axes to transform and their lengths, by NumPy's rules: `s` without axes means the last ones.
fn plan(op: &'static str, x: &Var, s: Option<&AxesArg>, axes: Option<&AxesArg>) -> Result<Vec<(usize, Option<usize>)>> {
    let rank = x.value.rank();
    let axes: Dims = match (axes, s) {
        (Some(axes), _) => axes.resolve(op, rank)?,
        (None, Some(s)) if s.raw().len() > rank => return Err(Error::rank(op, "argument 's'", rank, s.raw().len())),
        (None, Some(s)) => (rank - s.raw().len()..rank).collect(),
        (None, None) => (0..rank).collect(),
    };
    let Some(s) = s else { return Ok(axes.iter().map(|&axis| (axis, None)).collect()) };
    if s.raw().len() != axes.len() {
        let message = format!("expected one length per axis ({}), got {}", axes.len(), s.raw().len());
        return Err(Error::argument(op, "s", message));
    }
    // As in NumPy, −1 stands for the extent.
    let length = |&n: &i64| if n == -1 { Ok(None) } else { length(op, "s", n).map(Some) };
    axes.iter().zip(s.raw()).map(|(&axis, n)| Ok((axis, length(n)?))).collect()
}

fn nonempty(op: &'static str, x: &Var, axis: usize) -> Result<usize> {
    match x.value.shape()[axis] {
        0 => Err(Error::argument(op, "x", format!("expected at least one element along axis {axis}, got none"))),
        n => Ok(n),
    }
}

/// The complex transform along several axes.
fn complex(cx: &mut Eager, x: &Var, axes: &[(usize, Option<usize>)], to: Direction) -> Result<Var> {
    let mut x = numeric::inexact(cx, x)?;
    let mut scale = 1.0;
    for &(axis, n) in axes {
        if let Some(n) = n {
            x = resized(cx, &x, axis, n)?;
        }
        scale *= to.scale(nonempty(to.op, &x, axis)?);
    }
    let dtype = x.value.dtype().complex();
    let x = cx.convert(&x, dtype)?;
    let axes = axes.iter().map(|&(axis, _)| axis).collect();
    cx.bind(Fft { axes, inverse: to.inverse, scale }.into(), &[&x])
}

/// Real to complex along the last of the axes, then complex along the others.
fn from_real(cx: &mut Eager, x: &Var, axes: &[(usize, Option<usize>)], to: Direction) -> Result<Var> {
    let Some((&(axis, n), others)) = axes.split_last() else {
        return Err(Error::argument(to.op, "axes", "expected at least one axis, got none"));
    };
    let mut x = numeric::inexact(cx, x)?;
    if let Some(n) = n {
        x = resized(cx, &x, axis, n)?;
    }
    let scale = to.scale(nonempty(to.op, &x, axis)?);
    let half = cx.bind(RealFft { axis, scale }.into(), &[&x]).map_err(|e| e.in_op(to.op))?;
    if others.is_empty() { Ok(half) } else { complex(cx, &half, others, to) }
}

/// Complex along all axes but the last, then complex to real along that.
fn to_real(cx: &mut Eager, x: &Var, axes: &[(usize, Option<usize>)], to: Direction) -> Result<Var> {
    let Some((&(axis, n), others)) = axes.split_last() else {
        return Err(Error::argument(to.op, "axes", "expected at least one axis, got none"));
    };
    let x = numeric::inexact(cx, x)?;
    let dtype = x.value.dtype().complex();
    let mut x = cx.convert(&x, dtype)?;
    let n = match n {
        Some(n) => n,
        None => match 2 * (nonempty(to.op, &x, axis)? - 1) {
            0 => {
                let message = "expected a length for a spectrum of one element, which stands for 0 or 1 values";
                return Err(Error::argument(to.op, "n", message));
            }
            n => n,
        },
    };
    if !others.is_empty() {
        x = complex(cx, &x, others, to)?;
    }
    let x = resized(cx, &x, axis, n / 2 + 1)?;
    cx.bind(RealInverseFft { axis, n, scale: to.scale(n) }.into(), &[&x])
}

fn one(op: &'static str, x: &Var, n: Option<i64>, axis: i64) -> Result<[(usize, Option<usize>); 1]> {
    Ok([(normalize(op, axis, x.value.rank())?, n.map(|n| length(op, "n", n)).transpose()?)])
}

macro_rules! along_one_axis {
    ($($(#[doc = $doc:literal])* $name:ident |$cx:ident, $op:ident, $x:ident, $axes:ident, $norm:ident| $body:expr;)*) => {
        $( tensor_op! { [$name] {
            $(#[doc = $doc])*
            (x) (n=None, axis=-1, norm=None) (n: Option<i64>, axis: i64, norm: Option<&str>)
        } |$cx, $op| {
            let ($axes, $x, $norm) = (&one($op, &x, n, axis)?, &x, norm);
            $body
        } } )*
    };
}

along_one_axis! {
    /// The discrete Fourier transform along `axis`, cropped or padded with zeros to `n` elements: Σⱼ x[j]·exp(−2πi·jk/n), times 1
    /// (`norm` "backward"), 1/√n ("ortho") or 1/n ("forward"). float32 and complex64 give complex64, all else complex128.
    ///
    /// Derivative: linear; reverse is the transform of the other direction. Raises `AxisOutOfBoundsError`, and
    /// `InvalidArgumentError` where there is no element.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.fft([1.0, 0.0, 0.0]).tolist()
    /// [(1+0j), (1+0j), (1+0j)]
    fft |cx, op, x, axes, norm| complex(cx, x, axes, Direction::new(op, false, norm)?);

    /// The inverse of `fft` along `axis`: Σₖ x[k]·exp(+2πi·jk/n), times 1/n (`norm` "backward"), 1/√n ("ortho") or 1 ("forward").
    ///
    /// Derivative: linear; reverse is the transform of the other direction. Errors as `fft`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.ifft([3.0, 0.0, 0.0]).tolist()
    /// [(1+0j), (1+0j), (1+0j)]
    ifft |cx, op, x, axes, norm| complex(cx, x, axes, Direction::new(op, true, norm)?);

    /// The first n/2 + 1 elements of `fft` of real values; the others are their conjugates. `UnsupportedDTypeError` for complex ones.
    ///
    /// Derivative: linear; reverse is the real part of the inverse transform of the cotangent. Errors as `fft`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.rfft([1.0, 0.0, 0.0]).tolist()
    /// [(1+0j), (1+0j)]
    rfft |cx, op, x, axes, norm| from_real(cx, x, axes, Direction::new(op, false, norm)?);

    /// The inverse of `rfft`: `n` real values (2·(m − 1) for m elements of the spectrum, unless given). Imaginary parts of the
    /// elements 0 and n/2 are ignored.
    ///
    /// Derivative: linear; reverse is `rfft` of the cotangent, with weight 2 on the elements that stand for two. Errors as `fft`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.irfft([4.0, 0.0, 0.0]).tolist()
    /// [1.0, 1.0, 1.0, 1.0]
    irfft |cx, op, x, axes, norm| to_real(cx, x, axes, Direction::new(op, true, norm)?);

    /// The real spectrum of `n` elements (2·(m − 1), unless given) of a signal with Hermitian symmetry, of which the first m are
    /// given: ``irfft(conj(x))`` without its factor.
    ///
    /// Derivative: linear. Errors as `fft`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.hfft([1.0, 0.0, 0.0]).tolist()
    /// [1.0, 1.0, 1.0, 1.0]
    hfft |cx, op, x, axes, norm| {
        let conj = cx.conj(x)?;
        to_real(cx, &conj, axes, Direction::new(op, false, norm)?)
    };

    /// The inverse of `hfft`: the first n/2 + 1 elements of the signal with Hermitian symmetry whose spectrum is real.
    ///
    /// Derivative: linear. Errors as `rfft`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.ihfft([2.0, 2.0, 2.0, 2.0]).tolist() == [2, 0, 0]
    /// True
    ihfft |cx, op, x, axes, norm| {
        let half = from_real(cx, x, axes, Direction::new(op, true, norm)?)?;
        cx.conj(&half)
    };
}

macro_rules! along_axes {
    ($($(#[doc = $doc:literal])* $name:ident $run:ident $inverse:literal $two:literal;)*) => {
        $( tensor_op! { [$name] {
            $(#[doc = $doc])*
            (x) (s=None, axes=None, norm=None) (s: Option<AxesArg>, axes: Option<AxesArg>, norm: Option<&str>)
        } |cx, op| {
            let to = Direction::new(op, $inverse, norm)?;
            let axes = match axes {
                None if $two => {
                    let rank = x.value.rank();
                    let last = [normalize(op, -2, rank)? as i64, normalize(op, -1, rank)? as i64];
                    Some(AxesArg::new(&last))
                }
                axes => axes,
            };
            let axes = plan(op, &x, s.as_ref(), axes.as_ref())?;
            $run(cx, &x, &axes, to)
        } } )*
    };
}

along_axes! {
    /// `fft` along the axes `axes` (the last two), cropped or padded with zeros to the lengths `s`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.fft2(tf.ones((2, 2))).tolist()
    /// [[(4+0j), 0j], [0j, 0j]]
    fft2 complex false true;

    /// `ifft` along the axes `axes` (the last two), cropped or padded with zeros to the lengths `s`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.ifft2(tf.ones((2, 2))).tolist()
    /// [[(1+0j), 0j], [0j, 0j]]
    ifft2 complex true true;

    /// `fft` along the axes `axes` (all; the last ones, if only `s` is given), cropped or padded with zeros to the lengths `s`.
    ///
    /// Derivative: linear; reverse is the transform of the other direction. Raises `AxisOutOfBoundsError`, `DuplicateAxisError`,
    /// `InvalidArgumentError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.fftn(tf.ones((2, 2, 2))).sum().item()
    /// (8+0j)
    fftn complex false false;

    /// `ifft` along the axes `axes` (all; the last ones, if only `s` is given), cropped or padded with zeros to the lengths `s`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.ifftn(tf.ones((2, 2, 2))).sum().item()
    /// (1+0j)
    ifftn complex true false;

    /// `rfft` along the last of the axes `axes` (the last two), then `fft` along the other.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.rfft2(tf.ones((2, 2))).tolist()
    /// [[(4+0j), 0j], [0j, 0j]]
    rfft2 from_real false true;

    /// The inverse of `rfft2`: `ifft` along the first, then `irfft` along the last of the axes `axes` (the last two).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.irfft2([[4.0, 0.0], [0.0, 0.0]]).tolist()
    /// [[1.0, 1.0], [1.0, 1.0]]
    irfft2 to_real true true;

    /// `rfft` along the last of the axes `axes` (all; the last ones, if only `s` is given), then `fft` along the others.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.rfftn(tf.ones((2, 2, 4))).shape
    /// (2, 2, 3)
    rfftn from_real false false;

    /// The inverse of `rfftn`: `ifft` along all but the last, then `irfft` along the last of the axes `axes`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.irfftn(tf.fft.rfftn(tf.ones((2, 2, 4)))).shape
    /// (2, 2, 4)
    irfftn to_real true false;
}

/// 0, 1, …, then (if `negative`) the negative frequencies, over n·d.
fn frequencies(op: &'static str, n: i64, d: f64, negative: bool) -> Result<tenferro_tensor::Tensor> {
    let n = length(op, "n", n)? as i64;
    if d == 0.0 || d.is_nan() {
        return Err(Error::argument(op, "d", format!("expected a number other than 0, got {d}")));
    }
    let count = if negative { n } else { n / 2 + 1 };
    let line = arange(Number::Int(0), Number::Int(count), Number::Int(1), DType::I64)?;
    let step = |&k: &i64| (if negative && k > (n - 1) / 2 { k - n } else { k }) as f64 / (n as f64 * d);
    let values: Vec<f64> = line.as_slice::<i64>()?.iter().map(step).collect();
    tenferro_tensor::Tensor::from_slice(op, &[count as usize], &values)
}

list_op! { [fftfreq] {
    /// The frequencies of the elements of `fft` of `n` samples that are `d` apart, in cycles per unit of `d`: 0, 1, …, −2, −1
    /// over n·d.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.fftfreq(4).tolist()
    /// [0.0, 0.25, -0.5, -0.25]
    () (n, d=1.0) (n: i64, d: f64)
} |call| call.wrap(Var::constant(frequencies(call.op, n, d, true)?)) }

list_op! { [rfftfreq] {
    /// The frequencies of the elements of `rfft` of `n` samples that are `d` apart, in cycles per unit of `d`: 0, 1, …, n/2 over
    /// n·d.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.rfftfreq(4).tolist()
    /// [0.0, 0.25, 0.5]
    () (n, d=1.0) (n: i64, d: f64)
} |call| call.wrap(Var::constant(frequencies(call.op, n, d, false)?)) }

fn shifted(cx: &mut Eager, x: Var, axes: Option<AxesArg>, op: &'static str, back: bool) -> Result<Var> {
    let rank = x.value.rank();
    let axes = axes.map_or_else(|| Ok((0..rank).collect()), |axes| axes.resolve(op, rank))?;
    let mut out = x;
    for &axis in &axes {
        let half = (out.value.shape()[axis] / 2) as i64;
        out = structure::roll(cx, &out, if back { -half } else { half }, axis)?;
    }
    Ok(out)
}

tensor_op! { [fftshift] {
    /// The zero frequency moved to the middle of the axes `axes` (all).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.fftshift([0, 1, 2, -2, -1]).tolist()
    /// [-2, -1, 0, 1, 2]
    (x) (axes=None) (axes: Option<AxesArg>)
} |cx, op| shifted(cx, x, axes, op, false) }

tensor_op! { [ifftshift] {
    /// The inverse of `fftshift`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fft.ifftshift([-2, -1, 0, 1, 2]).tolist()
    /// [0, 1, 2, -2, -1]
    (x) (axes=None) (axes: Option<AxesArg>)
} |cx, op| shifted(cx, x, axes, op, true) }
