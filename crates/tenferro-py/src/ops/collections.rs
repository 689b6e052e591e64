//! Ops that take or give several tensors: splitting, stacking by NumPy's rules, grids.

use super::arrange::{OneOrMany, section_bounds};
use super::joins::OperandList;
use crate::args::normalize;
use crate::call::{Call, Operand, Tensors};
use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::numeric;
use tenferro_ad::{Eager, Var};
use tenferro_tensor::{Dims, Error, Result, broadcast_shapes};

fn parts<'py>(
    call: &mut Call<'py>,
    x: &Operand<'py>,
    sections: &OneOrMany,
    axis: impl Fn(usize) -> Result<usize>,
    equal: bool,
) -> Outcome<Tensors> {
    let x = call.one(x)?;
    let axis = axis(x.value.rank())?;
    let bounds = section_bounds(call.op, sections, x.value.shape()[axis], equal)?;
    call.run_many(x.value.size(), move |cx| {
        bounds.iter().map(|&(start, limit)| cx.slice_axis(&x, axis, start, limit)).collect()
    })
}

tuple_op! { [split] {
    /// Parts of `x` along `axis`, as a tuple of views: that many equal sections, or cut at the listed positions (which may be
    /// negative, as in slices).
    ///
    /// Derivative: linear; reverse pads with zeros. Raises `InvalidArgumentError` where sections cannot be equal.
    ///
    /// >>> import tenferro as tf
    /// >>> [part.tolist() for part in tf.split([1, 2, 3, 4], 2)], [part.tolist() for part in tf.split([1, 2, 3, 4], [1, 3])]
    /// ([[1, 2], [3, 4]], [[1], [2, 3], [4]])
    (x) (indices_or_sections, axis=0) (indices_or_sections: OneOrMany, axis: i64)
} |call| {
    let op = call.op;
    parts(call, &x, &indices_or_sections, |rank| normalize(op, axis, rank), true)
} }

tuple_op! { [array_split] {
    /// As `split`, but sections need not be equal: the first ones are longer by one.
    ///
    /// >>> import tenferro as tf
    /// >>> [part.tolist() for part in tf.array_split([1, 2, 3], 2)]
    /// [[1, 2], [3]]
    (x) (indices_or_sections, axis=0) (indices_or_sections: OneOrMany, axis: i64)
} |call| {
    let op = call.op;
    parts(call, &x, &indices_or_sections, |rank| normalize(op, axis, rank), false)
} }

tuple_op! { [hsplit] {
    /// `split` along the second axis; of a vector along its only one.
    ///
    /// >>> import tenferro as tf
    /// >>> [part.tolist() for part in tf.hsplit([[1, 2], [3, 4]], 2)]
    /// [[[1], [3]], [[2], [4]]]
    (x) (indices_or_sections) (indices_or_sections: OneOrMany)
} |call| {
    let op = call.op;
    parts(call, &x, &indices_or_sections, |rank| normalize(op, i64::from(rank != 1), rank), true)
} }

tuple_op! { [vsplit] {
    /// `split` along the first axis of two or more.
    ///
    /// >>> import tenferro as tf
    /// >>> [part.tolist() for part in tf.vsplit([[1, 2], [3, 4]], 2)]
    /// [[[1, 2]], [[3, 4]]]
    (x) (indices_or_sections) (indices_or_sections: OneOrMany)
} |call| {
    let op = call.op;
    let first = |rank: usize| match rank {
        0 | 1 => Err(Error::rank(op, "argument 'x' (at least a matrix)", 2, rank)),
        _ => Ok(0),
    };
    parts(call, &x, &indices_or_sections, first, true)
} }

tuple_op! { [dsplit] {
    /// `split` along the third axis of three or more.
    ///
    /// >>> import tenferro as tf
    /// >>> [part.shape for part in tf.dsplit(tf.ones((1, 2, 4)), 2)]
    /// [(1, 2, 2), (1, 2, 2)]
    (x) (indices_or_sections) (indices_or_sections: OneOrMany)
} |call| {
    let op = call.op;
    let third = |rank: usize| match rank {
        0..=2 => Err(Error::rank(op, "argument 'x' (at least three axes)", 3, rank)),
        _ => Ok(2),
    };
    parts(call, &x, &indices_or_sections, third, true)
} }

tuple_op! { [unstack] {
    /// The slices of `x` at each position of `axis`, which goes, as a tuple of views: the inverse of `stack`.
    ///
    /// Derivative: linear; reverse puts the cotangents side by side.
    ///
    /// >>> import tenferro as tf
    /// >>> [row.tolist() for row in tf.unstack([[1, 2], [3, 4]])]
    /// [[1, 2], [3, 4]]
    (x) (axis=0) (axis: i64)
} |call| {
    let x = call.one(&x)?;
    let axis = normalize(call.op, axis, x.value.rank())?;
    let mut shape = Dims::from_slice(x.value.shape());
    let extent = shape.remove(axis);
    call.run_many(x.value.size(), move |cx| {
        (0..extent)
            .map(|i| {
                let slice = cx.slice_axis(&x, axis, i, i + 1)?;
                cx.reshape(&slice, &shape)
            })
            .collect()
    })
} }

/// Joins operands along an axis after `shape` has given each a shape of higher rank.
fn joined<'py>(
    call: &mut Call<'py>,
    inputs: &OperandList<'py>,
    shape: impl Fn(&[usize]) -> Dims + Send,
    axis: impl Fn(usize) -> usize + Send,
) -> Outcome<PyEagerTensor> {
    let op = call.op;
    let list = inputs.read(op)?;
    let vars = call.list(&list.iter().collect::<Vec<_>>())?;
    if vars.is_empty() {
        return Err(Error::argument(op, "inputs", "expected at least one tensor, got none").into());
    }
    let elements = vars.iter().map(|v| v.value.size()).sum();
    call.run(elements, move |cx| {
        let shaped = |v: &Var| cx.reshape(v, &shape(v.value.shape()));
        let shaped = vars.iter().map(shaped).collect::<Result<Vec<_>>>()?;
        let axis = axis(shaped[0].value.rank());
        numeric::concatenate(cx, &shaped, axis).map_err(|e| e.in_op(op))
    })
}

fn at_least_1d(shape: &[usize]) -> Dims {
    if shape.is_empty() { [1][..].into() } else { shape.into() }
}

fn at_least_2d(shape: &[usize]) -> Dims {
    match *shape {
        [] => [1, 1][..].into(),
        [n] => [1, n][..].into(),
        _ => shape.into(),
    }
}

list_op! { [hstack] {
    /// The tensors of a list side by side: along the second axis, vectors along their only one. Promoted.
    ///
    /// Derivative: linear; reverse slices the cotangent. Raises `ShapeMismatchError`, `InvalidArgumentError` for an empty list.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.hstack([[1, 2], [3]]).tolist(), tf.hstack([[[1], [2]], [[3], [4]]]).tolist()
    /// ([1, 2, 3], [[1, 3], [2, 4]])
    () (inputs) (inputs: OperandList<'py>)
} |call| joined(call, &inputs, at_least_1d, |rank| usize::from(rank != 1)) }

list_op! { [vstack] {
    /// The tensors of a list one below the other, along the first axis; vectors are rows. Promoted.
    ///
    /// Derivative: linear; reverse slices the cotangent. Raises `ShapeMismatchError`, `InvalidArgumentError` for an empty list.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.vstack([[1, 2], [3, 4]]).tolist()
    /// [[1, 2], [3, 4]]
    () (inputs) (inputs: OperandList<'py>)
} |call| joined(call, &inputs, at_least_2d, |_| 0) }

list_op! { [dstack] {
    /// The tensors of a list one behind the other, along the third axis; vectors become (1, n, 1), matrices (n, m, 1). Promoted.
    ///
    /// Derivative: linear; reverse slices the cotangent. Raises `ShapeMismatchError`, `InvalidArgumentError` for an empty list.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.dstack([[1, 2], [3, 4]]).tolist()
    /// [[[1, 3], [2, 4]]]
    () (inputs) (inputs: OperandList<'py>)
} |call| {
    let deep = |shape: &[usize]| match *shape {
        [] => [1, 1, 1][..].into(),
        [n] => [1, n, 1][..].into(),
        [n, m] => [n, m, 1][..].into(),
        _ => shape.into(),
    };
    joined(call, &inputs, deep, |_| 2)
} }

list_op! { [column_stack] {
    /// The tensors of a list side by side along the second axis; vectors are columns. Promoted.
    ///
    /// Derivative: linear; reverse slices the cotangent. Raises `ShapeMismatchError`, `InvalidArgumentError` for an empty list.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.column_stack([[1, 2], [3, 4]]).tolist()
    /// [[1, 3], [2, 4]]
    () (inputs) (inputs: OperandList<'py>)
} |call| {
    let columns = |shape: &[usize]| match *shape {
        [] => [1, 1][..].into(),
        [n] => [n, 1][..].into(),
        _ => shape.into(),
    };
    joined(call, &inputs, columns, |_| 1)
} }

/// Operands by themselves: joins do not promote them.
fn alone<'py>(call: &mut Call<'py>, arrays: &OperandList<'py>) -> Outcome<Vec<Var>> {
    arrays.read(call.op)?.iter().map(|one| call.one(one)).collect()
}

list_tuple_op! { [broadcast_arrays, broadcast_tensors] {
    /// The tensors repeated to their common shape under NumPy's rules, as a tuple of views; dtypes stay.
    ///
    /// Derivative: linear; reverse sums over the repeated axes. Raises `ShapeMismatchError`.
    ///
    /// >>> import tenferro as tf
    /// >>> [x.shape for x in tf.broadcast_arrays([1.0, 2.0], tf.ones((3, 1)))]
    /// [(3, 2), (3, 2)]
    () (*arrays: "TensorLike") (arrays: OperandList<'py>)
} |call| {
    let (op, vars) = (call.op, alone(call, &arrays)?);
    let mut shape = Dims::new();
    for var in &vars {
        shape = broadcast_shapes(op, &shape, var.value.shape())?;
    }
    let elements = vars.iter().map(|v| v.value.size()).sum();
    call.run_many(elements, move |cx| vars.iter().map(|v| cx.broadcast_to(v, &shape)).collect())
} }

/// Axis of the grid along which vector `i` varies.
fn grid(cx: &mut Eager, vars: &[Var], columns_first: bool) -> Result<Vec<Var>> {
    let place = |i: usize| if columns_first && i < 2 && vars.len() > 1 { 1 - i } else { i };
    let mut shape = Dims::from_elem(1, vars.len());
    for (i, var) in vars.iter().enumerate() {
        shape[place(i)] = var.value.size();
    }
    let one = |(i, var): (usize, &Var)| {
        let line = cx.reshape(var, &[var.value.size()])?;
        cx.broadcast_in_dim(&line, &shape, &[place(i)])
    };
    vars.iter().enumerate().map(one).collect()
}

list_tuple_op! { [meshgrid] {
    /// The coordinates of a grid: one tensor per vector, of the grid's shape, as a tuple of views. With ``indexing="xy"`` the first
    /// vector runs along the second axis and the second along the first; with ``"ij"`` each along its own.
    ///
    /// Derivative: linear; reverse sums over the other axes. Raises `InvalidArgumentError`.
    ///
    /// >>> import tenferro as tf
    /// >>> x, y = tf.meshgrid([1, 2, 3], [4, 5])
    /// >>> x.tolist(), y.tolist()
    /// ([[1, 2, 3], [1, 2, 3]], [[4, 4, 4], [5, 5, 5]])
    () (*arrays: "TensorLike", indexing: "Literal['xy', 'ij']" = "xy") (arrays: OperandList<'py>, indexing: &str)
} |call| {
    let columns_first = match indexing {
        "xy" => true,
        "ij" => false,
        other => {
            let message = format!("expected 'xy' or 'ij', got '{other}'");
            return Err(Error::argument(call.op, "indexing", message).into());
        }
    };
    let vars = alone(call, &arrays)?;
    if let Some(wrong) = vars.iter().find(|v| v.value.rank() > 1) {
        return Err(Error::rank(call.op, "argument 'arrays' (vectors)", 1, wrong.value.rank()).into());
    }
    let elements = vars.iter().map(|v| v.value.size()).sum();
    call.run_many(elements, move |cx| grid(cx, &vars, columns_first))
} }
