//! `x.at[index].set(v)` and `.add(v)`: functional updates.

use crate::call::{Call, Operand, Resolved, enter, weak_dtype};
use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use crate::index::Index;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::{Interp, PutFlat, ScatterFlat, TakeFlat};
use tenferro_ad::{Eager, Var};
use tenferro_cpu::{compact, iota};
use tenferro_tensor::{DType, Dims, Error, Result, Tensor, Variant};

/// Functional updates of a tensor: ``x.at[index]`` says where, `set` and `add` what.
///
/// >>> import tenferro as tf
/// >>> tf.arange(4).at[1:3].set(0).tolist()
/// [0, 0, 0, 3]
#[pyclass(frozen, name = "At", module = "tenferro")]
pub struct PyAt(Py<PyEagerTensor>);

impl PyAt {
    /// Updates of `tensor`.
    pub fn new(tensor: Py<PyEagerTensor>) -> PyAt {
        PyAt(tensor)
    }
}

#[pymethods]
impl PyAt {
    fn __getitem__(&self, py: Python<'_>, index: Bound<'_, PyAny>) -> PyAtIndex {
        PyAtIndex { tensor: self.0.clone_ref(py), index: index.unbind() }
    }
}

/// A place in a tensor; see `EagerTensor.at`.
#[pyclass(frozen, name = "AtIndex", module = "tenferro")]
pub struct PyAtIndex {
    tensor: Py<PyEagerTensor>,
    index: Py<PyAny>,
}

#[pymethods]
impl PyAtIndex {
    /// A copy of the tensor with `values`, broadcast, at the index; where it names an element twice, the last value stays.
    ///
    /// Differentiable in both: replaced elements of the tensor get gradient zero, values that did not stay likewise.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.zeros((2, 2)).at[0].set([1.0, 2.0]).tolist()
    /// [[1.0, 2.0], [0.0, 0.0]]
    fn set<'py>(&self, py: Python<'py>, values: Operand<'py>) -> PyResult<PyEagerTensor> {
        enter(py, "at.set", None, |call| update(call, self, values, false))
    }

    /// A copy of the tensor with `values`, broadcast, added at the index; repeated elements receive every value.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.zeros(3).at[[0, 0, 2]].add(1.0).tolist()
    /// [2.0, 0.0, 1.0]
    fn add<'py>(&self, py: Python<'py>, values: Operand<'py>) -> PyResult<PyEagerTensor> {
        enter(py, "at.add", None, |call| update(call, self, values, true))
    }
}

/// Column-major positions, in the tensor, of the elements that an index names, in the shape of the result.
fn places(index: &Index, shape: &[usize]) -> Result<Tensor> {
    let numbers = Var::constant(iota(shape)?);
    compact(&index.apply(&mut Eager::silent(), &numbers)?.value)
}

fn update<'py>(call: &mut Call<'py>, at: &PyAtIndex, values: Operand<'py>, add: bool) -> Outcome<PyEagerTensor> {
    let py = call.py;
    let x = call.one(&Operand(at.tensor.bind(py).clone().into_any()))?;
    let index = Index::new(at.index.bind(py), x.value.shape(), &call.runtime()?).map_err(|e| match e {
        crate::errors::Failure::Core(error) => error.in_op(call.op).into(),
        other => other,
    })?;
    let places = places(&index, x.value.shape())?;
    write(call, x, places, &values, add)
}

/// `x` with `values` put (or added) at the column-major positions `places`, to whose shape they are broadcast.
pub fn write<'py>(
    call: &mut Call<'py>,
    x: Var,
    places: Tensor,
    values: &Operand<'py>,
    add: bool,
) -> Outcome<PyEagerTensor> {
    let dtype = x.value.dtype();
    let values = match values.resolve(call.op)? {
        Resolved::Weak(number) => {
            let natural = weak_dtype(number, dtype);
            Var::constant(crate::call::constant(number, natural, call.op)?)
        }
        _ => call.one(values)?,
    };
    if values.value.dtype().promote(dtype) != dtype {
        let message = format!(
            "argument 'values': expected a dtype that {dtype} can hold, got {}; cast the tensor or the values first",
            values.value.dtype()
        );
        return Err(Error::new(Variant::DTypeMismatch, call.op, message)
            .with("expected", dtype)
            .with("actual", values.value.dtype())
            .into());
    }
    if add && dtype == DType::Bool {
        return Err(Error::unsupported_dtype(call.op, dtype, "numbers, which can be added").into());
    }
    let lead = places.rank().checked_sub(values.value.rank());
    let fits = lead
        .is_some_and(|lead| values.value.shape().iter().zip(&places.shape()[lead..]).all(|(&v, &p)| v == p || v == 1));
    if !fits {
        return Err(Error::shape(call.op, "argument 'values'", places.shape(), values.value.shape()).into());
    }
    let op = call.op;
    call.run(x.value.size() + places.size(), move |cx| {
        let values = cx.convert(&values, dtype)?;
        let values = cx.broadcast_to(&values, places.shape())?;
        let flat: Arc<[usize]> = places.as_slice::<i64>()?.iter().map(|&p| p as usize).collect();
        if add {
            let spread = cx.bind(ScatterFlat { positions: flat, shape: x.value.dims() }.into(), &[&values])?;
            return cx.add(&x, &spread).map_err(|e| e.in_op(op));
        }
        let (winners, targets) = last_writers(&flat, places.shape());
        let values = match winners {
            Some(winners) => {
                let shape = Dims::from_slice(&[winners.len()]);
                cx.bind(TakeFlat { positions: winners, shape }.into(), &[&values])?
            }
            None => values,
        };
        cx.bind(PutFlat(targets).into(), &[&x, &values])
    })
}

/// For each place named, the element that NumPy's row-major assignment writes last; `None` where no place is named twice.
fn last_writers(flat: &Arc<[usize]>, shape: &[usize]) -> (Option<Arc<[usize]>>, Arc<[usize]>) {
    let row_major = |element: usize| {
        let (mut rest, mut place) = (element, 0);
        for (axis, &n) in shape.iter().enumerate() {
            place += (rest % n) * shape[axis + 1..].iter().product::<usize>();
            rest /= n;
        }
        place
    };
    let mut last: HashMap<usize, usize> = HashMap::with_capacity(flat.len());
    for (element, &target) in flat.iter().enumerate() {
        let slot = last.entry(target).or_insert(element);
        if row_major(element) > row_major(*slot) {
            *slot = element;
        }
    }
    if last.len() == flat.len() {
        return (None, flat.clone());
    }
    let mut pairs: Vec<(usize, usize)> = last.into_iter().collect();
    pairs.sort_unstable();
    (Some(pairs.iter().map(|p| p.1).collect()), pairs.iter().map(|p| p.0).collect())
}
