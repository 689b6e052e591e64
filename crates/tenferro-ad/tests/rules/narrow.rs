//! 32-bit derivatives of every op against the 64-bit ones at the same numbers, at first and second order.

use crate::arrays::{Random, distance, epsilon, from_numbers, largest, numbers, wide};
use crate::fail;
use crate::finite::{adjoint_identity, subsets};
use crate::functions::Function;
use crate::samples::{Case, differentiable};
use tenferro_ad::tensor_core::{DType, Tensor};
use tenferro_ad::{Eager, Var, jvp, vjp};

/// Relative to the largest entry of the 64-bit derivative, or 1.
const PRECISION: f64 = 1e-4;

fn widened(x: &Tensor) -> Tensor {
    from_numbers(wide(x.dtype()), x.shape(), &numbers(x))
}

/// jvp and vjp of every output: one list per output, tangent first, then the cotangents of the inputs in `subset`.
fn derivatives(f: &Function, subset: &[usize], ts: &[Tensor], cts: &[Tensor], unit: f64) -> Vec<Vec<Option<Tensor>>> {
    let (vars, outs) = f.call(&f.inputs, &f.tracked(subset));
    let cx = &mut Eager::current();
    let leaves: Vec<_> = subset.iter().map(|&i| vars[i].node.clone()).collect();
    let wrt: Vec<_> = leaves.iter().cloned().zip(ts.iter().map(|t| Var::constant(t.clone()))).collect();
    let each = |(out, ct): (&Var, &Tensor)| {
        let moved = jvp(cx, out, &wrt).unwrap_or_else(|e| fail!(f.label, "jvp: {e}"));
        let back = vjp(cx, out, &leaves, Var::constant(ct.clone())).unwrap_or_else(|e| fail!(f.label, "vjp: {e}"));
        let jt = moved.as_ref().map_or(vec![Default::default(); out.value.size()], |t| numbers(&t.value));
        adjoint_identity(&f.label, &numbers(ct), &jt, &back, ts, unit);
        [moved].into_iter().chain(back).map(|v| v.map(|v| v.value)).collect()
    };
    outs.iter().flatten().zip(cts).map(each).collect()
}

fn check(narrow: &Function, wide: &Function, random: &mut Random) {
    let unit = epsilon(DType::F32);
    for subset in subsets(&narrow.active) {
        let direction = |&i: &usize| random.direction(narrow.inputs[i].dtype(), narrow.inputs[i].shape(), (1.0, 1.0));
        let ts: Vec<Tensor> = subset.iter().map(direction).collect();
        let cts = narrow.cotangents(random);
        let wide_ts: Vec<Tensor> = ts.iter().map(widened).collect();
        let wide_cts: Vec<Tensor> = cts.iter().map(widened).collect();
        let actual = derivatives(narrow, &subset, &ts, &cts, unit);
        let expected = derivatives(wide, &subset, &wide_ts, &wide_cts, unit);
        for (a, e) in actual.iter().flatten().zip(expected.iter().flatten()) {
            let (Some(a), Some(e)) = (a, e) else {
                assert_eq!(a.is_some(), e.is_some(), "{}: a derivative in one precision only", narrow.label);
                continue;
            };
            let (a, e) = (numbers(a), numbers(e));
            if distance(&a, &e) > PRECISION * largest(&e).max(1.0) {
                fail!(narrow.label, "inputs {subset:?}: 32-bit {a:?}, 64-bit {e:?}");
            }
        }
    }
}

fn cases() -> Vec<Case> {
    let inexact = |case: &Case| case.active().iter().all(|&i| case.inputs[i].dtype().is_inexact());
    let cases = differentiable().into_iter();
    cases.filter(|case| case.is_narrow() && inexact(case) && case.meta().dtype.is_inexact()).collect()
}

#[test]
fn first_order() {
    let mut random = Random(11);
    for case in cases() {
        check(&Function::of(&case), &Function::of(&case.widened()), &mut random);
    }
}

#[test]
fn second_order() {
    let mut random = Random(12);
    for case in cases() {
        let (narrow, wide) = (Function::of(&case), Function::of(&case.widened()));
        let cts = narrow.cotangents(&mut random);
        let wide_cts = cts.iter().map(widened).collect();
        check(&narrow.reverse_at(cts), &wide.reverse_at(wide_cts), &mut random);
    }
}
