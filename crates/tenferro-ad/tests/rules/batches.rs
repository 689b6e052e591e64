//! Every op on a batch gives what it gives item by item, whichever inputs are batched.

use crate::arrays::{from_numbers, numbers};
use crate::fail;
use crate::samples::{Case, catalogue};
use tenferro_ad::ops::batch::Items;
use tenferro_ad::ops::{Interp, Primitive};
use tenferro_ad::tensor_core::{C128, Tensor};
use tenferro_ad::{Eager, Var};

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
    let narrow = case.is_narrow();
    for (a, b) in numbers(&got.value).iter().zip(&expected) {
        let close = (a - b).norm() <= if narrow { 1e-5 } else { 1e-13 } * (1.0 + b.norm());
        if !(close || a == b || a.re.is_nan() && b.re.is_nan()) {
            fail!(case.label, "batched {batched:?}: {a} for {b}");
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
