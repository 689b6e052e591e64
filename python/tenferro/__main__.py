"""The command line: `python -m tenferro demo` and `python -m tenferro info`."""

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import tenferro as tf
from tenferro import demo


def run_demo(arguments: argparse.Namespace) -> int:
    programs = demo.PROGRAMS if arguments.program == "all" else (arguments.program,)
    passed = demo.run(programs, arguments.output, arguments.bond_dimension, show_progress=not arguments.quiet)
    return 0 if passed else 1


def show_info(arguments: argparse.Namespace) -> int:
    from tenferro import _tenferro

    extension = Path(str(_tenferro.__file__))
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    rows = {
        "tenferro": tf.__version__,
        "extension": f"{extension} ({extension.stat().st_size / 1e6:.1f} MB)",
        "Python": f"{platform.python_version()} ({platform.python_implementation()}) at {sys.executable}",
        "NumPy": np.__version__,
        "system": f"{platform.system()} {platform.release()} on {platform.machine()}",
        "CPU features": " ".join([*simd.get("baseline", []), *simd.get("found", [])]) + " (found by NumPy)",
        "threads": f"{tf.CpuBackend().num_threads} of {os.cpu_count()} processors",
    }
    for name, value in rows.items():
        print(f"{name:13s} {value}")
    return 0


def bond_dimension(word: str) -> int:
    value = int(word)
    if value < 2:
        raise argparse.ArgumentTypeError("must be at least 2")
    return value


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python -m tenferro", description=(tf.__doc__ or "").split(">>>")[0])
    commands = top.add_subparsers(title="commands", required=True)

    show = commands.add_parser("demo", help="two programs on real input, with pictures and the known answers")
    option = show.add_argument
    option("program", nargs="?", choices=(*demo.PROGRAMS, "all"), default="all", help="default: %(default)s")
    option("-o", "--output", type=Path, default=demo.OUTPUT, help="where pictures go (default: %(default)s)")
    option("-b", "--bond-dimension", type=bond_dimension, help="of the matrix product state")
    option("-q", "--quiet", action="store_true", help="no progress bars")
    show.set_defaults(command=run_demo)

    info = commands.add_parser("info", help="versions, CPU features and threads, for a report of a problem")
    info.set_defaults(command=show_info)
    return top


def main(words: Sequence[str] | None = None) -> int:
    # Tables and messages hold Greek letters; a redirected stream on Windows may not know them.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    arguments = parser().parse_args(words)
    return int(arguments.command(arguments))


if __name__ == "__main__":
    sys.exit(main())
