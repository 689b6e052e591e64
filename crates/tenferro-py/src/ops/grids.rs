//! Numbers at equal ratios, and lists of indices.

use super::indexing::index_list;
use super::joins::OperandList;
use crate::args::{AxesArg, count, row_major};
use crate::call::{Call, Tensors};
use crate::dtype::{DTypeInput, read_dtype};
use crate::errors::Outcome;
use tenferro_ad::Var;
use tenferro_cpu::{Number, cast, linspace};
use tenferro_tensor::{DType, Dims, Error, Result, Tensor};

/// The function of each of `num` exponents at equal distances, whose first and last results are given.
fn spaced(
    [start, stop]: [f64; 2],
    num: usize,
    endpoint: bool,
    ends: [Option<f64>; 2],
    power: impl Fn(f64) -> f64,
    dtype: DType,
) -> Result<Tensor> {
    let exponents = linspace(Number::Float(start), Number::Float(stop), num, endpoint, DType::F64)?;
    let mut values: Vec<f64> = exponents.as_slice::<f64>()?.iter().map(|&x| power(x)).collect();
    if let (Some(slot), Some(first)) = (values.first_mut(), ends[0]) {
        *slot = first;
    }
    if let (Some(slot), Some(last), true) = (values.last_mut(), ends[1], endpoint && num > 1) {
        *slot = last;
    }
    cast(&Tensor::from_slice("spaced", &[num], &values)?, dtype)
}

list_op! { [logspace] {
    /// `num` powers of `base` whose exponents have equal distances from `start` to `stop`, which is the last one unless
    /// ``endpoint=False``; float64 unless another dtype is given.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.logspace(0, 2, 3).tolist()
    /// [1.0, 10.0, 100.0]
    () (start, stop, num=50, *, endpoint=true, base=10.0, dtype=None)
    (start: f64, stop: f64, num: i64, endpoint: bool, base: f64, dtype: Option<DTypeInput<'py>>)
} |call| {
    let op = call.op;
    let (num, dtype) = (count(op, "num", num)?, read_dtype(dtype, op)?.unwrap_or(DType::F64));
    let value = spaced([start, stop], num, endpoint, [None, None], |x| base.powf(x), dtype).map_err(|e| e.in_op(op))?;
    call.wrap(Var::constant(value))
} }

list_op! { [geomspace] {
    /// `num` numbers at equal ratios from `start` to `stop`, which is the last one unless ``endpoint=False``; float64 unless
    /// another dtype is given.
    ///
    /// Raises `InvalidArgumentError` unless both are finite, not 0, and of one sign.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.geomspace(1.0, 8.0, 4).round().tolist()
    /// [1.0, 2.0, 4.0, 8.0]
    () (start, stop, num=50, *, endpoint=true, dtype=None)
    (start: f64, stop: f64, num: i64, endpoint: bool, dtype: Option<DTypeInput<'py>>)
} |call| {
    let op = call.op;
    let fits = |x: f64| x.is_finite() && x != 0.0;
    if !fits(start) || !fits(stop) || start.signum() != stop.signum() {
        let message = format!("expected finite numbers of one sign, not 0, got {start} and {stop}");
        return Err(Error::argument(op, "stop", message).into());
    }
    let (num, dtype) = (count(op, "num", num)?, read_dtype(dtype, op)?.unwrap_or(DType::F64));
    let exponents = [start.abs().ln(), stop.abs().ln()];
    let power = |x: f64| x.exp() * start.signum();
    let value = spaced(exponents, num, endpoint, [Some(start), Some(stop)], power, dtype).map_err(|e| e.in_op(op))?;
    call.wrap(Var::constant(value))
} }

/// Rows and columns of the entries of an n × m matrix that are chosen, in row-major order.
fn entries<'py>(call: &mut Call<'py>, n: i64, m: Option<i64>, chosen: impl Fn(i64, i64) -> bool) -> Outcome<Tensors> {
    let op = call.op;
    let rows = count(op, "n", n)?;
    let cols = m.map_or(Ok(rows), |m| count(op, "m", m))?;
    tenferro_tensor::checked_size(op, &[rows, cols], 8)?;
    let (mut at, mut to) = (Vec::new(), Vec::new());
    for i in 0..rows as i64 {
        for j in (0..cols as i64).filter(|&j| chosen(i, j)) {
            at.push(i);
            to.push(j);
        }
    }
    lists(call, &[at, to], &None)
}

/// Lists as int64 tensors, of a shape if one is given.
fn lists<'py>(call: &mut Call<'py>, all: &[Vec<i64>], shape: &Option<Dims>) -> Outcome<Tensors> {
    let mut tensors = Vec::with_capacity(all.len());
    for list in all {
        let flat = [list.len()];
        let tensor = Tensor::from_slice(call.op, shape.as_deref().unwrap_or(&flat), list)?;
        tensors.push(call.wrap(Var::constant(tensor))?);
    }
    Ok(Tensors(tensors))
}

list_tuple_op! { [tril_indices] {
    /// Rows and columns, as two int64 lists, of the entries of an `n` × `m` matrix (square without `m`) on and below the diagonal
    /// `k`, row by row.
    ///
    /// >>> import tenferro as tf
    /// >>> [list.tolist() for list in tf.tril_indices(2)]
    /// [[0, 1, 1], [0, 0, 1]]
    () (n, k=0, m=None) (n: i64, k: i64, m: Option<i64>)
} |call| entries(call, n, m, |i, j| j.saturating_sub(i) <= k) }

list_tuple_op! { [triu_indices] {
    /// Rows and columns, as two int64 lists, of the entries of an `n` × `m` matrix (square without `m`) on and above the diagonal
    /// `k`, row by row.
    ///
    /// >>> import tenferro as tf
    /// >>> [list.tolist() for list in tf.triu_indices(2)]
    /// [[0, 0, 1], [0, 1, 1]]
    () (n, k=0, m=None) (n: i64, k: i64, m: Option<i64>)
} |call| entries(call, n, m, |i, j| j.saturating_sub(i) >= k) }

/// A shape as extents, and the axes from the fastest to the slowest.
fn extents(op: &'static str, shape: &AxesArg, order: &str) -> Result<(Vec<i64>, Vec<usize>)> {
    for &n in shape.raw() {
        count(op, "shape", n)?;
    }
    let axes = 0..shape.raw().len();
    let fastest_first = if row_major(op, order)? { axes.rev().collect() } else { axes.collect() };
    Ok((shape.raw().to_vec(), fastest_first))
}

tuple_op! { [unravel_index] {
    /// The indices along each axis of a tensor of `shape` that belong to flat positions, column-major ones as `argmax` gives them,
    /// or row-major ones (``order="C"``): one int64 tensor per axis.
    ///
    /// Raises `IndexOutOfBoundsError`; `DTypeMismatchError` unless the positions are integers.
    ///
    /// >>> import tenferro as tf
    /// >>> [place.item() for place in tf.unravel_index(5, (2, 3))]
    /// [1, 2]
    (indices) (shape, *, order: "Literal['F', 'C']" = "F") (shape: AxesArg, order: &str)
} |call| {
    let op = call.op;
    let (list, own) = index_list(op, call.one(&indices)?.concrete(op)?)?;
    let (extents, fastest_first) = extents(op, &shape, order)?;
    let size = extents.iter().fold(1i64, |size, &n| size.saturating_mul(n));
    if let Some(&wrong) = list.iter().find(|&&p| !(0..size).contains(&p)) {
        return Err(Error::index(op, 0, wrong, size as usize).into());
    }
    let mut places = vec![Vec::with_capacity(list.len()); extents.len()];
    for mut position in list {
        for &axis in &fastest_first {
            places[axis].push(position % extents[axis]);
            position /= extents[axis];
        }
    }
    lists(call, &places, &Some(own))
} }

list_op! { [ravel_multi_index] {
    /// The flat positions, column-major or row-major (``order="C"``), of the elements of a tensor of `shape` with these indices: a
    /// sequence of integer tensors of one shape, one per axis. As int64; the inverse of `unravel_index`.
    ///
    /// Raises `IndexOutOfBoundsError`, `ShapeMismatchError`; `InvalidArgumentError` unless there are as many tensors as axes.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.ravel_multi_index([[0, 1], [0, 2]], (2, 3)).tolist()
    /// [0, 5]
    () (inputs, shape, *, order: "Literal['F', 'C']" = "F") (inputs: OperandList<'py>, shape: AxesArg, order: &str)
} |call| {
    let op = call.op;
    let (extents, fastest_first) = extents(op, &shape, order)?;
    let mut places = Vec::with_capacity(extents.len());
    let mut common: Option<Dims> = None;
    for operand in &inputs.read(op)? {
        let (list, own) = index_list(op, call.one(operand)?.concrete(op)?)?;
        if common.as_ref().is_some_and(|first| *first != own) {
            return Err(Error::shapes(op, common.as_deref().unwrap_or_default(), &own).into());
        }
        common = Some(own);
        places.push(list);
    }
    if places.len() != extents.len() {
        let message = format!("expected {} tensors, one per axis, got {}", extents.len(), places.len());
        return Err(Error::argument(op, "inputs", message).into());
    }
    let count = places.first().map_or(1, Vec::len);
    let mut flat = vec![0i64; count];
    let mut step = 1i64;
    for axis in fastest_first {
        for (sum, &place) in flat.iter_mut().zip(&places[axis]) {
            if !(0..extents[axis]).contains(&place) {
                return Err(Error::index(op, axis, place, extents[axis] as usize).into());
            }
            *sum = sum.wrapping_add(place.wrapping_mul(step));
        }
        step = step.saturating_mul(extents[axis]);
    }
    let value = Tensor::from_slice(op, common.as_deref().unwrap_or_default(), &flat)?;
    call.wrap(Var::constant(value))
} }
