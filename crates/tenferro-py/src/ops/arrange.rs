//! Elements repeated, moved and flipped.

use crate::args::{AxesArg, count, integer, integers, named_axes, normalize, row_major};
use crate::errors::Outcome;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::{Interp, Take, numeric, structure};
use tenferro_tensor::{Dims, Error, Result};

/// An int, or a sequence of ints: the two mean different things.
pub enum OneOrMany {
    /// An int.
    One(i64),
    /// A sequence.
    Many(Vec<i64>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for OneOrMany {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr = type_hint_identifier!("tenferro._typing", "AxesLike");

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<OneOrMany> {
        match integer(&object, "sections") {
            Ok(one) => Ok(OneOrMany::One(one)),
            Err(_) => integers(&object, "sections").map(OneOrMany::Many),
        }
    }
}

/// A value as one axis, unless an axis is named.
fn flat_or<I: Interp>(cx: &mut I, x: &I::V, axis: Option<i64>, rows: bool, op: &'static str) -> Result<(I::V, usize)> {
    let shape = Dims::from_slice(cx.meta(x).shape);
    match axis {
        Some(axis) => Ok((x.clone(), normalize(op, axis, shape.len())?)),
        None => {
            let size = shape.iter().product();
            let flat = if rows { numeric::reshape_row_major(cx, x, &[size])? } else { cx.reshape(x, &[size])? };
            Ok((flat, 0))
        }
    }
}

tensor_op! { [roll] {
    /// Elements moved `shift` places along `axis`; what leaves at one end comes in at the other. Several axes take one shift
    /// each, or one for all. Without an axis the flattened elements move (column-major, or row-major with ``order="C"``).
    ///
    /// Derivative: linear; reverse rolls back. Raises `AxisOutOfBoundsError`, `InvalidArgumentError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.roll([1, 2, 3, 4], 1).tolist()
    /// [4, 1, 2, 3]
    (x) (shift, axis=None, *, order: "Literal['F', 'C']" = "F") (shift: OneOrMany, axis: Option<OneOrMany>, order: &str)
} |cx, op| {
    let rows = row_major(op, order)?;
    let shape = Dims::from_slice(x.value.shape());
    let Some(axis) = axis else {
        let shift = match shift {
            OneOrMany::One(shift) => shift,
            OneOrMany::Many(list) => list.iter().fold(0i64, |sum, &n| sum.wrapping_add(n)),
        };
        let (flat, _) = flat_or(cx, &x, None, rows, op)?;
        let rolled = structure::roll(cx, &flat, shift, 0)?;
        return if rows { numeric::reshape_row_major(cx, &rolled, &shape) } else { cx.reshape(&rolled, &shape) };
    };
    let axes = match axis {
        OneOrMany::One(axis) => vec![axis],
        OneOrMany::Many(axes) => axes,
    };
    let shifts = match shift {
        OneOrMany::One(shift) => vec![shift; axes.len()],
        OneOrMany::Many(list) if list.len() == 1 => vec![list[0]; axes.len()],
        OneOrMany::Many(list) if list.len() == axes.len() => list,
        OneOrMany::Many(list) => {
            let message = format!("expected one shift, or one per axis ({}), got {}", axes.len(), list.len());
            return Err(Error::argument(op, "shift", message));
        }
    };
    let mut out = x;
    for (axis, shift) in axes.into_iter().zip(shifts) {
        let axis = normalize(op, axis, shape.len())?;
        out = structure::roll(cx, &out, shift, axis)?;
    }
    Ok(out)
} }

tensor_op! { [repeat] {
    /// Every element along `axis` repeated in place: `repeats` times, or as often as a list says for each. Without an axis the
    /// elements are flattened first (column-major, or row-major with ``order="C"``).
    ///
    /// Derivative: linear; reverse sums over the copies. Raises `InvalidArgumentError` for negative or missing counts.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.repeat([1, 2], 2).tolist(), tf.repeat([1, 2], [1, 3]).tolist()
    /// ([1, 1, 2, 2], [1, 2, 2, 2])
    (x) (repeats, axis=None, *, order: "Literal['F', 'C']" = "F") (repeats: OneOrMany, axis: Option<i64>, order: &str)
} |cx, op| {
    let (x, axis) = flat_or(cx, &x, axis, row_major(op, order)?, op)?;
    let extent = x.value.shape()[axis];
    let counts = match repeats {
        OneOrMany::One(n) => return structure::repeat(cx, &x, count(op, "repeats", n)?, axis),
        OneOrMany::Many(list) if list.len() == 1 => vec![list[0]; extent],
        OneOrMany::Many(list) => list,
    };
    if counts.len() != extent {
        let message = format!("expected one count, or one per element of the axis ({extent}), got {}", counts.len());
        return Err(Error::argument(op, "repeats", message));
    }
    let mut total = 0usize;
    for &n in &counts {
        total = total.saturating_add(count(op, "repeats", n)?);
    }
    let mut out = Dims::from_slice(x.value.shape());
    out[axis] = total;
    tenferro_tensor::checked_size(op, &out, 8)?;
    let indices: Vec<usize> =
        counts.iter().enumerate().flat_map(|(i, &n)| std::iter::repeat_n(i, n as usize)).collect();
    cx.bind(Take { axis, indices: indices.into() }.into(), &[&x])
} }

tensor_op! { [tile] {
    /// The whole repeated `repetitions` times (an int for the last axis, or one per axis; missing ones are 1, missing axes are
    /// put in front).
    ///
    /// Derivative: linear; reverse sums over the copies. Raises `InvalidArgumentError` for negative counts.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tile([1, 2], 2).tolist(), tf.tile([1, 2], (2, 1)).tolist()
    /// ([1, 2, 1, 2], [[1, 2], [1, 2]])
    (x) (repetitions) (repetitions: AxesArg)
} |cx, op| {
    let counts = repetitions.raw().iter().map(|&n| count(op, "repetitions", n)).collect::<Result<Dims>>()?;
    structure::tile(cx, &x, &counts)
} }

tensor_op! { [fliplr] {
    /// The second axis backwards. A view. Derivative: linear, its own adjoint.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.fliplr([[1, 2], [3, 4]]).tolist()
    /// [[2, 1], [4, 3]]
    (x) () ()
} |cx, op| {
    let axis = normalize(op, 1, x.value.rank())?;
    numeric::reverse(cx, &x, &[axis])
} }

tensor_op! { [flipud] {
    /// The first axis backwards. A view. Derivative: linear, its own adjoint.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.flipud([[1, 2], [3, 4]]).tolist()
    /// [[3, 4], [1, 2]]
    (x) () ()
} |cx, op| {
    let axis = normalize(op, 0, x.value.rank())?;
    numeric::reverse(cx, &x, &[axis])
} }

tensor_op! { [rot90] {
    /// The plane of two axes turned by `k` right angles, from the first axis in `axes` (0 and 1) towards the second. A view.
    ///
    /// Derivative: linear; reverse turns back. Raises `InvalidArgumentError` unless there are two different axes.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.rot90([[1, 2], [3, 4]]).tolist()
    /// [[2, 4], [1, 3]]
    (x) (k=1, axes=None, *, axis=None) (k: i64, axes: Option<AxesArg>, axis: Option<AxesArg>)
} |cx, op| {
    let rank = x.value.rank();
    let axes = match named_axes(op, axes, axis, rank)? {
        Some(axes) => axes,
        None => [normalize(op, 0, rank)?, normalize(op, 1, rank)?][..].into(),
    };
    let &[a, b] = &axes[..] else {
        return Err(Error::argument(op, "axes", format!("expected two axes, got {}", axes.len())));
    };
    let mut swapped: Dims = (0..rank).collect();
    swapped.swap(a, b);
    match k.rem_euclid(4) {
        0 => Ok(x),
        1 => {
            let turned = numeric::reverse(cx, &x, &[b])?;
            cx.transpose(&turned, &swapped)
        }
        2 => numeric::reverse(cx, &x, &[a, b]),
        _ => {
            let turned = cx.transpose(&x, &swapped)?;
            numeric::reverse(cx, &turned, &[b])
        }
    }
} }

macro_rules! at_least {
    ($($(#[doc = $doc:literal])* $name:ident |$shape:ident| $body:expr;)*) => {
        $( tensor_op! { [$name] {
            $(#[doc = $doc])*
            (x) () ()
        } |cx| {
            let $shape = x.value.shape();
            let shape: Dims = $body;
            cx.reshape(&x, &shape)
        } } )*
    };
}

at_least! {
    /// At least one axis: a scalar becomes a vector of one element. A view.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.atleast_1d(2.0).shape
    /// (1,)
    atleast_1d |shape| if shape.is_empty() { [1][..].into() } else { shape.into() };

    /// At least two axes; new ones of extent 1 come first. A view.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.atleast_2d([1.0, 2.0]).shape
    /// (1, 2)
    atleast_2d |shape| match *shape {
        [] => [1, 1][..].into(),
        [n] => [1, n][..].into(),
        _ => shape.into(),
    };

    /// At least three axes: n becomes (1, n, 1), and (n, m) becomes (n, m, 1). A view.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.atleast_3d([1.0, 2.0]).shape
    /// (1, 2, 1)
    atleast_3d |shape| match *shape {
        [] => [1, 1, 1][..].into(),
        [n] => [1, n, 1][..].into(),
        [n, m] => [n, m, 1][..].into(),
        _ => shape.into(),
    };
}

/// The parts of a sequence of sections, for `split` and its sisters: (start, limit) pairs.
pub fn section_bounds(
    op: &'static str,
    sections: &OneOrMany,
    extent: usize,
    equal: bool,
) -> Outcome<Vec<(usize, usize)>> {
    match sections {
        OneOrMany::One(n) => {
            let n = match usize::try_from(*n) {
                Ok(n) if n > 0 && n <= isize::MAX as usize / 64 => n,
                _ => {
                    return Err(Error::argument(
                        op,
                        "indices_or_sections",
                        format!("expected at least 1 section, got {n}"),
                    )
                    .into());
                }
            };
            if equal && !extent.is_multiple_of(n) {
                let message = format!("{extent} elements do not divide into {n} equal sections");
                return Err(Error::argument(op, "indices_or_sections", message).into());
            }
            let (size, more) = (extent / n, extent % n);
            let bound = |i: usize| i * size + i.min(more);
            Ok((0..n).map(|i| (bound(i), bound(i + 1))).collect())
        }
        OneOrMany::Many(indices) => {
            let clamped = |&i: &i64| {
                let i = if i < 0 { i.saturating_add(extent as i64).max(0) } else { i };
                usize::try_from(i).unwrap_or(usize::MAX).min(extent)
            };
            let mut bounds = vec![0];
            bounds.extend(indices.iter().map(clamped));
            bounds.push(extent);
            Ok(bounds.windows(2).map(|pair| (pair[0], pair[1].max(pair[0]))).collect())
        }
    }
}
