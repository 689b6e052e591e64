//! One call of an op from Python: operands resolved in one runtime, the GIL released for large work, panics and errors
//! turned into exceptions.

use crate::defaults::default_runtime;
use crate::eager::PyEagerTensor;
use crate::errors::{Failure, Outcome, guarded};
use crate::gradient::PyGradientValue;
use crate::interop::tensor_from_any;
use crate::tensor::PyTensor;
use pyo3::PyTypeInfo;
use pyo3::exceptions::PyTypeError;
use pyo3::inspect::{PyStaticConstant, PyStaticExpr};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyTuple};
use pyo3::{type_hint_identifier, type_hint_subscript};
use smallvec::SmallVec;
use std::sync::Arc;
use tenferro_ad::{Eager, EagerRuntime, EagerTensor, Var};
use tenferro_cpu::{Number, cast, compact, full, threads};
use tenferro_tensor::{DType, Error, Result, Tensor, Variant};

/// Elements from which on the GIL is released: below, releasing costs more than the work.
const DETACH_FROM: usize = 16_384;

/// Where the bodies of the ops live, one associated function each.
pub struct Imp;

/// A tensor, an array, nested numbers or a number: what every op takes.
#[derive(Clone)]
pub struct Operand<'py>(pub Bound<'py, PyAny>);

impl<'a, 'py> FromPyObject<'a, 'py> for Operand<'py> {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr = type_hint_identifier!("tenferro._typing", "TensorLike");

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Operand<'py>> {
        Ok(Operand(object.to_owned()))
    }
}

/// Several results: a tuple.
pub struct Tensors(pub Vec<PyEagerTensor>);

impl<'py> IntoPyObject<'py> for Tensors {
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;
    const OUTPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("builtins", "tuple"),
        <PyEagerTensor as PyTypeInfo>::TYPE_HINT,
        PyStaticExpr::Constant { value: PyStaticConstant::Ellipsis }
    );

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0)
    }
}

/// What an operand turned out to be.
pub enum Resolved<'py> {
    /// A tensor of a runtime.
    Eager(Bound<'py, PyEagerTensor>),
    /// A Python number: it takes the dtype of its partner.
    Weak(Number),
    /// A constant.
    Value(Tensor),
    /// A constant that brings a runtime, if no tensor does.
    Gradient(Tensor, Arc<EagerRuntime>),
}

/// A Python number, if the object is exactly one.
pub fn python_number(object: &Bound<'_, PyAny>, op: &'static str) -> Outcome<Option<Number>> {
    if object.is_exact_instance_of::<PyFloat>() {
        return Ok(Some(Number::Float(object.extract()?)));
    }
    if object.is_exact_instance_of::<PyInt>() {
        return match object.extract::<i64>() {
            Ok(value) => Ok(Some(Number::Int(value))),
            Err(_) => {
                let message = format!("expected an integer that fits in int64, got {}", object.str()?);
                Err(Error::new(Variant::IntegerOverflow, op, message).into())
            }
        };
    }
    if object.is_exact_instance_of::<PyBool>() {
        return Ok(Some(Number::Bool(object.extract()?)));
    }
    if object.is_exact_instance_of::<PyComplex>() {
        return Ok(Some(Number::Complex(complex(object)?)));
    }
    Ok(None)
}

fn complex(object: &Bound<'_, PyAny>) -> PyResult<tenferro_tensor::C128> {
    let number = object.cast::<PyComplex>()?;
    Ok(tenferro_tensor::C128::new(number.real(), number.imag()))
}

impl<'py> Operand<'py> {
    /// What it is; arrays and nested numbers are copied.
    pub fn resolve(&self, op: &'static str) -> Outcome<Resolved<'py>> {
        let object = &self.0;
        if let Ok(tensor) = object.cast::<PyEagerTensor>() {
            return Ok(Resolved::Eager(tensor.clone()));
        }
        if let Some(number) = python_number(object, op)? {
            return Ok(Resolved::Weak(number));
        }
        if let Ok(tensor) = object.cast::<PyTensor>() {
            return Ok(Resolved::Value(tensor.get().0.clone()));
        }
        if let Ok(gradient) = object.cast::<PyGradientValue>() {
            let PyGradientValue(value, runtime) = gradient.get();
            return Ok(match runtime {
                Some(runtime) => Resolved::Gradient(value.clone(), runtime.clone()),
                None => Resolved::Value(value.clone()),
            });
        }
        Ok(Resolved::Value(tensor_from_any(object.py(), object, None, op)?))
    }
}

/// The dtype a Python number takes beside `partner`.
pub fn weak_dtype(number: Number, partner: DType) -> DType {
    match number {
        Number::Bool(_) => partner,
        Number::Int(_) if partner == DType::Bool => DType::I64,
        Number::Int(_) => partner,
        Number::Float(_) if partner.is_inexact() => partner,
        Number::Float(_) => DType::F64,
        Number::Complex(_) => partner.complex(),
    }
}

/// A number as a rank-0 constant of a dtype; integers that do not fit are refused.
pub fn constant(number: Number, dtype: DType, op: &'static str) -> Result<Tensor> {
    full(&[], dtype, number).map_err(|e| e.in_op(op))
}

/// One call.
pub struct Call<'py> {
    /// The interpreter token.
    pub py: Python<'py>,
    /// The op's name in messages.
    pub op: &'static str,
    /// The runtime that is fixed from outside, by a session.
    session: Option<Arc<EagerRuntime>>,
    runtime: Option<Arc<EagerRuntime>>,
    /// The runtime of a gradient among the operands.
    hint: Option<Arc<EagerRuntime>>,
    /// The interpreter.
    pub cx: Eager,
}

/// Runs `body` as one call of `op`.
pub fn enter<'py, T>(
    py: Python<'py>,
    op: &'static str,
    session: Option<Arc<EagerRuntime>>,
    body: impl FnOnce(&mut Call<'py>) -> Outcome<T>,
) -> PyResult<T> {
    let done = guarded(op, || {
        let mut call = Call { py, op, session, runtime: None, hint: None, cx: Eager::current() };
        body(&mut call)
    });
    match done {
        Ok(value) => Ok(value),
        Err(Failure::Core(error)) if error.op().is_empty() => Err(Failure::Core(error.in_op(op)).into()),
        Err(failure) => Err(failure.into()),
    }
}

/// The dtype that Python numbers among the operands follow: the others' common one, or, among numbers, their own.
fn weak_partner(resolved: &[Resolved<'_>]) -> Outcome<Option<DType>> {
    let mut strong: Option<DType> = None;
    let mut natural: Option<DType> = None;
    for one in resolved {
        let (slot, own) = match one {
            Resolved::Eager(t) => (&mut strong, t.get().live()?.value().dtype()),
            Resolved::Value(t) | Resolved::Gradient(t, _) => (&mut strong, t.dtype()),
            Resolved::Weak(number) => (&mut natural, number.dtype()),
        };
        *slot = Some(slot.map_or(own, |d| d.promote(own)));
    }
    Ok(strong.or(natural))
}

impl<'py> Call<'py> {
    /// The runtime of the call so far, or the default one.
    pub fn runtime(&mut self) -> Outcome<Arc<EagerRuntime>> {
        if let Some(runtime) = self.session.as_ref().or(self.runtime.as_ref()) {
            return Ok(runtime.clone());
        }
        let runtime = self.hint.clone().unwrap_or_else(default_runtime);
        self.runtime = Some(runtime.clone());
        Ok(runtime)
    }

    fn join(&mut self, tensor: &EagerTensor) -> Outcome<()> {
        match self.session.as_ref().or(self.runtime.as_ref()) {
            Some(runtime) if Arc::ptr_eq(runtime, tensor.runtime()) => Ok(()),
            Some(runtime) => Ok(tenferro_ad::same_runtime(runtime, tensor.runtime(), self.op)?),
            None => {
                self.runtime = Some(tensor.runtime().clone());
                Ok(())
            }
        }
    }

    /// One operand by itself.
    pub fn one(&mut self, operand: &Operand<'py>) -> Outcome<Var> {
        if let Ok(tensor) = operand.0.cast::<PyEagerTensor>() {
            return self.tensor(tensor);
        }
        let [var] = self.group([operand])?;
        Ok(var)
    }

    fn tensor(&mut self, tensor: &Bound<'py, PyEagerTensor>) -> Outcome<Var> {
        let tensor = tensor.get().live()?;
        self.join(tensor)?;
        Ok(tensor.operand(&self.cx).clone())
    }

    /// Operands that take part in one promotion.
    pub fn group<const N: usize>(&mut self, operands: [&Operand<'py>; N]) -> Outcome<[Var; N]> {
        let vars: SmallVec<[Var; N]> = self.collect(&operands)?;
        vars.into_inner().map_err(|_| Error::internal(self.op, "an operand was lost").into())
    }

    /// Any number of operands that take part in one promotion.
    pub fn list(&mut self, operands: &[&Operand<'py>]) -> Outcome<SmallVec<[Var; 4]>> {
        self.collect(operands)
    }

    fn collect<const N: usize>(&mut self, operands: &[&Operand<'py>]) -> Outcome<SmallVec<[Var; N]>> {
        let mut resolved: SmallVec<[Resolved<'py>; 3]> = SmallVec::new();
        let mut weak = false;
        for operand in operands {
            let one = operand.resolve(self.op)?;
            weak |= matches!(one, Resolved::Weak(_));
            resolved.push(one);
        }
        let partner = if weak { weak_partner(&resolved)? } else { None };
        let mut vars = SmallVec::new();
        for one in resolved {
            vars.push(match one {
                Resolved::Eager(tensor) => self.tensor(&tensor)?,
                Resolved::Value(value) => Var::constant(value),
                Resolved::Gradient(value, runtime) => {
                    self.hint = Some(runtime);
                    Var::constant(value)
                }
                Resolved::Weak(number) => {
                    let dtype = weak_dtype(number, partner.unwrap_or(number.dtype()));
                    Var::constant(constant(number, dtype, self.op)?)
                }
            });
        }
        Ok(vars)
    }

    /// Runs `work` on tensors with `elements` elements in all, without the GIL if that pays.
    pub fn run(
        &mut self,
        elements: usize,
        work: impl FnOnce(&mut Eager) -> Result<Var> + Send,
    ) -> Outcome<PyEagerTensor> {
        let mut cx = self.cx;
        let runtime = self.runtime()?;
        let var = detached(self.py, &runtime, elements, move || work(&mut cx))?;
        Ok(PyEagerTensor::new(EagerTensor::from_var(var, runtime)))
    }

    /// As `run`, for work with several results.
    pub fn run_many(
        &mut self,
        elements: usize,
        work: impl FnOnce(&mut Eager) -> Result<Vec<Var>> + Send,
    ) -> Outcome<Tensors> {
        let mut cx = self.cx;
        let runtime = self.runtime()?;
        let vars = detached(self.py, &runtime, elements, move || work(&mut cx))?;
        let wrap = |var| PyEagerTensor::new(EagerTensor::from_var(var, runtime.clone()));
        Ok(Tensors(vars.into_iter().map(wrap).collect()))
    }

    /// A result in the runtime of the call.
    pub fn wrap(&mut self, var: Var) -> Outcome<PyEagerTensor> {
        let runtime = self.runtime()?;
        Ok(PyEagerTensor::new(EagerTensor::from_var(var, runtime)))
    }
}

/// Runs `work` with the threads of a runtime's backend, without the GIL from a measured number of elements on; below, kernels
/// use one thread anyway. Never calls into Python while detached.
pub fn detached<T: Send>(
    py: Python<'_>,
    runtime: &EagerRuntime,
    elements: usize,
    work: impl FnOnce() -> Result<T> + Send,
) -> Outcome<T> {
    if elements < DETACH_FROM { Ok(work()?) } else { released(py, runtime, work) }
}

/// Runs `work` with the threads of a runtime's backend and without the GIL.
pub fn released<T: Send>(
    py: Python<'_>,
    runtime: &EagerRuntime,
    work: impl FnOnce() -> Result<T> + Send,
) -> Outcome<T> {
    let threads = runtime.backend().threads();
    Ok(py.detach(|| threads::with_limit(threads, work))?)
}

/// The error for a Python object of a type that does not belong here.
pub fn wrong_type(op: &str, what: &str, expected: &str, got: &Bound<'_, PyAny>) -> PyErr {
    let kind = got.get_type().name().map(|n| n.to_string()).unwrap_or_default();
    let dtype = match got.getattr("dtype") {
        Ok(dtype) => format!(" of dtype {dtype}"),
        Err(_) => String::new(),
    };
    let place = if op.is_empty() { String::new() } else { format!("{op}: ") };
    PyTypeError::new_err(format!("{place}{what}: expected {expected}, got {kind}{dtype}"))
}

/// The values of a real operand in float64, each of which `fits`.
pub fn real_values(
    op: &'static str,
    name: &str,
    operand: &Var,
    expected: &str,
    fits: impl Fn(f64) -> bool,
) -> Result<Tensor> {
    let value = operand.concrete(op)?;
    if value.dtype().is_complex() {
        return Err(Error::unsupported_dtype(op, value.dtype(), "a real dtype"));
    }
    let value = compact(&cast(value, DType::F64)?)?;
    match value.as_slice::<f64>()?.iter().find(|&&v| !fits(v)) {
        Some(wrong) => Err(Error::argument(op, name, format!("expected {expected}, got {wrong}"))),
        None => Ok(value),
    }
}
