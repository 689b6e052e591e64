//! What `from tenferro._tenferro import *` gives: the public names, which the package exports as they are.

use pyo3::prelude::*;
use pyo3::types::PyList;

/// Leaves private names and submodules out of `__all__`, and makes the submodules importable; their functions say that
/// they live in the package's module of that name.
pub fn publish(module: &Bound<'_, PyModule>, submodules: &[&str]) -> PyResult<()> {
    let py = module.py();
    let loaded = py.import("sys")?.getattr("modules")?;
    for name in submodules {
        let submodule = module.getattr(*name)?.cast_into::<PyModule>()?;
        loaded.set_item(format!("tenferro._tenferro.{name}"), &submodule)?;
        for word in submodule.index()? {
            let thing = submodule.getattr(word.extract::<String>()?)?;
            if !thing.is_instance_of::<pyo3::types::PyType>() {
                thing.setattr("__module__", format!("tenferro.{name}"))?;
            }
        }
    }
    let public = PyList::empty(py);
    for name in module.index()? {
        let word = name.extract::<String>()?;
        if !word.starts_with('_') && !submodules.contains(&word.as_str()) {
            public.append(name)?;
        }
    }
    module.setattr("__all__", public)
}
