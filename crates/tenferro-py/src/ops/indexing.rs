//! Picking and placing elements.

use crate::args::{AxesArg, normalize};
use crate::call::Operand;
use crate::errors::Outcome;
use crate::index::{nonzero as true_positions, positions};
use pyo3::types::PyTuple;
use tenferro_ad::Var;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::lanes::take_along;
use tenferro_ad::ops::{Gather, Interp, Scatter, Take};
use tenferro_cpu::{GatherConfig, ScatterConfig, cast, compact};
use tenferro_tensor::{DType, Dims, Error, Tensor};

/// Positions as a list of integers and the shape they came in.
pub(super) fn index_list(op: &'static str, indices: &Tensor) -> Result<(Vec<i64>, Dims), Error> {
    let ints = match indices.dtype() {
        DType::I64 | DType::I32 => cast(indices, DType::I64)?,
        _ if indices.size() == 0 => cast(indices, DType::I64)?,
        other => return Err(Error::dtype(op, "argument 'indices'", DType::I64, other)),
    };
    Ok((compact(&ints)?.as_slice::<i64>()?.to_vec(), indices.dims()))
}

raw_op! { [take] {
    /// The slices of `x` at `indices` along `axis`, repeats and negative positions allowed; without an axis, elements of the
    /// flattened tensor (column-major, or row-major with ``order="C"``).
    ///
    /// The result has the shape of `indices` in place of the axis. Derivative: linear in `x`; reverse adds up at repeated
    /// positions. Raises `IndexOutOfBoundsError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.take([10.0, 20.0, 30.0], [2, 0, 2], axis=0).tolist()
    /// [30.0, 10.0, 30.0]
    (x) (indices, axis=None, *, order: "Literal['F', 'C']" = "F") (indices: Operand<'py>, axis: Option<i64>, order: &str)
} |call| {
    let x = call.one(&x)?;
    let indices = call.one(&indices)?.concrete(call.op)?.clone();
    let (list, shape) = index_list(call.op, &indices)?;
    let rows = crate::args::row_major(call.op, order)?;
    let (at, extent) = match axis {
        Some(axis) => {
            let axis = normalize(call.op, axis, x.value.rank())?;
            (axis, x.value.shape()[axis])
        }
        None => (0, x.value.size()),
    };
    let chosen = positions(call.op, &list, at, extent)?;
    call.run(x.value.size() + list.len(), move |cx| {
        let source = match axis {
            Some(_) => x,
            None if rows => tenferro_ad::ops::numeric::reshape_row_major(cx, &x, &[extent])?,
            None => cx.reshape(&x, &[extent])?,
        };
        let taken = cx.bind(Take { axis: at, indices: chosen }.into(), &[&source])?;
        let mut split = Dims::from_slice(taken.value.shape());
        split.remove(at);
        split.insert_many(at, shape);
        cx.reshape(&taken, &split)
    })
} }

raw_op! { [index_select] {
    /// The slices of `x` at the positions `indices` (a flat list) of `axis`, which may be negative; the rank stays.
    ///
    /// Derivative: as `take`. Raises `IndexOutOfBoundsError`, `AxisOutOfBoundsError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.index_select([[1.0, 2.0, 3.0]], -1, [2, 0]).tolist()
    /// [[3.0, 1.0]]
    (x) (axis, indices) (axis: i64, indices: Operand<'py>)
} |call| {
    let x = call.one(&x)?;
    let indices = call.one(&indices)?.concrete(call.op)?.clone();
    let (list, shape) = index_list(call.op, &indices)?;
    if shape.len() != 1 {
        return Err(Error::rank(call.op, "argument 'indices'", 1, shape.len()).into());
    }
    let axis = normalize(call.op, axis, x.value.rank())?;
    let indices = positions(call.op, &list, axis, x.value.shape()[axis])?;
    call.run(x.value.size(), move |cx| cx.bind(Take { axis, indices }.into(), &[&x]))
} }

fn entries(arg: Option<AxesArg>, op: &'static str, what: &str) -> Result<Dims, Error> {
    let Some(arg) = arg else { return Ok(Dims::new()) };
    let entry =
        |&n: &i64| usize::try_from(n).map_err(|_| Error::argument(op, what, format!("expected at least 0, got {n}")));
    arg.raw().iter().map(entry).collect()
}

raw_op! { [gather] {
    /// Windows of `x` at the starts in the integer tensor `indices`, in StableHLO's terms: `offset_dims` are the result's axes
    /// that run inside a window, `collapsed_slice_dims` the window axes of extent 1 that are dropped, `start_index_map` says
    /// which axis of `x` each entry of a start is for, `index_vector_dim` which axis of `indices` holds the entries.
    ///
    /// Starts are clamped, so that every window fits. Derivative: linear in `x`; reverse is `scatter`.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    /// >>> tf.gather(x, [2, 0], offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0],
    /// ...           index_vector_dim=1, slice_sizes=(1, 2)).tolist()
    /// [[5.0, 6.0], [1.0, 2.0]]
    (x, indices) (*, offset_dims, collapsed_slice_dims, start_index_map, index_vector_dim, slice_sizes)
    (offset_dims: AxesArg, collapsed_slice_dims: AxesArg, start_index_map: AxesArg, index_vector_dim: usize, slice_sizes: AxesArg)
} |call| {
    let (x, indices) = (call.one(&x)?, call.one(&indices)?);
    let cfg = GatherConfig {
        offset_dims: entries(Some(offset_dims), call.op, "offset_dims")?.as_slice().into(),
        collapsed_slice_dims: entries(Some(collapsed_slice_dims), call.op, "collapsed_slice_dims")?.as_slice().into(),
        start_index_map: entries(Some(start_index_map), call.op, "start_index_map")?.as_slice().into(),
        index_vector_dim,
        slice_sizes: entries(Some(slice_sizes), call.op, "slice_sizes")?.as_slice().into(),
    };
    call.run(x.value.size() + indices.value.size(), move |cx| cx.bind(Gather(Box::new(cfg)).into(), &[&x, &indices]))
} }

raw_op! { [scatter] {
    /// `x` plus the windows `updates` at the starts in the integer tensor `indices`, in StableHLO's terms: `update_window_dims`
    /// are the axes of `updates` that run inside a window, `inserted_window_dims` the axes of `x` on which a window has extent
    /// 1 and that `updates` lacks, `scatter_dims_to_operand_dims` and `index_vector_dim` as in `gather`.
    ///
    /// Starts are clamped; repeated places receive every update. Derivative: linear in `x` and `updates`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.scatter(tf.zeros(3), [0, 0, 2], [1.0, 2.0, 3.0], update_window_dims=(), inserted_window_dims=[0],
    /// ...            scatter_dims_to_operand_dims=[0], index_vector_dim=1).tolist()
    /// [3.0, 0.0, 3.0]
    (x, indices, updates) (*, update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, index_vector_dim)
    (update_window_dims: AxesArg, inserted_window_dims: AxesArg, scatter_dims_to_operand_dims: AxesArg, index_vector_dim: usize)
} |call| {
    let indices = call.one(&indices)?;
    let [x, updates] = call.group([&x, &updates])?;
    let cfg = ScatterConfig {
        update_window_dims: entries(Some(update_window_dims), call.op, "update_window_dims")?.as_slice().into(),
        inserted_window_dims: entries(Some(inserted_window_dims), call.op, "inserted_window_dims")?.as_slice().into(),
        scatter_dims_to_operand_dims: entries(Some(scatter_dims_to_operand_dims), call.op, "scatter_dims_to_operand_dims")?
            .as_slice()
            .into(),
        index_vector_dim,
    };
    call.run(x.value.size() + updates.value.size(), move |cx| {
        let (x, updates) = tenferro_ad::ops::numeric::promoted(cx, &x, &updates)?;
        cx.bind(Scatter(Box::new(cfg)).into(), &[&x, &indices, &updates])
    })
} }

named_op! { [nonzero] -> "tuple[EagerTensor, ...]" {
    /// The indices of the elements that are not 0, one int64 tensor per axis, in row-major order as in NumPy.
    ///
    /// >>> import tenferro as tf
    /// >>> [i.tolist() for i in tf.nonzero([[0, 1], [1, 0]])]
    /// [[0, 1], [1, 0]]
    (x) () ()
} |call| {
    let (py, x) = (call.py, call.one(&x)?.concrete("nonzero")?.clone());
    if x.rank() == 0 {
        return Err(Error::rank("nonzero", "the tensor", 1, 0).into());
    }
    let lists = true_positions(&cast(&x, DType::Bool)?)?;
    let lists = lists.into_iter().map(|list| call.wrap(Var::constant(list)));
    Ok(PyTuple::new(py, lists.collect::<Outcome<Vec<_>>>()?)?.into_any())
} }

raw_op! { [take_along_axis] {
    /// The elements of `x` at `indices` along `axis`, one index per element of the result; beside the axis both broadcast.
    ///
    /// Indices are integers and may be negative. Without an axis both are flattened (column-major). Derivative: linear in `x`;
    /// reverse adds up at repeated positions. Raises `IndexOutOfBoundsError`, `RankMismatchError`, `ShapeMismatchError`.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor([[3.0, 1.0, 2.0]])
    /// >>> tf.take_along_axis(x, tf.argsort(x), axis=-1).tolist()
    /// [[1.0, 2.0, 3.0]]
    (x, indices) (axis=Some(-1)) (axis: Option<i64>)
} |call| {
    let (x, indices) = (call.one(&x)?, call.one(&indices)?);
    let op = call.op;
    if !matches!(indices.value.dtype(), DType::I32 | DType::I64) {
        return Err(Error::dtype(op, "argument 'indices'", DType::I64, indices.value.dtype()).into());
    }
    call.run(x.value.size() + indices.value.size(), move |cx| {
        let indices = cx.convert(&indices, DType::I64)?;
        let (x, indices, axis) = match axis {
            Some(axis) => {
                let axis = normalize(op, axis, x.value.rank())?;
                (x, indices, axis)
            }
            None => (cx.reshape(&x, &[x.value.size()])?, cx.reshape(&indices, &[indices.value.size()])?, 0),
        };
        take_along(cx, op, &x, &indices, axis)
    })
} }
