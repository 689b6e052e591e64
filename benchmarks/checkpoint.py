"""Peak memory of the gradient of a 1,000-step recurrence, recorded as a whole and in checkpointed segments.

python benchmarks/checkpoint.py
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tenferro as tf

Recurrence = Callable[[tf.EagerTensor, int, "Peak"], tf.EagerTensor]


class Peak:
    """The largest number of live bytes at the moments it was asked to look."""

    def __init__(self) -> None:
        """Start from what is alive now."""
        self.base = tf.live_bytes()
        self.bytes = 0

    def look(self) -> None:
        """Look."""
        self.bytes = max(self.bytes, tf.live_bytes() - self.base)


def step(x: tf.EagerTensor) -> tf.EagerTensor:
    """A step of the recurrence, with several intermediate values."""
    return (x.sin() * 1.5 + x * x).tanh()


def plain(x: tf.EagerTensor, steps: int, peak: Peak) -> tf.EagerTensor:
    """Record all steps."""
    for _ in range(steps):
        x = step(x)
    peak.look()
    return x


def segments(x: tf.EagerTensor, steps: int, peak: Peak) -> tf.EagerTensor:
    """Record √steps segments, each as one step."""
    length = max(1, round(steps**0.5))

    def segment(x: tf.EagerTensor, count: int) -> tf.EagerTensor:
        for _ in range(count):
            x = step(x)
        peak.look()
        return x

    saved = tf.checkpoint(segment)
    done = 0
    while done < steps:
        count = min(length, steps - done)
        x = saved(x, count)
        done += count
    return x


def peak(recurrence: Recurrence, steps: int = 1000, size: int = 1000) -> tuple[int, NDArray[Any]]:
    """The peak of the live bytes (looked at where the record is longest) and the gradient."""
    x = tf.tensor(np.linspace(-1.0, 1.0, size))
    seen = Peak()
    gradient = tf.grad(lambda x: recurrence(x, steps, seen).sum())(x)
    return seen.bytes, gradient.numpy()


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--size", type=int, default=10_000)
    args = parser.parse_args()
    found = {}
    for name, recurrence in (("whole", plain), ("segments", segments)):
        start = time.perf_counter()
        found[name], _ = peak(recurrence, args.steps, args.size)
        seconds = time.perf_counter() - start
        print(f"{name:>10}: peak {found[name] / 1e6:8.1f} MB, {seconds:.3f} s")
    print(f"    factor: {found['whole'] / found['segments']:.1f}")


if __name__ == "__main__":
    main()
