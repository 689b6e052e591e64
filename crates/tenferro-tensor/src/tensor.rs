use crate::{Buffer, DType, Dims, Error, Layout, Result, Scalar, Variant, checked_size};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A dense tensor: dtype, layout and shared immutable storage in one allocation. Cloning is a pointer copy.
#[derive(Clone)]
pub struct Tensor(Arc<Inner>);

struct Inner {
    /// Handles that gave their value away but are still referred to.
    retired: AtomicUsize,
    layout: Layout,
    dtype: DType,
    storage: Storage,
}

enum Storage {
    Own(Buffer),
    /// The owner, never itself a view.
    View(Tensor),
}

impl Tensor {
    /// A compact tensor over `buffer`, which must hold at least as many elements of `dtype` as `shape` has and must be
    /// initialised there.
    #[inline]
    pub fn from_buffer(buffer: Buffer, dtype: DType, shape: &[usize]) -> Tensor {
        Tensor(Arc::new(Inner {
            retired: AtomicUsize::new(0),
            layout: Layout::compact(shape),
            dtype,
            storage: Storage::Own(buffer),
        }))
    }

    /// A tensor with any layout over foreign memory; the caller vouches that every element lies inside.
    pub fn from_foreign(buffer: Buffer, dtype: DType, layout: Layout) -> Tensor {
        Tensor(Arc::new(Inner { retired: AtomicUsize::new(0), layout, dtype, storage: Storage::Own(buffer) }))
    }

    /// A compact tensor whose elements `fill` writes; `fill` gets all of them, uninitialised.
    ///
    /// # Safety
    /// `fill` must have written every element when it returns `Ok`, and must not read one before.
    #[inline]
    pub unsafe fn build<T: Scalar>(
        op: &'static str,
        shape: &[usize],
        fill: impl FnOnce(*mut T, usize) -> Result<()>,
    ) -> Result<Tensor> {
        let count = checked_size(op, shape, size_of::<T>())?;
        let storage = Storage::Own(Buffer::new(op, T::DTYPE, shape, count)?);
        let layout = Layout::compact_of(shape, count);
        let mut inner = Arc::new(Inner { retired: AtomicUsize::new(0), layout, dtype: T::DTYPE, storage });
        // Filled where it stays: the inline space then is not copied once more.
        let start = match Arc::get_mut(&mut inner) {
            Some(Inner { storage: Storage::Own(buffer), .. }) => buffer.as_mut_ptr(),
            _ => return Err(Error::internal(op, "a new tensor is shared")),
        };
        fill(start.cast(), count)?;
        Ok(Tensor(inner))
    }

    /// A tensor from elements in column-major order.
    pub fn from_slice<T: Scalar>(op: &'static str, shape: &[usize], data: &[T]) -> Result<Tensor> {
        let count = checked_size(op, shape, size_of::<T>())?;
        if count != data.len() {
            let message = format!(
                "argument 'data': expected {count} elements for shape {}, got {}",
                crate::show_shape(shape),
                data.len()
            );
            return Err(Error::new(Variant::ShapeMismatch, op, message)
                .with("expected", &[count][..])
                .with("actual", &[data.len()][..]));
        }
        // SAFETY: all `count` elements are copied; the regions are distinct allocations.
        unsafe {
            Tensor::build(op, shape, |out: *mut T, n| {
                std::ptr::copy_nonoverlapping(data.as_ptr(), out, n);
                Ok(())
            })
        }
    }

    /// A rank-0 tensor.
    pub fn scalar<T: Scalar>(value: T) -> Result<Tensor> {
        Tensor::from_slice("scalar", &[], &[value])
    }

    /// The same storage under another layout; the caller vouches that it stays inside.
    pub fn with_layout(&self, layout: Layout) -> Tensor {
        let owner = match &self.0.storage {
            Storage::Own(_) => self.clone(),
            Storage::View(owner) => owner.clone(),
        };
        Tensor(Arc::new(Inner {
            retired: AtomicUsize::new(0),
            layout,
            dtype: self.0.dtype,
            storage: Storage::View(owner),
        }))
    }

    /// The dtype.
    pub fn dtype(&self) -> DType {
        self.0.dtype
    }

    /// The extents.
    pub fn shape(&self) -> &[usize] {
        self.0.layout.shape()
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.0.layout.shape().len()
    }

    /// The number of elements.
    pub fn size(&self) -> usize {
        self.0.layout.size()
    }

    /// Steps between neighbours, in elements.
    pub fn strides(&self) -> &[isize] {
        self.0.layout.strides()
    }

    /// Shape, strides and offset.
    pub fn layout(&self) -> &Layout {
        &self.0.layout
    }

    /// The storage.
    pub fn buffer(&self) -> &Buffer {
        match &self.0.storage {
            Storage::Own(buffer) => buffer,
            Storage::View(owner) => owner.buffer(),
        }
    }

    /// Whether the storage belongs to another tensor.
    pub fn is_view(&self) -> bool {
        matches!(self.0.storage, Storage::View(_))
    }

    /// Whether the elements lie without gaps in column-major order.
    pub fn is_compact(&self) -> bool {
        self.0.layout.is_compact()
    }

    /// Address of the element with all indices zero; `T` must be the dtype's type.
    pub fn as_ptr<T: Scalar>(&self) -> *const T {
        debug_assert_eq!(T::DTYPE, self.0.dtype);
        self.buffer().as_ptr().cast::<T>().wrapping_add(self.0.layout.offset())
    }

    /// The elements in column-major order, without a copy; an error names the reason why that is not possible.
    pub fn as_slice<T: Scalar>(&self) -> Result<&[T]> {
        if T::DTYPE != self.0.dtype {
            return Err(Error::dtype("as_slice", "argument 'dtype'", self.0.dtype, T::DTYPE));
        }
        if !self.is_compact() {
            return Err(Error::new(
                Variant::NonContiguous,
                "as_slice",
                format!(
                    "expected a compact column-major value, got strides {:?} for shape {}; use to_tensor() or numpy()",
                    self.strides(),
                    crate::show_shape(self.shape())
                ),
            ));
        }
        if self.size() == 0 {
            return Ok(&[]);
        }
        // SAFETY: a compact layout's elements lie side by side from the offset on, inside the initialised storage, which
        // nobody writes while `self` holds it; the type is the dtype's.
        Ok(unsafe { std::slice::from_raw_parts(self.as_ptr(), self.size()) })
    }

    /// The one element of a tensor of size 1.
    pub fn item<T: Scalar>(&self) -> Option<T> {
        (T::DTYPE == self.0.dtype && self.size() == 1).then(|| {
            // SAFETY: the one element lies at the offset, since every index is zero.
            unsafe { self.as_ptr::<T>().read() }
        })
    }

    /// Whether no other handle or view shares the value.
    pub fn is_unique(&self) -> bool {
        self.is_shared_by(1)
    }

    /// Whether exactly `count` handles or views share the value.
    pub fn is_shared_by(&self, count: usize) -> bool {
        Arc::strong_count(&self.0) == count + self.0.retired.load(Relaxed)
    }

    /// Marks `count` handles as no longer owners: they gave the value away but are still referred to. A negative count takes
    /// that back, when they go.
    pub fn retire(&self, count: isize) {
        self.0.retired.fetch_add(count as usize, Relaxed);
    }

    /// The same storage as a compact tensor of another shape of equal size, itself the owner where nobody shares it.
    pub fn into_compact_shape(self, shape: &[usize]) -> Tensor {
        let layout = Layout::compact(shape);
        if !self.is_compact() || layout.size() != self.size() {
            return self;
        }
        match Arc::try_unwrap(self.0) {
            Ok(inner) if inner.layout.offset() == 0 => Tensor(Arc::new(Inner { layout, ..inner })),
            Ok(inner) => Tensor(Arc::new(inner)),
            Err(shared) => Tensor(shared).with_layout(layout),
        }
    }

    /// An address that identifies the value among the live ones.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// The shape as owned extents.
    pub fn dims(&self) -> Dims {
        Dims::from_slice(self.shape())
    }
}

impl std::fmt::Debug for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tensor({}, {})", self.0.dtype, crate::show_shape(self.shape()))
    }
}
