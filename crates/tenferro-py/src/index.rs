//! Python indices: what `x[...]` means, by NumPy's rules, as slices, one `take`, and changes of shape.

use crate::args::integer;
use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use crate::interop::tensor_from_any;
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyFloat, PySlice, PyString, PyTuple};
use std::sync::Arc;
use tenferro_ad::EagerRuntime;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::{Interp, Take, numeric};
use tenferro_cpu::{cast, compact};
use tenferro_tensor::{DType, Dims, Error, Result, Tensor, Variant, broadcast_shapes, show_shape};

/// One entry of an index.
enum Item {
    Int(i64),
    Range(Option<i64>, Option<i64>, i64),
    NewAxis,
    Ellipsis,
    Positions(Tensor),
    Mask(Tensor),
}

/// What is done with one axis of the source, or where a new one is put.
enum Axis {
    /// `count` positions from `start` in steps of `step` (negative: backwards).
    Range { start: usize, count: usize, step: isize },
    /// A new axis of extent 1.
    New,
    /// Indexed by the `k`-th position list.
    List(usize),
}

/// An index, resolved for one shape.
pub struct Index {
    axes: Vec<Axis>,
    /// Positions on each listed axis: the axis of the source, and a tensor of int64.
    lists: Vec<(usize, Tensor)>,
    /// Whether the listed axes stand side by side, so that their result takes their place.
    adjacent: bool,
    /// Only integers, no position lists: the axes are dropped.
    dropped: Vec<usize>,
}

const OP: &str = "getitem";

fn parse(key: &Bound<'_, PyAny>, runtime: &Arc<EagerRuntime>) -> Outcome<Item> {
    let py = key.py();
    if key.is_none() {
        return Ok(Item::NewAxis);
    }
    if key.is_instance_of::<PyEllipsis>() {
        return Ok(Item::Ellipsis);
    }
    if let Ok(slice) = key.cast::<PySlice>() {
        let part = |name: &str| -> PyResult<Option<i64>> {
            let value = slice.getattr(name)?;
            if value.is_none() {
                return Ok(None);
            }
            // Bounds beyond 64 bits are as good as the largest ones, as for lists.
            Ok(Some(integer(&value, "index")?.max(i64::MIN + 1)))
        };
        return Ok(Item::Range(part("start")?, part("stop")?, part("step")?.unwrap_or(1)));
    }
    if !key.is_instance_of::<PyBool>()
        && !key.is_instance_of::<PyFloat>()
        && key.cast::<PyEagerTensor>().is_err()
        && key.getattr_opt("ndim")?.is_none_or(|n| n.eq(0).unwrap_or(false))
        && let Ok(index) = integer(key, "index")
    {
        return Ok(Item::Int(index));
    }
    if key.is_instance_of::<PyString>() {
        return Err(refuse(key)?.into());
    }
    let value = if let Ok(tensor) = key.cast::<PyEagerTensor>() {
        let tensor = tensor.get().live()?;
        tenferro_ad::same_runtime(runtime, tensor.runtime(), OP)?;
        tensor.concrete(OP)?.clone()
    } else if let Ok(array) = key.cast::<PyUntypedArray>()
        && matches!(array.dtype().kind(), b'i' | b'u')
    {
        // An index has no dtype of its own: every integer kind will do.
        let wide = array.call_method1(intern!(py, "astype"), (numpy::dtype::<i64>(py),))?;
        tensor_from_any(py, &wide, None, OP)?
    } else {
        tensor_from_any(py, key, None, OP)?
    };
    match value.dtype() {
        DType::Bool => Ok(Item::Mask(value)),
        DType::I64 => Ok(Item::Positions(value)),
        DType::I32 => Ok(Item::Positions(cast(&value, DType::I64)?)),
        // An empty list has no dtype of its own.
        _ if value.size() == 0 => Ok(Item::Positions(cast(&value, DType::I64)?)),
        other => Err(Error::dtype(OP, "an index must hold integers or truth values", DType::I64, other).into()),
    }
}

fn refuse(key: &Bound<'_, PyAny>) -> PyResult<Error> {
    let message = format!(
        "argument 'index': expected integers, slices, `...`, None, integer or boolean arrays, got {}",
        key.get_type().name()?
    );
    Ok(Error::new(Variant::DTypeMismatch, OP, message))
}

/// The row-major indices of the true elements, one list per axis.
pub fn nonzero(mask: &Tensor) -> Result<Vec<Tensor>> {
    let shape = mask.dims();
    let flat = compact(mask)?;
    let truth: &[bool] = flat.as_slice()?;
    let mut lists: Vec<Vec<i64>> = vec![Vec::new(); shape.len()];
    let mut at = Dims::from_elem(0, shape.len());
    for _ in 0..truth.len() {
        let (mut place, mut step) = (0, 1);
        for (&i, &n) in at.iter().zip(&shape) {
            place += i * step;
            step *= n;
        }
        if truth[place] {
            for (list, &i) in lists.iter_mut().zip(&at) {
                list.push(i as i64);
            }
        }
        for axis in (0..shape.len()).rev() {
            at[axis] += 1;
            if at[axis] < shape[axis] {
                break;
            }
            at[axis] = 0;
        }
    }
    lists.into_iter().map(|list| Tensor::from_slice(OP, &[list.len()], &list)).collect()
}

fn range(start: Option<i64>, stop: Option<i64>, step: i64, extent: usize) -> Result<Axis> {
    let n = extent as i64;
    if step == 0 {
        return Err(Error::argument(OP, "step", "expected a step other than 0, got 0"));
    }
    let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
    let clip = |bound: i64| (if bound < 0 { bound.saturating_add(n) } else { bound }).clamp(low, high);
    let first = start.map_or(if step > 0 { low } else { high }, clip);
    let last = stop.map_or(if step > 0 { high } else { low }, clip);
    let distance = if step > 0 { last - first } else { first - last };
    let count = if distance <= 0 { 0 } else { (distance as u64).div_ceil(step.unsigned_abs()) as usize };
    Ok(Axis::Range { start: first.max(0) as usize, count, step: step.clamp(-(1 << 62), 1 << 62) as isize })
}

fn too_many(wanted: usize, shape: &[usize]) -> Error {
    let message = format!("expected at most {} indices for shape {}, got {wanted}", shape.len(), show_shape(shape));
    Error::new(Variant::AxisOutOfBounds, OP, message).with("axis", wanted).with("rank", shape.len())
}

impl Index {
    /// Resolves a Python index for a shape; index tensors must be of `runtime`.
    pub fn new(key: &Bound<'_, PyAny>, shape: &[usize], runtime: &Arc<EagerRuntime>) -> Outcome<Index> {
        let items = match key.cast::<PyTuple>() {
            Ok(tuple) => tuple.iter_borrowed().map(|item| parse(&item, runtime)).collect::<Outcome<Vec<_>>>()?,
            Err(_) => vec![parse(key, runtime)?],
        };
        let uses = |item: &Item| match item {
            Item::NewAxis | Item::Ellipsis => 0,
            Item::Mask(mask) => mask.rank(),
            _ => 1,
        };
        let used: usize = items.iter().map(uses).sum();
        if used > shape.len() {
            return Err(too_many(used, shape).into());
        }
        let dots = items.iter().filter(|i| matches!(i, Item::Ellipsis)).count();
        if dots > 1 {
            let message = format!("argument 'index': expected at most one ellipsis (`...`), got {dots}");
            return Err(Error::new(Variant::IndexOutOfBounds, OP, message).into());
        }
        let listed = items.iter().any(|i| matches!(i, Item::Positions(_) | Item::Mask(_)));
        let mut index = Index { axes: Vec::new(), lists: Vec::new(), adjacent: true, dropped: Vec::new() };
        let mut axis = 0;
        // Places in the index where listed entries stand, to see whether they are side by side.
        let mut places = Vec::new();
        for (place, item) in items.into_iter().enumerate() {
            if matches!(item, Item::Positions(_) | Item::Mask(_)) || listed && matches!(item, Item::Int(_)) {
                places.push(place);
            }
            match item {
                Item::NewAxis => index.axes.push(Axis::New),
                Item::Ellipsis => {
                    for _ in 0..shape.len() - used {
                        index.axes.push(Axis::Range { start: 0, count: shape[axis], step: 1 });
                        axis += 1;
                    }
                }
                Item::Range(start, stop, step) => {
                    index.axes.push(range(start, stop, step, shape[axis])?);
                    axis += 1;
                }
                Item::Int(i) => {
                    let n = shape[axis] as i64;
                    let at = if i < 0 { i.saturating_add(n) } else { i };
                    if at < 0 || at >= n {
                        return Err(Error::index(OP, axis, i, shape[axis]).into());
                    }
                    if listed {
                        index.list(axis, Tensor::scalar(at)?);
                    } else {
                        index.dropped.push(index.axes.len());
                        index.axes.push(Axis::Range { start: at as usize, count: 1, step: 1 });
                    }
                    axis += 1;
                }
                Item::Positions(positions) => {
                    index.list(axis, normalized(&positions, axis, shape[axis])?);
                    axis += 1;
                }
                Item::Mask(mask) => {
                    let expected = &shape[axis..axis + mask.rank()];
                    if mask.shape() != expected {
                        let error = Error::shape(OP, "boolean index", expected, mask.shape());
                        return Err(Error::new(Variant::IndexOutOfBounds, OP, error.message().to_owned()).into());
                    }
                    if mask.rank() == 0 {
                        // A truth value alone: a new axis with one element or none.
                        index.axes.push(Axis::New);
                        if mask.item::<bool>() != Some(true) {
                            let last = index.axes.len() - 1;
                            index.axes[last] = Axis::List(index.lists.len());
                            index.lists.push((usize::MAX, Tensor::from_slice::<i64>(OP, &[0], &[])?));
                        }
                    }
                    for positions in nonzero(&mask)? {
                        index.list(axis, positions);
                        axis += 1;
                    }
                }
            }
        }
        for &extent in &shape[axis..] {
            index.axes.push(Axis::Range { start: 0, count: extent, step: 1 });
        }
        index.adjacent = places.windows(2).all(|w| w[1] == w[0] + 1);
        Ok(index)
    }

    fn list(&mut self, axis: usize, positions: Tensor) {
        self.axes.push(Axis::List(self.lists.len()));
        self.lists.push((axis, positions));
    }

    /// The indexed part of `x`, in ops.
    pub fn apply<I: Interp>(&self, cx: &mut I, x: &I::V) -> Result<I::V> {
        let part = self.basic(cx, x)?;
        if self.lists.is_empty() { Ok(part) } else { self.listed(cx, &part) }
    }

    /// Slices, dropped and new axes. Listed axes stay as they are.
    fn basic<I: Interp>(&self, cx: &mut I, x: &I::V) -> Result<I::V> {
        let shape = Dims::from_slice(cx.meta(x).shape);
        let (mut starts, mut limits, mut strides, mut backwards) = (Dims::new(), Dims::new(), Dims::new(), Dims::new());
        let mut after = Dims::new();
        let mut whole = true;
        for (place, axis) in self.axes.iter().enumerate() {
            let at = starts.len();
            match axis {
                Axis::New => after.push(1),
                Axis::List(k) if self.lists[*k].0 == usize::MAX => after.push(1),
                Axis::List(_) => {
                    starts.push(0);
                    limits.push(shape[at]);
                    strides.push(1);
                    after.push(shape[at]);
                }
                &Axis::Range { start, count, step } => {
                    let reach = count.saturating_sub(1) * step.unsigned_abs();
                    let low = if step < 0 { start - reach } else { start };
                    whole &= count == shape[at] && step == 1;
                    starts.push(if count == 0 { 0 } else { low });
                    limits.push(if count == 0 { 0 } else { low + reach + 1 });
                    strides.push(if count > 1 { step.unsigned_abs() } else { 1 });
                    if step < 0 && count > 1 {
                        backwards.push(at);
                    }
                    if !self.dropped.contains(&place) {
                        after.push(count);
                    }
                }
            }
        }
        let mut part = if whole { x.clone() } else { cx.slice(x, &starts, &limits, &strides)? };
        if !backwards.is_empty() {
            part = numeric::reverse(cx, &part, &backwards)?;
        }
        cx.reshape(&part, &after)
    }

    /// Position lists: the listed axes become one, on which a single `take` picks.
    fn listed<I: Interp>(&self, cx: &mut I, x: &I::V) -> Result<I::V> {
        let shape = Dims::from_slice(cx.meta(x).shape);
        let listed: Vec<usize> = (0..self.axes.len()).filter(|&a| matches!(self.axes[a], Axis::List(_))).collect();
        let mut common = Dims::new();
        for (_, positions) in &self.lists {
            common = broadcast_shapes(OP, &common, positions.shape())
                .map_err(|e| Error::new(Variant::IndexOutOfBounds, OP, format!("index arrays: {}", e.message())))?;
        }
        let mut flat = vec![0usize; common.iter().product()];
        let mut step = 1;
        for (&axis, (source, positions)) in listed.iter().zip(&self.lists) {
            let spread = spread(positions, &common)?;
            for (place, &p) in flat.iter_mut().zip(spread.as_slice::<i64>()?) {
                *place += p as usize * step;
            }
            step *= if *source == usize::MAX { 1 } else { shape[axis] };
        }
        let rest: Vec<usize> = (0..shape.len()).filter(|a| !listed.contains(a)).collect();
        let (x, at) = match listed[..] {
            [axis] => (x.clone(), axis),
            _ => {
                let perm: Dims = listed.iter().chain(&rest).copied().collect();
                let front = cx.transpose(x, &perm)?;
                let mut merged = Dims::from_elem(step, 1);
                merged.extend(rest.iter().map(|&a| shape[a]));
                (cx.reshape(&front, &merged)?, 0)
            }
        };
        let taken = cx.bind(Take { axis: at, indices: Arc::from(flat) }.into(), &[&x])?;
        let mut split = Dims::from_slice(cx.meta(&taken).shape);
        split.remove(at);
        split.insert_many(at, common.iter().copied());
        let taken = cx.reshape(&taken, &split)?;
        // Where the result's new axes belong: in place of the lists, or in front if these are apart.
        let target = if self.adjacent { rest.iter().filter(|&&a| a < listed[0]).count() } else { 0 };
        if at == target {
            return Ok(taken);
        }
        let (new, rank) = (common.len(), split.len());
        let moved = at..at + new;
        let mut others = (0..rank).filter(|a| !moved.contains(a));
        let perm: Dims = (0..rank)
            .map(|place| match place.checked_sub(target) {
                Some(k) if k < new => at + k,
                _ => others.next().unwrap_or(0),
            })
            .collect();
        cx.transpose(&taken, &perm)
    }
}

fn spread(positions: &Tensor, shape: &[usize]) -> Result<Tensor> {
    let lead = shape.len() - positions.rank();
    let dims: Dims = (lead..shape.len()).collect();
    compact(&positions.with_layout(positions.layout().broadcast_in_dim(shape, &dims)))
}

fn normalized(positions: &Tensor, axis: usize, extent: usize) -> Result<Tensor> {
    let flat = compact(positions)?;
    let mut list = flat.as_slice::<i64>()?.to_vec();
    for p in &mut list {
        let at = if *p < 0 { p.saturating_add(extent as i64) } else { *p };
        if at < 0 || at >= extent as i64 {
            return Err(Error::index(OP, axis, *p, extent));
        }
        *p = at;
    }
    Tensor::from_slice(OP, positions.shape(), &list)
}

/// Positions of a list of integers on an axis of `extent`; negative ones count from the end.
pub fn positions(op: &'static str, list: &[i64], axis: usize, extent: usize) -> Result<Arc<[usize]>> {
    list.iter()
        .map(|&p| {
            let at = if p < 0 { p.saturating_add(extent as i64) } else { p };
            if (0..extent as i64).contains(&at) { Ok(at as usize) } else { Err(Error::index(op, axis, p, extent)) }
        })
        .collect()
}
