"""The decorator form of the per-thread modes."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def wrap(inside: Callable[P, T], function: Callable[P, T]) -> Callable[P, T]:
    """A function like `function` that runs it through `inside`, which enters the mode."""

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        return inside(*args, **kwargs)

    return wrapper
