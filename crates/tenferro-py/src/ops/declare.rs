//! The macro that makes the three spellings of an op from one declaration.

/// `tensor_op! { [name, alias…] { docs (operands) (signature) (arguments: types) } |cx| body }`
///
/// The body computes with the operands as `Var`s of the interpreter `cx` (`|cx, op|`: with the op's name, too), away from Python: it runs without the GIL when the
/// operands are large. `raw_op!` is the same with operands as they came and a `Call` for `cx`, for ops that treat them
/// unequally; `list_op!` declares what takes a list or a shape first and so has no method. `tuple_op!` and
/// `list_tuple_op!` are the same two for ops with several results.
macro_rules! tensor_op {
    ([$main:ident $(, $alias:ident)*] $row:tt |$cx:ident $(, $op:ident)?| $body:expr) => {
        tensor_op! { @imp $main $row |$cx $(, $op)?| $body }
        tensor_op! { @all [crate::eager::PyEagerTensor] $row $main [$main $(, $alias)*] }
    };
    (@imp $main:ident { $(#[doc = $doc:literal])* ($($operand:ident),*) $sig:tt ($($arg:ident : $ty:ty),* $(,)?) } |$cx:ident $(, $op:ident)?| $body:expr) => {
        impl crate::call::Imp {
            pub(crate) fn $main<'py>(
                call: &mut crate::call::Call<'py>,
                $($operand: crate::call::Operand<'py>,)*
                $($arg: $ty),*
            ) -> crate::errors::Outcome<crate::eager::PyEagerTensor> {
                $(let $op = call.op;)?
                let [$($operand),*] = call.group([$(&$operand),*])?;
                let elements = 0 $(+ $operand.value.size())*;
                call.run(elements, move |$cx: &mut tenferro_ad::Eager| $body)
            }
        }
    };
    (@all $out:tt $row:tt $main:ident [$($name:ident),*]) => {
        $( tensor_op! { @emit $out $main $name $row } )*
    };
    (@emit [$out:ty] $main:ident $name:ident { $(#[doc = $doc:literal])* ($first:ident $(, $operand:ident)*) ($($sig:tt)*) ($($arg:ident : $ty:ty),* $(,)?) }) => {
        #[pyo3::pymethods]
        impl crate::eager::PyEagerTensor {
            $(#[doc = $doc])*
            #[pyo3(signature = ($($operand,)* $($sig)*))]
            fn $name<'py>(
                slf: &pyo3::Bound<'py, Self>,
                $($operand: crate::call::Operand<'py>,)*
                $($arg: $ty),*
            ) -> pyo3::PyResult<$out> {
                let first = crate::call::Operand(slf.clone().into_any());
                crate::call::enter(slf.py(), stringify!($main), None, |call| {
                    crate::call::Imp::$main(call, first $(, $operand)* $(, $arg)*)
                })
            }
        }
        tensor_op! { @free [$out] $main $name { $(#[doc = $doc])* ($first $(, $operand)*) ($($sig)*) ($($arg : $ty),*) } }
    };
    (@free [$out:ty] $main:ident $name:ident { $(#[doc = $doc:literal])* ($($operand:ident),*) ($($sig:tt)*) ($($arg:ident : $ty:ty),* $(,)?) }) => {
        #[pyo3::pymethods]
        impl crate::session::PyEagerSession {
            $(#[doc = $doc])*
            #[pyo3(signature = ($($operand,)* $($sig)*))]
            fn $name<'py>(
                &self,
                py: pyo3::Python<'py>,
                $($operand: crate::call::Operand<'py>,)*
                $($arg: $ty),*
            ) -> pyo3::PyResult<$out> {
                self.call(py, stringify!($main), |call| crate::call::Imp::$main(call $(, $operand)* $(, $arg)*))
            }
        }

        $(#[doc = $doc])*
        #[pyo3::pyfunction]
        #[pyo3(signature = ($($operand,)* $($sig)*))]
        pub fn $name<'py>(
            py: pyo3::Python<'py>,
            $($operand: crate::call::Operand<'py>,)*
            $($arg: $ty),*
        ) -> pyo3::PyResult<$out> {
            crate::call::enter(py, stringify!($main), None, |call| {
                crate::call::Imp::$main(call $(, $operand)* $(, $arg)*)
            })
        }
    };
}

macro_rules! raw_op {
    ([$main:ident $(, $alias:ident)*] $row:tt |$call:ident| $body:expr) => {
        raw_op! { @imp [crate::eager::PyEagerTensor] $main $row |$call| $body }
        tensor_op! { @all [crate::eager::PyEagerTensor] $row $main [$main $(, $alias)*] }
    };
    (@imp [$out:ty] $main:ident { $(#[doc = $doc:literal])* ($($operand:ident),*) $sig:tt ($($arg:ident : $ty:ty),* $(,)?) } |$call:ident| $body:expr) => {
        impl crate::call::Imp {
            pub(crate) fn $main<'py>(
                $call: &mut crate::call::Call<'py>,
                $($operand: crate::call::Operand<'py>,)*
                $($arg: $ty),*
            ) -> crate::errors::Outcome<$out> {
                $body
            }
        }
    };
}

macro_rules! list_op {
    ([$main:ident $(, $alias:ident)*] $row:tt |$call:ident| $body:expr) => {
        raw_op! { @imp [crate::eager::PyEagerTensor] $main $row |$call| $body }
        list_op! { @all [crate::eager::PyEagerTensor] $row $main [$main $(, $alias)*] }
    };
    (@all $out:tt $row:tt $main:ident [$($name:ident),*]) => {
        $( tensor_op! { @free $out $main $name $row } )*
    };
}

macro_rules! tuple_op {
    ([$main:ident $(, $alias:ident)*] $row:tt |$call:ident| $body:expr) => {
        raw_op! { @imp [crate::call::Tensors] $main $row |$call| $body }
        tensor_op! { @all [crate::call::Tensors] $row $main [$main $(, $alias)*] }
    };
}

macro_rules! list_tuple_op {
    ([$main:ident $(, $alias:ident)*] $row:tt |$call:ident| $body:expr) => {
        raw_op! { @imp [crate::call::Tensors] $main $row |$call| $body }
        list_op! { @all [crate::call::Tensors] $row $main [$main $(, $alias)*] }
    };
}

/// As `raw_op!`, for ops whose result has a type of its own: a named tuple, say. It stands as a string before the row.
macro_rules! named_op {
    ([$main:ident $(, $alias:ident)*] -> $returns:literal $row:tt |$call:ident| $body:expr) => {
        named_op! { @imp $main $row |$call| $body }
        named_op! { @all $returns $row $main [$main $(, $alias)*] }
    };
    (@imp $main:ident { $(#[doc = $doc:literal])* ($($operand:ident),*) $sig:tt ($($arg:ident : $ty:ty),* $(,)?) } |$call:ident| $body:expr) => {
        impl crate::call::Imp {
            pub(crate) fn $main<'py>(
                $call: &mut crate::call::Call<'py>,
                $($operand: crate::call::Operand<'py>,)*
                $($arg: $ty),*
            ) -> crate::errors::Outcome<pyo3::Bound<'py, pyo3::PyAny>> {
                $body
            }
        }
    };
    (@all $returns:literal $row:tt $main:ident [$($name:ident),*]) => {
        $( named_op! { @emit $returns $main $name $row } )*
    };
    (@emit $returns:literal $main:ident $name:ident { $(#[doc = $doc:literal])* ($first:ident $(, $operand:ident)*) ($($sig:tt)*) ($($arg:ident : $ty:ty),* $(,)?) }) => {
        #[pyo3::pymethods]
        impl crate::eager::PyEagerTensor {
            $(#[doc = $doc])*
            #[pyo3(signature = ($($operand,)* $($sig)*) -> $returns)]
            fn $name<'py>(
                slf: &pyo3::Bound<'py, Self>,
                $($operand: crate::call::Operand<'py>,)*
                $($arg: $ty),*
            ) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
                let first = crate::call::Operand(slf.clone().into_any());
                crate::call::enter(slf.py(), stringify!($main), None, |call| {
                    crate::call::Imp::$main(call, first $(, $operand)* $(, $arg)*)
                })
            }
        }
        #[pyo3::pymethods]
        impl crate::session::PyEagerSession {
            $(#[doc = $doc])*
            #[pyo3(signature = ($first, $($operand,)* $($sig)*) -> $returns)]
            fn $name<'py>(
                &self,
                py: pyo3::Python<'py>,
                $first: crate::call::Operand<'py>,
                $($operand: crate::call::Operand<'py>,)*
                $($arg: $ty),*
            ) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
                self.call(py, stringify!($main), |call| crate::call::Imp::$main(call, $first $(, $operand)* $(, $arg)*))
            }
        }

        $(#[doc = $doc])*
        #[pyo3::pyfunction]
        #[pyo3(signature = ($first, $($operand,)* $($sig)*) -> $returns)]
        pub fn $name<'py>(
            py: pyo3::Python<'py>,
            $first: crate::call::Operand<'py>,
            $($operand: crate::call::Operand<'py>,)*
            $($arg: $ty),*
        ) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
            crate::call::enter(py, stringify!($main), None, |call| {
                crate::call::Imp::$main(call, $first $(, $operand)* $(, $arg)*)
            })
        }
    };
}
