//! The result has the dtype and shape that the rule says, and the value that the definition says.

use crate::arrays::{Array, distance, epsilon, largest};
use crate::fail;
use crate::reference::reference;
use crate::samples::{Case, catalogue, large};
use std::collections::HashSet;
use tenferro_ad::ops::{Meta, Op, OutMeta, Primitive};
use tenferro_ad::tensor_core::{C128, DType, Tensor};

/// The op's value; its dtype and shape must be those of `meta`.
pub fn evaluate(case: &Case, inputs: &[&Tensor]) -> Tensor {
    let meta = case.meta();
    let out = case.op.eval(inputs).unwrap_or_else(|e| fail!(case.label, "eval: {e}"));
    if (out.dtype(), out.shape()) != (meta.dtype, &meta.shape[..]) {
        fail!(case.label, "meta says {} {:?}, eval gives {} {:?}", meta.dtype, meta.shape, out.dtype(), out.shape());
    }
    out
}

/// Elementwise and reordering ops: a few roundings per element. Sums: roundings relative to the sum of the moduli.
fn check(case: &Case) {
    let refs: Vec<&Tensor> = case.inputs.iter().collect();
    let actual = Array::of(&evaluate(case, &refs));
    let ins: Vec<Array> = case.inputs.iter().map(Array::of).collect();
    let expected = reference(&case.op, &ins, &case.meta());
    let exact = epsilon(actual.dtype).max(case.inputs.iter().map(|x| epsilon(x.dtype())).fold(0.0, f64::max));
    let added = matches!(case.op, Op::Reduce(_) | Op::Dot(_) | Op::Scatter(_) | Op::ScatterFlat(_) | Op::TakeAdd(_));
    let turned = matches!(case.op, Op::Fft(_) | Op::RealFft(_) | Op::RealInverseFft(_) | Op::Softmax(_) | Op::Sinc(_));
    let summed = added || turned;
    let unit = if actual.dtype.kind() == tenferro_ad::tensor_core::DTypeKind::Bool { 0.0 } else { exact };
    for (k, (a, e)) in actual.data.iter().zip(&expected.data).enumerate() {
        let scale = if summed { largest(&expected.data).max(terms(&ins)) } else { e.norm() };
        let off = distance(std::slice::from_ref(a), std::slice::from_ref(e));
        if off > 16.0 * unit * scale {
            fail!(case.label, "element {k}: expected {e}, got {a}");
        }
    }
}

/// A bound of what is summed up in one element of the result, over its square root of roundings.
fn terms(ins: &[Array]) -> f64 {
    let count = ins.iter().map(|x| x.data.len()).max().unwrap_or(0) as f64;
    count.sqrt() * ins.iter().map(|x| largest(&x.data).max(1.0)).product::<f64>()
}

#[test]
fn values_agree_with_the_definitions() {
    catalogue().iter().for_each(check);
}

#[test]
fn values_agree_with_the_definitions_in_large_tensors() {
    large().iter().for_each(check);
}

/// The input whose dtype is not that of the data: conditions and positions.
pub fn guide(op: &Op) -> Option<usize> {
    match op {
        Op::Select(_) => Some(0),
        Op::Gather(_) | Op::Scatter(_) => Some(1),
        _ => None,
    }
}

#[test]
fn every_dtype_that_an_op_accepts_is_sampled() {
    let data = |case: &Case| case.inputs[usize::from(guide(&case.op) == Some(0))].dtype();
    let sampled: HashSet<(String, DType)> = catalogue().iter().map(|c| (c.op.name().to_owned(), data(c))).collect();
    for case in catalogue() {
        for &dtype in DType::ALL {
            let metas: Vec<OutMeta> = case.inputs.iter().map(|x| Meta::of(x).owned()).collect();
            let meta = |(i, m): (usize, &OutMeta)| match guide(&case.op) {
                Some(g) if g == i => m.clone(),
                _ => OutMeta::new(dtype, m.shape.clone()),
            };
            let metas: Vec<OutMeta> = metas.iter().enumerate().map(meta).collect();
            let accepted = case.op.meta(&metas.iter().map(OutMeta::as_meta).collect::<Vec<_>>()).is_ok();
            if accepted && !sampled.contains(&(case.op.name().to_owned(), dtype)) {
                fail!(case.label, "accepts {dtype}, but no sample has it");
            }
        }
    }
}

#[test]
fn references_are_not_the_kernels_themselves() {
    let case = catalogue().into_iter().find(|case| case.op.name() == "exp").expect("exp");
    let mut wrong = Array::of(&case.inputs[0]);
    wrong.data[0] += C128::new(0.5, 0.0);
    let out = reference(&case.op, &[wrong], &case.meta());
    let refs: Vec<&Tensor> = case.inputs.iter().collect();
    assert!(distance(&out.data, &Array::of(&evaluate(&case, &refs)).data) > 0.1);
}
