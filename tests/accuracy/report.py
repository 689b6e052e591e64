"""Prints the worst errors of all functions of the table: python tests/accuracy/report.py [NAME ...] [--points N]."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from accuracy.measure import table
from accuracy.references import FUNCTIONS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="functions; all, if none is named")
    parser.add_argument("--points", type=int, default=2000, help="points per function and dtype")
    options = parser.parse_args()
    chosen = tuple(f for f in FUNCTIONS if not options.names or f.name in options.names)
    print(f"{'function':<12} {'dtype':<11} {'worst':>9} {'bound':>6}   at")
    for function, dtype, bound, found in table(chosen, options.points):
        mark = "" if found.error <= bound else "  !"
        where = ", ".join(map(repr, found.at))
        print(
            f"{function.name:<12} {dtype:<11} {found.error:>9.3g} {bound:>6g}   {where} -> {found.got!r}{mark}",
            flush=True,
        )


if __name__ == "__main__":
    main()
