"""What whole processes need: imports, first gradients, memory of long runs and backward passes, sizes of files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass

IMPORT = """
from time import perf_counter as now
start = now(); import numpy; numpy_there = now(); import {module}; end = now()
print(end - numpy_there)
"""

FIRST = """
import numpy as np
from time import perf_counter as now
rng = np.random.default_rng(0)
x, y = rng.standard_normal((8, 4)), rng.standard_normal((8, 2))
w, v = rng.standard_normal((4, 8)), rng.standard_normal((8, 2))
{setup}
start = now()
{program}
print(now() - start)
"""

LOSS = "(({tanh}(x @ w) @ v - y) ** 2).sum()"
FIRST_GRADIENT = {
    "tenferro": (
        "import tenferro as tf",
        f"x, y, w, v = map(tf.tensor, (x, y, w, v)); tf.grad(lambda w: {LOSS.format(tanh='tf.tanh')})(w).numpy()",
    ),
    "autograd": (
        "import autograd, autograd.numpy as anp",
        f"autograd.grad(lambda w: {LOSS.format(tanh='anp.tanh')})(w)",
    ),
    "torch": (
        "import torch",
        "x, y, w, v = map(torch.from_numpy, (x, y, w, v)); w.requires_grad_(); "
        f"{LOSS.format(tanh='torch.tanh')}.backward(); w.grad.numpy()",
    ),
    "jax": (
        "import jax, jax.numpy as jnp; jax.config.update('jax_enable_x64', True)",
        f"jax.grad(lambda w: {LOSS.format(tanh='jnp.tanh')})(w).block_until_ready()",
    ),
}

PEAK = """
import numpy as np, resource
from time import perf_counter as now
n, length = 1_000_000, 50
{setup}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
{program}
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
# fifty values of 8 MB are needed by the backward pass of fifty products and sines
PEAKS = {
    "tenferro": (
        "import tenferro as tf; x = tf.tensor(np.ones(n), requires_grad=True)",
        "y = x\nfor _ in range(length): y = tf.sin(y * x)\n(y.sum()).backward(); del y",
    ),
    "torch": (
        "import torch; torch.set_num_threads(1); x = torch.ones(n, dtype=torch.float64, requires_grad=True)",
        "y = x\nfor _ in range(length): y = torch.sin(y * x)\n(y.sum()).backward(); del y",
    ),
}


@dataclass
class Figure:
    """A number for each library."""

    name: str
    unit: str
    values: dict[str, float]


def median_of(program: str, runs: int) -> float | None:
    found = []
    for _ in range(runs):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ)
        if done.returncode != 0:
            return None
        found.append(float(done.stdout.split()[-1]))
    return sorted(found)[len(found) // 2]


def each(programs: dict[str, str], runs: int, scale: float) -> dict[str, float]:
    found = {name: median_of(program, runs) for name, program in programs.items()}
    return {name: value * scale for name, value in found.items() if value is not None}


def figures(libraries: list[str], quick: bool) -> list[Figure]:
    runs = 3 if quick else 11
    imports = {name: IMPORT.format(module=name) for name in libraries if name not in ("numpy", "jax-jit")}
    first = {
        name: FIRST.format(setup=setup, program=program)
        for name, (setup, program) in FIRST_GRADIENT.items()
        if name in libraries
    }
    peaks = {
        name: PEAK.format(setup=setup, program=program) for name, (setup, program) in PEAKS.items() if name in libraries
    }
    return [
        Figure("import, NumPy there already", "ms", each(imports, runs, 1e3)),
        Figure("first gradient after the import", "ms", each(first, runs, 1e3)),
        Figure("peak of 50 sines and products of 8 MB, forward and backward", "MiB", each(peaks, 3, 1.0)),
    ]


def main() -> None:
    libraries, quick = json.loads(sys.argv[1]), bool(int(sys.argv[2]))
    print(json.dumps([vars(figure) for figure in figures(libraries, quick)]))


if __name__ == "__main__":
    main()
