"""A backend's own number of threads: kernels of its runtime keep to it, and results do not depend on it."""

from __future__ import annotations

import numpy as np
import pytest

import tenferro as tf


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_results_do_not_depend_on_the_number_of_threads(threads: int) -> None:
    runtime = tf.EagerRuntime.with_cpu_backend(tf.CpuBackend(threads=threads))
    rng = np.random.default_rng(5)
    data = rng.normal(size=(300, 300))
    reference = tf.tensor(data, requires_grad=True)
    x = tf.tensor(data, requires_grad=True, runtime=runtime)
    assert runtime.synchronize() is None
    for here in (reference, x):
        ((here @ here).sin() * here).sum().backward()
    assert x.grad is not None and reference.grad is not None  # noqa: PT018
    assert np.array_equal(x.grad.numpy(), reference.grad.numpy())
    assert tf.CpuBackend(threads=threads).num_threads == threads


def test_the_process_wide_number_is_the_default() -> None:
    before = tf.num_threads()
    try:
        tf.set_num_threads(3)
        assert tf.CpuBackend().num_threads == 3
    finally:
        tf.set_num_threads(before)
