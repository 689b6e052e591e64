use crate::convert::{cast, does_not_fit, fits};
use tenferro_tensor::{C64, C128, DType, Error, Result, Scalar, Tensor, Variant};

/// A number as the user wrote it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A real number.
    Float(f64),
    /// A complex number.
    Complex(C128),
}

impl Number {
    /// The dtype that holds it without loss.
    pub const fn dtype(self) -> DType {
        match self {
            Number::Bool(_) => DType::Bool,
            Number::Int(_) => DType::I64,
            Number::Float(_) => DType::F64,
            Number::Complex(_) => DType::C128,
        }
    }

    /// The number in double precision.
    pub fn complex(self) -> C128 {
        match self {
            Number::Bool(b) => C128::new(f64::from(u8::from(b)), 0.0),
            Number::Int(n) => C128::new(n as f64, 0.0),
            Number::Float(x) => C128::new(x, 0.0),
            Number::Complex(z) => z,
        }
    }

    /// The number as an integer of `dtype`: integers must fit, anything else follows the rules of `cast`.
    fn integer(self, op: &'static str, dtype: DType) -> Result<i64> {
        match self {
            Number::Bool(b) => Ok(b.into()),
            Number::Int(n) if dtype == DType::I32 && i32::try_from(n).is_err() => {
                let message = format!("expected an integer in the range of {dtype}, got {n}");
                Err(Error::new(Variant::IntegerOverflow, op, message))
            }
            Number::Int(n) => Ok(n),
            Number::Float(x) | Number::Complex(C128 { re: x, .. }) if fits(x, dtype) => Ok(x as i64),
            Number::Float(x) | Number::Complex(C128 { re: x, .. }) => Err(does_not_fit(x, dtype).in_op(op)),
        }
    }

    fn truth(self) -> bool {
        match self {
            Number::Bool(b) => b,
            Number::Int(n) => n != 0,
            Number::Float(x) => x != 0.0,
            Number::Complex(z) => z.re != 0.0 || z.im != 0.0,
        }
    }
}

/// A tensor whose element `i`, in column-major order, is `f(i)`.
pub(crate) fn generate<T: Scalar>(op: &'static str, shape: &[usize], mut f: impl FnMut(usize) -> T) -> Result<Tensor> {
    // SAFETY: every element is written.
    unsafe {
        Tensor::build(op, shape, |out: *mut T, n| {
            for i in 0..n {
                out.add(i).write(f(i));
            }
            Ok(())
        })
    }
}

/// All elements equal to `value`.
pub fn full(shape: &[usize], dtype: DType, value: Number) -> Result<Tensor> {
    let op = "full";
    let z = value.complex();
    match dtype {
        DType::F32 => {
            let x = if let Number::Int(n) = value { n as f32 } else { z.re as f32 };
            generate(op, shape, |_| x)
        }
        DType::F64 => generate(op, shape, |_| z.re),
        DType::C64 => generate(op, shape, |_| C64::new(z.re as f32, z.im as f32)),
        DType::C128 => generate(op, shape, |_| z),
        DType::I32 => {
            let n = value.integer(op, dtype)? as i32;
            generate(op, shape, |_| n)
        }
        DType::I64 => {
            let n = value.integer(op, dtype)?;
            generate(op, shape, |_| n)
        }
        DType::Bool => {
            let truth = value.truth();
            generate(op, shape, |_| truth)
        }
    }
}

/// Ones where `column - row == k`, zeros elsewhere.
pub fn eye(rows: usize, cols: usize, k: i64, dtype: DType) -> Result<Tensor> {
    fn build<T: Scalar>(rows: usize, cols: usize, k: i64, zero: T, one: T) -> Result<Tensor> {
        generate("eye", &[rows, cols], |i| {
            let (row, column) = (i % rows, i / rows);
            if column as i128 - row as i128 == k as i128 { one } else { zero }
        })
    }
    match dtype {
        DType::F32 => build(rows, cols, k, 0f32, 1.0),
        DType::F64 => build(rows, cols, k, 0f64, 1.0),
        DType::C64 => build(rows, cols, k, C64::new(0.0, 0.0), C64::new(1.0, 0.0)),
        DType::C128 => build(rows, cols, k, C128::new(0.0, 0.0), C128::new(1.0, 0.0)),
        DType::I32 => build(rows, cols, k, 0i32, 1),
        DType::I64 => build(rows, cols, k, 0i64, 1),
        DType::Bool => build(rows, cols, k, false, true),
    }
}

/// `start`, `start + step`, … below `stop` (above, for a negative step).
pub fn arange(start: Number, stop: Number, step: Number, dtype: DType) -> Result<Tensor> {
    let op = "arange";
    if dtype == DType::Bool {
        return Err(Error::unsupported_dtype(op, dtype, "a numeric dtype"));
    }
    for (argument, value) in [("start", start), ("stop", stop), ("step", step)] {
        match value {
            Number::Complex(z) => {
                return Err(Error::argument(op, argument, format!("expected a real number, got {z}")));
            }
            Number::Float(x) if !x.is_finite() => {
                return Err(Error::argument(op, argument, format!("expected a finite number, got {x}")));
            }
            _ => {}
        }
    }
    if !step.truth() {
        return Err(Error::argument(op, "step", "expected a number other than 0, got 0"));
    }
    let whole = |n: Number| match n {
        Number::Bool(b) => Some(i128::from(b)),
        Number::Int(n) => Some(i128::from(n)),
        _ => None,
    };
    if let (Some(first), Some(end), Some(step)) = (whole(start), whole(stop), whole(step)) {
        let span = if step > 0 { end - first } else { first - end };
        let step_size = step.abs();
        let count = if span <= 0 { 0 } else { (span + step_size - 1) / step_size };
        let last = first + step * (count - 1).max(0);
        if dtype == DType::I32 && count > 0 {
            for value in [first, last] {
                if i32::try_from(value).is_err() {
                    let message = format!("expected integers in the range of {dtype}, got {value}");
                    return Err(Error::new(Variant::IntegerOverflow, op, message));
                }
            }
        }
        let count = usize::try_from(count).map_err(|_| too_many(op, count as f64))?;
        let values = generate::<i64>(op, &[count], |i| (first + step * i as i128) as i64)?;
        return cast(&values, dtype).map_err(|e| e.in_op(op));
    }
    let (first, step) = (start.complex().re, step.complex().re);
    let count = ((stop.complex().re - first) / step).ceil().max(0.0);
    if count.is_nan() || count >= 9.0e15 {
        return Err(too_many(op, count));
    }
    let values = generate::<f64>(op, &[count as usize], |i| first + i as f64 * step)?;
    cast(&values, dtype).map_err(|e| e.in_op(op))
}

fn too_many(op: &'static str, count: f64) -> Error {
    Error::new(Variant::IntegerOverflow, op, format!("{count:e} elements are more than memory can address"))
}

/// `num` equidistant numbers from `start` to `stop`, the last one included if `endpoint`.
pub fn linspace(start: Number, stop: Number, num: usize, endpoint: bool, dtype: DType) -> Result<Tensor> {
    let op = "linspace";
    let (first, last) = (start.complex(), stop.complex());
    let pieces = if endpoint { num.saturating_sub(1) } else { num };
    let part = |first: f64, last: f64, i: usize| {
        let span = last - first;
        if endpoint && i + 1 == num && num > 1 {
            last
        } else if i == 0 {
            first
        } else if span.is_infinite() && first.is_finite() && last.is_finite() {
            let t = i as f64 / pieces as f64;
            first * (1.0 - t) + last * t
        } else {
            first + i as f64 * (span / pieces as f64)
        }
    };
    let natural = if matches!(start, Number::Complex(_)) || matches!(stop, Number::Complex(_)) {
        generate::<C128>(op, &[num], |i| C128::new(part(first.re, last.re, i), part(first.im, last.im, i)))?
    } else {
        generate::<f64>(op, &[num], |i| part(first.re, last.re, i))?
    };
    cast(&natural, dtype).map_err(|e| e.in_op(op))
}

/// 0, 1, 2, … in column-major order.
pub fn iota(shape: &[usize]) -> Result<Tensor> {
    generate::<i64>("iota", shape, |i| i as i64)
}

#[cfg(test)]
mod tests;
