use crate::binary::same_dtype;
use crate::elementwise::map3;
use crate::math::RealMath;
use tenferro_tensor::{DType, Error, Result, Tensor, for_each_dtype};

macro_rules! dispatch_select {
    ($(($variant:ident, $ty:ty, $name:literal)),* $(,)?) => {
        fn choose(cond: &Tensor, a: &Tensor, b: &Tensor) -> Result<Tensor> {
            match a.dtype() {
                $(DType::$variant => {
                    map3::<bool, $ty, $ty, $ty>("select", cond, a, b, |take, x, y| if take { x } else { y })
                })*
            }
        }
    };
}
for_each_dtype!(dispatch_select);

/// Elements of `a` where `cond` holds, of `b` elsewhere; all three broadcast.
pub fn select(cond: &Tensor, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if cond.dtype() != DType::Bool {
        return Err(Error::dtype("select", "argument 'cond'", DType::Bool, cond.dtype()));
    }
    same_dtype("select", a, b)?;
    choose(cond, a, b)
}

/// `min(max(x, lower), upper)`; NaN in any of them gives NaN.
pub fn clamp(x: &Tensor, lower: &Tensor, upper: &Tensor) -> Result<Tensor> {
    for (bound, what) in [(lower, "argument 'lower'"), (upper, "argument 'upper'")] {
        if bound.dtype() != x.dtype() {
            return Err(Error::dtype("clamp", what, x.dtype(), bound.dtype()));
        }
    }
    match x.dtype() {
        DType::F32 => map3::<f32, f32, f32, f32>("clamp", x, lower, upper, |x, lo, hi| x.larger(lo).smaller(hi)),
        DType::F64 => map3::<f64, f64, f64, f64>("clamp", x, lower, upper, |x, lo, hi| x.larger(lo).smaller(hi)),
        other => Err(Error::unsupported_dtype("clamp", other, "float32 or float64")),
    }
}
