//! The catalogue's samples with their names, and variants of them that the catalogue does not list.

use crate::arrays::{Array, from_numbers, numbers, wide};
use tenferro_ad::ops::cpu::{DotDims, ReduceOp};
use tenferro_ad::ops::{Convert, Dot, Meta, Op, OutMeta, Primitive, Reduce, Rule, Sample, samples};
use tenferro_ad::tensor_core::{C128, DType, Dims, Tensor, show_shape};

/// A sample and how failures name it.
#[derive(Clone)]
pub struct Case {
    pub label: String,
    pub op: Op,
    pub inputs: Vec<Tensor>,
}

impl Case {
    pub fn new(op: Op, inputs: Vec<Tensor>) -> Case {
        let shown: Vec<_> =
            inputs.iter().enumerate().map(|(i, x)| format!("{i}: {} {}", x.dtype(), show_shape(x.shape()))).collect();
        Case { label: format!("{} {op:?} on [{}]", op.name(), shown.join("; ")), op, inputs }
    }

    /// Dtype and shape of the result, by the op's rule.
    pub fn meta(&self) -> OutMeta {
        let metas: Vec<Meta<'_>> = self.inputs.iter().map(Meta::of).collect();
        self.op.meta(&metas).unwrap_or_else(|e| panic!("{}: meta: {e}", self.label))
    }

    pub fn rule(&self, i: usize) -> Rule {
        self.op.rule(i, self.inputs[i].dtype())
    }

    /// Inputs of numbers through which derivatives flow.
    pub fn active(&self) -> Vec<usize> {
        (0..self.inputs.len()).filter(|&i| self.rule(i) != Rule::Inactive).collect()
    }

    /// Whether all floating-point numbers that come and go have 64 bits, so that differences are worth taking.
    pub fn is_wide(&self) -> bool {
        let dtypes = self.inputs.iter().map(Tensor::dtype).chain([self.meta().dtype]);
        dtypes.clone().all(|d| d == wide(d)) && self.active().iter().all(|&i| self.inputs[i].dtype().is_inexact())
    }

    /// Whether a 32-bit floating-point number comes or goes.
    pub fn is_narrow(&self) -> bool {
        let dtypes = self.inputs.iter().map(Tensor::dtype).chain([self.meta().dtype]);
        dtypes.into_iter().any(|d| d != wide(d))
    }

    /// The same numbers, and the same op, in 64-bit precision.
    pub fn widened(&self) -> Case {
        let op = match &self.op {
            Op::Convert(Convert(to)) => Convert(wide(*to)).into(),
            other => other.clone(),
        };
        let inputs = self.inputs.iter().map(|x| from_numbers(wide(x.dtype()), x.shape(), &numbers(x))).collect();
        Case::new(op, inputs)
    }
}

/// Every sample of the catalogue.
pub fn catalogue() -> Vec<Case> {
    samples().into_iter().map(|Sample { op, inputs }| Case::new(op, inputs)).collect()
}

/// The catalogue, and complex samples turned into the other quadrants.
pub fn differentiable() -> Vec<Case> {
    let mut all = catalogue();
    let turned: Vec<Case> = all.iter().filter_map(turned).collect();
    all.extend(turned);
    all.retain(|case| !case.active().is_empty());
    all
}

/// Complex inputs times exp(2i), for functions that are smooth there too.
fn turned(case: &Case) -> Option<Case> {
    let elementwise = matches!(case.op, Op::Unary(_) | Op::Binary(_));
    if !elementwise || !case.inputs.iter().any(|x| x.dtype().is_complex() && x.size() > 0) {
        return None;
    }
    let phase = C128::cis(2.0);
    let turn = |x: &Tensor| match x.dtype().is_complex() {
        true => from_numbers(x.dtype(), x.shape(), &numbers(x).iter().map(|z| z * phase).collect::<Vec<_>>()),
        false => x.clone(),
    };
    Some(Case::new(case.op.clone(), case.inputs.iter().map(turn).collect()))
}

/// Elementwise samples, reductions and contractions large enough for the blocked and vectorised paths of kernels.
pub fn large() -> Vec<Case> {
    let mut all = Vec::new();
    for case in catalogue() {
        let shapes: &[&[usize]] = match case.op {
            Op::Unary(_)
            | Op::Ordered(_)
            | Op::Binary(_)
            | Op::Compare(_)
            | Op::Select(_)
            | Op::Clamp(_)
            | Op::Convert(_) => &[&[67, 35], &[9, 7, 11]],
            _ => continue,
        };
        let plain = case.inputs.iter().all(|x| x.shape() == case.inputs[0].shape() && x.rank() == 1);
        if plain && case.inputs[0].size() > 2 {
            for shape in shapes {
                all.push(Case::new(case.op.clone(), case.inputs.iter().map(|x| tiled(x, shape)).collect()));
            }
        }
    }
    for case in catalogue() {
        let Op::Reduce(Reduce { op, .. }) = case.op else {
            continue;
        };
        if case.inputs[0].shape() != [4] {
            continue;
        }
        let list: &[(&[usize], &[usize])] =
            &[(&[67, 35], &[0]), (&[67, 35], &[1]), (&[9, 7, 11], &[1]), (&[9, 7, 11], &[0, 2]), (&[2301], &[0])];
        // Longer products leave the range of the narrow dtypes.
        let wraps = op == ReduceOp::Prod && !case.inputs[0].dtype().is_inexact();
        let count = if op == ReduceOp::Prod { list.len() - 1 } else { list.len() };
        for (shape, axes) in list.iter().take(if wraps { 0 } else { count }) {
            let op = Reduce { op, axes: Dims::from_slice(axes) };
            all.push(Case::new(op.into(), vec![tiled(&case.inputs[0], shape)]));
        }
    }
    for &dtype in DType::ALL.iter().filter(|&&d| d != DType::Bool) {
        let seed = Array::generate(DType::C128, &[7], |i| C128::new(i[0] as f64 - 3.0, 0.5 * i[0] as f64)).tensor();
        let seed = from_numbers(dtype, &[7], &numbers(&seed));
        let matmul = DotDims {
            lhs_contracting: [1].as_slice().into(),
            rhs_contracting: [0].as_slice().into(),
            ..DotDims::default()
        };
        let batched = DotDims { lhs_batch: [2].as_slice().into(), rhs_batch: [2].as_slice().into(), ..matmul.clone() };
        for (dims, a, b) in [
            (&matmul, &[19, 45][..], &[45, 33][..]),
            (&matmul, &[1, 45], &[45, 33]),
            (&matmul, &[33, 45], &[45, 1]),
            (&batched, &[5, 6, 7], &[6, 4, 7]),
        ] {
            all.push(Case::new(Dot(Box::new(dims.clone())).into(), vec![tiled(&seed, a), tiled(&seed, b)]));
        }
    }
    all
}

/// The elements of `x` over and over in a larger shape.
fn tiled(x: &Tensor, shape: &[usize]) -> Tensor {
    let data = numbers(x);
    let count: usize = shape.iter().product();
    let pick = |i: usize| data[(i * 5 + i / 7) % data.len()];
    from_numbers(x.dtype(), shape, &(0..count).map(pick).collect::<Vec<_>>())
}
