//! Rules read what they declare, all of it, and nothing else; and a record keeps exactly that.

use crate::arrays::{Random, bits, from_numbers, numbers};
use crate::fail;
use crate::functions::{Function, leaf};
use crate::samples::{Case, catalogue};
use crate::values::evaluate;
use std::collections::BTreeMap;
use tenferro_ad::ops::{At, Interp, Meta, Primitive, Rule, Saves, Slot};
use tenferro_ad::tensor_core::{C128, DType, Result, Tensor, Variant};
use tenferro_ad::{Eager, Var};

/// What the rule sees if exactly the slots in `saves` are kept.
fn at(saves: Saves, inputs: &[Tensor], out: &Tensor) -> At<Var> {
    let slot = |kept: bool, x: &Tensor| match kept {
        true => Slot::Value(Var::constant(x.clone())),
        false => Slot::Meta(Meta::of(x).owned()),
    };
    At { ins: inputs.iter().enumerate().map(|(j, x)| slot(saves.has(j), x)).collect(), out: slot(saves.has_out(), out) }
}

/// The rule of input `i` itself: the adjoint of a linear op, the tangent of another.
fn call(case: &Case, i: usize, at: &At<Var>, seed: u64) -> Result<Tensor> {
    let cx = &mut Eager::silent();
    let mut random = Random(seed);
    let meta = case.meta();
    let mut direction = |dtype: DType, shape: &[usize]| Var::constant(random.direction(dtype, shape, (1.0, 1.0)));
    let result = match case.rule(i) {
        Rule::Linear => case.op.adjoint(cx, i, &direction(meta.dtype, &meta.shape), at),
        _ => case.op.tangent(cx, i, &direction(case.inputs[i].dtype(), case.inputs[i].shape()), at),
    };
    result.map(|v| v.value)
}

fn ruled(case: &Case) -> Vec<usize> {
    case.active().into_iter().filter(|&i| case.rule(i) != Rule::Zero).collect()
}

fn output(case: &Case) -> Tensor {
    evaluate(case, &case.inputs.iter().collect::<Vec<_>>())
}

#[test]
fn nothing_undeclared_is_read() {
    for case in catalogue() {
        let out = output(&case);
        for i in ruled(&case) {
            let at = at(case.op.saves(i), &case.inputs, &out);
            call(&case, i, &at, 31).unwrap_or_else(|e| fail!(case.label, "rule of input {i}: {e}"));
        }
    }
}

#[test]
fn an_undeclared_read_is_an_internal_error() {
    for name in ["mul", "tanh", "sin", "dot_general", "select", "reduce_max"] {
        let case = catalogue().into_iter().find(|c| c.op.name() == name && c.is_wide() && !ruled(c).is_empty());
        let case = case.unwrap_or_else(|| panic!("a sample of {name}"));
        let i = ruled(&case)[0];
        let error = call(&case, i, &at(Saves::NONE, &case.inputs, &output(&case)), 32).expect_err(name);
        assert_eq!(error.variant(), Variant::Internal, "{name}: {error}");
    }
}

/// Several other values of the same dtype and shape; positions stay positions.
fn changed(x: &Tensor, rule: Rule) -> Vec<Tensor> {
    [(1.25, 0.375), (-1.0, 0.125), (0.125, 0.0), (1.0, 3.0)]
        .into_iter()
        .map(|(factor, shift)| {
            let change = |z: &C128| match x.dtype() {
                DType::Bool => C128::new(1.0 - z.re, 0.0),
                dtype if rule == Rule::Inactive || !dtype.is_inexact() => C128::new((z.re + 1.0) % 3.0, 0.0),
                _ => z * factor + C128::new(shift, 0.5 * shift),
            };
            from_numbers(x.dtype(), x.shape(), &numbers(x).iter().map(change).collect::<Vec<_>>())
        })
        .collect()
}

#[test]
fn nothing_declared_is_idle() {
    let mut matters: BTreeMap<(String, usize, String), bool> = BTreeMap::new();
    for case in catalogue() {
        let out = output(&case);
        for i in ruled(&case) {
            let saves = case.op.saves(i);
            let run = |inputs: &[Tensor], out: &Tensor| {
                let result = call(&case, i, &at(saves, inputs, out), 33);
                bits(&result.unwrap_or_else(|e| fail!(case.label, "rule of input {i}: {e}")))
            };
            let before = run(&case.inputs, &out);
            let mut note = |slot: String, after: Vec<[u64; 2]>| {
                *matters.entry((case.op.name().to_owned(), i, slot)).or_default() |= after != before;
            };
            for j in (0..case.inputs.len()).filter(|&j| saves.has(j)) {
                for other in changed(&case.inputs[j], case.rule(j)) {
                    let mut inputs = case.inputs.clone();
                    inputs[j] = other;
                    note(format!("input {j}"), run(&inputs, &out));
                }
            }
            for other in changed(&out, case.rule(i)).iter().filter(|_| saves.has_out()) {
                note("the output".to_owned(), run(&case.inputs, other));
            }
        }
    }
    let idle: Vec<_> = matters.iter().filter(|(_, matters)| !**matters).map(|(key, _)| key).collect();
    assert!(idle.is_empty(), "(op, input, saved value) that changes no derivative: {idle:?}");
    assert!(matters.len() > 40, "{} saved values seen", matters.len());
}

/// Tracks input `i` alone, lets go of everything but the record, and counts who still holds the values.
#[test]
fn a_record_keeps_the_declared_values_only() {
    for case in catalogue() {
        for i in 0..case.inputs.len() {
            let inputs: Vec<Tensor> =
                case.inputs.iter().map(|x| from_numbers(x.dtype(), x.shape(), &numbers(x))).collect();
            let saves = match case.rule(i) {
                Rule::Linear | Rule::Tangent => case.op.saves(i),
                Rule::Zero | Rule::Inactive => Saves::NONE,
            };
            let vars: Vec<Var> = inputs
                .iter()
                .enumerate()
                .map(|(j, x)| if i == j { leaf(x) } else { Var::constant(x.clone()) })
                .collect();
            let refs: Vec<&Var> = vars.iter().collect();
            let out = Eager::current().bind(case.op.clone(), &refs).unwrap_or_else(|e| fail!(case.label, "{e}"));
            let (node, value) = (out.node, out.value);
            drop(vars);
            let own = inputs.iter().all(|x| x.address() != value.address()) && !value.is_view();
            if own && !value.is_shared_by(1 + usize::from(saves.has_out())) {
                fail!(case.label, "input {i} tracked: the output is kept: {}", !saves.has_out());
            }
            drop(value);
            for (j, x) in inputs.iter().enumerate() {
                if !x.is_shared_by(1 + usize::from(saves.has(j))) {
                    fail!(case.label, "input {i} tracked: input {j} is kept: {}", !saves.has(j));
                }
            }
            drop(node);
        }
    }
}

#[test]
fn inputs_alone_are_enough_for_the_sweeps() {
    let mut random = Random(34);
    for case in catalogue() {
        for i in ruled(&case) {
            let f = Function::of(&case);
            let (vars, outs) = f.call(&case.inputs, &[i]);
            let out = outs[0].as_ref().expect("a value");
            let seed = Var::constant(random.direction(out.value.dtype(), out.value.shape(), (1.0, 1.0)));
            let t = Var::constant(random.direction(case.inputs[i].dtype(), case.inputs[i].shape(), (1.0, 1.0)));
            let cx = &mut Eager::current();
            tenferro_ad::vjp(cx, out, &[vars[i].node.clone()], seed)
                .unwrap_or_else(|e| fail!(case.label, "vjp by {i}: {e}"));
            tenferro_ad::jvp(cx, out, &[(vars[i].node.clone(), t)])
                .unwrap_or_else(|e| fail!(case.label, "jvp by {i}: {e}"));
        }
    }
}
