use crate::batch::Items;
use crate::ops::*;
use crate::{At, Interp, Meta, OutMeta};
use tenferro_tensor::{DType, Result, Tensor};

/// How an output depends on one input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// (Real-)linear in the input with the others fixed: the op gives its adjoint.
    Linear,
    /// Differentiable: the op gives its tangent, in ops that are linear in it.
    Tangent,
    /// Piecewise constant: the derivative is zero.
    Zero,
    /// No derivative exists: indices, conditions, integers.
    Inactive,
}

/// Which values the rules of one input read: bit `i` for input `i`, [`Saves::OUT`] for the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Saves(pub u8);

impl Saves {
    /// Nothing.
    pub const NONE: Saves = Saves(0);
    /// The output.
    pub const OUT: Saves = Saves(128);

    /// Input `i`.
    pub const fn input(i: usize) -> Saves {
        Saves(1 << i)
    }

    /// Both.
    pub const fn and(self, other: Saves) -> Saves {
        Saves(self.0 | other.0)
    }

    /// Whether input `i` is read.
    pub const fn has(self, i: usize) -> bool {
        i < 7 && self.0 & (1 << i) != 0
    }

    /// Whether the output is read.
    pub const fn has_out(self) -> bool {
        self.0 & 128 != 0
    }
}

/// One op: what it computes and how it is differentiated. Exactly one of `adjoint` and `tangent` is called per input,
/// as `rule` says; both are written in ops, so derivatives are differentiable to any order.
pub trait Primitive {
    /// The op's one name.
    fn name(&self) -> &'static str;

    /// Shape and dtype of the result, after all checks of the arguments.
    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta>;

    /// The checks of `meta` alone.
    fn check(&self, ins: &[Meta<'_>]) -> Result<()> {
        self.meta(ins).map(drop)
    }

    /// The result; `meta` has accepted the inputs.
    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor>;

    /// How the result depends on input `i`, whose dtype is `dtype`.
    fn rule(&self, i: usize, dtype: DType) -> Rule;

    /// What the rule of input `i` reads.
    fn saves(&self, i: usize) -> Saves {
        let _ = i;
        Saves::NONE
    }

    /// Whether the op is linear in all its linear inputs together, as a sum is and a product is not.
    fn additive(&self) -> bool {
        false
    }

    /// Jᴴ·ct for a linear input, under Re⟨a, b⟩.
    fn adjoint<I: Interp>(&self, cx: &mut I, i: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let _ = (cx, ct, at);
        missing(self.name(), "adjoint", i)
    }

    /// The op on every item of a batch at once.
    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V>;

    /// J·t for a nonlinear input, in ops linear in `t`.
    fn tangent<I: Interp>(&self, cx: &mut I, i: usize, t: &I::V, at: &At<I::V>) -> Result<I::V> {
        let _ = (cx, t, at);
        missing(self.name(), "tangent", i)
    }
}

fn missing<T>(op: &'static str, what: &str, i: usize) -> Result<T> {
    Err(tenferro_tensor::Error::internal(op, format!("no {what} for input {i}")))
}

macro_rules! ops {
    ($($variant:ident in $held:ty),* $(,)?) => {
        /// Every op there is; each variant is a small struct that says what to compute.
        #[derive(Clone, Debug)]
        pub enum Op { $(#[doc = concat!("See [`", stringify!($variant), "`].")] $variant($held)),* }

        $(impl From<$variant> for Op {
            fn from(op: $variant) -> Op {
                Op::$variant(op.into())
            }
        })*

        impl Primitive for Op {
            fn name(&self) -> &'static str {
                match self { $(Op::$variant(op) => op.name()),* }
            }
            #[inline]
            fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
                match self { $(Op::$variant(op) => op.meta(ins)),* }
            }
            #[inline]
            fn check(&self, ins: &[Meta<'_>]) -> Result<()> {
                match self { $(Op::$variant(op) => op.check(ins)),* }
            }
            #[inline]
            fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
                match self { $(Op::$variant(op) => op.eval(ins)),* }
            }
            #[inline]
            fn rule(&self, i: usize, dtype: DType) -> Rule {
                match self { $(Op::$variant(op) => op.rule(i, dtype)),* }
            }
            #[inline]
            fn saves(&self, i: usize) -> Saves {
                match self { $(Op::$variant(op) => op.saves(i)),* }
            }
            fn additive(&self) -> bool {
                match self { $(Op::$variant(op) => op.additive()),* }
            }
            fn adjoint<I: Interp>(&self, cx: &mut I, i: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
                match self { $(Op::$variant(op) => op.adjoint(cx, i, ct, at)),* }
            }
            fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
                match self { $(Op::$variant(op) => op.batched(cx, items)),* }
            }
            fn tangent<I: Interp>(&self, cx: &mut I, i: usize, t: &I::V, at: &At<I::V>) -> Result<I::V> {
                match self { $(Op::$variant(op) => op.tangent(cx, i, t, at)),* }
            }
        }

        /// Samples of every op, for the tester.
        pub fn catalog() -> Vec<crate::Sample> {
            let mut all = Vec::new();
            $(all.extend($variant::samples());)*
            all
        }
    };
}

// Ops whose fields are many live on the heap, because every value of the enum is as large as the largest.
ops! {
    Unary in Unary,
    Sinc in Sinc,
    Ordered in Ordered,
    Binary in Binary,
    Compare in Compare,
    Select in Select,
    Clamp in Clamp,
    Convert in Convert,
    Reduce in Reduce,
    Transpose in Transpose,
    Reshape in Reshape,
    Broadcast in Box<Broadcast>,
    Reverse in Reverse,
    Slice in Slice,
    Pad in Pad,
    Concatenate in Concatenate,
    Take in Take,
    TakeAdd in TakeAdd,
    TakeFlat in Box<TakeFlat>,
    ScatterFlat in Box<ScatterFlat>,
    PutFlat in PutFlat,
    Gather in Gather,
    Scatter in Scatter,
    Dot in Dot,
    Scan in Scan,
    ArgSort in ArgSort,
    ArgReduce in ArgReduce,
    ArgScan in ArgScan,
    SearchSorted in SearchSorted,
    TakeAlong in TakeAlong,
    AddAlong in AddAlong,
    Stop in Stop,
    Fft in Box<Fft>,
    RealFft in RealFft,
    RealInverseFft in Box<RealInverseFft>,
    Softmax in Softmax,
}
