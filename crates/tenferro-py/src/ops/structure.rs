//! Structure: shapes, orders of axes, padding. Results are views where the layout allows it.

use crate::args::{AxesArg, infer_shape, integer, integers, normalize, one_of, required, row_major};
use crate::call::{Call, Imp, Operand, wrong_type};
use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use crate::tensor::ShapeInput;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;
use pyo3::types::PyTuple;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::{Interp, Pad, PadDims, numeric};
use tenferro_tensor::{Dims, Error};

tensor_op! { [transpose, permute_dims] {
    /// Axes reordered: axis `i` of the result is axis ``perm[i]`` of `x`; without `perm` they are reversed. A view.
    ///
    /// Derivative: linear; reverse applies the inverse permutation. Raises `RankMismatchError`, `DuplicateAxisError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.transpose(tf.ones((2, 3, 4)), (2, 0, 1)).shape
    /// (4, 2, 3)
    (x) (perm=None, *, axes=None) (perm: Option<AxesArg>, axes: Option<AxesArg>)
} |cx, op| {
    let rank = x.value.rank();
    let perm: Dims = match one_of(op, "perm", perm, "axes", axes)? {
        None => (0..rank).rev().collect(),
        Some(perm) => {
            if perm.raw().len() != rank {
                return Err(Error::rank(op, "argument 'perm' (one entry per axis)", rank, perm.raw().len()));
            }
            perm.resolve(op, rank)?
        }
    };
    cx.transpose(&x, &perm)
} }

raw_op! { [broadcast_in_dim] {
    /// Input axis `i` becomes output axis ``dims[i]`` of `shape`; extents are equal or 1, the other output axes repeat. A view.
    ///
    /// Derivative: linear; reverse sums over the repeated axes. Raises `ShapeMismatchError`, `AxisOutOfBoundsError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.broadcast_in_dim(tf.ones(3), (3, 2), 0).shape
    /// (3, 2)
    (x) (shape, dims) (shape: ShapeInput<'py>, dims: AxesArg)
} |call| {
    let (x, shape) = (call.one(&x)?, shape.read(call.op)?);
    let dims = dims.resolve(call.op, shape.len())?;
    call.run(x.value.size(), move |cx| cx.broadcast_in_dim(&x, &shape, &dims))
} }

raw_op! { [broadcast_to] {
    /// `x` repeated to `shape` under NumPy's rules (axes aligned on the right, extents equal or 1). A view.
    ///
    /// Derivative: linear; reverse sums over the repeated axes. Raises `ShapeMismatchError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.broadcast_to([1.0, 2.0], (3, 2)).shape
    /// (3, 2)
    (x) (shape) (shape: ShapeInput<'py>)
} |call| {
    let op = call.op;
    let (x, shape) = (call.one(&x)?, shape.read(op)?);
    if shape.len() < x.value.rank() {
        return Err(Error::shapes(op, x.value.shape(), &shape).into());
    }
    call.run(x.value.size(), move |cx| cx.broadcast_to(&x, &shape).map_err(|e| e.in_op(op)))
} }

tensor_op! { [expand_dims] {
    /// New axes of extent 1 at the positions `axis` (an int or several) of the result.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.expand_dims(tf.ones((2, 3)), 1).shape
    /// (2, 1, 3)
    (x) (axis=None, *, axes=None) (axis: Option<AxesArg>, axes: Option<AxesArg>)
} |cx, op| {
    let axis = required(op, "axis", axis, "axes", axes)?;
    let rank = x.value.rank() + axis.raw().len();
    let axes = axis.resolve(op, rank)?;
    let mut old = x.value.shape().iter().copied();
    let shape: Dims = (0..rank).map(|a| if axes.contains(&a) { 1 } else { old.next().unwrap_or(1) }).collect();
    cx.reshape(&x, &shape)
} }

tensor_op! { [squeeze] {
    /// Without the axes of extent 1: those in `axis`, or all. `InvalidArgumentError` where an extent is not 1.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.squeeze(tf.ones((2, 1, 3))).shape
    /// (2, 3)
    (x) (axis=None, *, axes=None) (axis: Option<AxesArg>, axes: Option<AxesArg>)
} |cx, op| {
    let shape = x.value.shape();
    let axes: Dims = match one_of(op, "axis", axis, "axes", axes)? {
        Some(axes) => axes.resolve(op, shape.len())?,
        None => (0..shape.len()).filter(|&a| shape[a] == 1).collect(),
    };
    if let Some(&axis) = axes.iter().find(|&&a| shape[a] != 1) {
        let message = format!("expected axes of extent 1, got axis {axis} of extent {}", shape[axis]);
        return Err(Error::argument(op, "axis", message));
    }
    let kept: Dims = (0..shape.len()).filter(|a| !axes.contains(a)).map(|a| shape[a]).collect();
    cx.reshape(&x, &kept)
} }

tensor_op! { [moveaxis] {
    /// The axes `source` moved to the positions `destination`; the others keep their order. A view.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.moveaxis(tf.ones((2, 3, 4)), 0, -1).shape
    /// (3, 4, 2)
    (x) (source, destination) (source: AxesArg, destination: AxesArg)
} |cx, op| {
    let rank = x.value.rank();
    let (from, to) = (source.resolve(op, rank)?, destination.resolve(op, rank)?);
    if from.len() != to.len() {
        let message = format!("expected as many axes as in 'source' ({}), got {}", from.len(), to.len());
        return Err(Error::argument(op, "destination", message));
    }
    let mut rest = (0..rank).filter(|a| !from.contains(a));
    let perm: Dims = (0..rank)
        .map(|place| match to.iter().position(|&t| t == place) {
            Some(i) => from[i],
            None => rest.next().unwrap_or(0),
        })
        .collect();
    cx.transpose(&x, &perm)
} }

tensor_op! { [swapaxes] {
    /// Two axes exchanged. A view.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.swapaxes(tf.ones((2, 3, 4)), 0, 2).shape
    /// (4, 3, 2)
    (x) (axis1, axis2) (axis1: i64, axis2: i64)
} |cx, op| {
    let rank = x.value.rank();
    let mut perm: Dims = (0..rank).collect();
    perm.swap(normalize(op, axis1, rank)?, normalize(op, axis2, rank)?);
    cx.transpose(&x, &perm)
} }

tensor_op! { [reverse, flip] {
    /// The axes `axes` (all for `None`) backwards. A view. Derivative: linear, its own adjoint.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.flip([1.0, 2.0, 3.0]).tolist()
    /// [3.0, 2.0, 1.0]
    (x) (axes=None, *, axis=None) (axes: Option<AxesArg>, axis: Option<AxesArg>)
} |cx, op| {
    let axes = crate::args::reduction_axes(op, axes, axis, x.value.rank())?;
    numeric::reverse(cx, &x, &axes)
} }

tensor_op! { [ravel, flatten] {
    /// The elements as one axis, in column-major order, or row-major with ``order="C"``.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.ravel([[1, 2], [3, 4]]).tolist(), tf.ravel([[1, 2], [3, 4]], order="C").tolist()
    /// ([1, 3, 2, 4], [1, 2, 3, 4])
    (x) (*, order: "Literal['F', 'C']" = "F") (order: &str)
} |cx, op| {
    let size = x.value.size();
    if row_major(op, order)? { numeric::reshape_row_major(cx, &x, &[size]) } else { cx.reshape(&x, &[size]) }
} }

tensor_op! { [slice] {
    /// Positions ``starts[a], starts[a] + strides[a], … < limits[a]`` of each axis `a`. A view.
    ///
    /// Derivative: linear; reverse pads the cotangent with zeros. Raises `RankMismatchError` unless there is one bound per axis,
    /// `InvalidArgumentError` unless 0 ≤ start ≤ limit ≤ extent and stride ≥ 1.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.slice([0.0, 1.0, 2.0, 3.0], [0], [4], [2]).tolist()
    /// [0.0, 2.0]
    (x) (starts, limits, strides=None) (starts: IntsArg, limits: IntsArg, strides: Option<IntsArg>)
} |cx, op| {
    let list = |arg: &IntsArg, what: &str| arg.0.iter().map(|&n| crate::args::count(op, what, n)).collect::<Result<Dims, _>>();
    let (starts, limits) = (list(&starts, "starts")?, list(&limits, "limits")?);
    let strides = match &strides {
        Some(strides) => list(strides, "strides")?,
        None => Dims::from_elem(1, starts.len()),
    };
    cx.slice(&x, &starts, &limits, &strides)
} }

/// An int or a sequence of ints, possibly negative.
pub struct IntsArg(Vec<i64>);

impl<'a, 'py> FromPyObject<'a, 'py> for IntsArg {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr = type_hint_identifier!("tenferro._typing", "AxesLike");

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<IntsArg> {
        match integer(&object, "low") {
            Ok(one) => Ok(IntsArg(vec![one])),
            Err(_) => integers(&object, "low").map(IntsArg),
        }
    }
}

/// Margins of `pad`: an int, a list of ints, or a pair per axis.
pub enum Margins {
    /// The same everywhere.
    One(i64),
    /// One per axis, or NumPy's pair of low and high.
    Flat(Vec<i64>),
    /// Low and high per axis.
    Pairs(Vec<(i64, i64)>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Margins {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr = type_hint_identifier!("tenferro._typing", "PadWidthLike");

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Margins> {
        if let Ok(one) = integer(&object, "pad_width") {
            return Ok(Margins::One(one));
        }
        if let Ok(flat) = integers(&object, "pad_width") {
            return Ok(Margins::Flat(flat));
        }
        let wrong = || wrong_type("pad", "argument 'pad_width'", "an int, a pair, or a pair per axis", &object);
        let pairs = object.try_iter().map_err(|_| wrong())?.map(|pair| {
            match integers(&pair?, "pad_width").map_err(|_| wrong())?[..] {
                [one] => Ok((one, one)),
                [low, high] => Ok((low, high)),
                _ => Err(wrong()),
            }
        });
        pairs.collect::<PyResult<Vec<_>>>().map(Margins::Pairs)
    }
}

/// A list with one entry per axis; one entry alone is for all.
fn per_axis(op: &'static str, what: &str, list: Vec<i64>, rank: usize) -> Result<Vec<i64>, Error> {
    match list.len() {
        1 => Ok(vec![list[0]; rank]),
        n if n == rank => Ok(list),
        n => Err(Error::rank(op, &format!("argument '{what}' (one entry per axis)"), rank, n)),
    }
}

impl Margins {
    /// The low margins, beside high ones given apart.
    fn low(self, op: &'static str, rank: usize) -> Result<Vec<i64>, Error> {
        match self {
            Margins::One(one) => Ok(vec![one; rank]),
            Margins::Flat(list) => per_axis(op, "low", list, rank),
            Margins::Pairs(_) => Err(Error::argument(op, "low", "expected integers beside 'high', got pairs")),
        }
    }

    /// NumPy's meaning: low and high margins.
    fn both(self, op: &'static str, rank: usize) -> Result<(Vec<i64>, Vec<i64>), Error> {
        let pairs = match self {
            Margins::One(one) => vec![(one, one)],
            Margins::Flat(list) => match list[..] {
                [one] => vec![(one, one)],
                [low, high] => vec![(low, high)],
                _ => {
                    let message = format!("expected an int, a pair, or a pair per axis, got {} integers", list.len());
                    return Err(Error::argument(op, "pad_width", message));
                }
            },
            Margins::Pairs(pairs) => pairs,
        };
        let (low, high): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        Ok((per_axis(op, "pad_width", low, rank)?, per_axis(op, "pad_width", high, rank)?))
    }
}

tensor_op! { [pad] {
    /// Zeros before (`low`) and behind (`high`) the elements of each axis, and `interior` zeros between neighbours; negative
    /// margins crop. `low` may also be NumPy's ``pad_width``: with `high` missing, a pair per axis.
    ///
    /// Derivative: linear; reverse crops the cotangent.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.pad([1.0, 2.0], 1, 2).tolist(), tf.pad([1.0, 2.0], pad_width=(0, 1)).tolist()
    /// ([0.0, 1.0, 2.0, 0.0, 0.0], [1.0, 2.0, 0.0])
    (x) (low=None, high=None, interior=None, *, pad_width=None)
    (low: Option<Margins>, high: Option<IntsArg>, interior: Option<IntsArg>, pad_width: Option<Margins>)
} |cx, op| {
    let rank = x.value.rank();
    let (low, high) = match (low, high) {
        (Some(low), Some(high)) => (low.low(op, rank)?, per_axis(op, "high", high.0, rank)?),
        (None, Some(high)) => (vec![0; rank], per_axis(op, "high", high.0, rank)?),
        (low, None) => required(op, "low", low, "pad_width", pad_width)?.both(op, rank)?,
    };
    let interior = per_axis(op, "interior", interior.map_or_else(|| vec![0], |i| i.0), rank)?;
    let interior = interior.into_iter().map(|n| crate::args::count(op, "interior", n)).collect::<Result<_, _>>()?;
    cx.bind(Pad(Box::new(PadDims { low, high, interior })).into(), &[&x])
} }

fn reshape_to<'py>(call: &mut Call<'py>, x: Operand<'py>, extents: Vec<i64>, order: &str) -> Outcome<PyEagerTensor> {
    let x = call.one(&x)?;
    let rows = row_major(call.op, order)?;
    let shape = infer_shape(call.op, &extents, x.value.size())?;
    let elements = x.value.size();
    call.run(elements, move |cx| match rows {
        true => numeric::reshape_row_major(cx, &x, &shape),
        false => cx.reshape(&x, &shape),
    })
}

impl Imp {
    /// `reshape`, whose method also takes the extents one by one.
    pub fn reshape<'py>(
        call: &mut Call<'py>,
        x: Operand<'py>,
        shape: &Bound<'py, PyAny>,
        order: &str,
    ) -> Outcome<PyEagerTensor> {
        let extents = match integer(shape, "shape") {
            Ok(one) => vec![one],
            Err(e) if e.is_instance_of::<pyo3::exceptions::PyOverflowError>(call.py) => return Err(e.into()),
            Err(_) => integers(shape, "shape")?,
        };
        reshape_to(call, x, extents, order)
    }
}

#[pymethods]
impl PyEagerTensor {
    /// The same elements under another shape, in column-major order, or row-major with ``order="C"``; one extent may be −1.
    /// A view where the layout allows it.
    ///
    /// Takes a shape or the extents one by one. Derivative: linear; reverse reshapes back. Raises `ShapeMismatchError` unless
    /// the number of elements is the same.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.arange(6).reshape(2, -1).tolist()
    /// [[0, 2, 4], [1, 3, 5]]
    #[pyo3(signature = (*shape: "ShapeLike", order: "Literal['F', 'C']" = "F"))]
    fn reshape<'py>(slf: &Bound<'py, Self>, shape: &Bound<'py, PyTuple>, order: &str) -> PyResult<PyEagerTensor> {
        crate::call::enter(slf.py(), "reshape", None, |call| {
            let x = Operand(slf.clone().into_any());
            let one = if shape.len() == 1 { Some(shape.get_item(0)?) } else { None };
            Imp::reshape(call, x, one.as_ref().unwrap_or(shape.as_any()), order)
        })
    }
}

#[pymethods]
impl crate::session::PyEagerSession {
    /// The same elements under another shape, in column-major order, or row-major with ``order="C"``.
    #[pyo3(signature = (x, shape: "ShapeLike", *, order: "Literal['F', 'C']" = "F"))]
    fn reshape<'py>(
        &self,
        py: Python<'py>,
        x: Operand<'py>,
        shape: &Bound<'py, PyAny>,
        order: &str,
    ) -> PyResult<PyEagerTensor> {
        self.call(py, "reshape", |call| Imp::reshape(call, x, shape, order))
    }
}

/// The same elements under another shape, in column-major order, or row-major with ``order="C"``; one extent may be −1.
///
/// Derivative: linear; reverse reshapes back. Raises `ShapeMismatchError` unless the number of elements is the same.
///
/// >>> import tenferro as tf
/// >>> tf.reshape([0, 1, 2, 3], (2, 2)).tolist()
/// [[0, 2], [1, 3]]
#[pyfunction]
#[pyo3(signature = (x, shape: "ShapeLike", *, order: "Literal['F', 'C']" = "F"))]
pub fn reshape<'py>(
    py: Python<'py>,
    x: Operand<'py>,
    shape: &Bound<'py, PyAny>,
    order: &str,
) -> PyResult<PyEagerTensor> {
    crate::call::enter(py, "reshape", None, |call| Imp::reshape(call, x, shape, order))
}
