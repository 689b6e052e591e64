"""Measures tenferro beside NumPy, and beside PyTorch, JAX and autograd where they are installed.

    python -m benchmarks [PATTERN ...] [--peers] [--threads 1 2] [--quick] [--json FILE] [--write]

Each case runs in all libraries by turns in one process; a process has a number of threads of its own. Times are
medians, "best other / ours" is above 1 where nobody is faster. PATTERN restricts the cases to names that contain it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from datetime import date
from importlib import metadata, util
from pathlib import Path
from typing import Any

from benchmarks import tables
from benchmarks.cases import Case
from benchmarks.groups import cases
from benchmarks.libraries import OWN, PEERS, Library, Unsupported
from benchmarks.timing import in_turns, runner

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/performance.md"
THREADS = ("OMP", "OPENBLAS", "MKL", "TENFERRO")


def installed(peers: bool) -> list[type[Library]]:
    wanted = [*OWN, *(PEERS if peers else ())]
    return [library for library in wanted if util.find_spec(library.module.partition(".")[0])]


def chosen(patterns: list[str], quick: bool, threads: int) -> list[Case]:
    found = [case for case in cases() if case.quick or not quick]
    if threads > 1:
        found = [case for case in found if case.parallel]
    return [case for case in found if not patterns or any(pattern in case.key for pattern in patterns)]


def measured(case: Case, libraries: list[Library], threads: int, quick: bool) -> dict[str, Any]:
    runners = {}
    for library in libraries:
        if library.name in case.without or (case.records and not library.records):
            continue
        try:
            runners[library.name] = runner(case.build(library), library.wait)
        except (Unsupported, NotImplementedError):
            continue
    rounds, least, budget = (5, 0.002, 1.0) if quick else (11, 0.004, 4.0)
    times = in_turns(runners, rounds, least, budget)
    return {
        "group": case.group,
        "name": case.name,
        "dtype": case.dtype,
        "threads": threads,
        "bytes": case.bytes,
        "flops": case.flops,
        "times": {name: vars(found.scaled(1.0 / case.per)) for name, found in times.items()},
    }


def child(options: argparse.Namespace) -> None:
    """All cases with one number of threads; one JSON line each."""
    threads = options.threads[0]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    libraries = [library(threads) for library in installed(options.peers)]
    for case in chosen(options.patterns, options.quick, threads):
        print(json.dumps(measured(case, libraries, threads, options.quick)), flush=True)


def limits() -> dict[str, float]:
    """Of one thread of this machine; empty without a Rust compiler."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "limits"
        build = ["rustc", "-C", "opt-level=3", "-C", "target-cpu=native", "-o", str(program)]
        if platform.machine() in ("x86_64", "AMD64"):
            # Compilers use half of the width of AVX-512 unless told otherwise.
            build += ["-C", "target-feature=-prefer-256-bit"]
        build.append(str(ROOT / "benchmarks/limits.rs"))
        try:
            subprocess.run(build, check=True, stderr=subprocess.DEVNULL)
        except (FileNotFoundError, subprocess.CalledProcessError):
            return {}
        found: dict[str, float] = json.loads(subprocess.run([program], check=True, capture_output=True).stdout)
        return found


def machine() -> str:
    names = [line.split(":")[1].strip() for line in read("/proc/cpuinfo").splitlines() if line.startswith("model name")]
    return f"{names[0] if names else platform.processor()}, {os.cpu_count()} threads, {platform.system()}"


def read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def versions(libraries: list[type[Library]]) -> str:
    names = dict.fromkeys(library.module.partition(".")[0] for library in libraries)
    known = []
    for name in names:
        try:
            known.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            known.append(name)
    return ", ".join(known)


def run(options: argparse.Namespace) -> dict[str, Any]:
    libraries = installed(options.peers)
    names = [library.name for library in libraries]
    found = limits()
    records: list[dict[str, Any]] = []
    for threads in options.threads:
        total = len(chosen(options.patterns, options.quick, threads))
        environment = os.environ | {f"{name}_NUM_THREADS": str(threads) for name in THREADS}
        command = [sys.executable, "-m", "benchmarks", *options.patterns, "--child", "--threads", str(threads)]
        command += [f"--{flag}" for flag in ("peers", "quick") if getattr(options, flag)]
        start = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT) as process:
            for done, line in enumerate(process.stdout or (), 1):
                records.append(json.loads(line))
                name = f"{records[-1]['group']}, {records[-1]['name']}"
                print(f"\r\033[K{threads} thread(s): {done}/{total} {name}"[:110], end="", file=sys.stderr, flush=True)
        if process.returncode != 0:
            raise SystemExit(f"the run with {threads} thread(s) ended with {process.returncode}")
        print(f"\r\033[K{threads} thread(s): {total} cases in {time.monotonic() - start:.0f} s", file=sys.stderr)
    processes: list[dict[str, Any]] = []
    if not options.patterns:
        command = [sys.executable, "-m", "benchmarks.process", json.dumps(names), str(int(options.quick))]
        processes = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout)
    return {
        "machine": machine(),
        "versions": versions(libraries),
        "date": date.today().isoformat(),
        "libraries": names,
        "limits": found,
        "records": records,
        "processes": processes,
    }


def page(result: dict[str, Any]) -> str:
    """docs/performance.md"""
    lines = [
        "# Performance",
        "",
        "Written by `python -m benchmarks --peers --write`; figures are of one machine and one day, ratios last.",
        "Medians of calls that alternate between the libraries in one process; inputs are made before, results inside.",
        "Row-major libraries get the same data in their own order. jax-jit is without its time for compilation. In",
        "brackets: how many times as long as tenferro. *Of the limit* compares with the machine's figures below.",
        "",
        f"{result['machine']}; {result['versions']}; {result['date']}.",
        f"{tables.summary(result['records']).capitalize()}.",
        "",
        "Limits of one thread: " + "; ".join(f"{name} {value:g}" for name, value in result["limits"].items()) + ".",
    ]
    for group, rows in tables.tables(result["records"], result["libraries"], result["limits"]):
        lines += ["", f"## {group[0].upper()}{group[1:]}", "", tables.markdown(rows)]
    if result["processes"]:
        lines += ["", "## Processes", "", tables.markdown(tables.figures(result["processes"], result["libraries"]))]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("patterns", nargs="*", help="parts of names of cases")
    parser.add_argument("--peers", action="store_true", help="PyTorch, JAX and autograd too, where installed")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--quick", action="store_true", help="few cases, few repetitions")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options)
    result = run(options)
    for group, rows in tables.tables(result["records"], result["libraries"], result["limits"]):
        print(f"\n{group}\n\n{tables.text(rows)}")
    if result["processes"]:
        print(f"\nprocesses\n\n{tables.text(tables.figures(result['processes'], result['libraries']))}")
    print(f"\nlimits of one thread: {result['limits']}\n{tables.summary(result['records'])}")
    if options.json:
        options.json.write_text(json.dumps(result, indent=1))
    if options.write:
        PAGE.write_text(page(result))


if __name__ == "__main__":
    main()
