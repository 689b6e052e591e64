//! Complex numbers, broadcasting and accumulation where other libraries have gone wrong; numbers in names are those of the
//! list of public bug reports that the cases come from.

use crate::arrays::{from_numbers, numbers};
use crate::functions::{leaf, pullback};
use crate::points::*;
use crate::samples::catalogue;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::cpu::{BinaryOp, DotDims, ReduceOp, UnaryOp};
use tenferro_ad::ops::{Concatenate, Interp, PutFlat, Take, TakeFlat};
use tenferro_ad::tensor_core::{C128, DType, Tensor};
use tenferro_ad::{Eager, Var, vjp};

#[test]
fn b01_modulus_at_zero() {
    assert_reals(&gradient(&reals(&[0.0, -0.0, -2.0]), |cx, x| cx.unary(UnaryOp::Abs, x)), &[0.0, 0.0, -1.0]);
    assert_reals(&gradient(&complexes(&[(0.0, 0.0)]), |cx, z| cx.unary(UnaryOp::Abs, z)), &[0.0]);
}

#[test]
fn b02_modulus_of_tiny_and_huge_numbers() {
    let abs = |cx: &mut Eager, z: &Var| cx.unary(UnaryOp::Abs, z);
    let tiny = narrow(&complexes(&[(0.0, 0.0), (-1.0568e-23, 0.0)]));
    assert_near(&gradient(&tiny, abs), &[(0.0, 0.0), (-1.0, 0.0)], 1e-7);
    let huge = narrow(&complexes(&[(1e30, 1e30)]));
    let half = 0.5f64.sqrt();
    assert_near(&gradient(&huge, abs), &[(half, half)], 1e-7);
    assert_near(&gradient(&complexes(&[(1e200, 1e200), (3e-310, 4e-310)]), abs), &[(half, half), (0.6, 0.8)], 1e-13);
}

#[test]
fn b03_modulus_of_an_infinite_number() {
    let var = leaf(&complexes(&[(INF, 0.0)]));
    let out = Eager::current().unary(UnaryOp::Abs, &var).expect("a value");
    assert_eq!(numbers(&out.value), [C128::new(INF, 0.0)]);
    let back = pullback(&mut Eager::current(), &out, &var, ones(&out.value));
    assert_eq!(back.value.shape(), [1]);
}

#[test]
fn b04_angle_near_zero() {
    let z = (5.6843e-14, 1e-13);
    let angle = |cx: &mut Eager, z: &Var| {
        let log = cx.unary(UnaryOp::Log, z)?;
        cx.unary(UnaryOp::Imag, &log)
    };
    let norm = z.0 * z.0 + z.1 * z.1;
    assert_near(&gradient(&complexes(&[z]), angle), &[(-z.1 / norm, z.0 / norm)], 1e-13);
}

#[test]
fn b05_imaginary_part_of_a_sum() {
    let f = |cx: &mut Eager, z: &Var| {
        let exp = cx.unary(UnaryOp::Exp, z)?;
        let sum = cx.reduce(ReduceOp::Sum, &exp, &[0])?;
        cx.unary(UnaryOp::Imag, &sum)
    };
    let expected: Vec<(f64, f64)> = (1..4).map(|k| (0.0, f64::from(k).exp())).collect();
    assert_near(&gradient(&complexes(&[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]), f), &expected, 1e-14);
}

#[test]
fn b06_real_leaf_of_a_complex_graph() {
    let g = gradient(&reals(&[1.0]), |cx, x| {
        let z = cx.convert(x, DType::C128)?;
        let i = Var::constant(Tensor::scalar(C128::I)?);
        let rotated = cx.mul(&i, &z)?;
        let sum = cx.add(&z, &rotated)?;
        cx.real(&sum)
    });
    assert_reals(&g, &[1.0]);
}

#[test]
fn b07_convention_of_complex_gradients() {
    let square = |cx: &mut Eager, x: &Var| cx.mul(x, x);
    let g = gradient(&complexes(&[(3.0, 4.0)]), |cx, z| {
        let abs = cx.unary(UnaryOp::Abs, z)?;
        square(cx, &abs)
    });
    assert_near(&g, &[(6.0, 8.0)], 1e-14);
    let g = gradient(&complexes(&[(0.0, 2.0)]), |cx, z| {
        let imag = cx.unary(UnaryOp::Imag, z)?;
        square(cx, &imag)
    });
    assert_near(&g, &[(0.0, 4.0)], 1e-14);
    let exp = C128::new(0.3, 0.7).exp().conj();
    assert_near(&gradient(&complexes(&[(0.3, 0.7)]), |cx, z| cx.unary(UnaryOp::Exp, z)), &[(exp.re, exp.im)], 1e-14);
}

#[test]
fn b08_complex_power_of_zero() {
    let power = |p: f64| {
        move |cx: &mut Eager, z: &Var| {
            let p = Var::constant(Tensor::scalar(C128::new(p, 0.0))?);
            cx.binary(BinaryOp::Pow, z, &p)
        }
    };
    let zero = complexes(&[(0.0, 0.0)]);
    let value = |p: f64| numbers(&power(p)(&mut Eager::silent(), &Var::constant(zero.clone())).expect("a value").value);
    assert_eq!((value(2.0)[0].re, value(0.0)[0].re, value(0.5)[0].re), (0.0, 1.0, 0.0));
    assert_reals(&gradient(&zero, power(2.0)), &[0.0]);
    assert_reals(&gradient(&zero, power(0.0)), &[0.0]);
    assert!(!gradient(&zero, power(0.5))[0].is_finite(), "the slope of a square root at 0 is not finite");
}

#[test]
fn b09_complex_norm() {
    let g = gradient(&complexes(&[(3.0, 4.0), (1.0, -2.0)]), |cx, z| {
        let abs = cx.unary(UnaryOp::Abs, z)?;
        let squares = cx.unary(UnaryOp::Square, &abs)?;
        let sum = cx.reduce(ReduceOp::Sum, &squares, &[0])?;
        cx.unary(UnaryOp::Sqrt, &sum)
    });
    let norm = 30f64.sqrt();
    assert_near(&g, &[(3.0 / norm, 4.0 / norm), (1.0 / norm, -2.0 / norm)], 1e-14);
}

#[test]
fn b10_affine_layer() {
    let matrix = |shape: &[usize], data: &[f64]| Tensor::from_slice("test", shape, data).expect("a matrix");
    let (x, t) = (matrix(&[2, 3], &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]), matrix(&[2, 1], &[1.0, 2.0]));
    let (w, b) = (matrix(&[3, 1], &[1.0, 0.0, -1.0]), matrix(&[1, 3], &[0.5, -0.5, 1.0]));
    let cx = &mut Eager::current();
    let (wv, bv) = (leaf(&w), leaf(&b));
    let dims = DotDims {
        lhs_contracting: [1].as_slice().into(),
        rhs_contracting: [0].as_slice().into(),
        ..DotDims::default()
    };
    let product = cx.dot(&Var::constant(x), &wv, dims).expect("a product");
    let shifted = cx.add(&product, &bv).expect("a sum");
    let off = cx.sub(&shifted, &Var::constant(t)).expect("a difference");
    let squares = cx.unary(UnaryOp::Square, &off).expect("squares");
    let loss = cx.reduce(ReduceOp::Sum, &squares, &[0, 1]).expect("a sum");
    assert_reals(&numbers(&loss.value), &[64.0]);
    let parts = vjp(cx, &loss, &[wv.node.clone(), bv.node.clone()], number(1.0)).expect("vjp");
    let parts: Vec<_> = parts.into_iter().map(|p| numbers(&p.expect("a path").value)).collect();
    assert_reals(&parts[0], &[-104.0, -142.0, -180.0]);
    assert_reals(&parts[1], &[-12.0, -16.0, -10.0]);
}

#[test]
fn b11_to_b15_broadcast_leaves() {
    let scalar = Tensor::scalar(3.0f64).expect("a number");
    assert_reals(&gradient(&scalar, |cx, v| cx.mul(&constant(&[1.0, 1.0]), v)), &[2.0]);
    assert_reals(&gradient(&reals(&[1.0, 2.0, 3.0]), |cx, x| cx.broadcast_to(x, &[4, 3])), &[4.0; 3]);
    let column = from_numbers(DType::F64, &[3, 1], &numbers(&reals(&[1.0, 2.0, 4.0])));
    assert_reals(&gradient(&column, |cx, l| cx.mul(&constant(&[1.0, 10.0]), l)), &[11.0; 3]);
    assert_reals(&gradient(&reals(&[1.0, 10.0]), |cx, b| cx.mul(b, &Var::constant(column.clone()))), &[7.0; 2]);
}

#[test]
fn b16_diamond() {
    let g = gradient(&reals(&[2.0]), |cx, x| {
        let y = cx.times(x, 3.0)?;
        let (a, b) = (cx.times(&y, 2.0)?, cx.times(&y, 5.0)?);
        cx.add(&a, &b)
    });
    assert_reals(&g, &[21.0]);
}

#[test]
fn b18_repeated_positions_add_up() {
    let x = leaf(&reals(&[0.1]));
    let cx = &mut Eager::current();
    let taken = cx.bind(Take { axis: 0, indices: [0, 0].as_slice().into() }.into(), &[&x]).expect("a list");
    let back = pullback(cx, &taken, &x, constant(&[0.2, 0.3]));
    assert_reals(&numbers(&back.value), &[0.5]);
    let square = from_numbers(DType::F64, &[2, 2], &[C128::default(); 4]);
    let op = TakeFlat { positions: [3, 3, 0].as_slice().into(), shape: [3].as_slice().into() };
    assert_reals(&gradient(&square, |cx, x| cx.bind(op.clone().into(), &[x])), &[1.0, 0.0, 0.0, 2.0]);
}

#[test]
fn replaced_elements_have_no_gradient() {
    let put = || PutFlat([2, 0].as_slice().into());
    let values = constant(&[7.0, INF]);
    assert_reals(&gradient(&reals(&[1.0, 2.0, 3.0]), |cx, x| cx.bind(put().into(), &[x, &values])), &[0.0, 1.0, 0.0]);
}

#[test]
fn b17_contributions_are_added_for_every_op() {
    let mut checked = 0;
    for case in catalogue() {
        for i in case.active() {
            let x = &case.inputs[i];
            if x.dtype() != DType::F64 || case.meta().dtype.is_complex() {
                continue;
            }
            let f = |cx: &mut Eager, x: &Var| {
                let constants: Vec<Var> = case.inputs.iter().map(|c| Var::constant(c.clone())).collect();
                let refs: Vec<&Var> = constants.iter().enumerate().map(|(j, c)| if i == j { x } else { c }).collect();
                let y = cx.bind(case.op.clone(), &refs)?;
                let y = cx.convert(&y, DType::F64)?;
                sum_all(cx, &y)
            };
            let alone = gradient(x, f);
            let expected: Vec<C128> = alone.iter().map(|g| g + 1.0).collect();
            let before = gradient(x, |cx, x| {
                let (y, x) = (f(cx, x)?, sum_all(cx, x)?);
                cx.add(&y, &x)
            });
            let after = gradient(x, |cx, x| {
                let (x, y) = (sum_all(cx, x)?, f(cx, x)?);
                cx.add(&x, &y)
            });
            assert_eq!(before, expected, "{}: input {i}", case.label);
            assert_eq!(after, expected, "{}: input {i}, swapped", case.label);
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked} inputs");
}

fn sum_all(cx: &mut Eager, x: &Var) -> tenferro_ad::tensor_core::Result<Var> {
    let axes: Vec<usize> = (0..x.value.rank()).collect();
    cx.reduce(ReduceOp::Sum, x, &axes)
}

#[test]
fn b20_joining_with_a_constant_first() {
    let g = gradient(&reals(&[8.0, 9.0]), |cx, x| {
        let list = cx.bind(Concatenate(0).into(), &[&constant(&[1.0, 2.0, 3.0]), x])?;
        cx.mul(&list, &constant(&[1.0, 2.0, 3.0, 4.0, 5.0]))
    });
    assert_reals(&g, &[4.0, 5.0]);
}
