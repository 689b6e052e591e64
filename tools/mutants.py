#!/usr/bin/env python3
"""How many small wrong changes of the derivative rules the rule tester notices: python3 tools/mutants.py [FILTER ...].

A scratch copy of the crates is made, in which every change (mutations.py) is behind a switch, so that one build holds
all of them. A first run of each test finds which changes it comes past; then each change is switched on in turn and its
tests run until one fails. FILTER restricts the changes to lines of the list that contain it. At the end: a table per
file, and the changes that no test noticed. Needs Python and Rust only.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutations import Mutant, Rewriter, blanked, regions

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
TREE = TARGET / "mutants"
# Cargo takes the scratch copy for the workspace itself if both are built in one place.
BUILT = TREE / "target"
OPS = "crates/tenferro-runtime/src/ops"
SWEEP_FILES = ("mod", "paths", "forward", "reverse")
COMPOSE = "crates/tenferro-runtime/src/compose.rs"
SWEEPS = ("crates/tenferro-ad/src/linear.rs", *(f"crates/tenferro-ad/src/sweep/{name}.rs" for name in SWEEP_FILES))
# Long records and many threads: seconds each, and about the record, so they come last.
LAST = ("depth::", "threads::")
QUICK = 0.5
# Measures time, so a busy machine could fail it.
LEFT_OUT = ("depth::time_is_linear",)

SWITCHES = """//! One wrong change at a time, by number, from the environment.
#![allow(missing_docs, clippy::all)]
use std::io::Write;
use std::sync::{LazyLock, Mutex};

static ACTIVE: LazyLock<u32> =
    LazyLock::new(|| std::env::var("MUTANT").ok().and_then(|n| n.parse().ok()).unwrap_or(0));
static TRACE: LazyLock<Option<Mutex<(Vec<bool>, std::fs::File)>>> = LazyLock::new(|| {
    let path = std::env::var_os("MUTANT_TRACE")?;
    Some(Mutex::new((vec![false; COUNT + 1], std::fs::File::create(path).ok()?)))
});

pub fn on(n: u32) -> bool {
    if *ACTIVE == u32::MAX
        && let Some(trace) = &*TRACE
        && let Ok(mut trace) = trace.lock()
        && !std::mem::replace(&mut trace.0[n as usize], true)
    {
        let _ = writeln!(trace.1, "{n}");
    }
    *ACTIVE == n
}

pub fn shift<T: From<u8> + std::ops::Add<Output = T>>(n: u32, value: T) -> T {
    if on(n) { value + T::from(1) } else { value }
}
"""


def fail(message: str) -> None:
    sys.exit(f"mutants.py: {message}")


def write(path: Path, text: str) -> None:
    """Only what has changed, so that Cargo builds only that anew."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def make_tree(without: set[int]) -> list[Mutant]:
    """The scratch copy with all mutants but those `without`."""
    sources = [*sorted((ROOT / OPS).glob("*.rs")), ROOT / COMPOSE, *(ROOT / path for path in SWEEPS)]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in sources}
    chosen = regions({path: blanked(text) for path, text in texts.items()}, lambda path: path in SWEEPS)
    rewriter = Rewriter(without)
    changed = {path: rewriter.file(path, text, chosen[path]) for path, text in texts.items()}
    kept = {TREE / "crates/tenferro-tensor/src/mutant.rs"}
    for path in (ROOT / "Cargo.toml", ROOT / "Cargo.lock", *(ROOT / "crates").rglob("*")):
        if not path.is_file() or "target" in path.relative_to(ROOT).parts:
            continue
        name = path.relative_to(ROOT).as_posix()
        kept.add(TREE / name)
        text = changed.get(name, path.read_text("utf-8"))
        write(TREE / name, text + "\npub mod mutant;\n" if name == "crates/tenferro-tensor/src/lib.rs" else text)
    count = f"const COUNT: usize = {len(rewriter.mutants)};\n"
    write(TREE / "crates/tenferro-tensor/src/mutant.rs", SWITCHES + count)
    for path in (TREE / "crates").rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()
    return rewriter.mutants


def at_fault(path: str, start: int) -> int | None:
    """The mutant around a byte of a file of the tree."""
    before = (TREE / path).read_bytes()[:start].decode("utf-8", "ignore")
    opened = before.split("/*m")
    for piece in reversed(opened[1:]):
        number = piece.split("*/")[0]
        if f"/*{number}m*/" not in before:
            return int(number)
    return None


def build() -> tuple[Path, list[Mutant], set[int]]:
    """The tester with all mutants that compile: its path, all mutants, and those that do not compile."""
    without: set[int] = set()
    command = ["cargo", "test", "-p", "tenferro-ad", "--test", "rules", "--no-run", "--locked", "--message-format=json"]
    env = os.environ | {"CARGO_TARGET_DIR": str(BUILT)}
    while True:
        mutants = make_tree(without)
        done = subprocess.run(command, cwd=TREE, capture_output=True, text=True, env=env)
        messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        if done.returncode == 0:
            programs = [m["executable"] for m in messages if m.get("executable") and m["target"]["name"] == "rules"]
            return Path(programs[-1]), mutants, without
        errors = [m["message"] for m in messages if m.get("message", {}).get("level") == "error"]
        wrong = set()
        for error in errors:
            for span in error["spans"]:
                number = at_fault(span["file_name"], span["byte_start"])
                if span["is_primary"] and number:
                    wrong.add(number)
        if not wrong - without:
            print("\n".join(error["rendered"] for error in errors) or done.stderr)
            fail("the scratch copy does not build")
        print(f"{len(wrong)} more do not compile", flush=True)
        without |= wrong


def run(program: Path, tests: list[str], env: dict[str, str], limit: float) -> str | None:
    """The first of `tests` to fail, or `(crash)` or `(time)`; None if all pass."""
    command = [str(program), "--exact", "--test-threads=1", *tests]
    process = subprocess.Popen(
        command, cwd=TREE, env=os.environ | env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(limit, stop)
    timer.start()
    try:
        for line in process.stdout:
            if line.startswith("test ") and line.rstrip().endswith("FAILED"):
                return line.split()[1]
        process.wait()
        if late.is_set():
            return "(time)"
        return "(crash)" if process.returncode else None
    finally:
        timer.cancel()
        process.kill()
        process.wait()
        process.stdout.close()


def trace(program: Path, test: str) -> tuple[str, float, set[int]]:
    """How long a test takes, and the mutants it comes past."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace"
        start = time.monotonic()
        failed = run(program, [test], {"MUTANT": str(2**32 - 1), "MUTANT_TRACE": str(path)}, 600)
        if failed:
            fail(f"{test} fails without any change: {failed}")
        lines = path.read_text().split() if path.exists() else []
        return test, time.monotonic() - start, {int(line) for line in lines}


def verdict(program: Path, mutant: Mutant, tests: list[str], seconds: dict[str, float]) -> str | None:
    """What kills a mutant."""
    batches: list[list[str]] = [[], [], []]
    for test in tests:
        batches[2 if test.startswith(LAST) else int(seconds[test] > QUICK)].append(test)
    for batch in filter(None, batches):
        limit = 30 + 20 * sum(seconds[test] for test in batch)
        killer = run(program, batch, {"MUTANT": str(mutant.number)}, limit)
        if killer:
            return killer
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filter", nargs="*")
    parser.add_argument("--list", action="store_true", help="only list the changes")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", type=Path, help="write every verdict to this file")
    chosen = parser.parse_args()
    start = time.monotonic()
    if chosen.list:
        print("\n".join(map(str, make_tree(set()))))
        return
    program, mutants, without = build()
    print(f"{len(mutants)} changes, built in {time.monotonic() - start:.0f} s", flush=True)
    for mutant in mutants:
        if mutant.number in without:
            print(f"does not compile: {mutant}", flush=True)
    listed = subprocess.run([program, "--list", "--format=terse"], capture_output=True, text=True, check=True).stdout
    tests = [line.removesuffix(": test") for line in listed.splitlines() if line.endswith(": test")]
    tests = [test for test in tests if not test.startswith(LEFT_OUT)]
    with ThreadPoolExecutor(chosen.jobs) as pool:
        traces = list(pool.map(lambda test: trace(program, test), tests))
    seconds = {test: taken for test, taken, _ in traces}
    reached: dict[int, list[str]] = defaultdict(list)
    for test, _, numbers in traces:
        for number in numbers:
            reached[number].append(test)
    print(f"{len(tests)} tests in {sum(seconds.values()):.0f} s of one processor", flush=True)
    wanted = [m for m in mutants if m.number not in without]
    if chosen.filter:
        wanted = [m for m in wanted if any(word in str(m) for word in chosen.filter)]

    def judge(mutant: Mutant) -> tuple[Mutant, str | None]:
        killer = verdict(program, mutant, reached[mutant.number], seconds)
        if killer is None:
            print(f"survives: {mutant}" + ("" if reached[mutant.number] else " (no test comes here)"), flush=True)
        return mutant, killer

    with ThreadPoolExecutor(chosen.jobs) as pool:
        verdicts = list(pool.map(judge, wanted))
    if chosen.json:
        rows = [{"change": str(m), "killer": killer, "reached": bool(reached[m.number])} for m, killer in verdicts]
        chosen.json.write_text(json.dumps(rows, indent=1), "utf-8")
    report(verdicts, len(without))
    print(f"{time.monotonic() - start:.0f} s")


def report(verdicts: list[tuple[Mutant, str | None]], without: int) -> None:
    total, killed = Counter(m.path for m, _ in verdicts), Counter(m.path for m, killer in verdicts if killer)
    print(f"\n{'file':48} changes  noticed")
    for path, count in total.items():
        print(f"{path.removeprefix('crates/'):48} {count:7} {killed[path]:8} {killed[path] / count:8.1%}")
    count, noticed = total.total(), killed.total()
    print(f"{'all':48} {count:7} {noticed:8} {noticed / max(count, 1):8.1%}   ({without} did not compile)")
    print("\nnoticed by:", ", ".join(f"{test} {n}" for test, n in Counter(k for _, k in verdicts if k).most_common(12)))
    survivors = [m for m, killer in verdicts if not killer]
    print(f"\n{len(survivors)} survive", *survivors, sep="\n")


if __name__ == "__main__":
    main()
