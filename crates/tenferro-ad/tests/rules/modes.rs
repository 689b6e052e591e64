//! What is recorded, and whom a backward pass reaches.

use crate::arrays::numbers;
use crate::functions::runtime;
use std::sync::Arc;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::cpu::{CompareOp, ReduceOp};
use tenferro_ad::tensor_core::{DType, Tensor, Variant};
use tenferro_ad::{CaptureGuard, Eager, EagerRuntime, EagerTensor, NoGradGuard, Var, capturing, no_grad_active};

struct Desk(Arc<EagerRuntime>);

impl Desk {
    fn new() -> Desk {
        Desk(runtime())
    }

    fn value(values: &[f64]) -> Tensor {
        Tensor::from_slice("test", &[values.len()], values).expect("a list")
    }

    fn variable(&self, values: &[f64]) -> EagerTensor {
        EagerTensor::variable(Desk::value(values), self.0.clone())
    }

    fn constant(&self, values: &[f64]) -> EagerTensor {
        EagerTensor::constant(Desk::value(values), self.0.clone())
    }

    fn wrap(&self, var: Var) -> EagerTensor {
        EagerTensor::from_var(var, self.0.clone())
    }

    fn mul(&self, a: &EagerTensor, b: &EagerTensor) -> EagerTensor {
        self.wrap(Eager::current().mul(&a.var(), &b.var()).expect("a product"))
    }

    fn sum(&self, x: &EagerTensor) -> EagerTensor {
        self.wrap(Eager::current().reduce(ReduceOp::Sum, &x.var(), &[0]).expect("a sum"))
    }
}

fn list(x: &Tensor) -> Vec<f64> {
    numbers(x).iter().map(|z| z.re).collect()
}

fn gradient(x: &EagerTensor) -> Option<Vec<f64>> {
    x.slot().expect("a leaf").get().map(|g| list(&g))
}

#[test]
fn no_grad_records_nothing() {
    let desk = Desk::new();
    let x = desk.variable(&[1.0, 2.0]);
    let inner = {
        let _outer = NoGradGuard::enter();
        drop(NoGradGuard::enter());
        assert!(no_grad_active());
        desk.mul(&x, &x)
    };
    assert!(!no_grad_active() && !inner.tracks_grad());
    desk.sum(&desk.mul(&x, &inner)).backward().expect("a gradient");
    assert_eq!(gradient(&x), Some(vec![1.0, 4.0]));
}

#[test]
fn captured_values_are_reached_by_functional_transforms_only() {
    let desk = Desk::new();
    let c = desk.constant(&[3.0, 4.0]);
    let plain = desk.sum(&desk.mul(&c, &c));
    assert!(plain.grad(&[&c]).expect("no error")[0].is_none());
    let loss = {
        let _guard = CaptureGuard::enter();
        assert!(capturing());
        desk.sum(&desk.mul(&c, &c))
    };
    assert!(!capturing() && !loss.tracks_grad() && !c.tracks_grad());
    let g = loss.grad(&[&c]).expect("no error").remove(0).expect("a path");
    assert_eq!(list(g.value()), [6.0, 8.0]);
    assert_eq!(loss.backward().map(|_| ()).expect_err("not tracked").variant(), Variant::RuntimeState);
    let t = desk.constant(&[1.0, -1.0]);
    assert_eq!(list(loss.jvp(&[(&c, &t)]).expect("no error").expect("a path").value()), [-2.0]);
}

#[test]
fn no_grad_wins_over_capture() {
    let desk = Desk::new();
    let c = desk.constant(&[3.0]);
    let _capture = CaptureGuard::enter();
    let loss = {
        let _guard = NoGradGuard::enter();
        desk.sum(&desk.mul(&c, &c))
    };
    assert!(loss.grad(&[&c]).expect("no error")[0].is_none());
}

#[test]
fn dropped_leaves_are_no_targets() {
    let desk = Desk::new();
    let (x, w, unused) = (desk.variable(&[1.0, 2.0]), desk.variable(&[3.0, 4.0]), desk.variable(&[5.0]));
    let loss = desk.sum(&desk.mul(&x, &w));
    let key = x.key();
    drop(x);
    let gradients = loss.backward().expect("a gradient");
    assert_eq!((gradients.len(), gradients.get(key).is_some()), (1, false));
    assert_eq!(gradients.get(w.key()).map(list), Some(vec![1.0, 2.0]));
    assert_eq!((gradient(&w), gradient(&unused)), (Some(vec![1.0, 2.0]), None));
    drop((w, gradients));
    assert!(loss.backward().expect("an empty map").is_empty());
}

#[test]
fn nothing_is_computed_for_dropped_leaves() {
    let desk = Desk::new();
    let (x, w) = (desk.variable(&[1.0; 4]), desk.variable(&[2.0; 4]));
    let mut y = x.var();
    let cx = &mut Eager::current();
    for _ in 0..3 {
        y = cx.mul(&y, &y).expect("a square");
    }
    let loss = desk.sum(&desk.wrap(cx.mul(&y, &w.var()).expect("a product")));
    let clone = x.clone();
    drop(x);
    assert_eq!(loss.backward().expect("a gradient").len(), 2, "a clone keeps the leaf");
    assert_eq!(gradient(&clone), Some(vec![16.0; 4]));
}

#[test]
fn passes_accumulate_and_transforms_do_not() {
    let desk = Desk::new();
    let x = desk.variable(&[1.0, 2.0, 3.0]);
    let loss = desk.sum(&desk.mul(&x, &x));
    loss.grad(&[&x]).expect("no error");
    assert_eq!(gradient(&x), None);
    loss.backward().expect("a gradient");
    let snapshot = x.slot().expect("a leaf").get().expect("a gradient");
    loss.backward().expect("a gradient");
    assert_eq!(gradient(&x), Some(vec![4.0, 8.0, 12.0]));
    assert_eq!(list(&snapshot), [2.0, 4.0, 6.0]);
    x.slot().expect("a leaf").clear();
    loss.backward().expect("a gradient");
    assert_eq!(gradient(&x), Some(vec![2.0, 4.0, 6.0]));
    desk.0.clear_grads();
    assert_eq!(gradient(&x), None);
}

#[test]
fn detached_values_are_constants() {
    let desk = Desk::new();
    let x = desk.variable(&[1.0, 2.0, 3.0]);
    desk.sum(&desk.mul(&x, &x.detach())).backward().expect("a gradient");
    assert_eq!(gradient(&x), Some(vec![1.0, 2.0, 3.0]));
}

#[test]
fn intermediate_values_are_no_targets() {
    let desk = Desk::new();
    let x = desk.variable(&[1.0, 2.0]);
    let y = desk.mul(&x, &x);
    let loss = desk.sum(&y);
    assert!(loss.grad(&[&y]).expect("no error")[0].is_none());
    let both = loss.grad(&[&y, &x]).expect("no error");
    assert!(both[0].is_none() && both[1].is_some());
}

#[test]
fn wrong_calls_are_refused() {
    let desk = Desk::new();
    let x = desk.variable(&[1.0, 2.0]);
    let y = desk.mul(&x, &x);
    let variant = |e: Result<tenferro_ad::Gradients, _>| e.err().map(|e: tenferro_ad::tensor_core::Error| e.variant());
    assert_eq!(variant(y.backward()), Some(Variant::NonScalarGrad));
    assert_eq!(variant(desk.constant(&[1.0]).backward_with(&desk.constant(&[1.0]))), Some(Variant::RuntimeState));
    assert_eq!(variant(y.backward_with(&desk.constant(&[1.0]))), Some(Variant::ShapeMismatch));
    let narrow = Tensor::from_slice("test", &[2], &[1.0f32, 1.0]).expect("a list");
    assert_eq!(variant(y.backward_with(&EagerTensor::constant(narrow, desk.0.clone()))), Some(Variant::DTypeMismatch));
    assert_eq!(variant(y.backward_with(&Desk::new().constant(&[1.0, 1.0]))), Some(Variant::ContextMismatch));
    let above = Eager::current().compare(CompareOp::Gt, &x.var(), &y.var()).expect("truth values");
    assert!(!above.tracked(), "no derivative flows through a comparison");
    assert_eq!(gradient(&x), None, "a refused pass leaves no gradient");
}

#[test]
fn integers_may_be_tracked() {
    let desk = Desk::new();
    let n = EagerTensor::variable(Tensor::scalar(7i64).expect("a number"), desk.0.clone());
    let gradients = n.backward().expect("a gradient");
    let own = gradients.get(n.key()).expect("its own");
    assert_eq!((own.dtype(), list(own)), (DType::I64, vec![1.0]));
}

#[test]
fn gradients_are_compact_and_independent_of_order() {
    let desk = Desk::new();
    let x = EagerTensor::variable(Tensor::from_slice("test", &[2, 3], &[0.0f64; 6]).expect("a matrix"), desk.0.clone());
    let cx = &mut Eager::current();
    let turned = cx.transpose(&x.var(), &[1, 0]).expect("a view");
    let weights = Tensor::from_slice("test", &[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).expect("a matrix");
    desk.wrap(turned).backward_with(&EagerTensor::constant(weights, desk.0.clone())).expect("a gradient");
    let g = x.slot().expect("a leaf").get().expect("a gradient");
    assert!(g.is_compact() && !g.is_view());
    assert_eq!(list(&g), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
}
