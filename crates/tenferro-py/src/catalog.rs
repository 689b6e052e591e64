//! The list of errors, for the tools that write the Python classes and their page in the docs.

use crate::errors::kind_name;
use pyo3::prelude::*;
use tenferro_tensor::CATALOG;

type Row =
    (&'static str, &'static str, Vec<&'static str>, Vec<(&'static str, &'static str)>, &'static str, &'static str);

/// Every error class, parents first: ``(name, parent, builtins, fields, doc, kind)``.
///
/// ``parent`` is empty for the root, ``builtins`` are further base classes, ``fields`` pairs names with types.
///
/// >>> import tenferro as tf
/// >>> from tenferro._tenferro import _error_catalog
/// >>> sorted(row[0] for row in _error_catalog()) == sorted(n for n in tf.errors.__all__ if n.endswith("Error"))
/// True
#[pyfunction]
#[pyo3(name = "_error_catalog")]
pub fn error_catalog() -> Vec<Row> {
    CATALOG
        .iter()
        .map(|class| {
            (class.name, class.parent, class.builtins.to_vec(), class.fields.to_vec(), class.doc, kind_name(class.kind))
        })
        .collect()
}
