use super::{Side, build, bytes, copy_strided, start};
use smallvec::SmallVec;
use tenferro_tensor::{Dims, Error, Result, Strides, Tensor, Variant, checked_size, compact_strides};

/// Where the elements of one axis go.
struct Placed {
    extent: usize,
    /// First position and number of the input's elements that are kept.
    kept: (usize, usize),
    /// Position of the first kept element in the result.
    first: usize,
}

fn place(op: &'static str, axis: usize, n: usize, low: i64, high: i64, interior: usize) -> Result<Placed> {
    let step = interior as i128 + 1;
    let (n, low) = (n as i128, i128::from(low));
    let spread = if n == 0 { 0 } else { (n - 1) * step + 1 };
    let extent = spread + low + i128::from(high);
    if extent < 0 {
        let argument = if low <= i128::from(high) { "low" } else { "high" };
        let message = format!(
            "axis {axis} of extent {n} has {spread} places, low {low} and high {high} would leave {extent} of them"
        );
        return Err(Error::argument(op, argument, message));
    }
    // Element i goes to place low + i * step; those inside 0..extent are kept.
    let from = if low < 0 { (step - 1 - low) / step } else { 0 }.min(n);
    let to = ((extent - 1 - low).div_euclid(step) + 1).clamp(from, n);
    let first = if to > from { low + from * step } else { 0 };
    let narrow = |value: i128| {
        usize::try_from(value)
            .map_err(|_| Error::new(Variant::IntegerOverflow, op, format!("axis {axis} would get {extent} elements")))
    };
    Ok(Placed { extent: narrow(extent)?, kept: (narrow(from)?, narrow(to - from)?), first: narrow(first)? })
}

/// Zeros (false) before, after and between the elements; negative `low` and `high` crop.
pub fn pad(x: &Tensor, low: &[i64], high: &[i64], interior: &[usize]) -> Result<Tensor> {
    let op = "pad";
    for (name, entries) in [("low", low.len()), ("high", high.len()), ("interior", interior.len())] {
        if entries != x.rank() {
            let message = format!("expected {} entries, one per axis, got {entries}", x.rank());
            return Err(Error::argument(op, name, message));
        }
    }
    let mut shape = Dims::new();
    let mut kept: SmallVec<[(usize, usize, isize); 6]> = SmallVec::new();
    let mut first = Dims::new();
    for (axis, &n) in x.shape().iter().enumerate() {
        let placed = place(op, axis, n, low[axis], high[axis], interior[axis])?;
        shape.push(placed.extent);
        kept.push((placed.kept.0, placed.kept.1, 1));
        first.push(placed.first);
    }
    let size = checked_size(op, &shape, x.dtype().itemsize())?;
    let source = x.with_layout(x.layout().sliced(&kept));
    build(op, x.dtype(), &shape, |out| {
        if source.size() < size {
            // SAFETY: the result has `size` elements; zero bits are zero or false.
            unsafe { std::ptr::write_bytes(out, 0, size * x.dtype().itemsize()) };
        }
        if source.size() == 0 {
            return Ok(());
        }
        let compact = bytes(&compact_strides(&shape), x.dtype());
        let corner: isize = first.iter().zip(&compact).map(|(&at, &step)| at as isize * step).sum();
        // A step that wraps belongs to an axis with one kept element.
        let to: Strides = compact
            .iter()
            .zip(interior)
            .map(|(step, &gap)| step.wrapping_mul((gap as isize).wrapping_add(1)))
            .collect();
        let from = bytes(source.strides(), x.dtype());
        let from = Side { start: start(&source), steps: &from };
        let to = Side { start: out.wrapping_offset(corner), steps: &to };
        // SAFETY: the kept elements were chosen so that each goes to a place inside the result.
        unsafe { copy_strided(op, x.dtype().itemsize(), source.shape(), from, to) }
    })
}

/// The inputs side by side along `axis`; dtypes and all other extents must agree.
pub fn concatenate(inputs: &[&Tensor], axis: usize) -> Result<Tensor> {
    let op = "concatenate";
    let Some(&first) = inputs.first() else {
        return Err(Error::argument(op, "inputs", "expected at least one tensor, got none"));
    };
    if axis >= first.rank() {
        return Err(Error::axis(op, i64::try_from(axis).unwrap_or(i64::MAX), first.rank()));
    }
    let mut shape = first.dims();
    shape[axis] = 0;
    for (position, x) in inputs.iter().enumerate() {
        if x.dtype() != first.dtype() {
            return Err(Error::dtype(op, &format!("input {position}"), first.dtype(), x.dtype()));
        }
        if x.rank() != first.rank() {
            return Err(Error::rank(op, &format!("input {position}"), first.rank(), x.rank()));
        }
        if (0..x.rank()).any(|other| other != axis && x.shape()[other] != first.shape()[other]) {
            return Err(Error::shapes(op, first.shape(), x.shape()));
        }
        let Some(total) = shape[axis].checked_add(x.shape()[axis]) else {
            let message = format!("axis {axis} would have more elements than memory can address");
            return Err(Error::new(Variant::IntegerOverflow, op, message));
        };
        shape[axis] = total;
    }
    build(op, first.dtype(), &shape, |out| {
        let steps = bytes(&compact_strides(&shape), first.dtype());
        let mut at = 0isize;
        for x in inputs {
            let from = bytes(x.strides(), x.dtype());
            let from = Side { start: start(x), steps: &from };
            let to = Side { start: out.wrapping_offset(at), steps: &steps };
            // SAFETY: the inputs' extents along `axis` add up to the result's, so each slab lies inside it.
            unsafe { copy_strided(op, x.dtype().itemsize(), x.shape(), from, to)? };
            at += steps[axis] * x.shape()[axis] as isize;
        }
        Ok(())
    })
}
