//! Picking elements at positions the caller knows, and the adjoints of that.

use super::layout::linear;
use crate::batch::Items;
use crate::compose::Build;
use crate::cpu::{PutMode, put_flat, take, take_add, take_flat};
use crate::sample::{Sample, values};
use crate::{At, Interp, Meta, OutMeta, Primitive, Rule};
use std::sync::Arc;
use tenferro_tensor::{DType, Dims, Error, Result, Tensor, Variant, checked_size};

/// The slices at `indices` of one axis, repeats allowed.
#[derive(Clone, Debug)]
pub struct Take {
    /// Along which axis.
    pub axis: usize,
    /// Positions, each below the extent.
    pub indices: Arc<[usize]>,
}

/// The adjoint of [`Take`]: slices added at `indices` into zeros of `extent`.
#[derive(Clone, Debug)]
pub struct TakeAdd {
    /// Along which axis.
    pub axis: usize,
    /// Positions, each below `extent`.
    pub indices: Arc<[usize]>,
    /// Extent of the result's axis.
    pub extent: usize,
}

/// Elements at column-major `positions`, in a result of `shape`.
#[derive(Clone, Debug)]
pub struct TakeFlat {
    /// One position per element of the result.
    pub positions: Arc<[usize]>,
    /// Shape of the result.
    pub shape: Dims,
}

/// The adjoint of [`TakeFlat`]: elements added at `positions` into zeros of `shape`.
#[derive(Clone, Debug)]
pub struct ScatterFlat {
    /// One position per element of the input.
    pub positions: Arc<[usize]>,
    /// Shape of the result.
    pub shape: Dims,
}

/// The first input with the elements of the second at distinct column-major `positions`.
#[derive(Clone, Debug)]
pub struct PutFlat(pub Arc<[usize]>);

fn over_dtypes<O: Into<crate::Op> + Clone>(op: O, shapes: &[&[usize]]) -> Vec<Sample> {
    DType::ALL.iter().map(|&d| of_dtype(op.clone(), shapes, d)).collect()
}

fn over_numbers<O: Into<crate::Op> + Clone>(op: O, shapes: &[&[usize]]) -> Vec<Sample> {
    DType::ALL.iter().filter(|&&d| d != DType::Bool).map(|&d| of_dtype(op.clone(), shapes, d)).collect()
}

fn of_dtype<O: Into<crate::Op>>(op: O, shapes: &[&[usize]], d: DType) -> Sample {
    let ins = shapes.iter().enumerate().map(|(i, s)| values(d, s, (-2.0, 2.0), 61 + i as u64));
    Sample::new(op, ins.collect())
}

fn check_number(op: &'static str, dtype: DType) -> Result<()> {
    match dtype {
        DType::Bool => Err(Error::unsupported_dtype(op, dtype, "numbers, which can be added")),
        _ => Ok(()),
    }
}

/// One position per element of `what`.
fn check_count(op: &'static str, what: &str, expected: usize, actual: usize) -> Result<()> {
    if expected == actual {
        return Ok(());
    }
    let message = format!("{what}: expected {expected} elements, one per position, got {actual}");
    Err(Error::new(Variant::ShapeMismatch, op, message).with("expected", &[expected][..]).with("actual", &[actual][..]))
}

fn check_below(op: &'static str, positions: &[usize], axis: usize, extent: usize) -> Result<()> {
    match positions.iter().find(|&&p| p >= extent) {
        Some(&p) => Err(Error::index(op, axis, p as i64, extent)),
        None => Ok(()),
    }
}

/// Number of elements of one item of input `i`.
fn ins_size<I: Interp>(cx: &I, items: &Items<'_, I::V>, i: usize) -> usize {
    items.item(cx, i).shape.iter().product()
}

impl Take {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let op = |axis, indices: &[usize]| Take { axis, indices: indices.into() };
        let mut all = over_dtypes(op(0, &[2, 0, 2]), &[&[3, 2]]);
        all.extend(over_dtypes(op(1, &[1]), &[&[3, 2]]));
        all.extend(over_dtypes(op(0, &[]), &[&[3]]));
        all
    }
}

impl Primitive for Take {
    fn name(&self) -> &'static str {
        "take"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        let mut out = ins[0].owned();
        if self.axis >= out.shape.len() {
            return Err(Error::axis(self.name(), self.axis as i64, out.shape.len()));
        }
        check_below(self.name(), &self.indices, self.axis, out.shape[self.axis])?;
        out.shape[self.axis] = self.indices.len();
        checked_size(self.name(), &out.shape, out.dtype.itemsize())?;
        Ok(out)
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        take(ins[0], self.axis, &self.indices)
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        linear(dtype)
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let extent = at.meta(cx, 0).shape[self.axis];
        cx.bind(TakeAdd { axis: self.axis, indices: self.indices.clone(), extent }.into(), &[ct])
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.bind_all(cx, self.clone())
    }
}

impl TakeAdd {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let op = TakeAdd { axis: 1, indices: [2, 0, 2].as_slice().into(), extent: 4 };
        over_numbers(op, &[&[2, 3]])
    }
}

impl Primitive for TakeAdd {
    fn name(&self) -> &'static str {
        "take_add"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        let mut out = ins[0].owned();
        if self.axis >= out.shape.len() {
            return Err(Error::axis(self.name(), self.axis as i64, out.shape.len()));
        }
        check_number(self.name(), out.dtype)?;
        check_below(self.name(), &self.indices, self.axis, self.extent)?;
        check_count(self.name(), "argument 'x' along the axis", self.indices.len(), out.shape[self.axis])?;
        out.shape[self.axis] = self.extent;
        checked_size(self.name(), &out.shape, out.dtype.itemsize())?;
        Ok(out)
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        take_add(ins[0], self.axis, &self.indices, self.extent)
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        linear(dtype)
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, _: &At<I::V>) -> Result<I::V> {
        cx.bind(Take { axis: self.axis, indices: self.indices.clone() }.into(), &[ct])
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.bind_all(cx, self.clone())
    }
}

impl TakeFlat {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let op = TakeFlat { positions: [5, 0, 0, 3].as_slice().into(), shape: Dims::from_slice(&[2, 2]) };
        over_dtypes(op, &[&[3, 2]])
    }
}

impl Primitive for TakeFlat {
    fn name(&self) -> &'static str {
        "take"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        check_below(self.name(), &self.positions, 0, ins[0].shape.iter().product())?;
        let size = checked_size(self.name(), &self.shape, ins[0].dtype.itemsize())?;
        check_count(self.name(), "the result", self.positions.len(), size)?;
        Ok(OutMeta::new(ins[0].dtype, self.shape.clone()))
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        take_flat(ins[0], &self.positions, &self.shape)
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        linear(dtype)
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let shape = at.meta(cx, 0).shape;
        cx.bind(ScatterFlat { positions: self.positions.clone(), shape }.into(), &[ct])
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        let flat = [ins_size(cx, items, 0), items.size];
        let x = cx.reshape(&items.values[0], &flat)?;
        let taken = cx.bind(Take { axis: 0, indices: self.positions.clone() }.into(), &[&x])?;
        let mut shape = self.shape.clone();
        shape.push(items.size);
        cx.reshape(&taken, &shape)
    }
}

impl ScatterFlat {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let op = ScatterFlat { positions: [5, 0, 0, 3].as_slice().into(), shape: Dims::from_slice(&[3, 2]) };
        over_numbers(op, &[&[2, 2]])
    }
}

impl Primitive for ScatterFlat {
    fn name(&self) -> &'static str {
        "scatter_add"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        check_number(self.name(), ins[0].dtype)?;
        let size = checked_size(self.name(), &self.shape, ins[0].dtype.itemsize())?;
        check_below(self.name(), &self.positions, 0, size)?;
        check_count(self.name(), "argument 'x'", self.positions.len(), ins[0].shape.iter().product())?;
        Ok(OutMeta::new(ins[0].dtype, self.shape.clone()))
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        let zeros = crate::compose::zeros(Meta { dtype: ins[0].dtype(), shape: &self.shape })?;
        put_flat(&zeros, &self.positions, ins[0], PutMode::Add)
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        linear(dtype)
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let shape = at.meta(cx, 0).shape;
        cx.bind(TakeFlat { positions: self.positions.clone(), shape }.into(), &[ct])
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        let flat = [ins_size(cx, items, 0), items.size];
        let x = cx.reshape(&items.values[0], &flat)?;
        let extent = self.shape.iter().product();
        let added = cx.bind(TakeAdd { axis: 0, indices: self.positions.clone(), extent }.into(), &[&x])?;
        let mut shape = self.shape.clone();
        shape.push(items.size);
        cx.reshape(&added, &shape)
    }
}

impl PutFlat {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        over_dtypes(PutFlat([5, 0, 3].as_slice().into()), &[&[3, 2], &[3]])
    }
}

impl Primitive for PutFlat {
    fn name(&self) -> &'static str {
        "put"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        check_below(self.name(), &self.0, 0, ins[0].shape.iter().product())?;
        if ins[0].dtype != ins[1].dtype {
            return Err(Error::dtype(self.name(), "argument 'values'", ins[0].dtype, ins[1].dtype));
        }
        check_count(self.name(), "argument 'values'", self.0.len(), ins[1].shape.iter().product())?;
        Ok(ins[0].owned())
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        put_flat(ins[0], &self.0, ins[1], PutMode::Set)
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        linear(dtype)
    }

    fn additive(&self) -> bool {
        true
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, i: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let values = at.meta(cx, 1);
        if i == 1 {
            return cx.bind(TakeFlat { positions: self.0.clone(), shape: values.shape }.into(), &[ct]);
        }
        let nothing = cx.zeros(values.as_meta())?;
        cx.bind(self.clone().into(), &[ct, &nothing])
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        let item = ins_size(cx, items, 0);
        let all = (0..items.size).flat_map(|at| self.0.iter().map(move |p| p + at * item)).collect();
        items.bind_all(cx, PutFlat(all))
    }
}
