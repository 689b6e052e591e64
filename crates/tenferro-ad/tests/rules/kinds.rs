//! What a rule says is what comes out: no derivative where it is inactive, zeros where it is zero, numbers elsewhere.

use crate::arrays::{Random, numbers};
use crate::fail;
use crate::functions::Function;
use crate::samples::{Case, catalogue};
use crate::values::guide;
use std::collections::HashMap;
use tenferro_ad::ops::cpu::CompareOp;
use tenferro_ad::ops::{Primitive, Rule};
use tenferro_ad::tensor_core::{C128, DType, Tensor};
use tenferro_ad::{Eager, Var, jvp, vjp};

fn ones(random: &mut Random, like: &Tensor) -> Var {
    Var::constant(random.direction(like.dtype(), like.shape(), (1.0, 1.0)))
}

fn check_value(case: &Case, i: usize, what: &str, derivative: Option<&Var>, like: &Tensor) {
    let rule = case.rule(i);
    match derivative {
        None if rule == Rule::Inactive => {}
        None => fail!(case.label, "{what} of input {i} is None, its rule is {rule:?}"),
        Some(_) if rule == Rule::Inactive => fail!(case.label, "{what} of input {i}, which is inactive"),
        Some(d) => {
            if (d.value.dtype(), d.value.shape()) != (like.dtype(), like.shape()) {
                fail!(case.label, "{what} of input {i}: {:?} for {like:?}", d.value);
            }
            if rule == Rule::Zero && numbers(&d.value).iter().any(|&z| z != C128::default()) {
                fail!(case.label, "{what} of input {i}: {:?}, expected zeros", numbers(&d.value));
            }
        }
    }
}

#[test]
fn derivatives_exist_as_the_rules_say() {
    let mut random = Random(21);
    for case in catalogue() {
        let f = Function::of(&case);
        let everything: Vec<usize> = (0..case.inputs.len()).collect();
        let mut sets: Vec<Vec<usize>> = everything.iter().map(|&i| vec![i]).collect();
        sets.push(everything);
        for tracked in sets {
            let (vars, outs) = f.call(&case.inputs, &tracked);
            let out = outs[0].as_ref().expect("a value");
            let cx = &mut Eager::current();
            let flows = tracked.iter().any(|&i| case.rule(i) != Rule::Inactive);
            if out.tracked() != flows {
                fail!(case.label, "tracked: {}, inputs {tracked:?}", out.tracked());
            }
            let nodes: Vec<_> = tracked.iter().map(|&i| vars[i].node.clone()).collect();
            let seed = ones(&mut random, &out.value);
            let back = vjp(cx, out, &nodes, seed).unwrap_or_else(|e| fail!(case.label, "vjp: {e}"));
            for (&i, part) in tracked.iter().zip(&back) {
                check_value(&case, i, "vjp", part.as_ref(), &case.inputs[i]);
                let t = ones(&mut random, &case.inputs[i]);
                let moved =
                    jvp(cx, out, &[(vars[i].node.clone(), t)]).unwrap_or_else(|e| fail!(case.label, "jvp: {e}"));
                check_value(&case, i, "jvp", moved.as_ref(), &out.value);
            }
        }
    }
}

/// Which kinds of rule an op may have is decided here a second time, by the dtypes alone. No sample tells an inactive input
/// from one whose derivative nobody looks at.
#[test]
fn dtypes_decide_what_is_inactive() {
    let steps = ["sign", "floor", "ceil", "trunc", "round"];
    for case in catalogue() {
        for i in 0..case.inputs.len() {
            let (from, to, rule) = (case.inputs[i].dtype(), case.meta().dtype, case.rule(i));
            let fits = match (from.is_inexact(), to.is_inexact()) {
                _ if guide(&case.op) == Some(i) => rule == Rule::Inactive,
                _ if case.op.name() == "stop_gradient" => rule == Rule::Inactive,
                _ if from == DType::Bool || to == DType::Bool => rule == Rule::Inactive,
                (true, true) => rule != Rule::Inactive,
                (false, false) if steps.contains(&case.op.name()) => rule == Rule::Zero,
                (false, false) if case.op.name() == "abs" => rule == Rule::Tangent,
                (false, false) => matches!(rule, Rule::Linear | Rule::Inactive),
                _ => rule == Rule::Inactive,
            };
            if !fits {
                fail!(case.label, "the rule of input {i} is {rule:?}");
            }
        }
    }
}

#[test]
fn active_rules_are_not_zero() {
    let mut seen: HashMap<(String, usize), bool> = HashMap::new();
    let mut random = Random(22);
    for case in catalogue() {
        for i in case.active() {
            let dtype = case.inputs[i].dtype();
            if !dtype.is_inexact() || case.rule(i) == Rule::Zero {
                continue;
            }
            let (vars, outs) = Function::of(&case).call(&case.inputs, &[i]);
            let out = outs[0].as_ref().expect("a value");
            let wrt = [(vars[i].node.clone(), ones(&mut random, &case.inputs[i]))];
            let moved = jvp(&mut Eager::current(), out, &wrt).unwrap_or_else(|e| fail!(case.label, "jvp: {e}"));
            let nonzero = moved.is_some_and(|t| numbers(&t.value).iter().any(|z| z.norm() > 0.0));
            *seen.entry((case.op.name().to_owned(), i)).or_default() |= nonzero;
        }
    }
    let idle: Vec<_> = seen.iter().filter(|(_, nonzero)| !**nonzero).map(|(key, _)| key).collect();
    assert!(idle.is_empty(), "derivatives that are zero in every sample: {idle:?}");
}

#[test]
fn real_sign_and_rounding_are_zero_and_tests_are_inactive() {
    let rule = |name: &str, complex: bool| {
        let mut cases = catalogue().into_iter();
        let fits = |c: &Case| {
            c.op.name() == name && c.inputs[0].dtype().is_inexact() && c.inputs[0].dtype().is_complex() == complex
        };
        cases.find(fits).map(|c| c.rule(0))
    };
    for name in ["sign", "floor", "ceil", "trunc", "round", "floor_divide"] {
        assert_eq!(rule(name, false), Some(Rule::Zero), "{name}");
    }
    assert_eq!(rule("sign", true), Some(Rule::Tangent));
    for name in ["isnan", "isfinite", CompareOp::Eq.name(), CompareOp::Ne.name()] {
        assert_eq!(rule(name, true), Some(Rule::Inactive), "{name}");
    }
}
