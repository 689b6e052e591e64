"""Builds the original and writes the golden files anew: python3 tests/parity/regenerate.py. Needs Rust and the network.

The original's crates are built in a project of their own (`oracle/`), which nothing else depends on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ORACLE, GOLDEN = HERE / "oracle", HERE / "golden"
sys.path.insert(0, str(HERE.parent))

from parity.catalogue import FAMILIES  # noqa: E402


def program() -> Path:
    """The built oracle. The original asks for a newer Rust than it needs."""
    command = ["cargo", "build", "--locked", "--ignore-rust-version", "--message-format=json-render-diagnostics"]
    built = subprocess.run(command, cwd=ORACLE, stdout=subprocess.PIPE, text=True)
    if built.returncode:
        sys.exit("the oracle does not build")
    messages = [json.loads(line) for line in built.stdout.splitlines() if line.startswith("{")]
    return Path([m["executable"] for m in messages if m.get("executable")][-1])


def text(cases: list[dict[str, Any]]) -> str:
    """One case on each line, so that changes can be read."""
    lines = [json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in cases]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def main() -> None:
    oracle = program()
    GOLDEN.mkdir(exist_ok=True)
    total = 0
    for family, make in FAMILIES.items():
        calls = list(make())
        names = [case["name"] for case in calls]
        assert len(set(names)) == len(names), f"names occur twice: {sorted(n for n in names if names.count(n) > 1)}"
        found = subprocess.run([oracle], input=json.dumps(calls), stdout=subprocess.PIPE, text=True, check=True)
        cases = [case | result for case, result in zip(calls, json.loads(found.stdout), strict=True)]
        (GOLDEN / f"{family}.json").write_text(text(cases), "utf-8")
        size = os.path.getsize(GOLDEN / f"{family}.json")
        print(f"{family}: {len(cases)} cases, {size / 1000:.0f} kB", flush=True)
        total += len(cases)
    for old in GOLDEN.glob("*.json"):
        if old.stem not in FAMILIES:
            old.unlink()
    print(f"{total} cases")


if __name__ == "__main__":
    main()
