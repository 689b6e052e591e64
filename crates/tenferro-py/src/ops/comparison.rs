//! Comparisons, and connectives of truth values and bits.

use tenferro_ad::ops::numeric;
use tenferro_cpu::{BinaryOp, CompareOp};

/// Truth-valued and bitwise connectives of one kind.
macro_rules! connectives {
    ($($(#[doc = $doc:literal])* [$($name:ident),+] $function:path, $op:ident;)*) => {
        $( tensor_op! { [$($name),+] { $(#[doc = $doc])* (x, y) () () } |cx| $function(cx, BinaryOp::$op, &x, &y) } )*
    };
}

connectives! {
    /// Whether both are true (not 0), as bool.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.logical_and([1.0, 2.0], [3, 0]).tolist()
    /// [True, False]
    [logical_and] numeric::logical, BitAnd;
    /// Whether one of both is true (not 0), as bool.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.logical_or([True, False], [False, False]).tolist()
    /// [True, False]
    [logical_or] numeric::logical, BitOr;
    /// Whether exactly one of both is true (not 0), as bool.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.logical_xor([True, False], [True, True]).tolist()
    /// [False, True]
    [logical_xor] numeric::logical, BitXor;
    /// Bitwise and of integers; of bool, logical and. Other dtypes are refused.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.bitwise_and([6], [3]).tolist()
    /// [2]
    [bitwise_and] numeric::binary, BitAnd;
    /// Bitwise or of integers; of bool, logical or. Other dtypes are refused.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.bitwise_or([6], [3]).tolist()
    /// [7]
    [bitwise_or] numeric::binary, BitOr;
    /// Bitwise exclusive or of integers; of bool, logical exclusive or. Other dtypes are refused.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.bitwise_xor([6], [3]).tolist()
    /// [5]
    [bitwise_xor] numeric::binary, BitXor;
}

/// Comparisons: names, and the relation as it is written.
macro_rules! comparisons {
    ($($(#[doc = $doc:literal])* [$($name:ident),+] $op:ident;)*) => {
        $( tensor_op! { [$($name),+] { $(#[doc = $doc])* (x, y) () () } |cx| numeric::compare(cx, CompareOp::$op, &x, &y) } )*
    };
}

comparisons! {
    /// x = y, element by element, as bool; promoted and broadcast.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.equal([1.0, 2.0], 2).tolist()
    /// [False, True]
    [equal] Eq;
    /// x ≠ y, element by element, as bool; promoted and broadcast.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.not_equal([1.0, 2.0], 2).tolist()
    /// [True, False]
    [not_equal] Ne;
    /// x < y, element by element, as bool; complex numbers have no order (`UnsupportedDTypeError`).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.less([1.0, 2.0], 2).tolist()
    /// [True, False]
    [less] Lt;
    /// x ≤ y, element by element, as bool; complex numbers have no order (`UnsupportedDTypeError`).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.less_equal([1.0, 2.0, 3.0], 2).tolist()
    /// [True, True, False]
    [less_equal] Le;
    /// x > y, element by element, as bool; complex numbers have no order (`UnsupportedDTypeError`).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.greater([1.0, 3.0], 2).tolist()
    /// [False, True]
    [greater] Gt;
    /// x ≥ y, element by element, as bool; complex numbers have no order (`UnsupportedDTypeError`).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.greater_equal([1.0, 2.0], 2).tolist()
    /// [False, True]
    [greater_equal] Ge;
}

tensor_op! { [compare] {
    /// The comparison that `dir` names: ``"eq" "ne" "lt" "le" "gt" "ge"``; as bool. `InvalidArgumentError` for another name.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.compare([1.0, 2.0], 2.0, "lt").tolist()
    /// [True, False]
    (x, y) (dir: "Literal['eq', 'ne', 'lt', 'le', 'gt', 'ge']") (dir: String)
} |cx, op| {
    let relation = match dir.as_str() {
        "eq" => CompareOp::Eq,
        "ne" => CompareOp::Ne,
        "lt" => CompareOp::Lt,
        "le" => CompareOp::Le,
        "gt" => CompareOp::Gt,
        "ge" => CompareOp::Ge,
        other => {
            let message = format!("expected one of 'eq', 'ne', 'lt', 'le', 'gt', 'ge', got '{other}'");
            return Err(tenferro_tensor::Error::argument(op, "dir", message));
        }
    };
    numeric::compare(cx, relation, &x, &y).map_err(|e| e.in_op(op))
} }
