//! The leaves and seeds that a runtime's transforms are asked for.

use crate::call::{Call, Operand, Resolved, constant, weak_dtype};
use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use tenferro_ad::EagerTensor;

/// A cotangent or tangent for `primal`: a tensor of its runtime, or numbers that take its dtype.
pub fn as_seed<'py>(call: &mut Call<'py>, seed: &Operand<'py>, primal: &EagerTensor) -> Outcome<EagerTensor> {
    Ok(match seed.resolve(call.op)? {
        Resolved::Eager(tensor) => tensor.get().live()?.clone(),
        Resolved::Value(value) | Resolved::Gradient(value, _) => EagerTensor::constant(value, primal.runtime().clone()),
        Resolved::Weak(number) => {
            let dtype = weak_dtype(number, primal.value().dtype());
            EagerTensor::constant(constant(number, dtype, call.op)?, primal.runtime().clone())
        }
    })
}

/// One leaf or a list of leaves.
pub enum Leaves<'py> {
    /// One.
    One(Bound<'py, PyEagerTensor>),
    /// A list.
    Many(Vec<Bound<'py, PyEagerTensor>>),
}

impl<'py> Leaves<'py> {
    /// What `object` holds.
    pub fn of(op: &str, object: &Bound<'py, PyAny>) -> Outcome<Leaves<'py>> {
        if let Ok(one) = object.cast::<PyEagerTensor>() {
            return Ok(Leaves::One(one.clone()));
        }
        let wrong = |got: &Bound<'_, PyAny>| {
            crate::call::wrong_type(op, "argument 'wrt'", "an EagerTensor or a list of them", got)
        };
        if !(object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>()) {
            return Err(wrong(object).into());
        }
        let mut all = Vec::new();
        for item in object.try_iter()? {
            let item = item?;
            all.push(item.cast::<PyEagerTensor>().map_err(|_| wrong(&item))?.clone());
        }
        Ok(Leaves::Many(all))
    }

    /// All of them.
    pub fn list(&self) -> Vec<&Bound<'py, PyEagerTensor>> {
        match self {
            Leaves::One(one) => vec![one],
            Leaves::Many(all) => all.iter().collect(),
        }
    }
}
