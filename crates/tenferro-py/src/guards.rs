//! `ValueGuard` and `TensorRead`: borrowed values, valid until their with-block ends.

use crate::dtype::{DTypeInput, DTypeValue, read_dtype};
use crate::errors::Outcome;
use crate::interop::{self, NumPyArray};
use crate::tensor::{ShapeTuple, StrideTuple};
use pyo3::prelude::*;
use tenferro_tensor::fork::ForkSafe;
use tenferro_tensor::{Error, Tensor, Variant, show_shape};

/// A value, or nothing after the end of the with-block.
struct Borrow(ForkSafe<Option<Tensor>>);

impl Borrow {
    fn new(tensor: Tensor) -> Borrow {
        Borrow(ForkSafe::new(Some(tensor)))
    }

    fn peek(&self) -> Option<Tensor> {
        self.0.with(|value| value.clone())
    }

    fn get(&self, op: &'static str) -> Outcome<Tensor> {
        let ended =
            || Error::new(Variant::HostAccess, op, "the borrowed value was used after its with-block had ended");
        Ok(self.peek().ok_or_else(ended)?)
    }

    fn end(&self) {
        drop(self.0.with(Option::take));
    }
}

macro_rules! guard {
    ($(#[doc = $doc:literal])* $rust:ident, $name:literal, $method:literal) => {
        $(#[doc = $doc])*
        #[pyclass(frozen, weakref, name = $name, module = "tenferro")]
        pub struct $rust(Borrow);

        impl $rust {
            /// Borrows `tensor`.
            pub fn new(tensor: Tensor) -> $rust {
                $rust(Borrow::new(tensor))
            }
        }

        #[pymethods]
        impl $rust {
            /// The dtype of the elements; `HostAccessError` after the with-block.
            #[getter]
            fn dtype(&self) -> Outcome<DTypeValue> {
                Ok(DTypeValue(self.0.get("dtype")?.dtype()))
            }

            /// The extents of the axes; `HostAccessError` after the with-block.
            #[getter]
            fn shape(&self) -> Outcome<ShapeTuple> {
                Ok(ShapeTuple(self.0.get("shape")?.dims()))
            }

            /// The steps between neighbours along each axis, in elements; `HostAccessError` after the with-block.
            #[getter]
            fn strides(&self) -> Outcome<StrideTuple> {
                Ok(StrideTuple(self.0.get("strides")?.strides().into()))
            }

            /// The elements as a flat read-only NumPy view in column-major order, without a copy.
            ///
            /// Raises `DTypeMismatchError` if the dtype is not the one stated, `NonContiguousError` if the value is a view
            /// whose elements are not compact, `HostAccessError` after the with-block. The view itself stays valid.
            ///
            /// >>> import tenferro as tf
            #[doc = concat!(">>> with tf.tensor([1.0, 2.0]).", $method, "() as guard:")]
            /// ...     print(guard.as_slice(tf.float64))
            /// [1. 2.]
            #[pyo3(signature = (dtype = None))]
            fn as_slice<'py>(&self, py: Python<'py>, dtype: Option<DTypeInput<'py>>) -> Outcome<NumPyArray<'py>> {
                let x = self.0.get("as_slice")?;
                Ok(NumPyArray(interop::flat_view(py, &x, read_dtype(dtype, "as_slice")?)?))
            }

            /// A read-only NumPy view with the value's strides; it stays valid after the with-block.
            ///
            /// Raises `HostAccessError` after the with-block.
            ///
            /// >>> import tenferro as tf
            #[doc = concat!(">>> tf.tensor([1.0, 2.0]).", $method, "().numpy()")]
            /// array([1., 2.])
            fn numpy<'py>(&self, py: Python<'py>) -> Outcome<NumPyArray<'py>> {
                Ok(NumPyArray(interop::to_numpy(py, &self.0.get("numpy")?)?))
            }

            fn __enter__(slf: Bound<'_, Self>) -> Outcome<Bound<'_, Self>> {
                slf.get().0.get("__enter__")?;
                Ok(slf)
            }

            #[pyo3(signature = (*_exc: "object") -> "None")]
            fn __exit__(&self, _exc: &Bound<'_, pyo3::types::PyTuple>) {
                self.0.end();
            }

            fn __repr__(&self) -> String {
                match self.0.peek() {
                    Some(x) => format!("{}(shape={}, dtype={})", $name, show_shape(x.shape()), x.dtype()),
                    None => format!("{}(ended)", $name),
                }
            }
        }
    };
}

guard! {
    /// A value borrowed by `value()`: no copy, read-only. A context manager: after its with-block every access raises
    /// `HostAccessError`; without a with-block it is valid as long as it is held.
    ///
    /// >>> import tenferro as tf
    /// >>> with tf.tensor([[1.0, 2.0]]).value() as guard:
    /// ...     print(guard.shape, guard.dtype)
    /// (1, 2) float64
    PyValueGuard, "ValueGuard", "value"
}

guard! {
    /// A value or strided view borrowed by `tensor_read()`: no copy, read-only. A context manager: after its with-block
    /// every access raises `HostAccessError`; without a with-block it is valid as long as it is held.
    ///
    /// >>> import tenferro as tf
    /// >>> with tf.tensor([[1.0, 2.0], [3.0, 4.0]]).T.tensor_read() as read:
    /// ...     print(read.shape, read.strides)
    /// (2, 2) (2, 1)
    PyTensorRead, "TensorRead", "tensor_read"
}
