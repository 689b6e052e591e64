//! The op catalogue for tests in Python: every op with samples of inputs.

use crate::call::enter;
use crate::eager::PyEagerTensor;
use crate::tensor::PyTensor;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tenferro_ad::Var;
use tenferro_ad::ops::{Interp, Op, Primitive, Rule, samples};

/// An op of the catalogue with inputs away from its kinks.
#[pyclass(frozen, name = "_Sample", module = "tenferro")]
pub struct PySample {
    op: Op,
    inputs: Vec<tenferro_tensor::Tensor>,
}

#[pymethods]
impl PySample {
    /// The op's name.
    #[getter]
    fn name(&self) -> &'static str {
        self.op.name()
    }

    /// The inputs.
    #[getter]
    fn inputs(&self) -> Vec<PyTensor> {
        self.inputs.iter().cloned().map(PyTensor).collect()
    }

    /// How the output depends on each input: ``"linear"``, ``"tangent"``, ``"zero"`` or ``"inactive"``.
    #[getter]
    fn rules(&self) -> Vec<&'static str> {
        let rule = |(i, x): (usize, &tenferro_tensor::Tensor)| match self.op.rule(i, x.dtype()) {
            Rule::Linear => "linear",
            Rule::Tangent => "tangent",
            Rule::Zero => "zero",
            Rule::Inactive => "inactive",
        };
        self.inputs.iter().enumerate().map(rule).collect()
    }

    /// The op on tensors of one runtime.
    #[pyo3(signature = (*tensors: "EagerTensor"))]
    fn __call__(&self, py: Python<'_>, tensors: &Bound<'_, PyTuple>) -> PyResult<PyEagerTensor> {
        enter(py, self.op.name(), None, |call| {
            let mut vars: Vec<Var> = Vec::new();
            for tensor in tensors.iter() {
                vars.push(call.one(&crate::call::Operand(tensor))?);
            }
            let op = self.op.clone();
            call.run(0, move |cx| cx.bind(op, &vars.iter().collect::<Vec<_>>()))
        })
    }

    fn __repr__(&self) -> String {
        format!("{:?} on {:?}", self.op, self.inputs)
    }
}

/// Samples of every op of the catalogue.
#[pyfunction]
#[pyo3(name = "_samples")]
pub fn op_samples() -> Vec<PySample> {
    samples().into_iter().map(|s| PySample { op: s.op, inputs: s.inputs }).collect()
}
