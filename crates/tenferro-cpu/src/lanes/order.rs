//! Sorting and searching: positions as int64. NaN counts as greater than every number, and −0 equals 0.

use super::{BESIDE, Group, Place, Split};
use crate::copy::compact;
use tenferro_tensor::{DType, Error, Result, Scalar, Tensor};

/// A number whose order is that of unsigned integers; NaNs are the greatest key.
trait Key: Scalar {
    const HAS_NAN: bool = false;

    fn key(self) -> u64;

    /// The key in the opposite order, in which NaNs are the greatest, too.
    #[inline(always)]
    fn reversed_key(self) -> u64 {
        let key = self.key();
        if Self::HAS_NAN && key == u64::MAX { key } else { !key }
    }
}

const SIGN: u64 = 1 << 63;

impl Key for f64 {
    const HAS_NAN: bool = true;

    #[inline(always)]
    fn key(self) -> u64 {
        if self.is_nan() {
            return u64::MAX;
        }
        // Adding zero turns −0 into 0.
        let bits = (self + 0.0).to_bits();
        if bits & SIGN == 0 { bits | SIGN } else { !bits }
    }
}

impl Key for f32 {
    const HAS_NAN: bool = true;

    #[inline(always)]
    fn key(self) -> u64 {
        f64::from(self).key()
    }
}

impl Key for i64 {
    #[inline(always)]
    fn key(self) -> u64 {
        self as u64 ^ SIGN
    }
}

impl Key for i32 {
    #[inline(always)]
    fn key(self) -> u64 {
        i64::from(self).key()
    }
}

impl Key for bool {
    #[inline(always)]
    fn key(self) -> u64 {
        self.into()
    }
}

/// Runs `$body` with `$t` bound to the ordered type of `$dtype`; complex numbers are refused in the name of `$op`.
macro_rules! by_order {
    ($op:expr, $dtype:expr, $t:ident => $body:expr) => {{
        macro_rules! arm {
            ($ty:ty) => {{
                type $t = $ty;
                $body
            }};
        }
        match $dtype {
            DType::F32 => arm!(f32),
            DType::F64 => arm!(f64),
            DType::I32 => arm!(i32),
            DType::I64 => arm!(i64),
            DType::Bool => arm!(bool),
            DType::C64 | DType::C128 => Err(unordered($op, $dtype)),
        }
    }};
}

fn unordered(op: &'static str, dtype: DType) -> Error {
    Error::unsupported_dtype(op, dtype, "a real dtype: complex numbers have no order; sort by abs or real")
}

/// Whether numbers of this dtype have an order.
pub fn sortable(dtype: DType) -> bool {
    !dtype.is_complex()
}

/// Positions that sort each lane along `axis`; equal elements keep their order, NaNs come last.
pub fn arg_sort(x: &Tensor, axis: usize, descending: bool) -> Result<Tensor> {
    let op = "argsort";
    let split = Split::new(op, x.shape(), axis)?;
    let x = compact(x)?;
    by_order!(op, x.dtype(), T => {
        let source = x.as_slice::<T>()?;
        // SAFETY: each group writes its lanes, and all lanes belong to a group.
        unsafe {
            Tensor::build(op, x.shape(), |out: *mut i64, _| {
                let out = Place(out);
                split.for_each_group(op, 1, |Group { first, step, .. }| {
                    let key = |k: usize| match source[first + k * step] {
                        value if descending => value.reversed_key(),
                        value => value.key(),
                    };
                    let mut pairs: Vec<(u64, usize)> = (0..split.extent).map(|k| (key(k), k)).collect();
                    pairs.sort_unstable();
                    for (k, (_, from)) in pairs.into_iter().enumerate() {
                        out.at(first + k * step).write(from as i64);
                    }
                })
            })
        }
    })
}

/// Position of the greatest (or least) element of each lane along `axis`, which the result lacks: of NaNs if there are
/// any, else of the extremum, and the first of several.
pub fn arg_reduce(x: &Tensor, axis: usize, greatest: bool) -> Result<Tensor> {
    let op = if greatest { "argmax" } else { "argmin" };
    let split = Split::new(op, x.shape(), axis)?;
    if split.extent == 0 {
        let message = format!("expected an axis with elements, got axis {axis} of extent 0, which has no extremum");
        return Err(Error::argument(op, "axis", message));
    }
    let x = compact(x)?;
    let mut shape = x.dims();
    shape.remove(axis);
    by_order!(op, x.dtype(), T => {
        let source = x.as_slice::<T>()?;
        // SAFETY: each group writes the results of its lanes, and all lanes belong to a group.
        unsafe {
            Tensor::build(op, &shape, |out: *mut i64, _| {
                let out = Place(out);
                split.for_each_group(op, BESIDE, |Group { lane, first, step, lanes }| {
                    let mut best = [(0u64, 0i64); BESIDE];
                    for k in 0..split.extent {
                        let row = &source[first + k * step..first + k * step + lanes];
                        for (best, value) in best.iter_mut().zip(row) {
                            let key = rank(*value, greatest);
                            if k == 0 || key > best.0 {
                                *best = (key, k as i64);
                            }
                        }
                    }
                    for (i, best) in best.iter().take(lanes).enumerate() {
                        out.at(lane + i).write(best.1);
                    }
                })
            })
        }
    })
}

/// Position of the greatest (or least) element so far of each lane along `axis`; as [`arg_reduce`].
pub fn arg_scan(x: &Tensor, axis: usize, greatest: bool) -> Result<Tensor> {
    let op = if greatest { "cummax" } else { "cummin" };
    let split = Split::new(op, x.shape(), axis)?;
    let x = compact(x)?;
    by_order!(op, x.dtype(), T => {
        let source = x.as_slice::<T>()?;
        // SAFETY: each group writes its lanes, and all lanes belong to a group.
        unsafe {
            Tensor::build(op, x.shape(), |out: *mut i64, _| {
                let out = Place(out);
                split.for_each_group(op, BESIDE, |Group { first, step, lanes, .. }| {
                    let mut best = [(0u64, 0i64); BESIDE];
                    for k in 0..split.extent {
                        for i in 0..lanes {
                            let key = rank(source[first + k * step + i], greatest);
                            if k == 0 || key > best[i].0 {
                                best[i] = (key, k as i64);
                            }
                            out.at(first + k * step + i).write(best[i].1);
                        }
                    }
                })
            })
        }
    })
}

/// The order in which the wanted extremum, and NaN above it, is the greatest.
#[inline(always)]
fn rank<T: Key>(value: T, greatest: bool) -> u64 {
    if greatest { value.key() } else { value.reversed_key() }
}

/// For each value the number of elements of the ascending `sorted` below it, or not above it if `right`.
pub fn search_sorted(sorted: &Tensor, values: &Tensor, right: bool) -> Result<Tensor> {
    let op = "searchsorted";
    let (sorted, values) = (compact(sorted)?, compact(values)?);
    by_order!(op, values.dtype(), T => {
        let (list, source) = (sorted.as_slice::<T>()?, values.as_slice::<T>()?);
        let split = Split { before: 1, extent: 1, after: source.len() };
        // SAFETY: each group writes the result of its value.
        unsafe {
            Tensor::build(op, values.shape(), |out: *mut i64, _| {
                let out = Place(out);
                split.for_each_group(op, 1, |Group { first, .. }| {
                    let key = source[first].key();
                    let count = list.partition_point(|other| other.key() < key || right && other.key() == key);
                    out.at(first).write(count as i64);
                })
            })
        }
    })
}
