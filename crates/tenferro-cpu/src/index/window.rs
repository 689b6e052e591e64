//! Windows at computed starts, with the field names of StableHLO. Starts are clamped so that the window fits.

use super::{Accumulate, by_number, by_width};
use crate::copy;
use tenferro_tensor::{DType, Dims, Error, Result, Strides, Tensor, Variant, compact_strides, show_shape};

/// How the axes of operand, indices and result of [`gather`] correspond.
#[derive(Clone, Debug, PartialEq)]
pub struct GatherConfig {
    /// Axes of the result that run through the window.
    pub offset_dims: Vec<usize>,
    /// Axes of the operand with window size 1 that the result lacks.
    pub collapsed_slice_dims: Vec<usize>,
    /// The axis of the operand that each component of an index vector starts on.
    pub start_index_map: Vec<usize>,
    /// The axis of `indices` that holds index vectors; its rank for scalar indices.
    pub index_vector_dim: usize,
    /// Window size along each axis of the operand.
    pub slice_sizes: Vec<usize>,
}

/// How the axes of operand, indices and updates of [`scatter_add`] correspond.
#[derive(Clone, Debug, PartialEq)]
pub struct ScatterConfig {
    /// Axes of `updates` that run through the window.
    pub update_window_dims: Vec<usize>,
    /// Axes of the operand with window size 1 that the updates lack.
    pub inserted_window_dims: Vec<usize>,
    /// The axis of the operand that each component of an index vector starts on.
    pub scatter_dims_to_operand_dims: Vec<usize>,
    /// The axis of `indices` that holds index vectors; its rank for scalar indices.
    pub index_vector_dim: usize,
}

fn check_axes(op: &'static str, field: &str, axes: &[usize], rank: usize) -> Result<()> {
    for (i, &axis) in axes.iter().enumerate() {
        if axis >= rank {
            let message = format!("argument '{field}': expected axes below {rank}, got {axis}");
            let axis = i64::try_from(axis).unwrap_or(i64::MAX);
            return Err(Error::new(Variant::AxisOutOfBounds, op, message).with("axis", axis).with("rank", rank));
        }
        if axes[..i].contains(&axis) {
            return Err(Error::duplicate_axis(op, axis, field));
        }
    }
    Ok(())
}

/// Checks the indices' side of a config; the shape of `indices` without the axis of index vectors.
fn index_batch(op: &'static str, field: &str, indices: &[usize], vector_dim: usize, map: &[usize]) -> Result<Dims> {
    if vector_dim > indices.len() {
        let message = format!("expected 0 to {} (the rank of indices), got {vector_dim}", indices.len());
        return Err(Error::argument(op, "index_vector_dim", message));
    }
    let components = indices.get(vector_dim).copied().unwrap_or(1);
    if map.len() != components {
        let message = format!(
            "expected {components} entries, one per component of an index vector (indices have shape {}, \
             index_vector_dim is {vector_dim}), got {}",
            show_shape(indices),
            map.len()
        );
        return Err(Error::argument(op, field, message));
    }
    Ok(indices.iter().enumerate().filter(|&(axis, _)| axis != vector_dim).map(|(_, &n)| n).collect())
}

/// The shape of [`gather`]'s result; every mistake in the config is found here.
pub fn gather_shape(x: &[usize], indices: &[usize], config: &GatherConfig) -> Result<Dims> {
    let op = "gather";
    let batch = index_batch(op, "start_index_map", indices, config.index_vector_dim, &config.start_index_map)?;
    check_axes(op, "start_index_map", &config.start_index_map, x.len())?;
    check_axes(op, "collapsed_slice_dims", &config.collapsed_slice_dims, x.len())?;
    if config.slice_sizes.len() != x.len() {
        let message = format!("expected {} entries, one per axis, got {}", x.len(), config.slice_sizes.len());
        return Err(Error::argument(op, "slice_sizes", message));
    }
    for (axis, (&size, &extent)) in config.slice_sizes.iter().zip(x).enumerate() {
        if size > extent {
            let message = format!("expected at most {extent} for axis {axis}, got {size}");
            return Err(Error::argument(op, "slice_sizes", message));
        }
        if size != 1 && config.collapsed_slice_dims.contains(&axis) {
            let message = format!("expected 1 for the collapsed axis {axis}, got {size}");
            return Err(Error::argument(op, "slice_sizes", message));
        }
    }
    let windows = x.len() - config.collapsed_slice_dims.len();
    if config.offset_dims.len() != windows {
        let message = format!(
            "expected {windows} entries, one per axis of the operand that is not collapsed, got {}",
            config.offset_dims.len()
        );
        return Err(Error::argument(op, "offset_dims", message));
    }
    check_axes(op, "offset_dims", &config.offset_dims, batch.len() + windows)?;
    let mut shape = Dims::from_elem(0, batch.len() + windows);
    let kept = (0..x.len()).filter(|axis| !config.collapsed_slice_dims.contains(axis));
    for (&at, axis) in config.offset_dims.iter().zip(kept) {
        shape[at] = config.slice_sizes[axis];
    }
    for (&n, at) in batch.iter().zip(others(shape.len(), &config.offset_dims)) {
        shape[at] = n;
    }
    Ok(shape)
}

/// The axes below `rank` that `axes` does not name.
fn others(rank: usize, axes: &[usize]) -> Dims {
    (0..rank).filter(|axis| !axes.contains(axis)).collect()
}

/// Finds every mistake in the arguments of [`scatter_add`].
pub fn scatter_check(x: &[usize], indices: &[usize], updates: &[usize], config: &ScatterConfig) -> Result<()> {
    let op = "scatter";
    let map = &config.scatter_dims_to_operand_dims;
    let batch = index_batch(op, "scatter_dims_to_operand_dims", indices, config.index_vector_dim, map)?;
    check_axes(op, "scatter_dims_to_operand_dims", map, x.len())?;
    check_axes(op, "inserted_window_dims", &config.inserted_window_dims, x.len())?;
    let windows = x.len() - config.inserted_window_dims.len();
    if config.update_window_dims.len() != windows {
        let message = format!(
            "expected {windows} entries, one per axis of the operand that is not inserted, got {}",
            config.update_window_dims.len()
        );
        return Err(Error::argument(op, "update_window_dims", message));
    }
    if updates.len() != batch.len() + windows {
        return Err(Error::rank(op, "argument 'updates'", batch.len() + windows, updates.len()));
    }
    check_axes(op, "update_window_dims", &config.update_window_dims, updates.len())?;
    let mut expected = Dims::from_slice(updates);
    for (&n, at) in batch.iter().zip(others(updates.len(), &config.update_window_dims)) {
        expected[at] = n;
    }
    if expected[..] != *updates {
        return Err(Error::shape(op, "argument 'updates'", &expected, updates));
    }
    for (axis, size) in scatter_window(x.len(), updates, config).into_iter().enumerate() {
        if size > x[axis] {
            let message = format!(
                "argument 'updates': a window of {size} does not fit into axis {axis} of the operand of shape {}",
                show_shape(x)
            );
            return Err(Error::new(Variant::ShapeMismatch, op, message).with("lhs", x).with("rhs", updates));
        }
    }
    Ok(())
}

/// Window size along each axis of the operand.
fn scatter_window(rank: usize, updates: &[usize], config: &ScatterConfig) -> Dims {
    let mut window = Dims::from_elem(1, rank);
    for (axis, &at) in others(rank, &config.inserted_window_dims).into_iter().zip(&config.update_window_dims) {
        window[axis] = updates[at];
    }
    window
}

/// The elements of `indices` as integers, in column-major order.
fn read_indices(op: &'static str, indices: &Tensor) -> Result<Vec<i64>> {
    const EXACT: f64 = (1u64 << 53) as f64;
    let indices = copy::compact(indices)?;
    let from_float = |v: f64| {
        if v.fract() == 0.0 && v.abs() <= EXACT {
            Ok(v as i64)
        } else {
            Err(Error::argument(op, "indices", format!("expected whole numbers below 2**53, got {v}")))
        }
    };
    match indices.dtype() {
        DType::I64 => Ok(indices.as_slice::<i64>()?.to_vec()),
        DType::I32 => Ok(indices.as_slice::<i32>()?.iter().map(|&v| v.into()).collect()),
        DType::F64 => indices.as_slice::<f64>()?.iter().map(|&v| from_float(v)).collect(),
        DType::F32 => indices.as_slice::<f32>()?.iter().map(|&v| from_float(v.into())).collect(),
        other => Err(Error::unsupported_dtype(op, other, "int32, int64, float32 or float64 for argument 'indices'")),
    }
}

/// Position of each window's first element, for an operand of this shape and these strides.
fn window_starts(
    op: &'static str,
    indices: &Tensor,
    vector_dim: usize,
    map: &[usize],
    (shape, strides, window): (&[usize], &[isize], &[usize]),
) -> Result<Vec<isize>> {
    let mut order = others(indices.rank(), &[vector_dim]);
    if vector_dim < indices.rank() {
        order.push(vector_dim);
    }
    let starts = read_indices(op, &indices.with_layout(indices.layout().permuted(&order)))?;
    let batch = order.iter().filter(|&&a| a != vector_dim).map(|&a| indices.shape()[a]).product::<usize>();
    let mut places = vec![0isize; batch];
    if batch > 0 {
        for (component, &axis) in starts.chunks_exact(batch).zip(map) {
            let last = (shape[axis] - window[axis]) as i64;
            for (place, &start) in places.iter_mut().zip(component) {
                *place += start.clamp(0, last) as isize * strides[axis];
            }
        }
    }
    Ok(places)
}

/// Positions of all index tuples of `shape` in column-major order, for these strides.
fn positions(shape: &[usize], strides: &[isize]) -> Vec<isize> {
    let mut all = vec![0isize];
    for (&n, &stride) in shape.iter().zip(strides) {
        let inner = all.len();
        all.reserve(inner * n.saturating_sub(1));
        for i in 1..n {
            for j in 0..inner {
                all.push(all[j] + i as isize * stride);
            }
        }
        if n == 0 {
            all.clear();
        }
    }
    all
}

/// Pairs of places, one in the operand and one in the other tensor: the sum of a pair per batch item and a pair per
/// element of the window.
struct Windows {
    batch: (Vec<isize>, Vec<isize>),
    window: (Vec<isize>, Vec<isize>),
}

impl Windows {
    /// Calls `visit(place in the operand, place in the other)`; the order depends on the shapes alone.
    fn for_each(&self, mut visit: impl FnMut(isize, isize)) {
        let (long, short) = match self.batch.0.len() >= self.window.0.len() {
            true => (&self.batch, &self.window),
            false => (&self.window, &self.batch),
        };
        for (&x0, &y0) in short.0.iter().zip(&short.1) {
            for (&x, &y) in long.0.iter().zip(&long.1) {
                visit(x0 + x, y0 + y);
            }
        }
    }
}

fn pick<A: Copy, R: FromIterator<A>>(from: &[A], axes: &[usize]) -> R {
    axes.iter().map(|&a| from[a]).collect()
}

/// The windows of `x` that start at `indices`.
pub fn gather(x: &Tensor, indices: &Tensor, config: &GatherConfig) -> Result<Tensor> {
    let op = "gather";
    let shape = gather_shape(x.shape(), indices.shape(), config)?;
    let operand = (x.shape(), x.strides(), &config.slice_sizes[..]);
    let starts = window_starts(op, indices, config.index_vector_dim, &config.start_index_map, operand)?;
    let kept = others(x.rank(), &config.collapsed_slice_dims);
    let batch = others(shape.len(), &config.offset_dims);
    let strides = compact_strides(&shape);
    let window: Dims = pick(&config.slice_sizes, &kept);
    let windows = Windows {
        batch: (starts, positions(&pick::<_, Dims>(&shape, &batch), &pick::<_, Strides>(&strides, &batch))),
        window: (
            positions(&window, &pick::<_, Strides>(x.strides(), &kept)),
            positions(&window, &pick::<_, Strides>(&strides, &config.offset_dims)),
        ),
    };
    copy::build(op, x.dtype(), &shape, |out| {
        by_width!(x.dtype(), Unit => {
            let (source, out) = (copy::start(x).cast::<Unit>(), out.cast::<Unit>());
            // SAFETY: clamped windows lie inside `x`; the places in the result run through its compact layout.
            windows.for_each(|from, to| unsafe { *out.offset(to) = *source.offset(from) });
        });
        Ok(())
    })
}

/// `x` with the windows of `updates` added at `indices`; where windows overlap, all are added.
pub fn scatter_add(x: &Tensor, indices: &Tensor, updates: &Tensor, config: &ScatterConfig) -> Result<Tensor> {
    let op = "scatter";
    scatter_check(x.shape(), indices.shape(), updates.shape(), config)?;
    if updates.dtype() != x.dtype() {
        return Err(Error::dtype(op, "argument 'updates'", x.dtype(), updates.dtype()));
    }
    let strides = compact_strides(x.shape());
    let window = scatter_window(x.rank(), updates.shape(), config);
    let operand = (x.shape(), &strides[..], &window[..]);
    let map = &config.scatter_dims_to_operand_dims;
    let starts = window_starts(op, indices, config.index_vector_dim, map, operand)?;
    let kept = others(x.rank(), &config.inserted_window_dims);
    let batch = others(updates.rank(), &config.update_window_dims);
    let steps = updates.strides();
    let sizes: Dims = pick(&window, &kept);
    let windows = Windows {
        batch: (starts, positions(&pick::<_, Dims>(updates.shape(), &batch), &pick::<_, Strides>(steps, &batch))),
        window: (
            positions(&sizes, &pick::<_, Strides>(&strides, &kept)),
            positions(&sizes, &pick::<_, Strides>(steps, &config.update_window_dims)),
        ),
    };
    by_number!(op, x.dtype(), T => {
        let values = updates.as_ptr::<T>();
        copy::modified(op, x, |out| {
            let out = out.cast::<T>();
            // SAFETY: clamped windows lie inside the compact copy of `x`; the other places run through `updates`.
            windows.for_each(|to, from| unsafe { (*out.offset(to)).accumulate(*values.offset(from)) });
        })
    })
}
