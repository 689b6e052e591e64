//! Functions of several tensors, and the functions that their reverse and forward derivatives are: applied again and
//! again they give derivatives of any order.

use crate::arrays::Random;
use crate::samples::Case;
use std::sync::Arc;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::{Interp, Op};
use tenferro_ad::tensor_core::{Result, Tensor};
use tenferro_ad::{CpuBackend, Eager, EagerRuntime, EagerTensor, Node, Var, jvp, vjp};

type Body = dyn Fn(&mut Eager, &[Var]) -> Result<Vec<Option<Var>>>;

/// A function with inputs to differentiate it at. An output is `None` where nothing differentiable leads to it.
#[derive(Clone)]
pub struct Function {
    pub label: String,
    pub inputs: Vec<Tensor>,
    /// Inputs of floating-point numbers through which derivatives flow.
    pub active: Vec<usize>,
    /// Whether the function itself differentiates, and so needs all its inputs recorded.
    pub derived: bool,
    body: Arc<Body>,
}

pub fn runtime() -> Arc<EagerRuntime> {
    EagerRuntime::new(CpuBackend::new(None).expect("a backend"))
}

/// A recorded leaf.
pub fn leaf(value: &Tensor) -> Var {
    EagerTensor::variable(value.clone(), runtime()).var()
}

/// The cotangent of the leaf `x` for `seed` at `out`.
pub fn pullback(cx: &mut Eager, out: &Var, x: &Var, seed: Var) -> Var {
    let parts = vjp(cx, out, std::slice::from_ref(&x.node), seed);
    parts.expect("no error").remove(0).expect("a path to the leaf")
}

fn nodes(vars: &[Var], which: &[usize]) -> Vec<Option<Arc<Node>>> {
    which.iter().map(|&i| vars[i].node.clone()).collect()
}

impl Function {
    pub fn of(case: &Case) -> Function {
        let op: Op = case.op.clone();
        let body = move |cx: &mut Eager, vars: &[Var]| {
            let refs: Vec<&Var> = vars.iter().collect();
            Ok(vec![Some(cx.bind(op.clone(), &refs)?)])
        };
        Function {
            label: case.label.clone(),
            inputs: case.inputs.clone(),
            active: case.active(),
            derived: false,
            body: Arc::new(body),
        }
    }

    /// The outputs at recorded leaves for the inputs in `tracked`, and constants for the rest.
    pub fn call(&self, inputs: &[Tensor], tracked: &[usize]) -> (Vec<Var>, Vec<Option<Var>>) {
        let make = |(i, x): (usize, &Tensor)| match tracked.contains(&i) {
            true => leaf(x),
            false => Var::constant(x.clone()),
        };
        let vars: Vec<Var> = inputs.iter().enumerate().map(make).collect();
        let outs = (self.body)(&mut Eager::current(), &vars).unwrap_or_else(|e| panic!("{}: {e}", self.label));
        (vars, outs)
    }

    /// The inputs that must be recorded to differentiate by those in `subset`.
    pub fn tracked(&self, subset: &[usize]) -> Vec<usize> {
        if self.derived { (0..self.inputs.len()).collect() } else { subset.to_vec() }
    }

    fn outputs(&self) -> Vec<Option<Tensor>> {
        let (_, outs) = self.call(&self.inputs, &self.tracked(&self.active));
        outs.into_iter().map(|out| out.map(|v| v.value)).collect()
    }

    fn extended(
        &self,
        label: &str,
        more: Vec<Tensor>,
        body: impl Fn(&mut Eager, &[Var]) -> Result<Vec<Option<Var>>> + 'static,
    ) -> Function {
        let first = self.inputs.len();
        let inexact = more.iter().enumerate().filter(|(_, x)| x.dtype().is_inexact()).map(|(i, _)| first + i);
        Function {
            label: format!("{label} of {}", self.label),
            active: self.active.iter().copied().chain(inexact).collect(),
            inputs: self.inputs.iter().cloned().chain(more).collect(),
            derived: true,
            body: Arc::new(body),
        }
    }

    /// Random cotangents for the outputs.
    pub fn cotangents(&self, random: &mut Random) -> Vec<Tensor> {
        let outputs = self.outputs();
        outputs.iter().flatten().map(|y| random.direction(y.dtype(), y.shape(), (1.0, 1.0))).collect()
    }

    /// (x, c) ↦ J(x)ᴴ·c, one output per active input.
    pub fn reverse(&self, random: &mut Random) -> Function {
        self.reverse_at(self.cotangents(random))
    }

    /// The same at given cotangents.
    pub fn reverse_at(&self, cotangents: Vec<Tensor>) -> Function {
        let (f, n, active) = (self.body.clone(), self.inputs.len(), self.active.clone());
        self.extended("vjp", cotangents, move |cx, vars| {
            let (xs, cts) = vars.split_at(n);
            let wrt = nodes(xs, &active);
            let mut total: Vec<Option<Var>> = vec![None; active.len()];
            for (out, ct) in f(cx, xs)?.iter().flatten().zip(cts) {
                for (sum, part) in total.iter_mut().zip(vjp(cx, out, &wrt, ct.clone())?) {
                    *sum = match (sum.take(), part) {
                        (Some(a), Some(b)) => Some(cx.add(&a, &b)?),
                        (a, b) => a.or(b),
                    };
                }
            }
            Ok(total)
        })
    }

    /// (x, t) ↦ J(x)·t, one output per output.
    pub fn forward(&self, random: &mut Random) -> Function {
        let tangents: Vec<Tensor> = self
            .active
            .iter()
            .map(|&i| random.direction(self.inputs[i].dtype(), self.inputs[i].shape(), (1.0, 1.0)))
            .collect();
        let (f, n, active) = (self.body.clone(), self.inputs.len(), self.active.clone());
        self.extended("jvp", tangents, move |cx, vars| {
            let (xs, ts) = vars.split_at(n);
            let wrt: Vec<_> = nodes(xs, &active).into_iter().zip(ts.iter().cloned()).collect();
            f(cx, xs)?.iter().flatten().map(|out| jvp(cx, out, &wrt)).collect()
        })
    }
}
