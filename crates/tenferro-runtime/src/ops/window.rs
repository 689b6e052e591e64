//! Slices and their adjoint, zero padding.

use super::layout::linear;
use crate::batch::Items;
use crate::cpu::pad;
use crate::sample::{Sample, values};
use crate::{At, Interp, Meta, OutMeta, Primitive, Rule};
use tenferro_tensor::{DType, Dims, Error, Result, Tensor, Variant, checked_size};

/// Bounds of a slice, one entry per axis.
#[derive(Clone, Debug)]
pub struct SliceDims {
    /// First position.
    pub starts: Dims,
    /// One past the last position.
    pub limits: Dims,
    /// Step, at least 1.
    pub strides: Dims,
}

/// Positions `starts, starts + strides, … < limits` of each axis.
#[derive(Clone, Debug)]
pub struct Slice(pub Box<SliceDims>);

/// Zeros around (`low`, `high`; negative crops) and between (`interior`) the elements.
#[derive(Clone, Debug)]
pub struct PadDims {
    /// Zeros in front, per axis.
    pub low: Vec<i64>,
    /// Zeros behind, per axis.
    pub high: Vec<i64>,
    /// Zeros between neighbours, per axis.
    pub interior: Vec<usize>,
}

/// Zero padding, as `PadDims` says.
#[derive(Clone, Debug)]
pub struct Pad(pub Box<PadDims>);

impl Slice {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let op = |a: &[usize], b: &[usize], s: &[usize]| {
            Slice(Box::new(SliceDims {
                starts: Dims::from_slice(a),
                limits: Dims::from_slice(b),
                strides: Dims::from_slice(s),
            }))
        };
        let mut all = Vec::new();
        for &d in DType::ALL {
            all.push(Sample::new(op(&[1], &[6], &[2]), vec![values(d, &[7], (-2.0, 2.0), 41)]));
            all.push(Sample::new(op(&[0, 1], &[2, 3], &[1, 1]), vec![values(d, &[2, 4], (-2.0, 2.0), 42)]));
            all.push(Sample::new(op(&[1, 1], &[1, 3], &[1, 1]), vec![values(d, &[2, 4], (-2.0, 2.0), 43)]));
            all.push(Sample::new(op(&[], &[], &[]), vec![values(d, &[], (-2.0, 2.0), 44)]));
        }
        all
    }
}

impl Primitive for Slice {
    fn name(&self) -> &'static str {
        "slice"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        let (rank, dims) = (ins[0].shape.len(), &*self.0);
        for (list, what) in [
            (&dims.starts, "argument 'starts'"),
            (&dims.limits, "argument 'limits'"),
            (&dims.strides, "argument 'strides'"),
        ] {
            if list.len() != rank {
                return Err(Error::rank(self.name(), what, rank, list.len()));
            }
        }
        let mut shape = Dims::new();
        for (axis, &extent) in ins[0].shape.iter().enumerate() {
            let (start, limit, stride) = (dims.starts[axis], dims.limits[axis], dims.strides[axis]);
            if stride == 0 {
                return Err(Error::argument(
                    self.name(),
                    "step",
                    format!("expected at least 1, got 0 for axis {axis}"),
                ));
            }
            if start > limit || limit > extent {
                let message =
                    format!("expected 0 <= start <= limit <= {extent} for axis {axis}, got {start} and {limit}");
                return Err(Error::argument(self.name(), "range", message));
            }
            shape.push((limit - start).div_ceil(stride));
        }
        Ok(OutMeta { dtype: ins[0].dtype, shape })
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        let dims = &*self.0;
        let ranges: Vec<_> = (0..dims.starts.len())
            .map(|a| {
                let (start, stride) = (dims.starts[a], dims.strides[a]);
                (start, (dims.limits[a] - start).div_ceil(stride), stride as isize)
            })
            .collect();
        Ok(ins[0].with_layout(ins[0].layout().sliced(&ranges)))
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        linear(dtype)
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let (from, to) = (at.meta(cx, 0).shape, Dims::from_slice(cx.meta(ct).shape));
        let dims = &*self.0;
        let reach = |a: usize| {
            if to[a] == 0 { 0 } else { (to[a] - 1) * dims.strides[a] + 1 }
        };
        let op = Pad(Box::new(PadDims {
            low: dims.starts.iter().map(|&s| s as i64).collect(),
            high: (0..from.len()).map(|a| (from[a] - dims.starts[a] - reach(a)) as i64).collect(),
            interior: dims.strides.iter().map(|&s| s - 1).collect(),
        }));
        cx.bind(op.into(), &[ct])
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        let mut dims = self.0.clone();
        dims.starts.push(0);
        dims.limits.push(items.size);
        dims.strides.push(1);
        cx.bind(Slice(dims).into(), &[&items.values[0]])
    }
}

impl Pad {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let op = |low: &[i64], high: &[i64], interior: &[usize]| {
            Pad(Box::new(PadDims { low: low.to_vec(), high: high.to_vec(), interior: interior.to_vec() }))
        };
        let mut all = Vec::new();
        for &d in DType::ALL {
            all.push(Sample::new(op(&[1], &[2], &[0]), vec![values(d, &[3], (-2.0, 2.0), 45)]));
            all.push(Sample::new(op(&[1, 0], &[0, 1], &[1, 2]), vec![values(d, &[2, 3], (-2.0, 2.0), 46)]));
            all.push(Sample::new(op(&[-1, 0], &[2, -2], &[0, 1]), vec![values(d, &[3, 3], (-2.0, 2.0), 47)]));
            all.push(Sample::new(op(&[1, 1], &[0, 0], &[0, 0]), vec![values(d, &[0, 2], (-2.0, 2.0), 48)]));
        }
        all
    }

    fn extent(&self, n: usize, axis: usize) -> i128 {
        let dims = &*self.0;
        let spread = n as i128 + (n as i128 - 1).max(0) * dims.interior[axis] as i128;
        spread + i128::from(dims.low[axis]) + i128::from(dims.high[axis])
    }
}

impl Primitive for Pad {
    fn name(&self) -> &'static str {
        "pad"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        let (rank, dims) = (ins[0].shape.len(), &*self.0);
        for (len, what) in [
            (dims.low.len(), "argument 'low'"),
            (dims.high.len(), "argument 'high'"),
            (dims.interior.len(), "argument 'interior'"),
        ] {
            if len != rank {
                return Err(Error::rank(self.name(), what, rank, len));
            }
        }
        let mut shape = Dims::new();
        for (axis, &n) in ins[0].shape.iter().enumerate() {
            for (margin, argument) in [(dims.low[axis], "low"), (dims.high[axis], "high")] {
                if margin.unsigned_abs() > isize::MAX as u64 {
                    let message = format!("expected less than 2^63 positions for axis {axis}, got {margin}");
                    return Err(Error::argument(self.name(), argument, message));
                }
            }
            let extent = self.extent(n, axis);
            if extent < 0 {
                let message =
                    format!("expected a crop of at most the extent of axis {axis}, got a result extent of {extent}");
                return Err(Error::argument(self.name(), "low", message));
            }
            let extent = usize::try_from(extent).map_err(|_| {
                Error::new(Variant::IntegerOverflow, self.name(), format!("axis {axis} would have extent {extent}"))
            })?;
            shape.push(extent);
        }
        checked_size(self.name(), &shape, ins[0].dtype.itemsize())?;
        Ok(OutMeta { dtype: ins[0].dtype, shape })
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        pad(ins[0], &self.0.low, &self.0.high, &self.0.interior)
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        linear(dtype)
    }

    // Undo the cropping (pad) or the margins (crop), then step over the interior zeros.
    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let from = at.meta(cx, 0).shape;
        let dims = &*self.0;
        let margins = Pad(Box::new(PadDims {
            low: dims.low.iter().map(|&l| -l).collect(),
            high: dims.high.iter().map(|&h| -h).collect(),
            interior: vec![0; from.len()],
        }));
        let inner = cx.bind(margins.into(), &[ct])?;
        let limits = Dims::from_slice(cx.meta(&inner).shape);
        let strides: Dims = dims.interior.iter().map(|&i| i + 1).collect();
        let op = Slice(Box::new(SliceDims { starts: Dims::from_elem(0, from.len()), limits, strides }));
        cx.bind(op.into(), &[&inner])
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        let mut dims = self.0.clone();
        dims.low.push(0);
        dims.high.push(0);
        dims.interior.push(0);
        cx.bind(Pad(dims).into(), &[&items.values[0]])
    }
}
