"""The groups of cases."""

from collections.abc import Iterator

from benchmarks.cases import Case
from benchmarks.groups import contraction, elementwise, layout, overhead, programs


def cases() -> Iterator[Case]:
    for module in (overhead, elementwise, layout, contraction, programs):
        yield from module.cases()
