//! Arguments of ops that are not tensors.

use crate::call::wrong_type;
use crate::errors::Outcome;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};
use tenferro_tensor::{Dims, Error, Result};

/// One axis or several, negative ones counted from the end.
pub struct AxesArg(Vec<i64>);

impl<'a, 'py> FromPyObject<'a, 'py> for AxesArg {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr = type_hint_identifier!("tenferro._typing", "AxesLike");

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<AxesArg> {
        if let Ok(axis) = integer(&object, "axes") {
            return Ok(AxesArg(vec![axis]));
        }
        let axes = integers(&object, "axes")?;
        Ok(AxesArg(axes))
    }
}

/// An integer; truth values, floats and strings are refused.
///
/// Integers beyond 64 bits become the largest or smallest one: no axis, position or extent is that large, so the op refuses
/// it by name.
pub fn integer(object: &Bound<'_, PyAny>, what: &str) -> PyResult<i64> {
    let refused = object.is_instance_of::<PyBool>() || object.is_instance_of::<PyFloat>();
    match object.extract::<i64>() {
        Ok(value) if !refused => Ok(value),
        _ if object.is_instance_of::<PyInt>() && !refused => Ok(if object.lt(0)? { i64::MIN } else { i64::MAX }),
        _ => Err(wrong_type("", &format!("argument '{what}'"), "an integer or a sequence of integers", object)),
    }
}

/// A sequence of integers.
pub fn integers(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<i64>> {
    let refuse = || wrong_type("", &format!("argument '{what}'"), "an integer or a sequence of integers", object);
    if object.is_instance_of::<PyString>() {
        return Err(refuse());
    }
    object.try_iter().map_err(|_| refuse())?.map(|item| integer(&item?, what)).collect()
}

/// An axis of a tensor with `rank` axes.
pub fn normalize(op: &'static str, axis: i64, rank: usize) -> Result<usize> {
    let shifted = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
    if (0..rank as i64).contains(&shifted) { Ok(shifted as usize) } else { Err(Error::axis(op, axis, rank)) }
}

impl AxesArg {
    /// These axes.
    pub fn new(axes: &[i64]) -> AxesArg {
        AxesArg(axes.to_vec())
    }

    /// Distinct axes of a tensor with `rank` axes.
    pub fn resolve(&self, op: &'static str, rank: usize) -> Result<Dims> {
        let mut axes = Dims::new();
        for &axis in &self.0 {
            let axis = normalize(op, axis, rank)?;
            if axes.contains(&axis) {
                return Err(Error::duplicate_axis(op, axis, "axes"));
            }
            axes.push(axis);
        }
        Ok(axes)
    }

    /// The axes as given.
    pub fn raw(&self) -> &[i64] {
        &self.0
    }
}

/// The axes of a reduction under either keyword; without any, all axes.
pub fn reduction_axes(op: &'static str, axes: Option<AxesArg>, axis: Option<AxesArg>, rank: usize) -> Result<Dims> {
    Ok(named_axes(op, axes, axis, rank)?.unwrap_or_else(|| (0..rank).collect()))
}

/// The axes named under either keyword; an empty list is not the same as none.
pub fn named_axes(op: &'static str, axes: Option<AxesArg>, axis: Option<AxesArg>, rank: usize) -> Result<Option<Dims>> {
    one_of(op, "axes", axes, "axis", axis)?.map(|axes| axes.resolve(op, rank)).transpose()
}

/// A count that may not be negative.
pub fn count(op: &'static str, what: &str, value: i64) -> Result<usize> {
    usize::try_from(value).map_err(|_| Error::argument(op, what, format!("expected at least 0, got {value}")))
}

/// The one of two spellings of an argument that was given.
pub fn one_of<T>(op: &'static str, first: &str, a: Option<T>, second: &str, b: Option<T>) -> Result<Option<T>> {
    match (a, b) {
        (Some(_), Some(_)) => {
            Err(Error::argument(op, second, format!("expected one of '{first}' and '{second}', got both")))
        }
        (a, b) => Ok(a.or(b)),
    }
}

/// The one of two spellings of an argument that must be given.
pub fn required<T>(op: &'static str, first: &str, a: Option<T>, second: &str, b: Option<T>) -> Result<T> {
    one_of(op, first, a, second, b)?.ok_or_else(|| Error::argument(op, first, "expected a value, got none"))
}

/// A shape with at most one extent of -1, which is filled up to `size` elements.
pub fn infer_shape(op: &'static str, extents: &[i64], size: usize) -> Outcome<Dims> {
    let mut known: usize = 1;
    let mut hole = None;
    for (at, &extent) in extents.iter().enumerate() {
        match extent {
            -1 if hole.is_none() => hole = Some(at),
            0.. => known = known.saturating_mul(extent as usize),
            _ => {
                let message = format!("expected extents of at least 0 and at most one -1, got {extent}");
                return Err(Error::argument(op, "shape", message).into());
            }
        }
    }
    let mut shape: Dims = extents.iter().map(|&e| e.max(0) as usize).collect();
    if let Some(at) = hole {
        if known == 0 || !size.is_multiple_of(known) {
            let message = format!("-1 cannot stand for an extent: {size} elements do not divide by {known}");
            return Err(Error::argument(op, "shape", message).into());
        }
        shape[at] = size / known;
    }
    Ok(shape)
}

/// Row-major instead of column-major order?
pub fn row_major(op: &'static str, order: &str) -> Result<bool> {
    match order {
        "F" => Ok(false),
        "C" => Ok(true),
        other => Err(Error::argument(op, "order", format!("expected 'F' or 'C', got '{other}'"))),
    }
}
