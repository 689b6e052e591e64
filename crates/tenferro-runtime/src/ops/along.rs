//! Elements picked along an axis by an index per place, and the adjoint of that.

use super::layout::linear;
use crate::batch::Items;
use crate::cpu::{add_along, take_along};
use crate::sample::{Sample, values};
use crate::{At, Interp, Meta, OutMeta, Primitive, Rule, Saves};
use tenferro_tensor::{DType, Error, Result, Tensor, checked_size};

/// The first input at the int64 indices of the second, along `axis`; the shapes agree beside it.
#[derive(Clone, Copy, Debug)]
pub struct TakeAlong {
    /// Along which axis.
    pub axis: usize,
}

/// The adjoint of [`TakeAlong`]: the first input added at the indices of the second into zeros of `extent`.
#[derive(Clone, Copy, Debug)]
pub struct AddAlong {
    /// Along which axis.
    pub axis: usize,
    /// Extent of the result's axis.
    pub extent: usize,
}

fn check_indices(op: &'static str, indices: Meta<'_>) -> Result<()> {
    match indices.dtype {
        DType::I64 => Ok(()),
        other => Err(Error::dtype(op, "argument 'indices'", DType::I64, other)),
    }
}

fn positions(shape: &[usize], extent: i64) -> Tensor {
    let count: usize = shape.iter().product();
    let list: Vec<i64> = (0..count as i64).map(|i| (i * i + 2 * i) % (2 * extent) - extent).collect();
    Tensor::from_slice("sample", shape, &list).unwrap_or_else(|e| panic!("{e}"))
}

impl TakeAlong {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for &dtype in DType::ALL {
            for (shape, picked, axis) in
                [(&[4][..], &[6][..], 0), (&[2, 3], &[2, 5], 1), (&[3, 2, 2], &[1, 2, 2], 0), (&[3, 2], &[0, 2], 0)]
            {
                let x = values(dtype, shape, (-2.0, 2.0), 81);
                all.push(Sample::new(TakeAlong { axis }, vec![x, positions(picked, shape[axis] as i64)]));
            }
        }
        all
    }
}

impl Primitive for TakeAlong {
    fn name(&self) -> &'static str {
        "take_along_axis"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        let (x, indices) = (ins[0].shape, ins[1].shape);
        if self.axis >= x.len() {
            return Err(Error::axis(self.name(), self.axis as i64, x.len()));
        }
        check_indices(self.name(), ins[1])?;
        if x.len() != indices.len() || (0..x.len()).any(|a| a != self.axis && x[a] != indices[a]) {
            return Err(Error::shapes(self.name(), x, indices));
        }
        checked_size(self.name(), indices, ins[0].dtype.itemsize())?;
        Ok(OutMeta::new(ins[0].dtype, indices))
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        take_along(ins[0], ins[1], self.axis)
    }

    fn rule(&self, i: usize, dtype: DType) -> Rule {
        if i == 0 { linear(dtype) } else { Rule::Inactive }
    }

    fn saves(&self, _: usize) -> Saves {
        Saves::input(1)
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let extent = at.meta(cx, 0).shape[self.axis];
        cx.bind(AddAlong { axis: self.axis, extent }.into(), &[ct, at.x(1)?])
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.bind_all(cx, *self)
    }
}

impl AddAlong {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for &dtype in DType::ALL.iter().filter(|&&d| d != DType::Bool) {
            for (shape, axis, extent) in [(&[6][..], 0, 4), (&[2, 5], 1, 3), (&[1, 2, 2], 0, 3), (&[0, 2], 0, 3)] {
                let x = values(dtype, shape, (-2.0, 2.0), 82);
                all.push(Sample::new(AddAlong { axis, extent }, vec![x, positions(shape, extent as i64)]));
            }
        }
        all
    }
}

impl Primitive for AddAlong {
    fn name(&self) -> &'static str {
        "add_along_axis"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        let mut out = ins[0].owned();
        if self.axis >= out.shape.len() {
            return Err(Error::axis(self.name(), self.axis as i64, out.shape.len()));
        }
        check_indices(self.name(), ins[1])?;
        if out.dtype == DType::Bool {
            return Err(Error::unsupported_dtype(self.name(), out.dtype, "numbers, which can be added"));
        }
        if ins[0].shape != ins[1].shape {
            return Err(Error::shapes(self.name(), ins[0].shape, ins[1].shape));
        }
        out.shape[self.axis] = self.extent;
        checked_size(self.name(), &out.shape, out.dtype.itemsize())?;
        Ok(out)
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        add_along(ins[0], ins[1], self.axis, self.extent)
    }

    fn rule(&self, i: usize, dtype: DType) -> Rule {
        if i == 0 { linear(dtype) } else { Rule::Inactive }
    }

    fn saves(&self, _: usize) -> Saves {
        Saves::input(1)
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        cx.bind(TakeAlong { axis: self.axis }.into(), &[ct, at.x(1)?])
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.bind_all(cx, *self)
    }
}
