//! The Python class `SliceBuilder`: ranges and positions, axis by axis, applied at once.

use crate::args::{integer, integers};
use crate::call::{Call, Operand, enter, wrong_type};
use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use crate::session::PyEagerSession;
use pyo3::prelude::*;
use pyo3::types::{PyRange, PySlice};
use std::sync::Arc;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::{Interp, Take};
use tenferro_tensor::{Dims, Error};

#[derive(Clone)]
enum Selection {
    Range { start: i64, stop: Option<i64>, step: i64 },
    Take(Vec<i64>),
}

/// A selection of ranges and positions that keeps the rank: each call adds an axis, `apply` computes.
///
/// >>> import tenferro as tf
/// >>> x = tf.arange(12).reshape(3, 4)
/// >>> x.slice_builder().axis(0, range(0, 2)).take_axis(1, [3, 1, 3]).apply().tolist()
/// [[9, 3, 9], [10, 4, 10]]
#[pyclass(frozen, name = "SliceBuilder", module = "tenferro")]
pub struct PySliceBuilder {
    tensor: Py<PyEagerTensor>,
    selections: Vec<(i64, Selection)>,
}

const OP: &str = "slice_builder";

impl PySliceBuilder {
    /// An empty selection of `tensor`.
    pub fn new(tensor: Py<PyEagerTensor>) -> PySliceBuilder {
        PySliceBuilder { tensor, selections: Vec::new() }
    }

    fn with(&self, py: Python<'_>, axis: i64, selection: Selection) -> PySliceBuilder {
        let mut selections = self.selections.clone();
        selections.push((axis, selection));
        PySliceBuilder { tensor: self.tensor.clone_ref(py), selections }
    }

    fn range(
        &self,
        py: Python<'_>,
        axis: i64,
        range: &Bound<'_, PyAny>,
        stop: Option<i64>,
        by: i64,
    ) -> PyResult<PySliceBuilder> {
        let part = |name: &str| -> PyResult<Option<i64>> {
            let value = range.getattr(name)?;
            if value.is_none() { Ok(None) } else { integer(&value, "range").map(Some) }
        };
        let selection = if range.is_instance_of::<PyRange>() || range.is_instance_of::<PySlice>() {
            let inner = part("step")?.unwrap_or(1);
            Selection::Range { start: part("start")?.unwrap_or(0), stop: part("stop")?, step: inner.saturating_mul(by) }
        } else if let Some(stop) = stop {
            Selection::Range { start: integer(range, "range")?, stop: Some(stop), step: by }
        } else {
            return Err(wrong_type(OP, "argument 'range'", "a range, a slice, or two ints", range));
        };
        Ok(self.with(py, axis, selection))
    }
}

#[pymethods]
impl PySliceBuilder {
    /// Selects a range of an axis: ``range(a, b)``, ``slice(a, b)``, or two ints; a step in it is honoured.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.arange(5)
    /// >>> x.slice_builder().axis(0, 1, 3).apply().tolist()
    /// [1, 2]
    /// >>> x.slice_builder().axis(0, slice(0, None, 2)).apply().tolist()
    /// [0, 2, 4]
    #[pyo3(signature = (axis, range: "range | slice | int", stop=None))]
    fn axis(&self, py: Python<'_>, axis: i64, range: &Bound<'_, PyAny>, stop: Option<i64>) -> PyResult<PySliceBuilder> {
        self.range(py, axis, range, stop, 1)
    }

    /// Selects every `step`-th position of a range of an axis.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.arange(5).slice_builder().axis_step(0, range(1, 5), 2).apply().tolist()
    /// [1, 3]
    #[pyo3(signature = (axis, range: "range | slice | int", stop_or_step, step=None))]
    fn axis_step(
        &self,
        py: Python<'_>,
        axis: i64,
        range: &Bound<'_, PyAny>,
        stop_or_step: i64,
        step: Option<i64>,
    ) -> PyResult<PySliceBuilder> {
        match step {
            Some(step) => self.range(py, axis, range, Some(stop_or_step), step),
            None => self.range(py, axis, range, None, stop_or_step),
        }
    }

    /// Selects positions of an axis, in the order given, repeats allowed.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.arange(5).slice_builder().take_axis(0, [4, 0, 4]).apply().tolist()
    /// [4, 0, 4]
    #[pyo3(signature = (axis, indices: "Iterable[SupportsIndex]"))]
    fn take_axis(&self, py: Python<'_>, axis: i64, indices: &Bound<'_, PyAny>) -> PyResult<PySliceBuilder> {
        Ok(self.with(py, axis, Selection::Take(integers(indices, "indices")?)))
    }

    /// The selected part: all ranges at once, then the positions in the order of the calls; nothing selected: the tensor itself.
    ///
    /// Raises `AxisOutOfBoundsError`, `DuplicateAxisError` for an axis selected twice, `InvalidArgumentError` for a step of 0 or
    /// a range that is not within the axis.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.arange(5)
    /// >>> with x.runtime.session() as s:
    /// ...     x.slice_builder().axis(0, range(1, 3)).apply(s).tolist()
    /// [1, 2]
    #[pyo3(signature = (session=None))]
    fn apply<'py>(&self, py: Python<'py>, session: Option<&Bound<'py, PyEagerSession>>) -> PyResult<PyEagerTensor> {
        match session {
            Some(session) => session.get().call(py, OP, |call| self.run(call)),
            None => enter(py, OP, None, |call| self.run(call)),
        }
    }
}

#[pymethods]
impl PySliceBuilder {
    fn __repr__(&self) -> String {
        let parts: Vec<_> = self
            .selections
            .iter()
            .map(|(axis, selection)| match selection {
                Selection::Range { start, stop, step } => {
                    let stop = stop.map_or_else(String::new, |s| s.to_string());
                    format!("axis {axis}: {start}:{stop}:{step}")
                }
                Selection::Take(list) => format!("axis {axis}: {list:?}"),
            })
            .collect();
        format!("SliceBuilder({})", parts.join(", "))
    }
}

impl PySliceBuilder {
    fn run(&self, call: &mut Call<'_>) -> Outcome<PyEagerTensor> {
        let tensor = self.tensor.bind(call.py);
        if self.selections.is_empty() {
            return Ok(PyEagerTensor::new(tensor.get().live()?.clone()));
        }
        let x = call.one(&Operand(tensor.clone().into_any()))?;
        let shape = x.value.dims();
        let mut starts = Dims::from_elem(0, shape.len());
        let (mut limits, mut strides) = (shape.clone(), Dims::from_elem(1, shape.len()));
        let mut seen = Dims::new();
        let mut takes: Vec<(usize, Arc<[usize]>)> = Vec::new();
        for (axis, selection) in &self.selections {
            let axis = crate::args::normalize(OP, *axis, shape.len())?;
            if seen.contains(&axis) {
                return Err(Error::duplicate_axis(OP, axis, "selection").into());
            }
            seen.push(axis);
            match selection {
                Selection::Take(list) => takes.push((axis, crate::index::positions(OP, list, axis, shape[axis])?)),
                &Selection::Range { start, stop, step } => {
                    let extent = shape[axis] as i64;
                    let stop = stop.unwrap_or(extent);
                    if step <= 0 {
                        return Err(Error::argument(
                            OP,
                            "step",
                            format!("expected at least 1, got {step} for axis {axis}"),
                        )
                        .into());
                    }
                    if start < 0 || start > stop || stop > extent {
                        let message =
                            format!("expected 0 <= start <= stop <= {extent} for axis {axis}, got {start} and {stop}");
                        return Err(Error::argument(OP, "range", message).into());
                    }
                    starts[axis] = start as usize;
                    limits[axis] = stop as usize;
                    strides[axis] = step as usize;
                }
            }
        }
        let sliced = seen.len() > takes.len();
        call.run(x.value.size(), move |cx| {
            let mut part = if sliced { cx.slice(&x, &starts, &limits, &strides)? } else { x };
            for (axis, indices) in takes {
                part = cx.bind(Take { axis, indices }.into(), &[&part])?;
            }
            Ok(part)
        })
    }
}
