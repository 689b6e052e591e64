//! Zeros, infinities, ties, and branches that were not taken; numbers in names are those of the list of public bug reports
//! that the cases come from.

use crate::arrays::{Random, from_numbers, numbers};
use crate::functions::{Function, leaf, pullback};
use crate::points::*;
use crate::samples::{Case, catalogue};
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::cpu::{BinaryOp, CompareOp, ReduceOp, UnaryOp};
use tenferro_ad::ops::{Clamp, Interp, Op, Rule};
use tenferro_ad::tensor_core::{C128, DType, Result, Tensor};
use tenferro_ad::{Eager, Var, jvp, vjp};

#[test]
fn b22_ties_share_equally() {
    let x = reals(&[1.0, 1.0, 1.0, 0.5]);
    let third = 1.0 / 3.0;
    assert_reals(&gradient(&x, |cx, x| cx.reduce(ReduceOp::Max, x, &[0])), &[third, third, third, 0.0]);
    assert_reals(&gradient(&x, |cx, x| cx.reduce(ReduceOp::Min, x, &[0])), &[0.0, 0.0, 0.0, 1.0]);
    let matrix = from_numbers(DType::F64, &[2, 2], &numbers(&reals(&[2.0, 1.0, 2.0, 2.0])));
    assert_reals(&gradient(&matrix, |cx, x| cx.reduce(ReduceOp::Max, x, &[1])), &[0.5, 0.0, 0.5, 1.0]);
    assert_reals(&gradient(&matrix, |cx, x| cx.reduce(ReduceOp::Max, x, &[0, 1])), &[third, 0.0, third, third]);
    for op in [BinaryOp::Maximum, BinaryOp::Minimum] {
        let other = constant(&[1.0, 1.0, 2.0, 0.5]);
        let expected = if op == BinaryOp::Maximum { [0.5, 0.5, 0.0, 0.5] } else { [0.5, 0.5, 1.0, 0.5] };
        assert_reals(&gradient(&x, |cx, x| cx.binary(op, x, &other)), &expected);
        assert_reals(&gradient(&x, |cx, x| cx.binary(op, x, x)), &[1.0; 4]);
    }
}

#[test]
fn not_a_number_wins_and_takes_the_gradient() {
    let x = reals(&[1.0, f64::NAN, 3.0, f64::NAN]);
    for op in [ReduceOp::Max, ReduceOp::Min] {
        assert_reals(&gradient(&x, |cx, x| cx.reduce(op, x, &[0])), &[0.0, 0.5, 0.0, 0.5]);
    }
}

/// The columns of the Hessian of Re Σ f, by reverse over reverse and by forward over reverse.
fn hessian(x: &Tensor, f: impl Fn(&mut Eager, &Var) -> Result<Var> + Copy) -> Vec<Vec<C128>> {
    let column = |k: usize| {
        gradient(x, |cx, x| {
            let out = f(cx, x)?;
            let g = pullback(cx, &out, x, ones(&out.value));
            cx.slice_axis(&g, 0, k, k + 1)
        })
    };
    (0..x.size()).map(column).collect()
}

#[test]
fn b24_products_with_zeros() {
    let product = |cx: &mut Eager, x: &Var| cx.reduce(ReduceOp::Prod, x, &[0]);
    assert_reals(&gradient(&reals(&[2.0, 0.0, 3.0, 4.0]), product), &[0.0, 24.0, 0.0, 0.0]);
    assert_reals(&gradient(&reals(&[0.0, 0.0, 3.0]), product), &[0.0; 3]);
    let lanes = from_numbers(DType::F64, &[2, 2], &numbers(&reals(&[0.0, 5.0, 7.0, 2.0])));
    assert_reals(&gradient(&lanes, |cx, x| cx.reduce(ReduceOp::Prod, x, &[1])), &[7.0, 2.0, 0.0, 5.0]);
    let h = hessian(&reals(&[0.0, 0.0, 3.0]), product);
    for (row, expected) in h.iter().zip([[0.0, 3.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]]) {
        assert_reals(row, &expected);
    }
    let h = hessian(&reals(&[2.0, 0.0, 3.0, 4.0]), product);
    assert_reals(&h[1], &[12.0, 0.0, 8.0, 6.0]);
    assert_reals(&h[0], &[0.0, 12.0, 0.0, 0.0]);
}

#[test]
fn b26_powers_at_zero() {
    let power = |p: f64| move |cx: &mut Eager, x: &Var| cx.binary(BinaryOp::Pow, x, &number(p));
    assert_reals(&gradient(&reals(&[0.0, 1.0]), power(0.0)), &[0.0, 0.0]);
    assert_reals(&gradient(&reals(&[0.0]), power(1.5)), &[0.0]);
    assert_reals(&gradient(&reals(&[0.0]), power(1.0)), &[1.0]);
    assert_reals(&gradient(&reals(&[0.0]), power(0.5)), &[INF]);
    assert_reals(&gradient(&reals(&[-2.0, 0.0]), power(3.0)), &[12.0, 0.0]);
    for (p, curvature) in [(0.0, 0.0), (1.0, 0.0), (2.0, 2.0), (3.0, 0.0)] {
        assert_reals(&hessian(&reals(&[0.0]), power(p))[0], &[curvature]);
    }
    let exponent = |x: f64| move |cx: &mut Eager, p: &Var| cx.binary(BinaryOp::Pow, &number(x), p);
    assert_reals(&gradient(&reals(&[0.0, 1.0, 2.0]), exponent(0.0)), &[0.0; 3]);
    assert_reals(&gradient(&reals(&[2.0]), exponent(2.0)), &[4.0 * 2f64.ln()]);
}

#[test]
fn mixed_slope_of_a_power_at_exponent_zero() {
    for (base, expected) in [(2.0, 0.5), (0.0, 0.0)] {
        let cx = &mut Eager::current();
        let (x, p) = (leaf(&reals(&[base])), leaf(&reals(&[0.0])));
        let y = cx.binary(BinaryOp::Pow, &x, &p).expect("a power");
        let (by_x, by_p) = (pullback(cx, &y, &x, constant(&[1.0])), pullback(cx, &y, &p, constant(&[1.0])));
        for (g, wrt) in [(by_x, &p), (by_p, &x)] {
            let mixed = pullback(cx, &g, wrt, constant(&[1.0]));
            assert_reals(&numbers(&mixed.value), &[expected]);
        }
    }
}

#[test]
fn b27_branches_not_taken() {
    let g = gradient(&reals(&[-1.0, -4.0, 4.0]), |cx, x| {
        let positive = cx.compare(CompareOp::Gt, x, &number(0.0))?;
        let root = cx.unary(UnaryOp::Sqrt, x)?;
        cx.select(&positive, &root, x)
    });
    assert_reals(&g, &[1.0, 1.0, 0.25]);
    let g = gradient(&reals(&[0.0, INF]), |cx, x| {
        let below = cx.compare(CompareOp::Lt, x, &number(1.0))?;
        let cos = cx.unary(UnaryOp::Cos, x)?;
        cx.select(&below, &cos, &number(0.0))
    });
    assert_reals(&g, &[0.0, 0.0]);
    let g = gradient(&narrow(&reals(&[100.0])), |cx, a| {
        let one = Var::constant(Tensor::scalar(1.0f32)?);
        let low = cx.compare(CompareOp::Le, a, &Var::constant(Tensor::scalar(0.0f32)?))?;
        let (exp, line) = (cx.unary(UnaryOp::Exp, a)?, cx.add(&one, a)?);
        cx.select(&low, &exp, &line)
    });
    assert_reals(&g, &[1.0]);
}

#[test]
fn b27_branches_not_taken_at_second_order() {
    let h = hessian(&reals(&[-1.0, 0.0, 4.0]), |cx, x| {
        let positive = cx.compare(CompareOp::Gt, x, &number(0.0))?;
        let root = cx.unary(UnaryOp::Sqrt, x)?;
        let square = cx.mul(x, x)?;
        cx.select(&positive, &root, &square)
    });
    assert_reals(&h[0], &[2.0, 0.0, 0.0]);
    assert_reals(&h[1], &[0.0, 2.0, 0.0]);
    assert_reals(&h[2], &[0.0, 0.0, -1.0 / 32.0]);
}

#[test]
fn b28_infinite_slopes_that_nobody_asks_for() {
    let behind = |op: UnaryOp| {
        move |cx: &mut Eager, x: &Var| {
            let y = cx.unary(op, x)?;
            cx.slice_axis(&y, 0, 1, 3)
        }
    };
    assert_reals(&gradient(&reals(&[-1.0, 0.5, 1.0]), behind(UnaryOp::Log1p)), &[0.0, 1.0 / 1.5, 0.5]);
    assert_reals(&gradient(&reals(&[0.0, 0.25, 1.0]), behind(UnaryOp::Sqrt)), &[0.0, 1.0, 0.5]);
    assert_reals(&gradient(&reals(&[0.0, 0.5, 1.0]), behind(UnaryOp::Log)), &[0.0, 2.0, 1.0]);
    assert_reals(&gradient(&reals(&[0.0, 0.5, 1.0]), behind(UnaryOp::Reciprocal)), &[0.0, -4.0, -1.0]);
    let h = hessian(&reals(&[0.0, 0.25, 1.0]), behind(UnaryOp::Sqrt));
    assert_reals(&h[1], &[0.0, -2.0, 0.0]);
    let quotient = |cx: &mut Eager, x: &Var| {
        let y = cx.div(&number(1.0), x)?;
        cx.slice_axis(&y, 0, 1, 3)
    };
    assert_reals(&gradient(&reals(&[0.0, 0.5, 1.0]), quotient), &[0.0, -4.0, -1.0]);
}

/// A branch that is not taken sends zeros back; whatever its values are, they must stay zeros. Contractions are left out:
/// they sum over elements, and 0·∞ inside a sum is NaN as everywhere.
#[test]
fn zero_cotangents_stay_zero_at_every_singular_point() {
    let mut random = Random(41);
    for case in catalogue().into_iter().filter(|c| c.is_wide() && c.meta().dtype.is_inexact()) {
        if matches!(case.op, Op::Dot(_)) || case.active().is_empty() {
            continue;
        }
        for poison in [0.0, -1.0, INF, -INF, f64::NAN] {
            let mut f = Function::of(&case);
            for &i in &f.active {
                let x = &f.inputs[i];
                f.inputs[i] = from_numbers(x.dtype(), x.shape(), &vec![C128::new(poison, 0.0); x.size()]);
            }
            let second = f.reverse_at(f.cotangents(&mut random));
            for f in [f, second] {
                let (vars, outs) = f.call(&f.inputs, &f.tracked(&f.active));
                let wrt: Vec<_> = f.active.iter().map(|&i| vars[i].node.clone()).collect();
                for out in outs.iter().flatten() {
                    let zero =
                        from_numbers(out.value.dtype(), out.value.shape(), &vec![C128::default(); out.value.size()]);
                    let back = vjp(&mut Eager::current(), out, &wrt, Var::constant(zero)).expect("vjp");
                    for part in back.iter().flatten().map(|v| numbers(&v.value)) {
                        assert!(part.iter().all(|&z| z == C128::default()), "{} at {poison}: {part:?}", f.label);
                    }
                }
            }
        }
    }
}

#[test]
fn zero_tangents_stay_zero_at_every_singular_point() {
    let elementwise = |c: &Case| matches!(c.op, Op::Unary(_) | Op::Ordered(_) | Op::Binary(_) | Op::Clamp(_));
    for case in catalogue().into_iter().filter(|c| elementwise(c) && c.is_wide() && c.meta().dtype.is_inexact()) {
        for i in (0..case.inputs.len()).filter(|&i| case.rule(i) == Rule::Tangent) {
            for poison in [0.0, -1.0, INF, -INF, f64::NAN] {
                let f = Function::of(&case);
                let fill =
                    |x: &Tensor, value: f64| from_numbers(x.dtype(), x.shape(), &vec![C128::new(value, 0.0); x.size()]);
                let inputs: Vec<Tensor> = f.inputs.iter().map(|x| fill(x, poison)).collect();
                let (vars, outs) = f.call(&inputs, &[i]);
                let wrt = [(vars[i].node.clone(), Var::constant(fill(&inputs[i], 0.0)))];
                let out = outs[0].as_ref().expect("a value");
                let moved = jvp(&mut Eager::current(), out, &wrt).expect("jvp").expect("a path");
                let moved = numbers(&moved.value);
                assert!(
                    moved.iter().all(|&z| z == C128::default()),
                    "{}, input {i} at {poison}: {moved:?}",
                    case.label
                );
            }
        }
    }
}

#[test]
fn clamp_has_strict_masks() {
    let clamp = |cx: &mut Eager, x: &Var| cx.bind(Clamp.into(), &[x, &number(-1.0), &number(1.0)]);
    let x = reals(&[-2.0, -1.0, 0.5, 1.0, INF]);
    assert_reals(&gradient(&x, clamp), &[0.0, 0.0, 1.0, 0.0, 0.0]);
    let bounds = |cx: &mut Eager, upper: &Var| cx.bind(Clamp.into(), &[&constant(&[2.0, 0.0]), &number(-1.0), upper]);
    assert_reals(&gradient(&reals(&[1.0, 1.0]), bounds), &[1.0, 0.0]);
    // x below, at and above the lower bound; then bounds that meet, and bounds that cross.
    let (x, upper) = (constant(&[-2.0, -1.0, 0.0, -2.0, -2.0]), constant(&[1.0, 1.0, 1.0, -1.0, -3.0]));
    let by_lower = |cx: &mut Eager, lower: &Var| cx.bind(Clamp.into(), &[&x, lower, &upper]);
    assert_reals(&gradient(&reals(&[-1.0; 5]), by_lower), &[1.0, 0.0, 0.0, 0.0, 0.0]);
    let (x, lower) = (constant(&[2.0, 1.0, 0.0, 0.0, 0.0]), constant(&[-1.0, -1.0, -1.0, 1.0, 3.0]));
    let by_upper = |cx: &mut Eager, upper: &Var| cx.bind(Clamp.into(), &[&x, &lower, upper]);
    assert_reals(&gradient(&reals(&[1.0; 5]), by_upper), &[1.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn sign_at_zero() {
    assert_reals(&gradient(&reals(&[0.0, 2.0]), |cx, x| cx.unary(UnaryOp::Sign, x)), &[0.0, 0.0]);
    let g = gradient(&complexes(&[(0.0, 0.0), (0.0, 2.0)]), |cx, z| cx.unary(UnaryOp::Sign, z));
    assert_near(&g, &[(0.0, 0.0), (0.5, 0.0)], 1e-14);
    let norm = |cx: &mut Eager, z: &Var| cx.unary(UnaryOp::Abs, z);
    let second = gradient(&complexes(&[(0.0, 0.0), (3.0, 4.0)]), |cx, z| {
        let out = norm(cx, z)?;
        Ok(pullback(cx, &out, z, ones(&out.value)))
    });
    // Re Σ z/|z|: its slope at 3+4i is (1 − s·Re s)/|z| with s = 0.6+0.8i.
    assert_near(&second, &[(0.0, 0.0), (0.128, -0.096)], 1e-14);
}
