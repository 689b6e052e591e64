//! What `tenferro/_transforms.py` is built on: inner leaves, sweeps over several outputs, calls with rules in Python.

use crate::call::{Call, Operand, enter, released};
use crate::eager::PyEagerTensor;
use crate::errors::{Outcome, stash};
use crate::leaves::as_seed;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};
use std::sync::Arc;
use tenferro_ad::ops::Meta;
use tenferro_ad::transform::{self, Point};
use tenferro_ad::{CustomRule, Eager, EagerRuntime, EagerTensor, NoGradGuard, Node, Var, missing_rule, record_call};
use tenferro_tensor::{Error, Result};

type Tensors<'py> = Vec<Bound<'py, PyEagerTensor>>;
type Maybe = Vec<Option<PyEagerTensor>>;

/// The place of a value in the record, without the value.
#[pyclass(frozen, name = "_Place", module = "tenferro._tenferro")]
pub struct PyPlace(Arc<Node>);

fn inner<'a>(tensors: &'a [Bound<'_, PyEagerTensor>]) -> Outcome<Vec<&'a EagerTensor>> {
    tensors.iter().map(|t| t.get().live()).collect()
}

fn wrapped(tensors: Vec<EagerTensor>) -> Vec<PyEagerTensor> {
    tensors.into_iter().map(PyEagerTensor::new).collect()
}

/// The values of `tensors` as leaves of a record that begins here.
#[pyfunction]
#[pyo3(name = "_inner", signature = (tensors: "list[EagerTensor]") -> "list[EagerTensor]")]
pub fn inner_leaves(tensors: Tensors<'_>) -> Outcome<Vec<PyEagerTensor>> {
    Ok(wrapped(inner(&tensors)?.into_iter().map(transform::inner).collect()))
}

/// `tensors` as they leave the record that began with `leaves`: constants, unless they depend on something outside.
#[pyfunction]
#[pyo3(
    name = "_outer",
    signature = (tensors: "list[EagerTensor]", leaves: "list[EagerTensor]") -> "list[EagerTensor]"
)]
pub fn outer_values(tensors: Tensors<'_>, leaves: Tensors<'_>) -> Outcome<Vec<PyEagerTensor>> {
    Ok(wrapped(transform::outer(&inner(&tensors)?, &inner(&leaves)?)))
}

/// Whether an op on `tensors` would be recorded now.
#[pyfunction]
#[pyo3(name = "_recorded", signature = (tensors: "list[EagerTensor]"))]
pub fn recorded(tensors: Tensors<'_>) -> Outcome<bool> {
    Ok(transform::recorded(&inner(&tensors)?))
}

/// Whether one of `tensors` is an item that stands for a batch in `vmap`, or depends on one.
#[pyfunction]
#[pyo3(name = "_of_items", signature = (tensors: "list[EagerTensor]"))]
pub fn of_items(tensors: Tensors<'_>) -> Outcome<bool> {
    Ok(inner(&tensors)?.into_iter().any(EagerTensor::is_example))
}

/// The values of `tensors` as constants; of a batch in `vmap`, those of the item that stands for it.
#[pyfunction]
#[pyo3(name = "_constants", signature = (tensors: "list[EagerTensor]") -> "list[EagerTensor]")]
pub fn constants(tensors: Tensors<'_>) -> Outcome<Vec<PyEagerTensor>> {
    let constant = |t: &EagerTensor| EagerTensor::from_var(Var::constant(t.value().clone()), t.runtime().clone());
    Ok(wrapped(inner(&tensors)?.into_iter().map(constant).collect()))
}

/// A number below those of all nodes to come.
#[pyfunction]
#[pyo3(name = "_mark")]
pub fn mark() -> u64 {
    Node::mark()
}

/// The places of values from before `start` on which `tensors` depend other than through `leaves`.
#[pyfunction]
#[pyo3(
    name = "_closed_over",
    signature = (tensors: "list[EagerTensor]", leaves: "list[EagerTensor]", start: "int") -> "list[_Place]"
)]
pub fn closed_over(tensors: Tensors<'_>, leaves: Tensors<'_>, start: u64) -> Outcome<Vec<PyPlace>> {
    Ok(transform::closed_over(&inner(&tensors)?, &inner(&leaves)?, start).into_iter().map(PyPlace).collect())
}

fn points(wrt: &Bound<'_, PyList>) -> Outcome<Vec<Point>> {
    let point = |object: Bound<'_, PyAny>| -> Outcome<Point> {
        if let Ok(place) = object.cast::<PyPlace>() {
            return Ok(Point::Place(place.get().0.clone()));
        }
        Ok(Point::Tensor(object.cast::<PyEagerTensor>().map_err(PyErr::from)?.get().live()?.clone()))
    };
    wrt.iter().map(point).collect()
}

/// Numbers and arrays take the runtime of what they belong to.
fn seeds<'py>(
    call: &mut Call<'py>,
    given: &[Option<Operand<'py>>],
    primals: &[Option<&EagerTensor>],
) -> Outcome<Vec<Option<EagerTensor>>> {
    let mut found = Vec::with_capacity(given.len());
    for (seed, primal) in given.iter().zip(primals) {
        found.push(match (seed, primal) {
            (None, _) => None,
            (Some(seed), Some(primal)) => Some(as_seed(call, seed, primal)?),
            (Some(seed), None) => Some(seed.0.cast::<PyEagerTensor>().map_err(PyErr::from)?.get().live()?.clone()),
        });
    }
    Ok(found)
}

fn maybe(found: Vec<Option<EagerTensor>>) -> Maybe {
    found.into_iter().map(|part| part.map(PyEagerTensor::new)).collect()
}

/// Cotangents at `wrt` for cotangents of `outs`; `None` for zero.
#[pyfunction]
#[pyo3(
    name = "_pull",
    signature = (outs: "list[EagerTensor]", cotangents: "list[Any]", wrt: "list[Any]") -> "list[EagerTensor | None]"
)]
pub fn pull<'py>(
    py: Python<'py>,
    outs: Tensors<'py>,
    cotangents: Vec<Option<Operand<'py>>>,
    wrt: &Bound<'py, PyList>,
) -> PyResult<Maybe> {
    enter(py, "vjp", None, |call| {
        let outs = inner(&outs)?;
        let primals: Vec<_> = outs.iter().map(|&out| Some(out)).collect();
        let cts = seeds(call, &cotangents, &primals)?;
        let wrt = points(wrt)?;
        let Some(first) = outs.first() else { return Ok(wrt.iter().map(|_| None).collect()) };
        Ok(maybe(released(py, first.runtime(), || transform::pull_back(&outs, &cts, &wrt))?))
    })
}

/// Tangents of `outs` for tangents at `wrt`; `None` for zero.
#[pyfunction]
#[pyo3(
    name = "_push",
    signature = (outs: "list[EagerTensor]", wrt: "list[Any]", tangents: "list[Any]") -> "list[EagerTensor | None]"
)]
pub fn push<'py>(
    py: Python<'py>,
    outs: Tensors<'py>,
    wrt: &Bound<'py, PyList>,
    tangents: Vec<Option<Operand<'py>>>,
) -> PyResult<Maybe> {
    enter(py, "jvp", None, |call| {
        let outs = inner(&outs)?;
        let wrt = points(wrt)?;
        let primals: Vec<_> = wrt.iter().map(|p| if let Point::Tensor(t) = p { Some(t) } else { None }).collect();
        let ts = seeds(call, &tangents, &primals)?;
        let Some(first) = outs.first() else { return Ok(Vec::new()) };
        Ok(maybe(released(py, first.runtime(), || transform::push_forward(&outs, &wrt, &ts))?))
    })
}

/// Rules that are Python functions: `pull(outs, cotangents)`, `push(outs, tangents)` and `batched(inputs, size)`, lists
/// in, lists out.
struct PyRule {
    name: String,
    runtime: Arc<EagerRuntime>,
    pull: Option<Py<PyAny>>,
    push: Option<Py<PyAny>>,
    batched: Option<Py<PyAny>>,
}

impl PyRule {
    fn handle(&self, var: &Var) -> PyEagerTensor {
        PyEagerTensor::new(EagerTensor::from_var(var.clone(), self.runtime.clone()))
    }

    fn handles<'py>(&self, py: Python<'py>, vars: &[Option<Var>]) -> PyResult<Bound<'py, PyAny>> {
        let handles: Vec<_> = vars.iter().map(|var| var.as_ref().map(|var| self.handle(var))).collect();
        Ok(PyList::new(py, handles)?.into_any())
    }

    /// What the rule returns for two arguments.
    fn run(
        &self,
        rule: &Option<Py<PyAny>>,
        transform: &'static str,
        cx: &Eager,
        given: impl for<'py> Fn(Python<'py>) -> PyResult<[Bound<'py, PyAny>; 2]>,
    ) -> Result<Vec<Option<Var>>> {
        let Some(rule) = rule else { return Err(missing_rule(&self.name, transform)) };
        let _quiet = (!cx.records()).then(NoGradGuard::enter);
        Python::attach(|py| {
            let call = || -> PyResult<Vec<Option<Var>>> {
                let found: Vec<Option<Bound<'_, PyEagerTensor>>> =
                    rule.bind(py).call1(<(_, _)>::from(given(py)?))?.extract()?;
                let var = |t: Option<Bound<'_, PyEagerTensor>>| -> Outcome<Option<Var>> {
                    let Some(t) = t else { return Ok(None) };
                    let tensor = t.get().live()?;
                    tenferro_ad::same_runtime(&self.runtime, tensor.runtime(), transform)?;
                    Ok(Some(tensor.operand(cx).clone()))
                };
                Ok(found.into_iter().map(var).collect::<Outcome<_>>()?)
            };
            call().map_err(|error| {
                stash(error);
                Error::interrupted(transform)
            })
        })
    }

    fn derivative(
        &self,
        rule: &Option<Py<PyAny>>,
        transform: &'static str,
        cx: &Eager,
        outs: &[Var],
        given: &[Option<Var>],
    ) -> Result<Vec<Option<Var>>> {
        self.run(rule, transform, cx, |py| {
            let outs = PyList::new(py, outs.iter().map(|var| self.handle(var)).collect::<Vec<_>>())?;
            Ok([outs.into_any(), self.handles(py, given)?])
        })
    }
}

impl CustomRule for PyRule {
    fn name(&self) -> &str {
        &self.name
    }

    fn pull(&self, cx: &Eager, outs: &[Var], cts: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        self.derivative(&self.pull, "vjp", cx, outs, cts)
    }

    fn push(&self, cx: &Eager, outs: &[Var], ts: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        self.derivative(&self.push, "jvp", cx, outs, ts)
    }

    fn batched(&self, cx: &Eager, ins: &[Option<Var>], size: usize) -> Result<Vec<Var>> {
        let found =
            self.run(&self.batched, "vmap", cx, |py| Ok([self.handles(py, ins)?, PyInt::new(py, size).into_any()]))?;
        found.into_iter().map(|batch| batch.ok_or_else(|| Error::internal("vmap", "a result is missing"))).collect()
    }
}

/// `outs` as the results of a call with the inputs `ins` (tensors and places) whose rules are `pull` and `push`; `kept`
/// says which results the rules are given. `batched` is what `vmap` repeats.
#[pyfunction]
#[pyo3(
    name = "_call",
    signature = (
        name: "str", outs: "list[EagerTensor]", ins: "list[Any]", kept: "list[bool]",
        pull: "Callable[..., Any] | None", push: "Callable[..., Any] | None", batched: "Callable[..., Any] | None"
    ) -> "list[EagerTensor]"
)]
pub fn call_with_rules(
    name: String,
    outs: Tensors<'_>,
    ins: &Bound<'_, PyList>,
    kept: Vec<bool>,
    pull: Option<Py<PyAny>>,
    push: Option<Py<PyAny>>,
    batched: Option<Py<PyAny>>,
) -> Outcome<Vec<PyEagerTensor>> {
    let outs = inner(&outs)?;
    let cx = Eager::current();
    let Some(first) = outs.first() else { return Ok(Vec::new()) };
    let runtime = first.runtime().clone();
    let mut inputs = Vec::new();
    for point in points(ins)? {
        inputs.push(match point {
            Point::Place(node) => (Some(node), None),
            Point::Tensor(tensor) => {
                tenferro_ad::same_runtime(&runtime, tensor.runtime(), "custom_op")?;
                let inexact = tensor.value().dtype().is_inexact();
                let node = tensor.operand(&cx).node.clone().filter(|node| inexact || node.is_example());
                (node, Some(Meta::of(tensor.value()).owned()))
            }
        });
    }
    let rule = Arc::new(PyRule { name, runtime: runtime.clone(), pull, push, batched });
    let values = outs.iter().map(|out| out.value().clone()).collect();
    let parts = record_call(&cx, rule, inputs, values, &kept);
    Ok(parts.into_iter().map(|var| PyEagerTensor::new(EagerTensor::from_var(var, runtime.clone()))).collect())
}
