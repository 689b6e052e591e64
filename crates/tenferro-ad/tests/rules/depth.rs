//! Long and wide records: linear time, constant stack, and released when nobody needs them.

use crate::arrays::numbers;
use crate::functions::{leaf, pullback, runtime};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::cpu::ReduceOp;
use tenferro_ad::ops::{Concatenate, Interp};
use tenferro_ad::tensor_core::Tensor;
use tenferro_ad::{Eager, EagerTensor, NoGradGuard, Var, jvp, vjp};

const MEGABYTE: usize = 1 << 20;

fn on_small_stack<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(MEGABYTE).spawn(f).expect("a thread");
    thread.join().expect("no overflow and no panic")
}

fn scalar(x: f64) -> Tensor {
    Tensor::scalar(x).expect("one number")
}

fn number(x: &Tensor) -> f64 {
    numbers(x)[0].re
}

/// x·c·c·…·c.
fn powers(x: &Var, c: f64, count: usize) -> Var {
    let cx = &mut Eager::current();
    let c = Var::constant(scalar(c));
    (0..count).fold(x.clone(), |y, _| cx.mul(&y, &c).expect("a product"))
}

/// The same products without a record.
fn product(c: f64, count: usize) -> f64 {
    (0..count).fold(1.0, |y, _| y * c)
}

const C: f64 = 1.000_001;
const MILLION: usize = 1_000_000;

#[test]
fn a_million_products_backward_on_a_small_stack() {
    let gradient = on_small_stack(|| {
        let runtime = runtime();
        let x = EagerTensor::variable(scalar(1.0), runtime.clone());
        let y = EagerTensor::from_var(powers(&x.var(), C, MILLION), runtime);
        let gradients = y.backward().expect("a gradient");
        assert_eq!(gradients.len(), 1);
        let first = Arc::downgrade(y.var().node.as_ref().expect("recorded"));
        drop(y);
        assert!(first.upgrade().is_none(), "the record is released");
        number(&x.slot().expect("a leaf").get().expect("accumulated"))
    });
    assert_eq!(gradient, product(C, MILLION));
}

#[test]
fn a_million_products_are_dropped_without_backward() {
    on_small_stack(|| {
        let x = leaf(&scalar(1.0));
        let half = powers(&x, C, MILLION / 2);
        let y = powers(&half, C, MILLION / 2);
        let middle = Arc::downgrade(half.node.as_ref().expect("recorded"));
        drop(half);
        assert!(middle.upgrade().is_some(), "the record keeps what it needs");
        drop(y);
        assert!(middle.upgrade().is_none(), "the record is released");
    });
}

#[test]
fn a_million_products_functionally() {
    let (reverse, forward) = on_small_stack(|| {
        let x = leaf(&scalar(1.0));
        let y = powers(&x, C, MILLION);
        let seed = || Var::constant(scalar(1.0));
        let _guard = NoGradGuard::enter();
        let cx = &mut Eager::current();
        let reverse = pullback(cx, &y, &x, seed());
        let forward = jvp(cx, &y, &[(x.node.clone(), seed())]).expect("jvp").expect("a path");
        (number(&reverse.value), number(&forward.value))
    });
    assert_eq!((reverse, forward), (product(C, MILLION), product(C, MILLION)));
}

#[test]
fn second_order_through_a_long_record_on_a_small_stack() {
    const COUNT: usize = 100_000;
    let (first, second) = on_small_stack(|| {
        let x = leaf(&scalar(1.0));
        let cx = &mut Eager::current();
        let slow = Var::constant(scalar(1e-6));
        let mut y = cx.mul(&x, &x).expect("a square");
        for _ in 0..COUNT {
            let part = cx.mul(&y, &slow).expect("a product");
            y = cx.add(&y, &part).expect("a sum");
        }
        let g = pullback(cx, &y, &x, Var::constant(scalar(1.0)));
        let h = pullback(cx, &g, &x, Var::constant(scalar(1.0)));
        (number(&g.value), number(&h.value))
    });
    let expected = 2.0 * (COUNT as f64 * 1e-6f64.ln_1p()).exp();
    assert!((first - expected).abs() < 1e-9, "{first}, expected {expected}");
    assert!((second - expected).abs() < 1e-9, "{second}, expected {expected}");
}

#[test]
fn a_leaf_used_ten_thousand_times() {
    const USES: usize = 10_000;
    let x = leaf(&scalar(3.0));
    let cx = &mut Eager::current();
    let factor = |i: usize| Var::constant(scalar(i as f64));
    let terms: Vec<Var> = (0..USES).map(|i| cx.mul(&x, &factor(i)).expect("a product")).collect();
    let flat: Vec<Var> = terms.iter().map(|t| cx.reshape(t, &[1]).expect("one number")).collect();
    let list = cx.bind(Concatenate(0).into(), &flat.iter().collect::<Vec<_>>()).expect("a list");
    let total = cx.reduce(ReduceOp::Sum, &list, &[0]).expect("a sum");
    let chained = terms.iter().skip(1).fold(terms[0].clone(), |sum, t| cx.add(&sum, t).expect("a sum"));
    let expected = (USES * (USES - 1) / 2) as f64;
    for out in [total, chained] {
        let seed = || Var::constant(scalar(1.0));
        let reverse = pullback(cx, &out, &x, seed());
        let forward = jvp(cx, &out, &[(x.node.clone(), seed())]).expect("jvp").expect("a path");
        assert_eq!((number(&reverse.value), number(&forward.value)), (expected, expected));
    }
}

#[test]
fn ten_thousand_leaves_of_one_output() {
    const LEAVES: usize = 10_000;
    let xs: Vec<Var> = (0..LEAVES).map(|i| leaf(&scalar(i as f64))).collect();
    let cx = &mut Eager::current();
    let squares: Vec<Var> = xs.iter().map(|x| cx.mul(x, x).expect("a square")).collect();
    let total = squares.iter().skip(1).fold(squares[0].clone(), |sum, t| cx.add(&sum, t).expect("a sum"));
    let wrt: Vec<_> = xs.iter().map(|x| x.node.clone()).collect();
    let parts = vjp(cx, &total, &wrt, Var::constant(scalar(1.0))).expect("vjp");
    for (i, part) in parts.into_iter().enumerate() {
        assert_eq!(number(&part.expect("a path").value), 2.0 * i as f64);
    }
}

#[test]
fn doubling_paths_are_walked_once() {
    const DOUBLINGS: usize = 1000;
    let x = leaf(&scalar(1.0));
    let cx = &mut Eager::current();
    let y = (0..DOUBLINGS).fold(x.clone(), |y, _| cx.add(&y, &y).expect("a sum"));
    let g = pullback(cx, &y, &x, Var::constant(scalar(1.0)));
    assert_eq!(number(&g.value), 2f64.powi(DOUBLINGS as i32));
}

/// The quickest of several runs, so that a busy machine does not matter.
fn quickest(count: usize) -> Duration {
    let run = || {
        let runtime = runtime();
        let x = EagerTensor::variable(scalar(1.0), runtime.clone());
        let start = Instant::now();
        let y = EagerTensor::from_var(powers(&x.var(), C, count), runtime);
        y.backward().expect("a gradient");
        drop(y);
        start.elapsed()
    };
    (0..5).map(|_| run()).min().expect("five runs")
}

#[test]
fn time_is_linear_in_the_number_of_nodes() {
    let (short, long) = (1_000, 128_000);
    let ratio = quickest(long).as_secs_f64() / quickest(short).as_secs_f64();
    // A busy machine blurs times, but not by the factor of 128 that a quadratic sweep would need.
    assert!(ratio < 16.0 * (long / short) as f64, "{} times the nodes took {ratio:.1} times as long", long / short);
}
