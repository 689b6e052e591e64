//! Gradients at single points: tensors from literals, and both sweeps at once.

use crate::arrays::{distance, from_numbers, largest, numbers};
use crate::functions::{leaf, pullback};
use tenferro_ad::tensor_core::{C128, DType, Result, Tensor};
use tenferro_ad::{Eager, Var, jvp};

pub const INF: f64 = f64::INFINITY;

pub fn reals(values: &[f64]) -> Tensor {
    Tensor::from_slice("test", &[values.len()], values).expect("a list")
}

pub fn complexes(values: &[(f64, f64)]) -> Tensor {
    let list: Vec<C128> = values.iter().map(|&(re, im)| C128::new(re, im)).collect();
    Tensor::from_slice("test", &[list.len()], &list).expect("a list")
}

pub fn narrow(x: &Tensor) -> Tensor {
    let dtype = if x.dtype().is_complex() { DType::C64 } else { DType::F32 };
    from_numbers(dtype, x.shape(), &numbers(x))
}

pub fn constant(x: &[f64]) -> Var {
    Var::constant(reals(x))
}

pub fn number(x: f64) -> Var {
    Var::constant(Tensor::scalar(x).expect("a number"))
}

pub fn ones(like: &Tensor) -> Var {
    Var::constant(from_numbers(like.dtype(), like.shape(), &vec![C128::new(1.0, 0.0); like.size()]))
}

/// ∂/∂Re + i ∂/∂Im of Re Σ f(x), by the reverse sweep; the forward sweep along every axis must agree.
pub fn gradient(x: &Tensor, f: impl Fn(&mut Eager, &Var) -> Result<Var>) -> Vec<C128> {
    let cx = &mut Eager::current();
    let var = leaf(x);
    let out = f(cx, &var).expect("a value");
    let back = pullback(cx, &out, &var, ones(&out.value));
    assert_eq!((back.value.dtype(), back.value.shape()), (x.dtype(), x.shape()));
    let reverse = numbers(&back.value);
    let mut slope = |k: usize, unit: C128| {
        let mut t = vec![C128::default(); x.size()];
        t[k] = unit;
        let t = Var::constant(from_numbers(x.dtype(), x.shape(), &t));
        let moved = jvp(cx, &out, &[(var.node.clone(), t)]).expect("jvp").expect("a path");
        numbers(&moved.value).iter().map(|z| z.re).sum::<f64>()
    };
    let forward: Vec<C128> = (0..x.size())
        .map(|k| {
            let along = slope(k, C128::new(1.0, 0.0));
            C128::new(along, if x.dtype().is_complex() { slope(k, C128::I) } else { 0.0 })
        })
        .collect();
    let unit = if matches!(x.dtype(), DType::F32 | DType::C64) { 1e-6 } else { 1e-13 };
    let scale = largest(&reverse.iter().copied().filter(|z| z.is_finite()).collect::<Vec<_>>()).max(1.0);
    assert!(distance(&reverse, &forward) <= unit * scale, "reverse {reverse:?}, forward {forward:?}");
    reverse
}

#[track_caller]
pub fn assert_near(actual: &[C128], expected: &[(f64, f64)], tolerance: f64) {
    let expected: Vec<C128> = expected.iter().map(|&(re, im)| C128::new(re, im)).collect();
    let scale = largest(&expected.iter().copied().filter(|z| z.is_finite()).collect::<Vec<_>>());
    assert!(distance(actual, &expected) <= tolerance * scale, "{actual:?}, expected {expected:?}");
}

#[track_caller]
pub fn assert_reals(actual: &[C128], expected: &[f64]) {
    assert_near(actual, &expected.iter().map(|&x| (x, 0.0)).collect::<Vec<_>>(), 1e-14);
}
