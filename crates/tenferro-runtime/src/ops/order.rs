//! Sorting and searching: positions, through which no derivative flows.

use crate::batch::Items;
use crate::cpu::{arg_reduce, arg_scan, arg_sort, search_sorted, sortable};
use crate::sample::{Sample, values};
use crate::{Interp, Meta, OutMeta, Primitive, Rule};
use tenferro_tensor::{DType, Error, Result, Tensor};

/// Positions that sort along `axis`, stably.
#[derive(Clone, Copy, Debug)]
pub struct ArgSort {
    /// Along which axis.
    pub axis: usize,
    /// The greatest first.
    pub descending: bool,
}

/// Position of the extremum along `axis`, which is removed; the first of several.
#[derive(Clone, Copy, Debug)]
pub struct ArgReduce {
    /// Along which axis.
    pub axis: usize,
    /// The greatest, else the least.
    pub greatest: bool,
}

/// Position of the extremum so far along `axis`; the first of several.
#[derive(Clone, Copy, Debug)]
pub struct ArgScan {
    /// Along which axis.
    pub axis: usize,
    /// The greatest, else the least.
    pub greatest: bool,
}

/// How many elements of the ascending first input are below each element of the second, or not above it if `right`.
#[derive(Clone, Copy, Debug)]
pub struct SearchSorted {
    /// Count equal elements, too.
    pub right: bool,
}

fn ordered(op: &'static str, x: Meta<'_>, axis: usize) -> Result<OutMeta> {
    if !sortable(x.dtype) {
        let advice = "a real dtype: complex numbers have no order; sort by abs or real";
        return Err(Error::unsupported_dtype(op, x.dtype, advice));
    }
    match axis < x.shape.len() {
        true => Ok(OutMeta::new(DType::I64, x.shape)),
        false => Err(Error::axis(op, axis as i64, x.shape.len())),
    }
}

/// Over all ordered dtypes and some shapes.
fn lanes<O: Into<crate::Op>>(op: impl Fn(usize) -> O) -> Vec<Sample> {
    let mut all = Vec::new();
    for &dtype in DType::ALL.iter().filter(|&&d| sortable(d)) {
        for (shape, axis) in [(&[5][..], 0), (&[2, 3], 1), (&[3, 2, 2], 0), (&[4, 0], 0)] {
            all.push(Sample::new(op(axis), vec![values(dtype, shape, (-2.0, 2.0), 71)]));
        }
    }
    all
}

impl ArgSort {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let mut all = lanes(|axis| ArgSort { axis, descending: false });
        all.extend(lanes(|axis| ArgSort { axis, descending: true }));
        all
    }
}

impl Primitive for ArgSort {
    fn name(&self) -> &'static str {
        "argsort"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        ordered(self.name(), ins[0], self.axis)
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        arg_sort(ins[0], self.axis, self.descending)
    }

    fn rule(&self, _: usize, _: DType) -> Rule {
        Rule::Inactive
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.bind_all(cx, *self)
    }
}

impl ArgReduce {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let mut all = lanes(|axis| ArgReduce { axis, greatest: true });
        all.extend(lanes(|axis| ArgReduce { axis, greatest: false }));
        all
    }
}

impl Primitive for ArgReduce {
    fn name(&self) -> &'static str {
        if self.greatest { "argmax" } else { "argmin" }
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        let mut out = ordered(self.name(), ins[0], self.axis)?;
        if out.shape.remove(self.axis) == 0 {
            let axis = self.axis;
            let message =
                format!("expected an axis with elements, got axis {axis} of extent 0 (an empty set has no extremum)");
            return Err(Error::argument(self.name(), "axis", message));
        }
        Ok(out)
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        arg_reduce(ins[0], self.axis, self.greatest)
    }

    fn rule(&self, _: usize, _: DType) -> Rule {
        Rule::Inactive
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.bind_all(cx, *self)
    }
}

impl ArgScan {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let mut all = lanes(|axis| ArgScan { axis, greatest: true });
        all.extend(lanes(|axis| ArgScan { axis, greatest: false }));
        all
    }
}

impl Primitive for ArgScan {
    fn name(&self) -> &'static str {
        if self.greatest { "cummax" } else { "cummin" }
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        ordered(self.name(), ins[0], self.axis)
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        arg_scan(ins[0], self.axis, self.greatest)
    }

    fn rule(&self, _: usize, _: DType) -> Rule {
        Rule::Inactive
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.bind_all(cx, *self)
    }
}

impl SearchSorted {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for &dtype in DType::ALL.iter().filter(|&&d| sortable(d)) {
            for right in [false, true] {
                for shape in [&[][..], &[4], &[2, 3], &[0]] {
                    let list = values(dtype, &[5], (-2.0, 2.0), 72);
                    let sorted = arg_sort(&list, 0, false)
                        .and_then(|order| crate::cpu::take_along(&list, &order, 0))
                        .unwrap_or_else(|e| panic!("{e}"));
                    all.push(Sample::new(SearchSorted { right }, vec![sorted, values(dtype, shape, (-3.0, 3.0), 73)]));
                }
            }
        }
        all
    }
}

impl Primitive for SearchSorted {
    fn name(&self) -> &'static str {
        "searchsorted"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        if ins[0].shape.len() != 1 {
            return Err(Error::rank(self.name(), "argument 'sorted'", 1, ins[0].shape.len()));
        }
        if ins[0].dtype != ins[1].dtype {
            return Err(Error::dtype(self.name(), "argument 'values'", ins[0].dtype, ins[1].dtype));
        }
        ordered(self.name(), ins[0], 0)?;
        Ok(OutMeta::new(DType::I64, ins[1].shape))
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        search_sorted(ins[0], ins[1], self.right)
    }

    fn rule(&self, _: usize, _: DType) -> Rule {
        Rule::Inactive
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        match items.batched[0] {
            true => items.one_by_one(cx, *self),
            false => cx.bind((*self).into(), &[&items.values[0], &items.values[1]]),
        }
    }
}
