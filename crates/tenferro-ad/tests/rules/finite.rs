//! Derivatives of every op: jvp against finite differences, vjp as its adjoint, at first, second and third order.

use crate::arrays::{Random, distance, epsilon, inner, largest, moved, norm, numbers};
use crate::fail;
use crate::functions::Function;
use crate::samples::differentiable;
use tenferro_ad::ops::{Primitive, Rule};
use tenferro_ad::tensor_core::{C128, DType, Tensor};
use tenferro_ad::{Eager, Var, jvp, vjp};

/// Of differences, relative to the largest of derivative, value and 1.
const DIFFERENCE: f64 = 1e-8;
/// Roundings per square root of an element that a rule may spend, relative to |c|·|J t| + |Jᴴ c|·|t|.
const ROUNDINGS: f64 = 8.0;

/// Each active input alone, and all together.
pub fn subsets(active: &[usize]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = active.iter().map(|&i| vec![i]).collect();
    if active.len() > 1 {
        all.push(active.to_vec());
    }
    all
}

fn values(outs: &[Option<Var>]) -> Vec<Vec<C128>> {
    outs.iter().map(|out| out.as_ref().map_or(Vec::new(), |v| numbers(&v.value))).collect()
}

fn combine(a: &[Vec<C128>], x: f64, b: &[Vec<C128>], y: f64) -> Vec<Vec<C128>> {
    let pair = |(a, b): (&Vec<C128>, &Vec<C128>)| a.iter().zip(b).map(|(a, b)| a * x + b * y).collect();
    a.iter().zip(b).map(pair).collect()
}

/// Central differences along `ts`, extrapolated twice: the error falls with the sixth power of the step.
fn differences(f: &Function, subset: &[usize], ts: &[Tensor], step: f64, levels: usize) -> Vec<Vec<C128>> {
    let central = |h: f64| {
        let at = |h: f64| {
            let mut inputs = f.inputs.clone();
            for (&i, t) in subset.iter().zip(ts) {
                inputs[i] = moved(&inputs[i], h, t);
            }
            values(&f.call(&inputs, &f.tracked(subset)).1)
        };
        combine(&at(h), 0.5 / h, &at(-h), -0.5 / h)
    };
    let mut row: Vec<_> = (0..levels).map(|k| central(step / f64::from(1 << k))).collect();
    let mut power = 4.0;
    while row.len() > 1 {
        row = row.windows(2).map(|w| combine(&w[1], power / (power - 1.0), &w[0], -1.0 / (power - 1.0))).collect();
        power *= 4.0;
    }
    row.remove(0)
}

fn parts(f: &Function, subset: &[usize]) -> &'static [(f64, f64)] {
    match subset.iter().any(|&i| f.inputs[i].dtype().is_complex()) {
        true => &[(1.0, 0.0), (0.0, 1.0), (1.0, 1.0)],
        false => &[(1.0, 1.0)],
    }
}

fn tangents(f: &Function, subset: &[usize], weights: (f64, f64), random: &mut Random) -> Vec<Tensor> {
    subset.iter().map(|&i| random.direction(f.inputs[i].dtype(), f.inputs[i].shape(), weights)).collect()
}

/// `exact`: integers, for which one step of 1 gives the exact derivative of a linear op.
fn check(f: &Function, random: &mut Random, exact: bool) {
    for subset in subsets(&f.active) {
        for &weights in parts(f, &subset) {
            let ts = tangents(f, &subset, weights, random);
            let expected =
                if exact { differences(f, &subset, &ts, 1.0, 1) } else { differences(f, &subset, &ts, 1.0 / 256.0, 3) };
            let (vars, outs) = f.call(&f.inputs, &f.tracked(&subset));
            let wrt: Vec<_> =
                subset.iter().zip(&ts).map(|(&i, t)| (vars[i].node.clone(), Var::constant(t.clone()))).collect();
            let leaves: Vec<_> = wrt.iter().map(|(node, _)| node.clone()).collect();
            let cx = &mut Eager::current();
            for (k, out) in outs.iter().enumerate() {
                let Some(out) = out else { continue };
                let label = format!("{}, output {k}, inputs {subset:?}", f.label);
                let moved = jvp(cx, out, &wrt).unwrap_or_else(|e| fail!(label, "jvp: {e}"));
                let moved = moved.map(|t| t.value);
                if let Some(t) = &moved
                    && (t.dtype(), t.shape()) != (out.value.dtype(), out.value.shape())
                {
                    fail!(label, "tangent of {:?} for a value of {:?}", t, out.value);
                }
                let jt = moved.as_ref().map_or(vec![C128::default(); out.value.size()], numbers);
                let scale =
                    if exact { 0.0 } else { 1f64.max(largest(&expected[k])).max(largest(&numbers(&out.value))) };
                if distance(&jt, &expected[k]) > DIFFERENCE * scale {
                    fail!(
                        label,
                        "jvp {jt:?}, differences {:?}, tangents {:?}",
                        expected[k],
                        ts.iter().map(numbers).collect::<Vec<_>>()
                    );
                }
                let ct = random.direction(out.value.dtype(), out.value.shape(), (1.0, 1.0));
                let back =
                    vjp(cx, out, &leaves, Var::constant(ct.clone())).unwrap_or_else(|e| fail!(label, "vjp: {e}"));
                if moved.is_none() != back.iter().all(Option::is_none) {
                    fail!(label, "jvp is None: {}, vjp is None: {}", moved.is_none(), moved.is_some());
                }
                let unit = if exact { 0.0 } else { epsilon(DType::F64) };
                adjoint_identity(&label, &numbers(&ct), &jt, &back, &ts, unit);
            }
        }
    }
}

/// Re⟨c, J t⟩ = Re⟨Jᴴ c, t⟩ to `ROUNDINGS` of the unit roundoff.
pub fn adjoint_identity(label: &str, ct: &[C128], jt: &[C128], back: &[Option<Var>], ts: &[Tensor], unit: f64) {
    let forward = inner(ct, jt);
    let (mut reverse, mut scale, mut count) = (0.0, norm(ct) * norm(jt), ct.len());
    for (part, t) in back.iter().zip(ts) {
        let Some(part) = part else { continue };
        if (part.value.dtype(), part.value.shape()) != (t.dtype(), t.shape()) {
            fail!(label, "cotangent of {:?} for an input like {t:?}", part.value);
        }
        let (g, t) = (numbers(&part.value), numbers(t));
        reverse += inner(&g, &t);
        scale += norm(&g) * norm(&t);
        count += t.len();
    }
    // Inside J terms of the size of 1, as the samples are, may cancel: |c|·|t| is what rounding is compared with at least.
    scale = scale.max(norm(ct) * ts.iter().map(|t| norm(&numbers(t)).powi(2)).sum::<f64>().sqrt());
    let bound = ROUNDINGS * unit * (count as f64).sqrt() * scale;
    if (forward - reverse).abs() > bound {
        fail!(label, "Re<c, J t> = {forward}, Re<J^H c, t> = {reverse}, apart by more than {bound:e}");
    }
}

fn functions() -> Vec<Function> {
    let cases = differentiable().into_iter().filter(|case| case.is_wide() && case.meta().dtype.is_inexact());
    cases.map(|case| Function::of(&case)).collect()
}

#[test]
fn first_order() {
    let mut random = Random(1);
    functions().iter().for_each(|f| check(f, &mut random, false));
}

#[test]
fn second_order_of_vjp() {
    let mut random = Random(2);
    functions().iter().for_each(|f| check(&f.reverse(&mut random), &mut random, false));
}

#[test]
fn second_order_of_jvp() {
    let mut random = Random(3);
    functions().iter().for_each(|f| check(&f.forward(&mut random), &mut random, false));
}

#[test]
fn third_order_of_vjp() {
    let mut random = Random(4);
    for f in functions() {
        check(&f.reverse(&mut random).reverse(&mut random), &mut random, false);
    }
}

#[test]
fn linear_ops_on_integers_are_exact() {
    let mut random = Random(5);
    let mut checked = 0;
    for case in differentiable() {
        let whole = |d: DType| matches!(d, DType::I32 | DType::I64);
        let linear = case.active().iter().all(|&i| case.rule(i) == Rule::Linear && whole(case.inputs[i].dtype()));
        if linear && whole(case.meta().dtype) {
            check(&Function::of(&case), &mut random, true);
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked} cases");
}

#[test]
fn a_wrong_derivative_is_noticed() {
    let case = differentiable().into_iter().find(|c| c.op.name() == "tanh" && c.is_wide()).expect("tanh");
    let mut f = Function::of(&case);
    let (subset, mut random) = (f.active.clone(), Random(6));
    let ts = tangents(&f, &subset, (1.0, 1.0), &mut random);
    let right = differences(&f, &subset, &ts, 1.0 / 256.0, 3);
    f.inputs[0] = moved(&f.inputs[0], 1e-6, &ts[0]);
    let beside = differences(&f, &subset, &ts, 1.0 / 256.0, 3);
    assert!(distance(&right[0], &beside[0]) > 10.0 * DIFFERENCE, "differences resolve a shift of 1e-6");
}
