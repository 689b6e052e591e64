//! One leaf, one record, many threads.

use crate::arrays::numbers;
use crate::functions::{leaf, runtime};
use std::sync::{Arc, Barrier};
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::cpu::ReduceOp;
use tenferro_ad::tensor_core::Tensor;
use tenferro_ad::{Eager, EagerTensor, NoGradGuard, Var};

const THREADS: usize = 8;
const ROUNDS: usize = 200;

fn list(values: &[f64]) -> Tensor {
    Tensor::from_slice("test", &[values.len()], values).expect("a list")
}

#[test]
fn accumulation_into_a_shared_leaf_is_exact() {
    let runtime = runtime();
    let x = EagerTensor::variable(list(&[1.0, 2.0, 3.0]), runtime.clone());
    std::thread::scope(|scope| {
        for k in 0..THREADS {
            let (x, runtime) = (&x, &runtime);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let cx = &mut Eager::current();
                    let weight = Var::constant(list(&[(k * ROUNDS + round) as f64; 3]));
                    let weighted = cx.mul(&x.var(), &weight).expect("a product");
                    let squared = cx.mul(&weighted, &x.var()).expect("a product");
                    let loss = cx.reduce(ReduceOp::Sum, &squared, &[0]).expect("a sum");
                    let gradients = EagerTensor::from_var(loss, runtime.clone()).backward().expect("a gradient");
                    assert_eq!(gradients.len(), 1);
                }
            });
        }
    });
    let total: usize = (0..THREADS * ROUNDS).sum();
    let expected: Vec<f64> = [1.0, 2.0, 3.0].iter().map(|x| 2.0 * x * total as f64).collect();
    let actual: Vec<f64> =
        numbers(&x.slot().expect("a leaf").get().expect("a gradient")).iter().map(|z| z.re).collect();
    assert_eq!(actual, expected);
}

#[test]
fn threads_share_a_record() {
    let runtime = runtime();
    let x = EagerTensor::variable(list(&[2.0]), runtime.clone());
    let cx = &mut Eager::current();
    let y = (0..50).fold(x.var(), |y, _| cx.add(&y, &x.var()).expect("a sum"));
    let loss = EagerTensor::from_var(cx.reduce(ReduceOp::Sum, &y, &[0]).expect("a sum"), runtime);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..ROUNDS).for_each(|_| drop(loss.backward().expect("a gradient"))));
        }
    });
    let total = numbers(&x.slot().expect("a leaf").get().expect("a gradient"));
    assert_eq!(total[0].re, (51 * THREADS * ROUNDS) as f64);
}

/// Passes so short that most of their time goes into adding to the slot, where an update could be lost.
#[test]
fn no_update_of_a_contended_slot_is_lost() {
    const PASSES: usize = 2_000;
    let runtime = runtime();
    let x = EagerTensor::variable(list(&[1.0; 4096]), runtime.clone());
    let loss = Eager::current().reduce(ReduceOp::Sum, &x.var(), &[0]).expect("a sum");
    let loss = EagerTensor::from_var(loss, runtime);
    let start = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                start.wait();
                (0..PASSES).for_each(|_| drop(loss.backward().expect("a gradient")));
            });
        }
    });
    let total = numbers(&x.slot().expect("a leaf").get().expect("a gradient"));
    assert!(total.iter().all(|z| z.re == (THREADS * PASSES) as f64), "{}", total[0].re);
}

#[test]
fn a_deep_record_is_dropped_by_many_threads_at_once() {
    const NODES: usize = 40_000;
    for round in 0..20 {
        let mut shares: Vec<Vec<Var>> = (0..THREADS).map(|_| Vec::new()).collect();
        let cx = &mut Eager::current();
        let one = Var::constant(list(&[1.0]));
        let mut y = leaf(&list(&[1.0]));
        let first = Arc::downgrade(y.node.as_ref().expect("a leaf"));
        for k in 0..NODES {
            y = if k % 3 == 0 { cx.add(&y, &y) } else { cx.mul(&y, &one) }.expect("a value");
            if k % (17 + round) == 0 {
                shares[(k / 17) % THREADS].push(y.clone());
            }
        }
        shares.iter_mut().for_each(|share| share.push(y.clone()));
        drop(y);
        let start = Barrier::new(THREADS);
        std::thread::scope(|scope| {
            for share in shares {
                let start = &start;
                let thread = std::thread::Builder::new().stack_size(1 << 17);
                let run = move || {
                    start.wait();
                    drop(share);
                };
                thread.spawn_scoped(scope, run).expect("a thread");
            }
        });
        assert!(first.upgrade().is_none(), "round {round}: something of the record is left");
    }
}

#[test]
fn modes_belong_to_a_thread() {
    let runtime = runtime();
    let x = EagerTensor::variable(list(&[2.0]), runtime);
    let _guard = NoGradGuard::enter();
    let square = |x: &EagerTensor| Eager::current().mul(&x.var(), &x.var()).expect("a square");
    assert!(!square(&x).tracked());
    let elsewhere = std::thread::scope(|scope| scope.spawn(|| square(&x).tracked()).join().expect("no panic"));
    assert!(elsewhere);
}
