"""Dense tensors with reverse-mode automatic differentiation, for physics and differentiable programming.

>>> import tenferro as tf
>>> x = tf.tensor([1.0, 2.0, 3.0], requires_grad=True)
>>> _ = (x * x).sum().backward()
>>> x.grad.numpy()
array([2., 4., 6.])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tenferro import _tenferro
from tenferro import errors as errors
from tenferro import fft as fft
from tenferro import random as random
from tenferro._check import check_grads as check_grads
from tenferro._checkpoint import checkpoint as checkpoint
from tenferro._jacobian import hessian as hessian
from tenferro._jacobian import jacobian as jacobian
from tenferro._rules import custom_jvp as custom_jvp
from tenferro._rules import custom_op as custom_op
from tenferro._rules import custom_vjp as custom_vjp
from tenferro._tenferro import *
from tenferro._tenferro import DType as DType
from tenferro._tenferro import __version__ as __version__
from tenferro._transforms import grad as grad
from tenferro._transforms import hvp as hvp
from tenferro._transforms import jvp as jvp
from tenferro._transforms import linearize as linearize
from tenferro._transforms import stop_gradient as stop_gradient
from tenferro._transforms import value_and_grad as value_and_grad
from tenferro._transforms import vjp as vjp
from tenferro._typing import ArrayLike as ArrayLike
from tenferro._typing import AxesLike as AxesLike
from tenferro._typing import DTypeLike as DTypeLike
from tenferro._typing import ShapeLike as ShapeLike
from tenferro._typing import TensorLike as TensorLike
from tenferro._vmap import vmap as vmap
from tenferro.errors import *

if TYPE_CHECKING:
    import numpy as np

float32: Final[DType[np.float32]] = DType("float32")
float64: Final[DType[np.float64]] = DType("float64")
complex64: Final[DType[np.complex64]] = DType("complex64")
complex128: Final[DType[np.complex128]] = DType("complex128")
int32: Final[DType[np.int32]] = DType("int32")
int64: Final[DType[np.int64]] = DType("int64")
bool_: Final[DType[np.bool_]] = DType("bool")

# Type checkers see the imports above; not all of them can follow a list that is put together.
if not TYPE_CHECKING:
    __all__ = ["ArrayLike", "AxesLike", "DTypeLike", "ShapeLike", "TensorLike", "__version__"]
    __all__ += ["errors", "fft", "random"]
    __all__ += ["bool_", "complex64", "complex128", "float32", "float64", "int32", "int64"]
    __all__ += ["check_grads", "checkpoint", "custom_jvp", "custom_op", "custom_vjp", "vmap"]
    __all__ += ["grad", "hessian", "hvp", "jacobian", "jvp", "linearize", "stop_gradient", "value_and_grad", "vjp"]
    __all__ += _tenferro.__all__ + errors.__all__
