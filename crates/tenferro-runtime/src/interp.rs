use crate::{Meta, Op, OutMeta};
use tenferro_tensor::{DType, Error, Result, Tensor};

/// Binds ops to inputs: computing, recording, or collecting linear rows.
pub trait Interp {
    /// What an op is bound to.
    type V: Clone;

    /// The result of `op` on `ins`.
    fn bind(&mut self, op: Op, ins: &[&Self::V]) -> Result<Self::V>;

    /// Dtype and shape of a value.
    fn meta<'a>(&'a self, value: &'a Self::V) -> Meta<'a>;

    /// A value nothing depends on.
    fn constant(&mut self, tensor: Tensor) -> Self::V;
}

/// What a rule sees of an input or the output: the value if the rule declared that it reads it, else its shape.
#[derive(Clone, Debug)]
pub enum Slot<V> {
    /// A saved value.
    Value(V),
    /// Dtype and shape only.
    Meta(OutMeta),
}

/// The point at which a rule is evaluated.
pub struct At<V> {
    /// The inputs of the op.
    pub ins: smallvec::SmallVec<[Slot<V>; 3]>,
    /// Its output.
    pub out: Slot<V>,
}

impl<V: Clone> At<V> {
    /// The value of input `i`; an error if the op does not declare that its rules read it.
    pub fn x(&self, i: usize) -> Result<&V> {
        match self.ins.get(i) {
            Some(Slot::Value(v)) => Ok(v),
            _ => Err(Error::internal("rule", format!("input {i} was read but is not declared as saved"))),
        }
    }

    /// The value of the output; an error if the op does not declare that its rules read it.
    pub fn y(&self) -> Result<&V> {
        match &self.out {
            Slot::Value(v) => Ok(v),
            Slot::Meta(_) => Err(Error::internal("rule", "the output was read but is not declared as saved")),
        }
    }

    /// Dtype and shape of input `i`.
    pub fn meta<I: Interp<V = V>>(&self, cx: &I, i: usize) -> OutMeta {
        self.slot_meta(cx, &self.ins[i])
    }

    /// Dtype and shape of the output.
    pub fn out_meta<I: Interp<V = V>>(&self, cx: &I) -> OutMeta {
        self.slot_meta(cx, &self.out)
    }

    /// Whether `value` has the shape of input `i`.
    pub fn fits<I: Interp<V = V>>(&self, cx: &I, i: usize, value: &V) -> bool {
        let shape = cx.meta(value).shape;
        match &self.ins[i] {
            Slot::Value(v) => cx.meta(v).shape == shape,
            Slot::Meta(m) => m.shape[..] == *shape,
        }
    }

    /// The dtype of input `i`.
    pub fn dtype<I: Interp<V = V>>(&self, cx: &I, i: usize) -> DType {
        match &self.ins[i] {
            Slot::Value(v) => cx.meta(v).dtype,
            Slot::Meta(m) => m.dtype,
        }
    }

    fn slot_meta<I: Interp<V = V>>(&self, cx: &I, slot: &Slot<V>) -> OutMeta {
        match slot {
            Slot::Value(v) => cx.meta(v).owned(),
            Slot::Meta(m) => m.clone(),
        }
    }
}
