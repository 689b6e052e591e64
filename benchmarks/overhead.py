"""What one operation costs beside NumPy, what a process pays for the import, and what a long run leaves behind.

Every time is taken as a ratio inside one run: the two sides alternate (A B A B …), each ratio is the median over the
pairs, and the reference is NumPy's `a * a` on three float64. Absolute times depend on the machine; the ratios much
less. Nothing fails here: a line says PASS or MISS, and the exit code is 0.

    python benchmarks/overhead.py [--quick] [--json]
"""

import argparse
import gc
import json
import statistics
import subprocess
import sys
import timeit
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter_ns

import numpy as np

import tenferro as tf

ROOT = Path(__file__).resolve().parent.parent
VALUES = [0.9999, 1.0, 1.0001]
SHORT, LONG = 1_000, 30_000
STATEMENTS_PER_SAMPLE = 2_000
Nanoseconds = Callable[[], float]


@dataclass
class Line:
    name: str
    ours: str
    reference: str
    value: float | None
    target: float
    unit: str

    @property
    def verdict(self) -> str:
        if self.value is None:
            return "not measured"
        return "PASS" if self.value <= self.target else "MISS"


def square(operand: object) -> Nanoseconds:
    """Nanoseconds of `a * a` with a local variable, unrolled ten times against the cost of the loop itself."""
    timer = timeit.Timer("\n".join(["a * a"] * 10), setup="a = operand", globals={"operand": operand})
    loops = STATEMENTS_PER_SAMPLE // 10
    return lambda: timer.timeit(loops) / STATEMENTS_PER_SAMPLE * 1e9


def numpy_product() -> Nanoseconds:
    return square(np.array(VALUES))


def tracked() -> tf.EagerTensor:
    return tf.tensor(VALUES, requires_grad=True)


def chain(leaf: tf.EagerTensor, factor: tf.EagerTensor, nodes: int) -> tf.EagerTensor:
    y = leaf
    for _ in range(nodes):
        y = y * factor
    return y


def backward_per_node(factor_is_tracked: bool, nodes: int, chains: int = 1) -> Nanoseconds:
    def sample() -> float:
        total = 0
        for _ in range(chains):
            leaf = tracked()
            y = chain(leaf, leaf if factor_is_tracked else tf.tensor(VALUES), nodes).sum()
            start = perf_counter_ns()
            y.backward()
            total += perf_counter_ns() - start
        return total / (nodes * chains)

    return sample


def whole_pass_per_node(nodes: int, chains: int) -> Nanoseconds:
    """Building the chain, the backward pass and dropping everything."""

    def sample() -> float:
        start = perf_counter_ns()
        for _ in range(chains):
            leaf = tracked()
            chain(leaf, leaf, nodes).sum().backward()
            del leaf
        return (perf_counter_ns() - start) / (nodes * chains)

    return sample


def compare(name: str, ours: Nanoseconds, reference: Nanoseconds, target: float, pairs: int) -> Line:
    ours(), reference()
    samples: list[tuple[float, float]] = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(pairs):
            samples.append((ours(), reference()))
    finally:
        gc.enable()
    first, second = (statistics.median(side) for side in zip(*samples, strict=True))
    ratio = statistics.median(a / b for a, b in samples)
    return Line(name, f"{first:.0f} ns", f"{second:.0f} ns", ratio, target, "×")


def import_time(runs: int) -> Line:
    """The import itself, in fresh processes that have NumPy already; NumPy's own import stands beside it."""
    program = (
        "from time import perf_counter as now; a = now(); import numpy; b = now(); import tenferro; c = now();"
        "print(b - a, c - b)"
    )
    samples: list[tuple[float, float]] = []
    for _ in range(runs + 1):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        numpy_s, ours_s = (float(word) for word in done.stdout.split())
        samples.append((numpy_s * 1e3, ours_s * 1e3))
    numpy_ms, ours_ms = (statistics.median(side) for side in zip(*samples[1:], strict=True))
    return Line("import tenferro, after numpy", f"{ours_ms:.1f} ms", f"{numpy_ms:.0f} ms", ours_ms, 30.0, "ms")


def sizes() -> list[Line]:
    extension = Path(str(tf._tenferro.__file__))
    content = extension.read_bytes()
    packed = len(zlib.compress(content, 6)) / 1e6
    on_disk = f"{len(content) / 1e6:.1f} MB on disk"
    lines = [Line("extension, compressed as in a wheel", f"{packed:.1f} MB", on_disk, packed, 15.0, "MB")]
    wheels = sorted(ROOT.glob("dist/*.whl"), key=lambda path: path.stat().st_mtime)
    if wheels:
        size = wheels[-1].stat().st_size / 1e6
        lines.append(Line("wheel in dist/", f"{size:.1f} MB", "", size, 15.0, "MB"))
    return lines


def resident_bytes() -> int | None:
    """Memory of this process now (Linux), its highest so far (other Unix), or None."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        import resource

        return int(statm.read_text().split()[1]) * resource.getpagesize()
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def iterate(times: int) -> None:
    x = tf.tensor(np.linspace(0.1, 0.9, 100).reshape(10, 10), requires_grad=True)
    for _ in range(times):
        loss = ((x @ x).sin() * x).sum()
        gradients = loss.backward()
        x = (x - 1e-6 * gradients[x]).as_leaf()


def memory(iterations: int) -> list[Line]:
    iterate(iterations // 20)
    gc.collect()
    before = resident_bytes()
    iterate(iterations)
    gc.collect()
    after = resident_bytes()
    growth = None if before is None or after is None else (after - before) / 2**20
    shown = "" if growth is None else f"{growth:.2f} MiB"
    name = f"growth over {iterations:,} forward + backward"
    live = tf.live_tensors()
    return [
        Line(name, shown, "", growth, 1.0, "MiB"),
        Line("live tensors after it", f"{live}", "", float(live), 0.0, ""),
    ]


def measure(quick: bool) -> list[Line]:
    pairs = 15 if quick else 151
    few = 5 if quick else 31
    same_length = LONG // SHORT  # both samples last equally long, so a busy machine disturbs them alike
    lines = memory(2_000 if quick else 100_000)
    untracked, leaf = tf.tensor(VALUES), tracked()
    lines += [
        compare("a * a, untracked", square(untracked), numpy_product(), 0.9, pairs),
        compare("a * a, tracked", square(leaf), numpy_product(), 1.0, pairs),
        compare("backward per node, y * c", backward_per_node(False, SHORT), numpy_product(), 2.0, few),
        compare("backward per node, y * x", backward_per_node(True, SHORT), numpy_product(), 2.0, few),
        compare(
            f"backward per node, {LONG:,} to {SHORT:,} nodes",
            backward_per_node(True, LONG),
            backward_per_node(True, SHORT, same_length),
            2.0,
            few,
        ),
        compare(
            f"build, backward, drop per node, {LONG:,} to {SHORT:,}",
            whole_pass_per_node(LONG, 1),
            whole_pass_per_node(SHORT, same_length),
            2.0,
            few,
        ),
        import_time(3 if quick else 21),
    ]
    return lines + sizes()


def table(lines: list[Line]) -> str:
    rows = [("", "ours", "reference", "value", "target", "")]
    for line in lines:
        value = "" if line.value is None else f"{line.value:.2f} {line.unit}"
        rows.append((line.name, line.ours, line.reference, value, f"≤ {line.target:g} {line.unit}", line.verdict))
    widths = [max(len(row[column]) for row in rows) for column in range(6)]
    text = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in text)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    parser.add_argument("--json", action="store_true", help="print JSON in place of the table")
    arguments = parser.parse_args()
    lines = measure(arguments.quick)
    if arguments.json:
        print(json.dumps([asdict(line) | {"verdict": line.verdict} for line in lines], indent=2))
    else:
        print(table(lines))


if __name__ == "__main__":
    main()
