use crate::{Error, Result, Variant};
use smallvec::SmallVec;

/// Extents of a tensor's axes; up to five without a heap allocation.
pub type Dims = SmallVec<[usize; 5]>;
/// Steps between neighbours along each axis, in elements.
pub type Strides = SmallVec<[isize; 5]>;

/// Where the elements of a tensor lie in its storage: shape, strides and offset, all in elements.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    shape: Dims,
    strides: Strides,
    offset: usize,
    size: usize,
    compact: bool,
}

impl Clone for Layout {
    fn clone(&self) -> Self {
        Layout { shape: Dims::from_slice(&self.shape), strides: Strides::from_slice(&self.strides), ..*self }
    }
}

/// The shape as Python shows it.
pub fn show_shape(shape: &[usize]) -> String {
    match shape {
        [n] => format!("({n},)"),
        _ => {
            let parts: Vec<_> = shape.iter().map(usize::to_string).collect();
            format!("({})", parts.join(", "))
        }
    }
}

/// Number of elements of `shape`; every partial product (zero extents counted as one) must stay addressable, so that
/// strides and byte counts derived from it never overflow.
pub fn checked_size(op: &'static str, shape: &[usize], itemsize: usize) -> Result<usize> {
    let mut reach: usize = itemsize.max(1);
    let mut size: usize = 1;
    for &extent in shape {
        reach = reach.checked_mul(extent.max(1)).filter(|&bytes| bytes <= isize::MAX as usize).ok_or_else(|| {
            Error::new(
                Variant::IntegerOverflow,
                op,
                format!("shape {} has more elements than memory can address", show_shape(shape)),
            )
        })?;
        size *= extent;
    }
    Ok(size)
}

/// Column-major strides of a compact tensor.
pub fn compact_strides(shape: &[usize]) -> Strides {
    let mut strides = Strides::from_elem(1, shape.len());
    let mut step = 1isize;
    for (stride, &extent) in strides.iter_mut().zip(shape) {
        *stride = step;
        step *= extent.max(1) as isize;
    }
    strides
}

/// The NumPy broadcast of two shapes (right-aligned, extents equal or 1).
#[inline]
pub fn broadcast_shapes(op: &'static str, lhs: &[usize], rhs: &[usize]) -> Result<Dims> {
    if lhs == rhs { Ok(Dims::from_slice(lhs)) } else { stretched(op, lhs, rhs) }
}

fn stretched(op: &'static str, lhs: &[usize], rhs: &[usize]) -> Result<Dims> {
    let rank = lhs.len().max(rhs.len());
    let mut out = Dims::from_elem(1, rank);
    for (i, slot) in out.iter_mut().enumerate() {
        let from = |s: &[usize]| (i + s.len()).checked_sub(rank).map_or(1, |j| s[j]);
        let (a, b) = (from(lhs), from(rhs));
        *slot = match (a, b) {
            _ if a == b => a,
            (1, _) => b,
            (_, 1) => a,
            _ => return Err(Error::shapes(op, lhs, rhs)),
        };
    }
    Ok(out)
}

impl Layout {
    /// Compact column-major layout.
    #[inline]
    pub fn compact(shape: &[usize]) -> Layout {
        Layout::compact_of(shape, shape.iter().product())
    }

    /// Compact column-major layout of a shape whose size is known.
    #[inline]
    pub(crate) fn compact_of(shape: &[usize], size: usize) -> Layout {
        Layout { shape: Dims::from_slice(shape), strides: compact_strides(shape), offset: 0, size, compact: true }
    }

    /// A layout with explicit strides; the caller vouches that every element lies inside the storage.
    pub fn strided(shape: Dims, strides: Strides, offset: usize) -> Layout {
        debug_assert_eq!(shape.len(), strides.len());
        let size = shape.iter().product();
        let compact = size == 0 || {
            let mut step = 1isize;
            shape.iter().zip(&strides).all(|(&extent, &stride)| {
                let fits = extent == 1 || stride == step;
                step *= extent as isize;
                fits
            })
        };
        Layout { shape, strides, offset, size, compact }
    }

    /// Extents.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Steps in elements.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Position of the first element.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Number of elements.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether the elements lie without gaps in column-major order.
    pub fn is_compact(&self) -> bool {
        self.compact
    }

    /// Axes reordered: axis `i` of the result is axis `perm[i]` of this one.
    pub fn permuted(&self, perm: &[usize]) -> Layout {
        Layout::strided(
            perm.iter().map(|&p| self.shape[p]).collect(),
            perm.iter().map(|&p| self.strides[p]).collect(),
            self.offset,
        )
    }

    /// `start`, `count` and `step` (never 0) per axis; a negative step walks backwards from `start`.
    pub fn sliced(&self, ranges: &[(usize, usize, isize)]) -> Layout {
        let mut offset = self.offset as isize;
        let mut shape = Dims::new();
        let mut strides = Strides::new();
        for (axis, &(start, count, step)) in ranges.iter().enumerate() {
            if count > 0 {
                offset += start as isize * self.strides[axis];
            }
            shape.push(count);
            strides.push(if count > 1 { self.strides[axis] * step } else { self.strides[axis] });
        }
        let size: usize = shape.iter().product();
        Layout::strided(shape, strides, if size == 0 { self.offset } else { offset as usize })
    }

    /// Each axis in `axes` walked backwards.
    pub fn reversed(&self, axes: &[usize]) -> Layout {
        let ranges: SmallVec<[(usize, usize, isize); 5]> = self
            .shape
            .iter()
            .enumerate()
            .map(|(axis, &n)| if axes.contains(&axis) && n > 0 { (n - 1, n, -1) } else { (0, n, 1) })
            .collect();
        self.sliced(&ranges)
    }

    /// Input axis `i` placed at output axis `dims[i]` of `shape`; all other and all stretched axes get stride 0.
    pub fn broadcast_in_dim(&self, shape: &[usize], dims: &[usize]) -> Layout {
        let mut strides = Strides::from_elem(0, shape.len());
        for (axis, &at) in dims.iter().enumerate() {
            if self.shape[axis] == shape[at] && shape[at] != 1 {
                strides[at] = self.strides[axis];
            }
        }
        Layout::strided(Dims::from_slice(shape), strides, self.offset)
    }

    /// The same elements under another shape of equal size, if no copy is needed.
    pub fn reshaped(&self, shape: &[usize]) -> Option<Layout> {
        if self.compact {
            return Some(Layout { offset: self.offset, ..Layout::compact(shape) });
        }
        let old: SmallVec<[(usize, isize); 5]> =
            self.shape.iter().copied().zip(self.strides.iter().copied()).filter(|&(n, _)| n != 1).collect();
        let mut strides = Strides::new();
        let (mut group, mut left, mut stride) = (0, 1usize, 1isize);
        for &extent in shape {
            if extent == 1 {
                strides.push(if left > 1 { stride } else { 1 });
                continue;
            }
            if left == 1 {
                (left, stride) = *old.get(group)?;
                group += 1;
                while let Some(&(n, s)) = old.get(group)
                    && s == stride * left as isize
                {
                    left *= n;
                    group += 1;
                }
            }
            if left % extent != 0 {
                return None;
            }
            strides.push(stride);
            stride *= extent as isize;
            left /= extent;
        }
        (left == 1 && group == old.len()).then(|| Layout::strided(Dims::from_slice(shape), strides, self.offset))
    }

    /// Lowest and highest element position that an element of this layout occupies; `None` without elements.
    pub fn bounds(&self) -> Option<(isize, isize)> {
        if self.size == 0 {
            return None;
        }
        let (mut low, mut high) = (self.offset as isize, self.offset as isize);
        for (&n, &s) in self.shape.iter().zip(&self.strides) {
            let reach = (n as isize - 1) * s;
            if reach < 0 { low += reach } else { high += reach }
        }
        Some((low, high))
    }
}
