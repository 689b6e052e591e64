//! Nested lists and tuples of numbers and arrays.

use super::classify::{Item, classify};
use super::foreign::from_row_major;
use crate::dtype::loses_imaginary_part;
use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use pyo3::prelude::*;
use tenferro_cpu::{Number, cast, compact};
use tenferro_tensor::{C128, DType, DTypeKind, Dims, Error, Tensor, Variant};

/// Deeper nesting is refused: it is a list that contains itself.
const MAX_DEPTH: usize = 200;
/// Objects visited between two looks at pending signals.
const SIGNALS_EVERY: usize = 1 << 18;

/// The elements read so far, in row-major order, in the widest type needed yet.
enum Elements {
    Bool(Vec<bool>),
    Int(Vec<i64>),
    Float(Vec<f64>),
    Complex(Vec<C128>),
}

/// What copies values on purpose and leaves the record behind.
const DETACHING: [&str; 6] =
    ["tensor", "asarray", "from_numpy", "from_vec_col_major", "from_vec_col_major_in", "constant_from_host"];

struct Walk {
    op: &'static str,
    wanted: Option<DType>,
    elements: Elements,
    dtype: Option<DType>,
    shape: Dims,
    /// Whether the first path down to an element, and with it the shape, is complete.
    complete: bool,
    huge_int: Option<f64>,
    visited: usize,
}

/// The tensor that a list or tuple describes, in the dtype asked for or the common one of all elements.
pub fn nested(item: &Item<'_>, wanted: Option<DType>, op: &'static str) -> Outcome<Tensor> {
    let mut walk = Walk {
        op,
        wanted,
        elements: Elements::Bool(Vec::new()),
        dtype: None,
        shape: Dims::new(),
        complete: false,
        huge_int: None,
        visited: 0,
    };
    walk.visit(item, 0)?;
    walk.finish()
}

impl Walk {
    fn visit(&mut self, item: &Item<'_>, depth: usize) -> Outcome<()> {
        match item {
            Item::List(list) => {
                let count = list.len();
                self.open(depth, count)?;
                for i in 0..count {
                    self.child(&list.get_item(i)?, depth)?;
                }
                Ok(())
            }
            Item::Tuple(tuple) => {
                self.open(depth, tuple.len())?;
                for child in tuple.iter_borrowed() {
                    self.child(&child, depth)?;
                }
                Ok(())
            }
            Item::Tensor(tensor) => {
                for (i, &extent) in tensor.shape().iter().enumerate() {
                    self.extent(depth + i, extent)?;
                }
                self.close(depth + tensor.rank())?;
                self.push_tensor(tensor)
            }
            Item::Number(number) => {
                self.close(depth)?;
                self.push(*number)
            }
            Item::HugeInt(value) => {
                self.close(depth)?;
                self.huge_int = Some(*value);
                let dtype = self.dtype.map_or(DType::I64, |d| d.promote(DType::I64));
                self.push(Number::Float(*value))?;
                self.dtype = Some(dtype);
                Ok(())
            }
        }
    }

    fn child(&mut self, object: &Bound<'_, PyAny>, depth: usize) -> Outcome<()> {
        self.visited += 1;
        if self.visited.is_multiple_of(SIGNALS_EVERY) {
            object.py().check_signals()?;
        }
        if !DETACHING.contains(&self.op)
            && let Ok(tensor) = object.cast::<PyEagerTensor>()
            && tensor.get().live()?.tracks_grad()
        {
            let message = "got a list with tracked tensors, whose gradients would be lost; join them with tf.stack";
            return Err(Error::argument(self.op, "inputs", message).into());
        }
        let item = classify(object, self.wanted, self.op)?;
        self.visit(&item, depth + 1)
    }

    fn open(&mut self, depth: usize, count: usize) -> Outcome<()> {
        if depth >= MAX_DEPTH {
            let message = format!("expected at most {MAX_DEPTH} nested levels; does the list contain itself?");
            return Err(Error::argument(self.op, "data", message).into());
        }
        self.extent(depth, count)?;
        if count == 0 {
            self.close(depth + 1)?;
        }
        self.reserve(count)
    }

    fn extent(&mut self, depth: usize, count: usize) -> Outcome<()> {
        if depth < self.shape.len() {
            let expected = self.shape[depth];
            return if expected == count { Ok(()) } else { Err(self.ragged(depth, count)) };
        }
        if self.complete {
            let message = format!("expected numbers at nesting level {depth}, as before, got a sequence of {count}");
            return Err(Error::new(Variant::ShapeMismatch, self.op, format!("argument 'data': {message}")).into());
        }
        self.shape.push(count);
        Ok(())
    }

    fn close(&mut self, rank: usize) -> Outcome<()> {
        self.complete = true;
        if rank == self.shape.len() {
            return Ok(());
        }
        let message = format!(
            "argument 'data': expected sequences of {} at nesting level {rank}, as before, got a number",
            self.shape[rank]
        );
        Err(Error::new(Variant::ShapeMismatch, self.op, message).into())
    }

    fn ragged(&self, depth: usize, count: usize) -> crate::errors::Failure {
        let mut actual = Dims::from_slice(&self.shape[..depth]);
        actual.push(count);
        let expected = &self.shape[..depth + 1];
        Error::shape(self.op, "argument 'data' is ragged", expected, &actual).into()
    }

    fn reserve(&mut self, count: usize) -> Outcome<()> {
        let done = match &mut self.elements {
            Elements::Bool(list) => list.try_reserve(count),
            Elements::Int(list) => list.try_reserve(count),
            Elements::Float(list) => list.try_reserve(count),
            Elements::Complex(list) => list.try_reserve(count),
        };
        done.map_err(|_| {
            let message = format!("a list of {count} more elements does not fit into memory");
            Error::new(Variant::OutOfMemory, self.op, message).into()
        })
    }

    fn push(&mut self, number: Number) -> Outcome<()> {
        let dtype = number.dtype();
        self.dtype = Some(self.dtype.map_or(dtype, |d| d.promote(dtype)));
        match (&mut self.elements, number) {
            (Elements::Float(list), Number::Float(x)) => list.push(x),
            (Elements::Int(list), Number::Int(x)) => list.push(x),
            (Elements::Complex(list), Number::Complex(x)) => list.push(x),
            (Elements::Bool(list), Number::Bool(x)) => list.push(x),
            (_, number) => {
                self.widen(dtype.kind());
                match &mut self.elements {
                    Elements::Bool(list) => list.push(as_f64(number) != 0.0),
                    Elements::Int(list) => list.push(as_i64(number)),
                    Elements::Float(list) => list.push(as_f64(number)),
                    Elements::Complex(list) => list.push(as_c128(number)),
                }
            }
        }
        Ok(())
    }

    fn push_tensor(&mut self, tensor: &Tensor) -> Outcome<()> {
        let dtype = tensor.dtype();
        self.dtype = Some(self.dtype.map_or(dtype, |d| d.promote(dtype)));
        self.widen(dtype.kind());
        self.reserve(tensor.size())?;
        let axes: Dims = (0..tensor.rank()).rev().collect();
        let rows = tensor.with_layout(tensor.layout().permuted(&axes));
        match &mut self.elements {
            Elements::Bool(list) => list.extend_from_slice(compact(&rows)?.as_slice()?),
            Elements::Int(list) => list.extend_from_slice(compact(&cast(&rows, DType::I64)?)?.as_slice()?),
            Elements::Float(list) => list.extend_from_slice(compact(&cast(&rows, DType::F64)?)?.as_slice()?),
            Elements::Complex(list) => list.extend_from_slice(compact(&cast(&rows, DType::C128)?)?.as_slice()?),
        }
        Ok(())
    }

    /// Makes the elements wide enough for numbers of `kind`.
    fn widen(&mut self, kind: DTypeKind) {
        let taken = std::mem::replace(&mut self.elements, Elements::Bool(Vec::new()));
        self.elements = match (taken, kind) {
            (Elements::Bool(list), DTypeKind::Int) => Elements::Int(list.into_iter().map(i64::from).collect()),
            (Elements::Bool(list), DTypeKind::Real) => {
                Elements::Float(list.into_iter().map(|x| as_f64(Number::Bool(x))).collect())
            }
            (Elements::Bool(list), DTypeKind::Complex) => {
                Elements::Complex(list.into_iter().map(|x| as_c128(Number::Bool(x))).collect())
            }
            (Elements::Int(list), DTypeKind::Real) => Elements::Float(list.into_iter().map(|x| x as f64).collect()),
            (Elements::Int(list), DTypeKind::Complex) => {
                Elements::Complex(list.into_iter().map(|x| as_c128(Number::Int(x))).collect())
            }
            (Elements::Float(list), DTypeKind::Complex) => {
                Elements::Complex(list.into_iter().map(|x| as_c128(Number::Float(x))).collect())
            }
            (taken, _) => taken,
        };
    }

    fn finish(self) -> Outcome<Tensor> {
        let op = self.op;
        let found = self.dtype.unwrap_or(DType::F64);
        let target = self.wanted.unwrap_or(found);
        if let Some(value) = self.huge_int
            && target.kind() == DTypeKind::Int
        {
            return Err(too_large(op, target, value));
        }
        if found.is_complex() && !target.is_complex() {
            return Err(loses_imaginary_part(op, found, target).into());
        }
        if target == DType::I32
            && let Elements::Int(list) = &self.elements
            && let Some(&value) = list.iter().find(|&&x| i32::try_from(x).is_err())
        {
            return Err(too_large(op, target, value as f64));
        }
        let tensor = match &self.elements {
            Elements::Bool(list) => from_row_major(op, &self.shape, list),
            Elements::Int(list) => from_row_major(op, &self.shape, list),
            Elements::Float(list) => from_row_major(op, &self.shape, list),
            Elements::Complex(list) => from_row_major(op, &self.shape, list),
        }?;
        Ok(cast(&tensor, target).map_err(|error| error.in_op(op))?)
    }
}

/// The error for an integer that `dtype` cannot hold.
pub fn too_large(op: &'static str, dtype: DType, value: f64) -> crate::errors::Failure {
    let dtype = if dtype == DType::I32 { dtype } else { DType::I64 };
    let message = format!("argument 'data': expected integers that fit into {dtype}, got {value:.0}");
    Error::new(Variant::IntegerOverflow, op, message).into()
}

fn as_i64(number: Number) -> i64 {
    match number {
        Number::Bool(x) => i64::from(x),
        Number::Int(x) => x,
        Number::Float(x) => x as i64,
        Number::Complex(x) => x.re as i64,
    }
}

fn as_f64(number: Number) -> f64 {
    match number {
        Number::Bool(x) => f64::from(u8::from(x)),
        Number::Int(x) => x as f64,
        Number::Float(x) => x,
        Number::Complex(x) => x.re,
    }
}

fn as_c128(number: Number) -> C128 {
    match number {
        Number::Complex(x) => x,
        other => C128::new(as_f64(other), 0.0),
    }
}
