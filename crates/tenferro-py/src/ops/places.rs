//! Windows at computed starts, rows, columns and blocks, writing along an axis, and lists of places.

use super::indexing::index_list;
use crate::args::{AxesArg, count, normalize, row_major};
use crate::at::write;
use crate::call::{Call, Operand};
use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use crate::index::{nonzero as true_positions, positions};
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::lanes::take_along;
use tenferro_ad::ops::{Gather, Interp, ScatterFlat, Take, numeric};
use tenferro_ad::{Eager, Var};
use tenferro_cpu::{GatherConfig, Number, cast, compact, full, iota};
use tenferro_tensor::{DType, Dims, Error, Result, Tensor};

/// The window of `sizes` at `starts`, which are clamped so that it fits.
fn window(cx: &mut Eager, op: &'static str, x: &Var, starts: &Var, sizes: &[usize]) -> Result<Var> {
    let rank = x.value.rank();
    if starts.value.rank() != 1 {
        return Err(Error::rank(op, "argument 'starts'", 1, starts.value.rank()));
    }
    if starts.value.size() != rank {
        return Err(Error::shape(op, "argument 'starts'", &[rank], starts.value.shape()));
    }
    if sizes.len() != rank {
        return Err(Error::argument(op, "sizes", format!("expected {rank} extents, got {}", sizes.len())));
    }
    if let Some(axis) = (0..rank).find(|&axis| sizes[axis] > x.value.shape()[axis]) {
        let extent = x.value.shape()[axis];
        let message = format!("expected at most {extent}, the extent of axis {axis}, got {}", sizes[axis]);
        return Err(Error::argument(op, "sizes", message));
    }
    if rank == 0 {
        return Ok(x.clone());
    }
    let all: Vec<usize> = (0..rank).collect();
    let cfg = GatherConfig {
        offset_dims: all.as_slice().into(),
        collapsed_slice_dims: [].as_slice().into(),
        start_index_map: all.as_slice().into(),
        index_vector_dim: 0,
        slice_sizes: sizes.into(),
    };
    cx.bind(Gather(Box::new(cfg)).into(), &[x, starts]).map_err(|e| e.in_op(op))
}

/// The column-major position of every element of a tensor of `shape`.
fn numbered(shape: &[usize]) -> Result<Var> {
    iota(shape).map(Var::constant)
}

raw_op! { [dynamic_slice] {
    /// The window of extents `sizes` whose first element is at `starts`, an integer per axis; starts are clamped, so that the
    /// window fits.
    ///
    /// Derivative: linear in `x`. Raises `InvalidArgumentError` if `sizes` exceed the shape.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.dynamic_slice([1.0, 2.0, 3.0, 4.0], [3], [2]).tolist()
    /// [3.0, 4.0]
    (x, starts) (sizes) (sizes: AxesArg)
} |call| {
    let (x, starts, op) = (call.one(&x)?, call.one(&starts)?, call.op);
    let sizes = sizes.raw().iter().map(|&n| count(op, "sizes", n)).collect::<Result<Dims>>()?;
    call.run(x.value.size(), move |cx| window(cx, op, &x, &starts, &sizes))
} }

raw_op! { [dynamic_update_slice] {
    /// `x` with the window at `starts` replaced by `update`; starts are clamped, so that the window fits.
    ///
    /// Derivative: dx outside the window, the update's inside. Raises `InvalidArgumentError` if `update` exceeds `x`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.dynamic_update_slice([1.0, 2.0, 3.0], [8.0, 9.0], [0]).tolist()
    /// [8.0, 9.0, 3.0]
    (x, update, starts) () ()
} |call| {
    let (x, starts) = (call.one(&x)?, call.one(&starts)?);
    let sizes = call.one(&update)?.value.dims();
    starts.concrete(call.op)?;
    let places = window(&mut Eager::silent(), call.op, &numbered(x.value.shape())?, &starts, &sizes)?;
    write(call, x, compact(&places.value)?, &update, false)
} }

/// Positions on one axis from a flat list of integers.
fn chosen<'py>(call: &mut Call<'py>, list: &Operand<'py>, x: &Var, axis: usize) -> Outcome<Take> {
    let op = call.op;
    if axis >= x.value.rank() {
        return Err(Error::axis(op, axis as i64, x.value.rank()).into());
    }
    let (list, shape) = index_list(op, call.one(list)?.concrete(op)?)?;
    if shape.len() != 1 {
        return Err(Error::rank(op, "argument 'indices'", 1, shape.len()).into());
    }
    Ok(Take { axis, indices: positions(op, &list, axis, x.value.shape()[axis])? })
}

raw_op! { [take_rows] {
    /// The rows (slices of the first axis) at the positions `indices`, a flat list; as `index_select` with axis 0.
    ///
    /// Derivative: linear in `x`. Raises `IndexOutOfBoundsError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.take_rows([[1.0, 2.0], [3.0, 4.0]], [1, 1]).tolist()
    /// [[3.0, 4.0], [3.0, 4.0]]
    (x) (indices) (indices: Operand<'py>)
} |call| {
    let x = call.one(&x)?;
    let take = chosen(call, &indices, &x, 0)?;
    call.run(x.value.size(), move |cx| cx.bind(take.into(), &[&x]))
} }

raw_op! { [take_cols] {
    /// The columns (slices of the second axis) at the positions `indices`, a flat list; as `index_select` with axis 1.
    ///
    /// Derivative: linear in `x`. Raises `IndexOutOfBoundsError`, `AxisOutOfBoundsError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.take_cols([[1.0, 2.0], [3.0, 4.0]], [-1]).tolist()
    /// [[2.0], [4.0]]
    (x) (indices) (indices: Operand<'py>)
} |call| {
    let x = call.one(&x)?;
    let take = chosen(call, &indices, &x, 1)?;
    call.run(x.value.size(), move |cx| cx.bind(take.into(), &[&x]))
} }

raw_op! { [take_block] {
    /// The elements where the rows at `rows` meet the columns at `cols`, both flat lists of positions.
    ///
    /// Derivative: linear in `x`. Raises `IndexOutOfBoundsError`, `AxisOutOfBoundsError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.take_block([[1.0, 2.0], [3.0, 4.0]], [1, 0], [1]).tolist()
    /// [[4.0], [2.0]]
    (x) (rows, cols) (rows: Operand<'py>, cols: Operand<'py>)
} |call| {
    let x = call.one(&x)?;
    let (rows, cols) = (chosen(call, &rows, &x, 0)?, chosen(call, &cols, &x, 1)?);
    call.run(x.value.size(), move |cx| {
        let part = cx.bind(rows.into(), &[&x])?;
        cx.bind(cols.into(), &[&part])
    })
} }

/// `x` with `values` put or added at `indices` along `axis`.
fn along<'py>(
    call: &mut Call<'py>,
    x: &Operand<'py>,
    indices: &Operand<'py>,
    values: &Operand<'py>,
    axis: i64,
    add: bool,
) -> Outcome<PyEagerTensor> {
    let (x, indices, op) = (call.one(x)?, call.one(indices)?, call.op);
    if !matches!(indices.value.dtype(), DType::I32 | DType::I64) {
        return Err(Error::dtype(op, "argument 'indices'", DType::I64, indices.value.dtype()).into());
    }
    let axis = normalize(op, axis, x.value.rank())?;
    let indices = Var::constant(cast(indices.concrete(op)?, DType::I64)?);
    let numbers = numbered(x.value.shape())?;
    let places = take_along(&mut Eager::silent(), op, &numbers, &indices, axis).map_err(|e| e.in_op(op))?;
    let mut expected = x.value.dims();
    expected[axis] = places.value.shape()[axis];
    if expected[..] != *places.value.shape() {
        return Err(Error::shape(op, "argument 'indices'", &expected, indices.value.shape()).into());
    }
    write(call, x, compact(&places.value)?, values, add)
}

raw_op! { [put_along_axis] {
    /// A new tensor: `x` with `values` at `indices` along `axis`, one index per element written; of several values for one
    /// place the last in row-major order stays. Beside the axis the indices broadcast, and `values` broadcast to them.
    ///
    /// Derivative: dx where nothing is written, that of the values elsewhere. Raises `IndexOutOfBoundsError`,
    /// `RankMismatchError`, `ShapeMismatchError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.put_along_axis([[1.0, 5.0, 2.0]], [[1]], 0.0).tolist()
    /// [[1.0, 0.0, 2.0]]
    (x, indices, values) (axis=-1) (axis: i64)
} |call| along(call, &x, &indices, &values, axis, false) }

raw_op! { [add_along_axis] {
    /// A new tensor: `x` with `values` added at `indices` along `axis`; places named several times receive every value.
    ///
    /// Shapes and errors as in `put_along_axis`. Derivative: linear in `x` and `values`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.add_along_axis([1.0, 5.0, 2.0], [1, 1], [10.0, 20.0]).tolist()
    /// [1.0, 35.0, 2.0]
    (x, indices, values) (axis=-1) (axis: i64)
} |call| along(call, &x, &indices, &values, axis, true) }

raw_op! { [flatnonzero] {
    /// The positions, as int64, of the elements that are not 0 in the flattened tensor (column-major, or row-major with
    /// ``order="C"``). No derivative.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.flatnonzero([0.0, 3.0, 0.0, 4.0]).tolist()
    /// [1, 3]
    (x) (*, order: "Literal['F', 'C']" = "F") (order: &str)
} |call| {
    let (x, rows) = (call.one(&x)?, row_major(call.op, order)?);
    let cx = &mut Eager::silent();
    let x = Var::constant(x.concrete(call.op)?.clone());
    let flat = match rows {
        true => numeric::reshape_row_major(cx, &x, &[x.value.size()])?,
        false => cx.reshape(&x, &[x.value.size()])?,
    };
    let list = true_positions(&cast(&flat.value, DType::Bool)?)?.remove(0);
    call.wrap(Var::constant(list))
} }

raw_op! { [argwhere] {
    /// The indices of the elements that are not 0, one row of int64 for each, in row-major order as in NumPy.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.argwhere([[0, 1], [1, 0]]).tolist()
    /// [[0, 1], [1, 0]]
    (x) () ()
} |call| {
    let truth = cast(call.one(&x)?.concrete(call.op)?, DType::Bool)?;
    let lists = true_positions(&truth)?;
    let rows = match lists.first() {
        Some(list) => list.size(),
        None => usize::from(truth.item::<bool>() == Some(true)),
    };
    let mut flat = Vec::with_capacity(rows * lists.len());
    for list in &lists {
        flat.extend_from_slice(list.as_slice::<i64>()?);
    }
    let table = Tensor::from_slice(call.op, &[rows, lists.len()], &flat)?;
    call.wrap(Var::constant(table))
} }

raw_op! { [bincount] {
    /// How often each of 0, 1, 2, … occurs in the list `x` of integers, as int64; with `weights`, their sums instead (integers
    /// and bool as float64). At least `minlength` entries.
    ///
    /// Derivative: linear in the weights. Raises `InvalidArgumentError` for negative entries, `RankMismatchError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.bincount([0, 2, 2]).tolist()
    /// [1, 0, 2]
    (x) (weights=None, minlength=0) (weights: Option<Operand<'py>>, minlength: i64)
} |call| {
    let op = call.op;
    let (list, shape) = index_list(op, call.one(&x)?.concrete(op)?)?;
    if shape.len() != 1 {
        return Err(Error::rank(op, "argument 'x'", 1, shape.len()).into());
    }
    if let Some(negative) = list.iter().find(|&&n| n < 0) {
        return Err(Error::argument(op, "x", format!("expected at least 0, got {negative}")).into());
    }
    let positions: Vec<usize> = list.iter().map(|&n| n as usize).collect();
    let length = positions.iter().max().map_or(0, |&n| n + 1).max(count(op, "minlength", minlength)?);
    let weights = match weights {
        Some(weights) => {
            let weights = call.one(&weights)?;
            numeric::inexact(&mut call.cx, &weights)?
        }
        None => Var::constant(full(&shape, DType::I64, Number::Int(1))?),
    };
    if weights.value.shape() != &shape[..] {
        return Err(Error::shape(op, "argument 'weights'", &shape, weights.value.shape()).into());
    }
    call.run(list.len() + length, move |cx| {
        let shape = Dims::from_slice(&[length]);
        cx.bind(ScatterFlat { positions: positions.into(), shape }.into(), &[&weights]).map_err(|e| e.in_op(op))
    })
} }
