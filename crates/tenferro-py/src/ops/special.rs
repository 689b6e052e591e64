//! Special functions of real numbers. Accuracy, where the docstring says nothing: at most 1 ulp.

use crate::call::Operand;
use tenferro_ad::ops::functions;
use tenferro_ad::ops::numeric;
use tenferro_cpu::{OrderedFn, UnaryOp};
use tenferro_tensor::Error;

/// Rows of the table of elementwise functions.
macro_rules! analytic {
    ($($(#[doc = $doc:literal])* [$($name:ident),+] $op:ident;)*) => {
        $( tensor_op! { [$($name),+] { $(#[doc = $doc])* (x) () () } |cx| numeric::analytic(cx, UnaryOp::$op, &x) } )*
    };
}

/// Functions with an integer order.
macro_rules! ordered {
    ($($(#[doc = $doc:literal])* [$($name:ident),+] $function:ident $order:literal;)*) => {
        $( tensor_op! { [$($name),+] { $(#[doc = $doc])* (x) () () }
            |cx| functions::ordered(cx, OrderedFn::$function, $order, &x) } )*
    };
}

analytic! {
    /// The error function 2/√π·∫₀ˣ exp(−t²) dt. Real dtypes; integers and bool become float64. Derivative: 2/√π·exp(−x²)·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.erf([0.0, 1.0]).tolist()
    /// [0.0, 0.8427007929497149]
    [erf] Erf;
    /// 1 − erf(x), accurate for large x. Real dtypes; integers and bool become float64. Derivative: −2/√π·exp(−x²)·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.erfc([0.0, 10.0]).tolist()
    /// [1.0, 2.088487583762545e-45]
    [erfc] Erfc;
    /// The inverse of erf: ±∞ at ±1, NaN outside. Real dtypes; integers and bool become float64.
    ///
    /// Derivative: √π/2·exp(y²)·dx for y = erfinv(x).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.erfinv([0.0, 1.0]).tolist()
    /// [0.0, inf]
    [erfinv] Erfinv;
    /// The inverse of erfc on [0, 2], accurate for small x. Real dtypes; integers and bool become float64.
    ///
    /// Derivative: −√π/2·exp(y²)·dx for y = erfcinv(x).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.erfcinv([1.0, 0.0]).tolist()
    /// [0.0, inf]
    [erfcinv] Erfcinv;
    /// Φ(x), the probability that a standard normal variable is below x. Real dtypes; integers and bool become float64.
    ///
    /// Error: at most 2 ulp, in the tail too. Derivative: φ(x)·dx with φ(x) = exp(−x²/2)/√(2π).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.ndtr([0.0]).tolist()
    /// [0.5]
    [ndtr] Ndtr;
    /// The inverse of `ndtr`: −∞ at 0, ∞ at 1, NaN outside. Real dtypes; integers and bool become float64.
    ///
    /// Error: at most 2 ulp. Derivative: dx/φ(y) for y = ndtri(x).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.ndtri([0.5, 0.0]).tolist()
    /// [0.0, -inf]
    [ndtri] Ndtri;
    /// log Φ(x), accurate where Φ(x) underflows or is nearly 1. Real dtypes; integers and bool become float64.
    ///
    /// Error: at most 3 ulp. Derivative: φ(x)/Φ(x)·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.log_ndtr([-40.0]).tolist()
    /// [-804.6084420137538]
    [log_ndtr] LogNdtr;
    /// log |Γ(x)|, ∞ at 0, −1, −2, … Real dtypes; integers and bool become float64. Derivative: ψ(x)·dx, see `digamma`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.lgamma([1.0, 4.0, 0.0]).tolist()
    /// [0.0, 1.791759469228055, inf]
    [lgamma, gammaln] Lgamma;
    /// Γ(x); Γ(n + 1) = n!. Real dtypes; integers and bool become float64. Derivative: Γ(x)·ψ(x)·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.gamma([5.0]).tolist()
    /// [24.0]
    [gamma] Gamma;
    /// −x·log x, 0 at 0 and −∞ below: a term of an entropy. Real dtypes; integers and bool become float64.
    ///
    /// Error: at most 1.5 ulp. Derivative: −(1 + log x)·dx, ∞ at 0.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.entr([0.0, 1.0, -1.0]).tolist()
    /// [0.0, 0.0, -inf]
    [entr] Entr;
    /// 1/(1 + e⁻ˣ), without overflow. Real dtypes; integers and bool become float64. Derivative: σ(x)·σ(−x)·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.sigmoid([0.0, float("inf")]).tolist()
    /// [0.5, 1.0]
    [sigmoid, expit] Sigmoid;
}

ordered! {
    /// e^{x²}·erfc(x), without overflow for large x. Real dtypes; integers and bool become float64.
    ///
    /// Error: at most 1 ulp, 1.5 below −26. Derivative: (2x·erfcx(x) − 2/√π)·dx, computed without the cancellation of that formula.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.erfcx([0.0, 1e10]).tolist()
    /// [1.0, 5.641895835477563e-11]
    [erfcx] ScaledErfc 0;
    /// ψ(x), the derivative of log Γ(x). ∓∞ at ±0, NaN at −1, −2, … Real dtypes; integers and bool become float64.
    ///
    /// Error: at most 1 ulp, and near the zeros within eps. Derivative: ψ′(x)·dx, see `polygamma`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.digamma([1.0]).tolist()
    /// [-0.5772156649015329]
    [digamma] Polygamma 0;
    /// The modified Bessel function I₀(x). Real dtypes; integers and bool become float64. Derivative: I₁(x)·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.i0([0.0, 1.0]).tolist()
    /// [1.0, 1.2660658777520084]
    [i0] BesselI 0;
    /// The modified Bessel function I₁(x). Real dtypes; integers and bool become float64. Derivative: ½(I₀(x) + I₂(x))·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.i1([0.0, 1.0]).tolist()
    /// [0.0, 0.565159103992485]
    [i1] BesselI 1;
    /// e^{−|x|}·I₀(x). Real dtypes; integers and bool become float64.
    ///
    /// Derivative: (e^{−|x|}·I₁(x) − sign(x)·y)·dx, at the kink 0 it is 0.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.i0e([0.0, 1000.0]).tolist()
    /// [1.0, 0.012617240455891257]
    [i0e] ScaledBesselI 0;
    /// e^{−|x|}·I₁(x). Real dtypes; integers and bool become float64.
    ///
    /// Derivative: (e^{−|x|}·½(I₀(x) + I₂(x)) − sign(x)·y)·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.i1e([0.0, 1000.0]).tolist()
    /// [0.0, 0.012610930256928629]
    [i1e] ScaledBesselI 1;
}

/// The largest order of `polygamma`: the next factorial overflows.
const LARGEST_ORDER: i64 = 170;

fn polygamma_order(op: &'static str, n: i64) -> tenferro_tensor::Result<u32> {
    if (0..=LARGEST_ORDER).contains(&n) {
        return Ok(n as u32);
    }
    Err(Error::argument(op, "n", format!("expected an order from 0 to {LARGEST_ORDER}, got {n}")))
}

// The order comes first, as in SciPy and PyTorch, so the method is written out.
list_op! { [polygamma] {
    /// ψ⁽ⁿ⁾(x), the nth derivative of `digamma`, with n an integer from 0 to 170; also ``x.polygamma(n)``.
    ///
    /// Real dtypes; integers and bool become float64. ∞ at 0, −1, −2, … for odd n; for even n ∓∞ at ±0, NaN at −1, −2, …
    /// Error: 1 ulp for x > 0; for x < 0 a few ulp, and near the zeros within eps of the largest term.
    /// Derivative: ψ⁽ⁿ⁺¹⁾(x)·dx. Raises `InvalidArgumentError` for another n.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.polygamma(1, [1.0]).tolist()
    /// [1.6449340668482264]
    (n, x) () ()
} |call| {
    let order = polygamma_order(call.op, crate::args::integer(&n.0, "n")?)?;
    let x = call.one(&x)?;
    call.run(x.value.size(), move |cx| functions::ordered(cx, OrderedFn::Polygamma, order, &x))
} }

#[pyo3::pymethods]
impl crate::eager::PyEagerTensor {
    /// ψ⁽ⁿ⁾ of every element: see `tenferro.polygamma`.
    fn polygamma(slf: &pyo3::Bound<'_, Self>, n: Operand<'_>) -> pyo3::PyResult<crate::eager::PyEagerTensor> {
        let x = Operand(slf.clone().into_any());
        crate::call::enter(slf.py(), "polygamma", None, |call| crate::call::Imp::polygamma(call, n, x))
    }
}

tensor_op! { [mvlgamma] {
    /// log Γₚ(x) of the multivariate gamma function: p(p − 1)/4·log π + Σⱼ log Γ(x − j/2) for j from 0 to p − 1.
    ///
    /// NaN where x ≤ (p − 1)/2. Real dtypes; integers and bool become float64. Error: a few ulp of the largest term.
    /// Derivative: Σⱼ ψ(x − j/2)·dx. Raises `InvalidArgumentError` unless p is from 1 to 1000.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.mvlgamma([2.0], 1).tolist()
    /// [0.0]
    (x) (p) (p: i64)
} |cx, op| {
    if !(1..=1000).contains(&p) {
        return Err(Error::argument(op, "p", format!("expected an integer from 1 to 1000, got {p}")));
    }
    functions::mvlgamma(cx, &x, p as u32)
} }

tensor_op! { [xlogy] {
    /// x·log(y), real or complex, and 0 where x is 0 and y is not NaN. Integers and bool become float64.
    ///
    /// Derivative: log(y)·dx + x/y·dy; 0 where x is 0 and log(y) is infinite or NaN.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.xlogy([0.0, 2.0], [0.0, 1.0]).tolist()
    /// [0.0, 0.0]
    (x, y) () ()
} |cx| functions::xlogy(cx, &x, &y) }

tensor_op! { [xlog1py] {
    /// x·log(1 + y), real or complex, accurate for small y, and 0 where x is 0 and y is not NaN.
    ///
    /// Integers and bool become float64. Derivative: log(1 + y)·dx + x/(1 + y)·dy; 0 where x is 0 and the logarithm is
    /// infinite or NaN.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.xlog1py([0.0, 2.0], [-1.0, 0.0]).tolist()
    /// [0.0, 0.0]
    (x, y) () ()
} |cx| functions::xlog1py(cx, &x, &y) }

tensor_op! { [logit] {
    /// log(x/(1 − x)), the inverse of `sigmoid`: −∞ at 0, ∞ at 1, NaN outside. With `eps`, x is clamped to [eps, 1 − eps].
    ///
    /// Real dtypes; integers and bool become float64. Error: at most 2 ulp. Derivative: dx/(x·(1 − x)); 0 where x is clamped.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.logit([0.5, 0.0]).tolist()
    /// [0.0, -inf]
    (x) (eps=None) (eps: Option<f64>)
} |cx| functions::logit(cx, &x, eps) }
