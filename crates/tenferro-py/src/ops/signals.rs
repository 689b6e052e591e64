//! Convolution and correlation of lists.

use tenferro_ad::ops::signals::{self, Overlap};

tensor_op! { [convolve] {
    /// Σₖ a[i − k]·v[k] of two lists: wherever both contribute (`mode` "full"), the middle part of the length of the longer one
    /// ("same"), or where all elements of the shorter one contribute ("valid").
    ///
    /// Real or complex, promoted; bool becomes int64. The cost is the product of both lengths; for two long lists multiply their
    /// Fourier transforms. Derivative: convolve(da, v) + convolve(a, dv). Raises `RankMismatchError`, and `InvalidArgumentError`
    /// for an empty list.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.convolve([1, 2, 3], [1, 10]).tolist(), tf.convolve([1, 2, 3], [1, 10], "valid").tolist()
    /// ([1, 12, 23, 30], [12, 23])
    (a, v) (mode: "Literal['full', 'same', 'valid']" = "full") (mode: &str)
} |cx, op| signals::convolve(cx, op, &a, &v, Overlap::named(op, mode)?, false) }

tensor_op! { [correlate] {
    /// Σₙ a[n + i]·conj(v[n]) of two lists, for the shifts i that `mode` names as for `convolve`.
    ///
    /// Derivative: in both. Dtypes, cost and errors as `convolve`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.correlate([1, 2, 3], [1, 10]).tolist(), tf.correlate([1, 2, 3], [1, 10], "full").tolist()
    /// ([21, 32], [10, 21, 32, 3])
    (a, v) (mode: "Literal['full', 'same', 'valid']" = "valid") (mode: &str)
} |cx, op| signals::convolve(cx, op, &a, &v, Overlap::named(op, mode)?, true) }
