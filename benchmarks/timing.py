"""Times of several libraries for the same work, taken in turns, so that a busy machine disturbs all alike."""

from __future__ import annotations

import gc
import itertools
import statistics
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

Runner = Callable[[int], float]


@dataclass(frozen=True)
class Statement:
    """A piece of code whose time is measured without the cost of a Python function around it."""

    code: str
    names: dict[str, Any]


@dataclass(frozen=True)
class Times:
    """Seconds per call."""

    median: float
    low: float
    high: float

    def scaled(self, factor: float) -> Times:
        return Times(self.median * factor, self.low * factor, self.high * factor)


def runner(work: Callable[[], Any] | Statement, wait: Callable[[Any], None]) -> Runner:
    if isinstance(work, Statement):
        timer = timeit.Timer("\n".join([work.code] * 10), globals=work.names)
        return lambda times: timer.timeit(-(-times // 10)) / (-(-times // 10) * 10) * times

    def run(times: int) -> float:
        out = None
        counter = itertools.repeat(None, times)
        start = perf_counter()
        for _ in counter:
            out = work()
        wait(out)
        return perf_counter() - start

    return run


def repeats(run: Runner, least: float) -> int:
    """Calls that together last at least so many seconds."""
    run(1)
    times = 1
    while (spent := run(times)) < least and times < 1 << 22:
        times = max(2 * times, int(times * min(100.0, 1.2 * least / max(spent, 1e-9))))
    return times


def in_turns(runners: dict[str, Runner], rounds: int, least: float, budget: float) -> dict[str, Times]:
    counts = {name: repeats(run, least) for name, run in runners.items()}
    samples: dict[str, list[float]] = {name: [] for name in runners}
    gc.collect()
    gc.disable()
    start = perf_counter()
    try:
        for turn in range(rounds):
            for name, run in runners.items():
                samples[name].append(run(counts[name]) / counts[name])
            if turn >= 2 and perf_counter() - start > budget:
                break
    finally:
        gc.enable()
    return {name: summary(seconds) for name, seconds in samples.items()}


def summary(seconds: list[float]) -> Times:
    low, middle, high = statistics.quantiles(seconds, n=4) if len(seconds) > 1 else [seconds[0]] * 3
    return Times(middle, low, high)
