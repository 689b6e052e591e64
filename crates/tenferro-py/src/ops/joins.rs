//! Joins of several tensors.

use crate::args::normalize;
use crate::call::{Call, Imp, Operand, enter, wrong_type};
use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use crate::session::PyEagerSession;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use pyo3::{type_hint_identifier, type_hint_subscript};
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::numeric;
use tenferro_tensor::Error;

/// A list or tuple of operands; read inside the call, so that errors can name the op.
pub struct OperandList<'py>(Bound<'py, PyAny>);

impl<'a, 'py> FromPyObject<'a, 'py> for OperandList<'py> {
    type Error = std::convert::Infallible;
    const INPUT_TYPE: PyStaticExpr =
        type_hint_subscript!(type_hint_identifier!("collections.abc", "Sequence"), Operand::INPUT_TYPE);

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> Result<OperandList<'py>, Self::Error> {
        Ok(OperandList(object.to_owned()))
    }
}

impl<'py> OperandList<'py> {
    pub fn read(&self, op: &str) -> PyResult<Vec<Operand<'py>>> {
        let list = &self.0;
        if list.is_instance_of::<PyList>() || list.is_instance_of::<PyTuple>() {
            return list.try_iter()?.map(|item| item.map(Operand)).collect();
        }
        Err(wrong_type(op, "argument 'inputs'", "a list or tuple of tensors", list))
    }
}

impl Imp {
    /// `concatenate` of operands or, without an axis, of their elements.
    pub fn concatenate<'py>(
        call: &mut Call<'py>,
        inputs: OperandList<'py>,
        axis: Option<i64>,
    ) -> Outcome<PyEagerTensor> {
        let list = inputs.read(call.op)?;
        let vars = call.list(&list.iter().collect::<Vec<_>>())?;
        let Some(first) = vars.first() else {
            return Err(Error::argument(call.op, "inputs", "expected at least one tensor, got none").into());
        };
        let at = match axis {
            Some(axis) => normalize(call.op, axis, first.value.rank())?,
            None => 0,
        };
        let elements = vars.iter().map(|v| v.value.size()).sum();
        call.run(elements, move |cx| match axis {
            Some(_) => numeric::concatenate(cx, &vars, at),
            None => {
                let flat = vars.iter().map(|v| cx.reshape(v, &[v.value.size()])).collect::<Result<Vec<_>, _>>()?;
                numeric::concatenate(cx, &flat, 0)
            }
        })
    }
}

// Written out instead of by `list_op!`, because PyO3 shows a default in an `Option` only where it sees the type itself.
macro_rules! concatenations {
    ([$($name:ident),*] $docs:tt) => {
        $( concatenations! { @one $name $docs } )*
    };
    (@one $name:ident { $(#[doc = $doc:literal])* }) => {
        #[pymethods]
        impl PyEagerSession {
            $(#[doc = $doc])*
            #[pyo3(signature = (inputs, axis=0))]
            fn $name<'py>(&self, py: Python<'py>, inputs: OperandList<'py>, axis: Option<i64>) -> PyResult<PyEagerTensor> {
                self.call(py, "concatenate", |call| Imp::concatenate(call, inputs, axis))
            }
        }

        $(#[doc = $doc])*
        #[pyfunction]
        #[pyo3(signature = (inputs, axis=0))]
        pub fn $name<'py>(py: Python<'py>, inputs: OperandList<'py>, axis: Option<i64>) -> PyResult<PyEagerTensor> {
            enter(py, "concatenate", None, |call| Imp::concatenate(call, inputs, axis))
        }
    };
}

concatenations! { [concatenate, concat] {
    /// The tensors of a list one behind the other along `axis`; ``axis=None`` flattens them first (column-major). Promoted.
    ///
    /// Derivative: linear; reverse slices the cotangent. Raises `InvalidArgumentError` for an empty list, `ShapeMismatchError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.concatenate([[1.0, 2.0], [3.0]]).tolist()
    /// [1.0, 2.0, 3.0]
} }

list_op! { [stack] {
    /// The tensors of a list, all of one shape, side by side along a new axis `axis` of the result. Promoted.
    ///
    /// Derivative: linear; reverse slices the cotangent. Raises `InvalidArgumentError` for an empty list, `ShapeMismatchError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.stack([[1.0, 2.0], [3.0, 4.0]], axis=1).tolist()
    /// [[1.0, 3.0], [2.0, 4.0]]
    () (inputs, axis=0, *, dim=None) (inputs: OperandList<'py>, axis: i64, dim: Option<i64>)
} |call| {
    let list = inputs.read(call.op)?;
    let vars = call.list(&list.iter().collect::<Vec<_>>())?;
    let Some(first) = vars.first() else {
        return Err(Error::argument(call.op, "inputs", "expected at least one tensor, got none").into());
    };
    let axis = normalize(call.op, dim.unwrap_or(axis), first.value.rank() + 1)?;
    let elements = vars.iter().map(|v| v.value.size()).sum();
    call.run(elements, move |cx| numeric::stack(cx, &vars, axis))
} }
