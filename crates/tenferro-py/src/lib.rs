//! The extension module `tenferro._tenferro`: classes, conversions, exceptions, and the seam where the GIL is released.
//! `unsafe` stays inside `interop`.

#![deny(unsafe_code)]
#![allow(missing_docs)]

mod args;
mod at;
mod backend;
mod call;
mod catalog;
mod defaults;
mod differentiation;
mod distributions;
mod dtype;
mod eager;
mod errors;
mod gradient;
mod gradients;
mod guards;
mod index;
#[allow(unsafe_code)]
mod interop;
mod leaves;
mod modes;
mod names;
mod operators;
mod ops;
mod parametric;
mod protocols;
mod random;
mod results;
mod runtime;
mod session;
mod settings;
mod slice_builder;
mod tensor;
mod testing;
mod transform;
mod vmap;

#[pyo3::pymodule(gil_used = false)]
mod _tenferro {
    use super::*;
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::gradient::{PyGradientValue, restore_gradient};
    #[pymodule_export]
    use crate::random::restore_key;
    #[pymodule_export]
    use crate::tensor::PyTensor;
    #[pymodule_export]
    use at::{PyAt, PyAtIndex};
    #[pymodule_export]
    use backend::PyCpuBackend;
    #[pymodule_export]
    use catalog::error_catalog;
    #[pymodule_export]
    use dtype::PyDType;
    #[pymodule_export]
    use eager::PyEagerTensor;
    #[pymodule_export]
    use gradients::PyGradients;
    #[pymodule_export]
    use guards::{PyTensorRead, PyValueGuard};
    #[pymodule_export]
    use interop::restore_tensor;
    #[pymodule_export]
    use modes::{PyModeGuard, capture_trace, default_runtime, no_grad, recording, set_default_runtime, use_runtime};
    #[pymodule_export]
    use ops::activations::{
        celu, elu, gelu, gelu_tanh, hardtanh, leaky_relu, log_sigmoid, mish, relu, selu, silu, softplus, softsign,
    };
    #[pymodule_export]
    use ops::analytic::{
        acos, acosh, angle, arccos, arccosh, arcsin, arcsinh, arctan, arctanh, arg, asin, asinh, atan, atanh, cbrt,
        cosh, cospi, deg2rad, degrees, exp2, log2, log10, positive, rad2deg, radians, signbit, sinc, sinh, sinpi, tan,
    };
    #[pymodule_export]
    use ops::arrange::{atleast_1d, atleast_2d, atleast_3d, fliplr, flipud, repeat, roll, rot90, tile};
    #[pymodule_export]
    use ops::cleaning::{
        allclose, array_equal, frac, isclose, iscomplex, isneginf, isposinf, isreal, nan_to_num, scale_complex,
        scale_real,
    };
    #[pymodule_export]
    use ops::collections::{
        array_split, broadcast_arrays, broadcast_tensors, column_stack, dsplit, dstack, hsplit, hstack, meshgrid,
        split, unstack, vsplit, vstack,
    };
    #[pymodule_export]
    use ops::comparison::{
        bitwise_and, bitwise_or, bitwise_xor, compare, equal, greater, greater_equal, less, less_equal, logical_and,
        logical_or, logical_xor, not_equal,
    };
    #[pymodule_export]
    use ops::contraction::{dot_general, matmul};
    #[pymodule_export]
    use ops::conversion::{astype, cast, convert, imag, real, to_complex};
    #[pymodule_export]
    use ops::counting::{digitize, divmod, frexp, histogram, modf};
    #[pymodule_export]
    use ops::creation::{
        arange, asarray, empty, empty_like, eye, from_dlpack, full, full_like, linspace, ones, ones_like, tensor,
        zeros, zeros_like,
    };
    #[pymodule_export]
    use ops::curves::{corrcoef, cov, cumulative_trapezoid, gradient, interp, polyval, trapezoid, unwrap, vander};
    #[pymodule_export]
    use ops::diagonals::{diag, diagflat, diagonal, embed_diag, extract_diag, trace, tri, tril, triu};
    #[pymodule_export]
    use ops::elementwise::{
        abs, absolute, add, bitwise_invert, bitwise_not, ceil, clamp, clip, conj, conjugate, cos, div, divide, exp,
        expm1, fix, floor, floor_divide, fmod, isfinite, isinf, isnan, log, log1p, logical_not, maximum, minimum,
        r#mod, mul, multiply, neg, negative, pow, power, reciprocal, rem, remainder, rint, round, rsqrt, select, sign,
        sin, sqrt, square, sub, subtract, tanh, true_divide, trunc, r#where, where_select,
    };
    #[pymodule_export]
    use ops::grids::{geomspace, logspace, ravel_multi_index, tril_indices, triu_indices, unravel_index};
    #[pymodule_export]
    use ops::indexing::{gather, index_select, nonzero, scatter, take, take_along_axis};
    #[pymodule_export]
    use ops::joins::{concat, concatenate, stack};
    #[pymodule_export]
    use ops::lanes::{
        argmax, argmin, argsort, cummax, cummin, cumprod, cumsum, cumulative_prod, cumulative_sum, diff, isin,
        logcumsumexp, median, nancumprod, nancumsum, searchsorted, sort, topk, unique, unique_all, unique_counts,
        unique_inverse, unique_values,
    };
    #[pymodule_export]
    use ops::normalization::{layer_norm, log_softmax, masked_log_softmax, masked_softmax, rms_norm, softmax};
    #[pymodule_export]
    use ops::pairs::{
        arctan2, atan2, bitwise_left_shift, bitwise_right_shift, copysign, float_power, fmax, fmin, heaviside, hypot,
        ldexp, left_shift, lerp, logaddexp, logaddexp2, nextafter, right_shift,
    };
    #[pymodule_export]
    use ops::places::{
        add_along_axis, argwhere, bincount, dynamic_slice, dynamic_update_slice, flatnonzero, put_along_axis,
        take_block, take_cols, take_rows,
    };
    #[pymodule_export]
    use ops::products::{cross, inner, kron, outer, tensordot, vdot, vecdot};
    #[pymodule_export]
    use ops::quantiles::{
        argpartition, nanargmax, nanargmin, nanmedian, nanpercentile, nanquantile, partition, percentile, quantile,
    };
    #[pymodule_export]
    use ops::reductions::{
        all, amax, amin, any, max, mean, min, prod, reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_sum, sum,
    };
    #[pymodule_export]
    use ops::signals::{convolve, correlate};
    #[pymodule_export]
    use ops::special::{
        digamma, entr, erf, erfc, erfcinv, erfcx, erfinv, expit, gamma, gammaln, i0, i0e, i1, i1e, lgamma, log_ndtr,
        logit, mvlgamma, ndtr, ndtri, polygamma, sigmoid, xlog1py, xlogy,
    };
    #[pymodule_export]
    use ops::statistics::{
        average, count_nonzero, logsumexp, nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar, ptp,
        reduce_sum_squares, std, sum_squares, var,
    };
    #[pymodule_export]
    use ops::structure::{
        broadcast_in_dim, broadcast_to, expand_dims, flatten, flip, moveaxis, pad, permute_dims, ravel, reshape,
        reverse, slice, squeeze, swapaxes, transpose,
    };
    #[pymodule_export]
    use protocols::restore_eager;
    #[pymodule_export]
    use runtime::PyEagerRuntime;
    #[pymodule_export]
    use session::PyEagerSession;
    #[pymodule_export]
    use settings::{live_bytes, live_tensors, num_threads, panic_for_tests, set_memory_limit, set_num_threads};
    #[pymodule_export]
    use slice_builder::PySliceBuilder;
    #[pymodule_export]
    use testing::{PySample, op_samples};
    #[pymodule_export]
    use transform::{
        PyPlace, call_with_rules, closed_over, constants, inner_leaves, mark, of_items, outer_values, pull, push,
        recorded,
    };
    #[pymodule_export]
    use vmap::{PyMapped, mapped};

    #[pymodule]
    mod fft {
        #[pymodule_export]
        use crate::ops::fourier::{
            fft, fft2, fftfreq, fftn, fftshift, hfft, ifft, ifft2, ifftn, ifftshift, ihfft, irfft, irfft2, irfftn,
            rfft, rfft2, rfftfreq, rfftn,
        };
    }

    #[pymodule]
    mod random {
        #[pymodule_export]
        use crate::distributions::{
            random_bernoulli, random_categorical, random_cauchy, random_choice, random_exponential, random_gumbel,
            random_laplace, random_truncated_normal,
        };
        #[pymodule_export]
        use crate::parametric::{random_beta, random_binomial, random_dirichlet, random_gamma, random_poisson};
        #[pymodule_export]
        use crate::random::{PyKey, random_key, random_normal, random_permutation, random_randint, random_uniform};
    }

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let py = module.py();
        names::publish(module, &["fft", "random"])?;
        pyo3::types::PyMapping::register::<gradients::PyGradients>(py)?;
        settings::install(py)
    }
}
