//! Every op on a batch gives what it gives item by item, whichever inputs are batched.

use crate::arrays::{Random, from_numbers, numbers};
use crate::fail;
use crate::functions::runtime;
use crate::samples::{Case, catalogue};
use tenferro_ad::ops::batch::Items;
use tenferro_ad::ops::{Interp, Primitive};
use tenferro_ad::tensor_core::{C128, Tensor};
use tenferro_ad::vmap::{Mapped, repeat};
use tenferro_ad::{Eager, EagerTensor, Var};

/// Item `k`: the elements moved on by `k` places, so that they stay where the op is defined.
fn item(x: &Tensor, k: usize) -> Tensor {
    let data = numbers(x);
    let moved: Vec<C128> = (0..data.len()).map(|i| data[(i + k) % data.len()]).collect();
    from_numbers(x.dtype(), x.shape(), &moved)
}

fn together(items: &[Tensor], like: &Tensor) -> Tensor {
    let mut shape = like.shape().to_vec();
    shape.push(items.len());
    let data: Vec<C128> = items.iter().flat_map(numbers).collect();
    from_numbers(like.dtype(), &shape, &data)
}

fn check(case: &Case, batched: &[bool], size: usize) {
    let cx = &mut Eager::current();
    let items: Vec<Vec<Tensor>> = case.inputs.iter().map(|x| (0..size).map(|k| item(x, k)).collect()).collect();
    let values: Vec<Var> = case
        .inputs
        .iter()
        .zip(&items)
        .zip(batched)
        .map(|((x, items), &is)| Var::constant(if is { together(items, x) } else { x.clone() }))
        .collect();
    let got = case
        .op
        .batched(cx, &Items { values: &values, batched, size })
        .unwrap_or_else(|e| fail!(case.label, "batched {batched:?}: {e}"));
    let meta = case.meta();
    let mut shape = meta.shape.to_vec();
    shape.push(size);
    if got.value.shape() != &shape[..] || got.value.dtype() != meta.dtype {
        fail!(case.label, "batched {batched:?}: {:?}, expected {} {shape:?}", got.value, meta.dtype);
    }
    let mut expected = Vec::new();
    let input = |i: usize, k: usize| if batched[i] { items[i][k].clone() } else { case.inputs[i].clone() };
    for k in 0..size {
        let ins: Vec<Var> = (0..values.len()).map(|i| Var::constant(input(i, k))).collect();
        let one = cx.bind(case.op.clone(), &ins.iter().collect::<Vec<_>>());
        expected.extend(numbers(&one.unwrap_or_else(|e| fail!(case.label, "item {k}: {e}")).value));
    }
    compare(case, &format!("batched {batched:?}"), &numbers(&got.value), &expected, 1.0);
}

fn compare(case: &Case, what: &str, got: &[C128], expected: &[C128], factor: f64) {
    let unit = factor * if case.is_narrow() { 1e-5 } else { 1e-13 };
    assert_eq!(got.len(), expected.len(), "{}: {what}", case.label);
    for (a, b) in got.iter().zip(expected) {
        let close = (a - b).norm() <= unit * (1.0 + b.norm());
        if !(close || a == b || a.re.is_nan() && b.re.is_nan()) {
            fail!(case.label, "{what}: {a} for {b}");
        }
    }
}

#[test]
fn a_batch_is_its_items_side_by_side() {
    for case in catalogue() {
        let count = case.inputs.len();
        for subset in 1..1usize << count {
            let batched: Vec<bool> = (0..count).map(|i| subset >> i & 1 == 1).collect();
            for size in [3, 1, 0] {
                check(&case, &batched, size);
            }
        }
    }
}

const SIDE: usize = 2;

/// Values and cotangents of one item.
fn alone(case: &Case, inputs: &[Tensor], ct: &Tensor) -> (Tensor, Vec<Option<Tensor>>) {
    let rt = runtime();
    let leaves: Vec<EagerTensor> = inputs.iter().map(|x| leaf(x, &rt)).collect();
    let out = bound(case, &leaves.iter().collect::<Vec<_>>());
    let cts = pulled(case, &leaves, &out, ct);
    (out.value().clone(), cts)
}

fn leaf(x: &Tensor, rt: &std::sync::Arc<tenferro_ad::EagerRuntime>) -> EagerTensor {
    match x.dtype().is_inexact() {
        true => EagerTensor::variable(x.clone(), rt.clone()),
        false => EagerTensor::constant(x.clone(), rt.clone()),
    }
}

fn bound(case: &Case, inputs: &[&EagerTensor]) -> EagerTensor {
    let vars: Vec<Var> = inputs.iter().map(|x| x.var()).collect();
    let out = Eager::current().bind(case.op.clone(), &vars.iter().collect::<Vec<_>>());
    let out = out.unwrap_or_else(|e| fail!(case.label, "{e}"));
    EagerTensor::from_var(out, inputs[0].runtime().clone())
}

fn pulled(case: &Case, leaves: &[EagerTensor], out: &EagerTensor, ct: &Tensor) -> Vec<Option<Tensor>> {
    if !out.value().dtype().is_inexact() || !out.tracks_grad() {
        return vec![None; leaves.len()];
    }
    let seed = EagerTensor::constant(ct.clone(), out.runtime().clone());
    let found = out.vjp(&leaves.iter().collect::<Vec<_>>(), &seed, "vjp");
    let found = found.unwrap_or_else(|e| fail!(case.label, "vjp: {e}"));
    found.into_iter().map(|part| part.map(|t| t.value().clone())).collect()
}

/// `vmap` of `vmap` of the op, and its derivative from outside.
fn nested(case: &Case, inputs: &[Tensor], ct: &Tensor) -> (Tensor, Vec<Option<Tensor>>) {
    let rt = runtime();
    let leaves: Vec<EagerTensor> = inputs.iter().map(|x| leaf(x, &rt)).collect();
    let over = |tensors: &[&EagerTensor]| -> Vec<Mapped> {
        let map = |t: &&EagerTensor| Mapped::new(t, t.value().rank() - 1);
        tensors.iter().map(map).collect::<Result<_, _>>().unwrap_or_else(|e| fail!(case.label, "batch: {e}"))
    };
    let again = |mapped: &[Mapped], out: &EagerTensor| {
        let found = repeat(mapped, SIDE, &[out], &[-1], &rt);
        found.unwrap_or_else(|e| fail!(case.label, "repeated: {e}")).remove(0)
    };
    let outer = over(&leaves.iter().collect::<Vec<_>>());
    let inner = over(&outer.iter().map(Mapped::item).collect::<Vec<_>>());
    let out = bound(case, &inner.iter().map(Mapped::item).collect::<Vec<_>>());
    let out = again(&outer, &again(&inner, &out));
    let cts = pulled(case, &leaves, &out, ct);
    (out.value().clone(), cts)
}

/// Rules of batches are ops that can be repeated and differentiated themselves.
#[test]
fn batches_of_batches_and_their_cotangents_are_those_of_the_items() {
    let mut random = Random(7);
    for case in catalogue() {
        if case.inputs.is_empty() {
            continue;
        }
        let items: Vec<Vec<Tensor>> =
            case.inputs.iter().map(|x| (0..SIDE * SIDE).map(|k| item(x, k)).collect()).collect();
        let grid = |parts: &[Tensor]| {
            let flat = together(parts, &parts[0]);
            let shape: Vec<usize> = parts[0].shape().iter().copied().chain([SIDE, SIDE]).collect();
            from_numbers(flat.dtype(), &shape, &numbers(&flat))
        };
        let meta = case.meta();
        let cts: Vec<Tensor> =
            (0..SIDE * SIDE).map(|_| random.direction(meta.dtype, &meta.shape, (1.0, 1.0))).collect();
        let inputs: Vec<Tensor> = items.iter().map(|parts| grid(parts)).collect();
        let (value, pulled) = nested(&case, &inputs, &grid(&cts));
        let single: Vec<_> = (0..SIDE * SIDE)
            .map(|k| alone(&case, &items.iter().map(|parts| parts[k].clone()).collect::<Vec<_>>(), &cts[k]))
            .collect();
        let values: Vec<C128> = single.iter().flat_map(|(value, _)| numbers(value)).collect();
        compare(&case, "value", &numbers(&value), &values, 1.0);
        for (i, part) in pulled.iter().enumerate() {
            let each: Vec<Option<&Tensor>> = single.iter().map(|(_, parts)| parts[i].as_ref()).collect();
            assert_eq!(part.is_some(), each.iter().all(Option::is_some), "{}: input {i}", case.label);
            let each: Vec<C128> = each.into_iter().flatten().flat_map(numbers).collect();
            compare(&case, &format!("cotangent of input {i}"), &part.as_ref().map_or(vec![], numbers), &each, 100.0);
        }
    }
}
