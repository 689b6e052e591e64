use crate::{DType, show_shape};
use std::borrow::Cow;
use std::fmt;

/// Result of everything that can fail in the workspace.
pub type Result<T> = std::result::Result<T, Error>;

/// The coarse class of an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The caller's mistake, found before anything was computed.
    Validation,
    /// The op, dtype or combination does not exist.
    Unsupported,
    /// Singular, non-convergent, non-finite, integer division by zero.
    NumericalFailure,
    /// Foreign runtimes, closed sessions, values that are gone.
    RuntimeState,
    /// Memory or a provider failed.
    BackendFailure,
    /// A broken invariant: a bug of this library.
    Internal,
}

/// When an error arose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// While a graph was built.
    GraphBuild,
    /// While it was compiled.
    Compile,
    /// While values were computed.
    Execution,
}

impl Phase {
    /// The name Python shows.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::GraphBuild => "graph_build",
            Phase::Compile => "compile",
            Phase::Execution => "execution",
        }
    }
}

/// A typed field of an error.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// A count, an axis, a number of bytes.
    Int(i64),
    /// A shape.
    Shape(Vec<usize>),
    /// A name.
    Text(String),
    /// A dtype.
    DType(DType),
    /// A measured number.
    Float(f64),
}

macro_rules! field_from {
    ($($ty:ty => $variant:ident($convert:expr)),* $(,)?) => {
        $(impl From<$ty> for Field {
            fn from(value: $ty) -> Field {
                Field::$variant($convert(value))
            }
        })*
    };
}
field_from! {
    i64 => Int(|v| v),
    usize => Int(|v| i64::try_from(v).unwrap_or(i64::MAX)),
    &[usize] => Shape(|v: &[usize]| v.to_vec()),
    &str => Text(|v: &str| v.to_owned()),
    String => Text(|v| v),
    DType => DType(|v| v),
    f64 => Float(|v| v),
}

/// One row of the catalogue from which the Python classes, their stub and their page in the docs are made.
#[derive(Debug)]
pub struct ErrorClass {
    /// Python class name.
    pub name: &'static str,
    /// Name of the parent class of this catalogue; empty for the root.
    pub parent: &'static str,
    /// Further Python bases.
    pub builtins: &'static [&'static str],
    /// Typed fields: name and Python type.
    pub fields: &'static [(&'static str, &'static str)],
    /// What it says.
    pub doc: &'static str,
    /// The coarse class.
    pub kind: Kind,
}

macro_rules! errors {
    ($($variant:ident $name:literal : $parent:literal [$($builtin:literal),*] $kind:ident {$($field:ident : $ty:literal),*} $doc:literal;)*) => {
        /// What went wrong; each variant is one Python class.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Variant { $(#[doc = $doc] $variant),* }

        /// Every error class, parents first.
        pub const CATALOG: &[ErrorClass] = &[$(ErrorClass {
            name: $name,
            parent: $parent,
            builtins: &[$($builtin),*],
            fields: &[$((stringify!($field), $ty)),*],
            doc: $doc,
            kind: Kind::$kind,
        }),*];
    };
}

errors! {
    Tenferro "TenferroError": "" [] Internal {}
        "Base of all errors of this library: `op`, `kind`, `phase`, and the fields of the subclass.";
    Validation "ValidationError": "TenferroError" ["ValueError"] Validation {}
        "A mistake in the call, found before anything was computed.";
    ShapeMismatch "ShapeMismatchError": "ValidationError" [] Validation
        {lhs: "tuple[int, ...]", rhs: "tuple[int, ...]", expected: "tuple[int, ...]", actual: "tuple[int, ...]"}
        "Two shapes do not fit (`lhs`, `rhs`), or one is not what the op needs (`expected`, `actual`).";
    RankMismatch "RankMismatchError": "ValidationError" [] Validation {expected: "int", actual: "int"}
        "A tensor has the wrong number of axes.";
    AxisOutOfBounds "AxisOutOfBoundsError": "ValidationError" ["IndexError"] Validation {axis: "int", rank: "int"}
        "An axis does not exist.";
    DTypeMismatch "DTypeMismatchError": "ValidationError" ["TypeError"] Validation
        {expected: "DType[Any]", actual: "DType[Any]"} "A tensor has the wrong dtype.";
    DuplicateAxis "DuplicateAxisError": "ValidationError" [] Validation {axis: "int", role: "str"}
        "An axis was named twice.";
    InvalidArgument "InvalidArgumentError": "ValidationError" [] Validation {argument: "str"}
        "An argument has a value that the op does not take.";
    IntegerOverflow "IntegerOverflowError": "ValidationError" ["OverflowError"] Validation {}
        "A size or an integer does not fit.";
    IndexOutOfBounds "IndexOutOfBoundsError": "ValidationError" ["IndexError"] Validation
        {axis: "int", index: "int", extent: "int"} "A position lies outside its axis.";
    NonScalarGrad "NonScalarGradError": "ValidationError" [] Validation {shape: "tuple[int, ...]"}
        "A gradient was asked of a tensor that is not a scalar.";
    EinsumSyntax "EinsumSyntaxError": "ValidationError" [] Validation {position: "int"}
        "An einsum equation cannot be read.";
    NonContiguous "NonContiguousError": "ValidationError" [] Validation {}
        "A flat slice was asked of a value whose elements are not compact.";
    FileFormat "FileFormatError": "ValidationError" [] Validation {}
        "A file is not what it says it is.";
    NotATensorKey "NotATensorKeyError": "ValidationError" ["KeyError"] Validation {}
        "The key is not a leaf that this backward pass reached.";
    Unsupported "UnsupportedError": "TenferroError" ["NotImplementedError"] Unsupported {}
        "The op, dtype or combination does not exist.";
    UnsupportedAdRule "UnsupportedAdRuleError": "UnsupportedError" [] Unsupported {transform: "str"}
        "An op has no derivative rule for this transform.";
    UnsupportedDType "UnsupportedDTypeError": "UnsupportedError" ["TypeError"] Unsupported
        {from_dtype: "str", to_dtype: "str"} "A dtype is not supported here, or a conversion would lose information.";
    Numerical "NumericalError": "TenferroError" ["ArithmeticError"] NumericalFailure {}
        "The numbers do not allow the computation.";
    SingularMatrix "SingularMatrixError": "NumericalError" ["numpy.linalg.LinAlgError"] NumericalFailure {batch_index: "int"}
        "A matrix is singular.";
    NonConvergence "NonConvergenceError": "NumericalError" ["numpy.linalg.LinAlgError"] NumericalFailure {batch_index: "int"}
        "An iteration did not converge.";
    NonFinite "NonFiniteError": "NumericalError" [] NumericalFailure {batch_index: "int"}
        "A NaN or an infinity where only finite numbers make sense.";
    DivisionByZero "DivisionByZeroError": "NumericalError" ["ZeroDivisionError"] NumericalFailure {}
        "An integer was divided by zero.";
    Gauge "GaugeError": "NumericalError" [] NumericalFailure {defect: "float"}
        "A loss depends on the gauge of a decomposition.";
    RuntimeState "RuntimeStateError": "TenferroError" ["RuntimeError"] RuntimeState {}
        "The runtime, a session or a handle is not in a state for this call.";
    ContextMismatch "ContextMismatchError": "RuntimeStateError" [] RuntimeState {lhs: "int", rhs: "int"}
        "Tensors of two runtimes were combined.";
    SessionEntry "SessionEntryError": "RuntimeStateError" [] RuntimeState {}
        "A session of this runtime is already open in this thread.";
    HostAccess "HostAccessError": "RuntimeStateError" [] RuntimeState {}
        "A borrowed value was used after its with-block.";
    IntoValue "IntoValueError": "RuntimeStateError" [] RuntimeState {handle: "EagerTensor"}
        "A value cannot be moved out of its handle.";
    NotUnique "NotUniqueError": "IntoValueError" [] RuntimeState {}
        "Another owner holds the value; `handle` is unchanged and usable.";
    Extract "ExtractError": "IntoValueError" [] RuntimeState {error: "TenferroError"}
        "The value is a view and cannot be moved out; `handle` is unchanged, `error` says why.";
    Backend "BackendError": "TenferroError" ["RuntimeError"] BackendFailure {}
        "Memory or a provider failed.";
    OutOfMemory "OutOfMemoryError": "BackendError" ["MemoryError"] BackendFailure
        {bytes: "int", shape: "tuple[int, ...]", dtype: "DType[Any]"} "There is not enough memory for a result.";
    MemoryLimit "MemoryLimitError": "OutOfMemoryError" [] BackendFailure {limit: "int"}
        "A result would exceed the limit set with `set_memory_limit`.";
    Internal "InternalError": "TenferroError" ["RuntimeError"] Internal {}
        "A bug of this library; please report it. The runtime goes on working.";
}

impl Variant {
    /// The row of the catalogue.
    pub fn class(self) -> &'static ErrorClass {
        &CATALOG[self as usize]
    }

    fn declares(self, field: &str) -> bool {
        let mut class = self.class();
        loop {
            if class.fields.iter().any(|(name, _)| *name == field) {
                return true;
            }
            match CATALOG.iter().find(|c| c.name == class.parent) {
                Some(parent) => class = parent,
                None => return false,
            }
        }
    }
}

/// An error: its class, the op it arose in, a message that names argument, expected and got, and typed fields.
#[derive(Clone, Debug)]
pub struct Error(Box<ErrorData>);

#[derive(Clone, Debug)]
struct ErrorData {
    variant: Variant,
    op: Cow<'static, str>,
    phase: Option<Phase>,
    message: String,
    fields: Vec<(&'static str, Field)>,
    interrupted: bool,
}

impl Error {
    /// An error of class `variant` raised by `op`.
    pub fn new(variant: Variant, op: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Error {
        let phase = match variant.class().kind {
            Kind::NumericalFailure | Kind::BackendFailure => Some(Phase::Execution),
            _ => None,
        };
        Error(Box::new(ErrorData {
            variant,
            op: op.into(),
            phase,
            message: message.into(),
            fields: Vec::new(),
            interrupted: false,
        }))
    }

    /// The same error with a typed field.
    pub fn with(mut self, name: &'static str, value: impl Into<Field>) -> Error {
        debug_assert!(self.0.variant.declares(name), "{:?} declares no field {name}", self.0.variant);
        self.0.fields.push((name, value.into()));
        self
    }

    /// The user asked to stop, or a callback of the binding raised; the pending exception is the binding's to raise.
    pub fn interrupted(op: &'static str) -> Error {
        let mut error = Error::new(Variant::RuntimeState, op, "interrupted");
        error.0.interrupted = true;
        error
    }

    /// `argument` of `op` has a value it does not take.
    pub fn argument(op: impl Into<Cow<'static, str>>, argument: &str, message: impl Into<String>) -> Error {
        let message = format!("argument '{argument}': {}", message.into());
        Error::new(Variant::InvalidArgument, op, message).with("argument", argument)
    }

    /// Two shapes that do not broadcast or fit.
    pub fn shapes(op: impl Into<Cow<'static, str>>, lhs: &[usize], rhs: &[usize]) -> Error {
        let message = format!("shapes {} and {} do not fit together", show_shape(lhs), show_shape(rhs));
        Error::new(Variant::ShapeMismatch, op, message).with("lhs", lhs).with("rhs", rhs)
    }

    /// `what` must have the shape `expected`.
    pub fn shape(op: impl Into<Cow<'static, str>>, what: &str, expected: &[usize], actual: &[usize]) -> Error {
        let message = format!("{what}: expected shape {}, got {}", show_shape(expected), show_shape(actual));
        Error::new(Variant::ShapeMismatch, op, message).with("expected", expected).with("actual", actual)
    }

    /// `what` must have `expected` axes.
    pub fn rank(op: impl Into<Cow<'static, str>>, what: &str, expected: usize, actual: usize) -> Error {
        let message = format!("{what}: expected rank {expected}, got {actual}");
        Error::new(Variant::RankMismatch, op, message).with("expected", expected).with("actual", actual)
    }

    /// `axis` of a tensor of `rank` axes does not exist.
    pub fn axis(op: impl Into<Cow<'static, str>>, axis: i64, rank: usize) -> Error {
        let message = match rank {
            0 => format!("argument 'axis': got {axis}, but the tensor has no axes (rank 0)"),
            _ => format!("argument 'axis': expected -{rank} to {}, got {axis} (rank {rank})", rank - 1),
        };
        Error::new(Variant::AxisOutOfBounds, op, message).with("axis", axis).with("rank", rank)
    }

    /// `axis` was named twice as `role`.
    pub fn duplicate_axis(op: impl Into<Cow<'static, str>>, axis: usize, role: &str) -> Error {
        let message = format!("argument '{role}': axis {axis} is named more than once");
        Error::new(Variant::DuplicateAxis, op, message).with("axis", axis).with("role", role)
    }

    /// `what` must have dtype `expected`.
    pub fn dtype(op: impl Into<Cow<'static, str>>, what: &str, expected: DType, actual: DType) -> Error {
        let message = format!("{what}: expected dtype {expected}, got {actual}");
        Error::new(Variant::DTypeMismatch, op, message).with("expected", expected).with("actual", actual)
    }

    /// The op has no meaning for `dtype`; `advice` says which ones it takes.
    pub fn unsupported_dtype(op: impl Into<Cow<'static, str>>, dtype: DType, advice: &str) -> Error {
        let message = format!("dtype {dtype} is not supported; expected {advice}");
        Error::new(Variant::UnsupportedDType, op, message).with("from_dtype", dtype.name())
    }

    /// `index` lies outside an axis of `extent`.
    pub fn index(op: impl Into<Cow<'static, str>>, axis: usize, index: i64, extent: usize) -> Error {
        let message = format!("index {index} is out of bounds for axis {axis} with extent {extent}");
        Error::new(Variant::IndexOutOfBounds, op, message)
            .with("axis", axis)
            .with("index", index)
            .with("extent", extent)
    }

    /// A broken invariant.
    pub fn internal(op: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Error {
        Error::new(Variant::Internal, op, message)
    }

    /// The same error raised by `op`.
    pub fn in_op(mut self, op: impl Into<Cow<'static, str>>) -> Error {
        self.0.op = op.into();
        self
    }

    /// The class.
    pub fn variant(&self) -> Variant {
        self.0.variant
    }

    /// The op.
    pub fn op(&self) -> &str {
        &self.0.op
    }

    /// The phase, where it is known.
    pub fn phase(&self) -> Option<Phase> {
        self.0.phase
    }

    /// The message, without the op.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The typed fields.
    pub fn fields(&self) -> &[(&'static str, Field)] {
        &self.0.fields
    }

    /// Whether the binding has the exception to raise.
    pub fn is_interrupted(&self) -> bool {
        self.0.interrupted
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.op.is_empty() {
            return f.write_str(&self.0.message);
        }
        write!(f, "{}: {}", self.0.op, self.0.message)
    }
}

impl std::error::Error for Error {}
