//! How the axes of windows at computed starts correspond, with the field names of StableHLO.

use tenferro_tensor::{Dims, Error, Result, Variant, show_shape};

/// How the axes of operand, indices and result of [`super::gather`] correspond.
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

/// How the axes of operand, indices and updates of [`super::scatter_add`] correspond.
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

/// The shape of [`super::gather`]'s result; every mistake in the config is found here.
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
pub(super) fn others(rank: usize, axes: &[usize]) -> Dims {
    (0..rank).filter(|axis| !axes.contains(axis)).collect()
}

/// Finds every mistake in the arguments of [`super::scatter_add`].
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
pub(super) fn scatter_window(rank: usize, updates: &[usize], config: &ScatterConfig) -> Dims {
    let mut window = Dims::from_elem(1, rank);
    for (axis, &at) in others(rank, &config.inserted_window_dims).into_iter().zip(&config.update_window_dims) {
        window[axis] = updates[at];
    }
    window
}
