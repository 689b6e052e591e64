//! Activations of neural networks.

use tenferro_ad::ops::activations;

/// Functions without parameters.
macro_rules! plain {
    ($($(#[doc = $doc:literal])* [$($name:ident),+] $function:ident;)*) => {
        $( tensor_op! { [$($name),+] { $(#[doc = $doc])* (x) () () } |cx| activations::$function(cx, &x) } )*
    };
}

plain! {
    /// log σ(x) = −log(1 + e⁻ˣ), without overflow. Real dtypes; integers and bool become float64. Derivative: σ(−x)·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.log_sigmoid([-1000.0]).tolist()
    /// [-1000.0]
    [log_sigmoid] log_sigmoid;
    /// x·σ(x), 0 at −∞. Real dtypes; integers and bool become float64. Derivative: σ(x)·(1 + x·σ(−x))·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.silu([0.0, float("-inf")]).tolist()
    /// [0.0, 0.0]
    [silu] silu;
    /// x·½(1 + tanh(√(2/π)·(x + 0.044715·x³))), an approximation of `gelu`. Real dtypes; integers and bool become float64.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.gelu_tanh([0.0, float("-inf")]).tolist()
    /// [0.0, 0.0]
    [gelu_tanh] gelu_tanh;
    /// x·tanh(log(1 + eˣ)), 0 at −∞. Real dtypes; integers and bool become float64.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.mish([0.0, float("-inf")]).tolist()
    /// [0.0, 0.0]
    [mish] mish;
    /// max(x, 0); real dtypes, kept; NaN propagates. Derivative: dx where x > 0, else 0, at 0 too.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.relu([-1.0, 2.0]).tolist()
    /// [0.0, 2.0]
    [relu] relu;
    /// scale·x above 0, scale·α·(eˣ − 1) elsewhere, with scale = 1.0507… and α = 1.6733… (Klambauer et al., 2017).
    ///
    /// Real dtypes; integers and bool become float64. Derivative at 0: from below.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.selu([1.0]).tolist()
    /// [1.0507009873554805]
    [selu] selu;
    /// x/(1 + |x|), ±1 at ±∞. Real dtypes; integers and bool become float64. Derivative: dx/(1 + |x|)².
    ///
    /// >>> import tenferro as tf
    /// >>> tf.softsign([1.0, float("inf")]).tolist()
    /// [0.5, 1.0]
    [softsign] softsign;
}

tensor_op! { [softplus] {
    /// log(1 + e^{β·x})/β, without overflow. Real dtypes; integers and bool become float64.
    ///
    /// Error for β = 1: at most 1.5 ulp. Derivative: σ(β·x)·dx.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.softplus([1000.0, float("-inf")]).tolist()
    /// [1000.0, 0.0]
    (x) (beta=1.0) (beta: f64)
} |cx| activations::softplus(cx, &x, beta) }

tensor_op! { [gelu] {
    /// x·Φ(x) with the normal distribution function Φ (`ndtr`), 0 at −∞; ``approximate="tanh"`` is `gelu_tanh`.
    ///
    /// Real dtypes; integers and bool become float64. Derivative: (Φ(x) + x·φ(x))·dx. Raises `InvalidArgumentError` for
    /// another name.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.gelu([0.0, 1.0]).tolist()
    /// [0.0, 0.8413447460685429]
    (x) (approximate: "Literal['none', 'tanh']" = "none") (approximate: &str)
} |cx, op| match approximate {
    "none" => activations::gelu(cx, &x),
    "tanh" => activations::gelu_tanh(cx, &x),
    other => {
        let message = format!("expected one of 'none', 'tanh', got '{other}'");
        Err(tenferro_tensor::Error::argument(op, "approximate", message))
    }
} }

tensor_op! { [leaky_relu] {
    /// x above 0, `negative_slope`·x elsewhere. Real dtypes; integers and bool become float64. Derivative at 0: from below.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.leaky_relu([-100.0, 2.0]).tolist()
    /// [-1.0, 2.0]
    (x) (negative_slope=0.01) (negative_slope: f64)
} |cx| activations::leaky_relu(cx, &x, negative_slope) }

tensor_op! { [elu] {
    /// x above 0, α·(eˣ − 1) elsewhere. Real dtypes; integers and bool become float64. Derivative at 0: from below.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.elu([2.0, float("-inf")]).tolist()
    /// [2.0, -1.0]
    (x) (alpha=1.0) (alpha: f64)
} |cx| activations::elu(cx, &x, alpha) }

tensor_op! { [celu] {
    /// x above 0, α·(e^{x/α} − 1) elsewhere. Real dtypes; integers and bool become float64. Its slope is continuous.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.celu([2.0, float("-inf")], alpha=0.5).tolist()
    /// [2.0, -0.5]
    (x) (alpha=1.0) (alpha: f64)
} |cx| activations::celu(cx, &x, alpha) }

tensor_op! { [hardtanh] {
    /// x clamped to [min_val, max_val], in x's dtype or float64. Derivative: dx strictly inside, else 0. See `clamp`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.hardtanh([-3.0, 0.5, 3.0]).tolist()
    /// [-1.0, 0.5, 1.0]
    (x) (min_val=-1.0, max_val=1.0) (min_val: f64, max_val: f64)
} |cx| activations::hardtanh(cx, &x, min_val, max_val) }
