//! Fourier transforms: linear maps, each other's adjoints up to weights.

use crate::batch::Items;
use crate::compose::Build;
use crate::cpu::{fft, irfft, rfft};
use crate::sample::{Sample, values};
use crate::{At, Interp, Meta, OutMeta, Primitive, Rule};
use tenferro_tensor::{C64, C128, DType, Dims, Error, Result, Tensor, checked_size};

/// The complex transform along axes (distinct), times a factor.
#[derive(Clone, Debug)]
pub struct Fft {
    /// Along which axes.
    pub axes: Dims,
    /// exp(+2πi·jk/n) instead of exp(−2πi·jk/n).
    pub inverse: bool,
    /// The factor.
    pub scale: f64,
}

/// The first n/2 + 1 elements of the transform of real values along an axis of extent n, times a factor.
#[derive(Clone, Copy, Debug)]
pub struct RealFft {
    /// Along which axis.
    pub axis: usize,
    /// The factor.
    pub scale: f64,
}

/// The inverse transform of the half spectrum that `RealFft` gives, to `n` real values, times a factor.
#[derive(Clone, Copy, Debug)]
pub struct RealInverseFft {
    /// Along which axis.
    pub axis: usize,
    /// Extent of the result.
    pub n: usize,
    /// The factor.
    pub scale: f64,
}

fn check_extent(op: &'static str, shape: &[usize], axis: usize) -> Result<()> {
    if axis >= shape.len() {
        return Err(Error::axis(op, axis as i64, shape.len()));
    }
    if shape[axis] == 0 {
        return Err(Error::argument(op, "n", format!("expected at least one element along axis {axis}, got none")));
    }
    Ok(())
}

impl Fft {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for dtype in [DType::C64, DType::C128] {
            for (shape, axes) in
                [(&[4][..], &[0][..]), (&[2, 3], &[1]), (&[3, 2], &[0, 1]), (&[1], &[0]), (&[3, 0], &[0]), (&[2], &[])]
            {
                for inverse in [false, true] {
                    let op = Fft { axes: Dims::from_slice(axes), inverse, scale: if inverse { 0.25 } else { 1.0 } };
                    all.push(Sample::new(op, vec![values(dtype, shape, (-2.0, 2.0), 61)]));
                }
            }
        }
        all
    }
}

impl Primitive for Fft {
    fn name(&self) -> &'static str {
        "fft"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        if !ins[0].dtype.is_complex() {
            return Err(Error::unsupported_dtype(self.name(), ins[0].dtype, "complex64 or complex128"));
        }
        super::reduce::check_axes(self.name(), &self.axes, ins[0].shape.len(), "axes")?;
        self.axes.iter().try_for_each(|&axis| check_extent(self.name(), ins[0].shape, axis))?;
        Ok(ins[0].owned())
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        fft(ins[0], &self.axes, self.inverse, self.scale)
    }

    fn rule(&self, _: usize, _: DType) -> Rule {
        Rule::Linear
    }

    // The matrix exp(−2πi·jk/n) is symmetric, so its adjoint is its conjugate: the other direction.
    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, _: &At<I::V>) -> Result<I::V> {
        cx.bind(Fft { axes: self.axes.clone(), inverse: !self.inverse, scale: self.scale }.into(), &[ct])
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.bind_all(cx, self.clone())
    }
}

/// Weights of a half spectrum of `n` real values along `axis` of a tensor of `rank` axes: 1 for the elements that stand for
/// themselves (0 and n/2), `twice` for those that stand for their conjugates, too.
fn weighted<I: Interp>(cx: &mut I, x: &I::V, axis: usize, n: usize, twice: f64) -> Result<I::V> {
    let meta = cx.meta(x).owned();
    let mut shape = Dims::from_elem(1, meta.shape.len());
    shape[axis] = n / 2 + 1;
    let weight = |k: usize| if k == 0 || 2 * k == n { 1.0 } else { twice };
    let weights: Vec<f64> = (0..n / 2 + 1).map(weight).collect();
    let tensor = match meta.dtype {
        DType::C64 => {
            let list: Vec<C64> = weights.iter().map(|&w| C64::new(w as f32, 0.0)).collect();
            Tensor::from_slice("fft", &shape, &list)?
        }
        _ => {
            let list: Vec<C128> = weights.iter().map(|&w| C128::new(w, 0.0)).collect();
            Tensor::from_slice("fft", &shape, &list)?
        }
    };
    let weights = cx.constant(tensor);
    cx.mul(x, &weights)
}

impl RealFft {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for dtype in [DType::F32, DType::F64] {
            for (shape, axis) in
                [(&[4][..], 0), (&[5], 0), (&[1], 0), (&[2], 0), (&[2, 3], 1), (&[6, 2], 0), (&[3, 0], 0)]
            {
                let x = values(dtype, shape, (-2.0, 2.0), 62);
                all.push(Sample::new(RealFft { axis, scale: 0.5 }, vec![x]));
            }
        }
        all
    }
}

impl Primitive for RealFft {
    fn name(&self) -> &'static str {
        "rfft"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        if !matches!(ins[0].dtype, DType::F32 | DType::F64) {
            return Err(Error::unsupported_dtype(self.name(), ins[0].dtype, "real numbers; use fft for complex ones"));
        }
        check_extent(self.name(), ins[0].shape, self.axis)?;
        let mut shape = Dims::from_slice(ins[0].shape);
        shape[self.axis] = shape[self.axis] / 2 + 1;
        Ok(OutMeta { dtype: ins[0].dtype.complex(), shape })
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        rfft(ins[0], self.axis, self.scale)
    }

    fn rule(&self, _: usize, _: DType) -> Rule {
        Rule::Linear
    }

    // Re Σₖ ct[k]·exp(+2πi·jk/n) over the half spectrum: the inverse transform counts its inner elements twice.
    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let n = at.meta(cx, 0).shape[self.axis];
        let halved = weighted(cx, ct, self.axis, n, 0.5)?;
        cx.bind(RealInverseFft { axis: self.axis, n, scale: self.scale }.into(), &[&halved])
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.bind_all(cx, *self)
    }
}

impl RealInverseFft {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for dtype in [DType::C64, DType::C128] {
            for (shape, axis, n) in [
                (&[3][..], 0, 4),
                (&[3], 0, 5),
                (&[1], 0, 1),
                (&[2], 0, 2),
                (&[2, 3], 1, 4),
                (&[4, 2], 0, 7),
                (&[3, 0], 0, 4),
            ] {
                let x = values(dtype, shape, (-2.0, 2.0), 63);
                all.push(Sample::new(RealInverseFft { axis, n, scale: 0.5 }, vec![x]));
            }
        }
        all
    }
}

impl Primitive for RealInverseFft {
    fn name(&self) -> &'static str {
        "irfft"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        if !ins[0].dtype.is_complex() {
            return Err(Error::unsupported_dtype(self.name(), ins[0].dtype, "complex64 or complex128"));
        }
        check_extent(self.name(), ins[0].shape, self.axis)?;
        if self.n == 0 {
            return Err(Error::argument(self.name(), "n", "expected at least 1, got 0"));
        }
        let mut shape = Dims::from_slice(ins[0].shape);
        if shape[self.axis] != self.n / 2 + 1 {
            let mut expected = shape.clone();
            expected[self.axis] = self.n / 2 + 1;
            return Err(Error::shape(self.name(), "half spectrum", &expected, &shape));
        }
        shape[self.axis] = self.n;
        let dtype = if ins[0].dtype == DType::C64 { DType::F32 } else { DType::F64 };
        checked_size(self.name(), &shape, dtype.itemsize())?;
        Ok(OutMeta { dtype, shape })
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        irfft(ins[0], self.axis, self.n, self.scale)
    }

    fn rule(&self, _: usize, _: DType) -> Rule {
        Rule::Linear
    }

    // The result is Re X[0] + 2·Re Σ X[k]·exp(+2πi·jk/n) + …, so every inner element of the adjoint counts twice.
    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, _: &At<I::V>) -> Result<I::V> {
        let spectrum = cx.bind(RealFft { axis: self.axis, scale: self.scale }.into(), &[ct])?;
        weighted(cx, &spectrum, self.axis, self.n, 2.0)
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.bind_all(cx, *self)
    }
}
