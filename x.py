#!/usr/bin/env python3
"""Sets up, builds, checks and runs tenferro, with nothing but Python and Rust: python3 x.py VERB [-- MORE].

    demo    the two example programs on real input, with pictures and a table of results
    test    everything that must hold: formatting, lints, Rust and Python tests, stubs, types, documentation
    check   the quick part of `test`: formatting, lints, stubs, types, workflows
    bench   the cost of one operation beside NumPy's
    docs    the examples in README, docs and docstrings; the Rust documentation
    parity  the tests against stored results of the original; `-- --regenerate` builds it and stores them anew
    wheel   a stripped release wheel in dist/, and its size
    stubs   writes the type stubs, the error classes and docs/ops.md anew from the built extension
    fmt     formats Rust and Python sources

What follows `--` goes to the last program of the verb (`python3 x.py test -- -k matmul`). Set-up and build are
done when something they depend on has changed, and each command is shown before it runs.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

OLDEST_PYTHON = (3, 11)


def fail(message: str, code: int = 1) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.write(f"\nx.py: {message}\n")
    sys.exit(code)


if sys.version_info < OLDEST_PYTHON:
    for minor in (14, 13, 12, 11):
        newer = shutil.which(f"python3.{minor}")
        if newer and subprocess.call([newer, "-c", ""], stderr=subprocess.DEVNULL) == 0:
            sys.exit(subprocess.call([newer, *sys.argv]))
    fail(
        "tenferro needs Python {}.{} or newer; this is Python {}. Install a newer one and run it as "
        "`python3.XX x.py`.".format(*OLDEST_PYTHON, sys.version.split()[0])
    )

import tomllib  # noqa: E402

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMP = VENV / ".x-stamp"
WINDOWS = os.name == "nt"
PYTHON = VENV / ("Scripts/python.exe" if WINDOWS else "bin/python")
CI = os.environ.get("CI", "").lower() not in ("", "0", "false")
WORKFLOWS = sorted(str(p.relative_to(ROOT)) for p in (ROOT / ".github/workflows").glob("*.yml"))
TOOLS = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "tools").glob("*.py"))
WHEEL_LIMIT = 15e6
ORACLE = "tests/parity/oracle/Cargo.toml"
times: list[tuple[str, float]] = []


def environment(without: tuple[str, ...] = (), **more: str) -> dict[str, str]:
    foreign = ("PYTHONHOME", "PYTHONPATH", "CONDA_PREFIX", *without)
    env = {name: value for name, value in os.environ.items() if name not in foreign}
    env["VIRTUAL_ENV"] = str(VENV)
    env["PATH"] = str(PYTHON.parent) + os.pathsep + env.get("PATH", "")
    env["PYO3_PYTHON"] = str(PYTHON)
    env |= {"PYTHONUTF8": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    if CI:
        env |= {"PIP_NO_INPUT": "1", "PIP_PROGRESS_BAR": "off", "CARGO_INCREMENTAL": "0"}
    return env | more


def run(*command: str | Path, env: dict[str, str] | None = None) -> None:
    words = [str(word) for word in command]
    shown = " ".join(f'"{w}"' if " " in w else w for w in words).replace(str(PYTHON), "python")
    print(f"\n$ {shown}", flush=True)
    start = time.monotonic()
    stdin = subprocess.DEVNULL if CI else None
    try:
        code = subprocess.run(words, cwd=ROOT, env=env or environment(), stdin=stdin).returncode
    except FileNotFoundError:
        fail(f"the program {words[0]!r} is not installed", 127)
    except KeyboardInterrupt:
        fail("interrupted", 130)
    times.append((shown, time.monotonic() - start))
    if code != 0:
        fail(f"this command failed with exit code {code}:\n    {shown}", code if code > 0 else 1)


def python(*arguments: str | Path, env: dict[str, str] | None = None) -> None:
    run(PYTHON, *arguments, env=env)


def digest(*patterns: str) -> str:
    total = hashlib.sha256()
    for path in sorted({p for pattern in patterns for p in ROOT.glob(pattern) if p.is_file()}):
        total.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def stamp() -> dict[str, str]:
    try:
        return dict(json.loads(STAMP.read_text("utf-8")))
    except (OSError, ValueError):
        return {}


def remember(**entries: str) -> None:
    STAMP.write_text(json.dumps(stamp() | entries, indent=2), "utf-8")


def rust_version() -> str:
    """What `rustc` calls itself; a helpful refusal if Rust is missing or too old."""
    needed = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["rust-version"]
    how = f"Install Rust {needed} or newer with rustup (www.rust-lang.org/tools/install), then open a new shell."
    if not (shutil.which("cargo") and shutil.which("rustc")):
        fail(f"`cargo` and `rustc` are needed to build the extension, and are not on the PATH. {how}", 127)
    found = subprocess.run(["rustc", "--version"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    numbers = found.split()[1].split("-")[0] if len(found.split()) > 1 else "0"
    if [int(n) for n in numbers.split(".")[:2]] < [int(n) for n in needed.split(".")[:2]]:
        fail(f"this is {found or 'an unknown Rust'}, but Rust {needed} is needed. {how}")
    return found


def set_up(*groups: str) -> None:
    """A virtual environment in .venv with the pinned packages of requirements/GROUP.txt."""
    version = sys.version
    if stamp().get("python") != version or not PYTHON.exists():
        # An older interpreter's environment is emptied; a half-made or foreign one is completed.
        clear = ["--clear"] if STAMP.exists() else []
        print(f"\n$ {sys.executable} -m venv {' '.join([*clear, '.venv'])}", flush=True)
        if subprocess.run([sys.executable, "-m", "venv", *clear, str(VENV)]).returncode:
            fail("could not make .venv. On Debian and Ubuntu: apt install python3-venv python3-pip")
        remember(python=version)
    wanted = {name: digest(f"requirements/{name}.txt") for name in groups}
    stale = [name for name in groups if stamp().get(name) != wanted[name]]
    if stale:
        files = [word for name in stale for word in ("-r", f"requirements/{name}.txt")]
        python("-m", "pip", "install", "--quiet", *files)
        remember(**{name: wanted[name] for name in stale})


def build(profile: str) -> None:
    """The extension inside python/tenferro, unless it is there and nothing has changed."""
    state = "|".join((profile, rust_version(), digest("Cargo.*", "pyproject.toml", "crates/**/*")))
    made = [p for p in (ROOT / "python/tenferro").glob("_tenferro.*") if p.suffix in (".so", ".pyd")]
    if stamp().get("built") == state and made:
        return
    chosen = ["--release"] if profile == "release" else ["--profile", profile]
    python("-m", "maturin", "develop", *chosen, "--locked")
    remember(built=state)


def lint() -> None:
    run("cargo", "fmt", "--all", "--check")
    run("cargo", "fmt", "--manifest-path", ORACLE, "--check")
    run("cargo", "clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings")
    python("-m", "ruff", "check", ".")
    python("-m", "ruff", "format", "--check", ".")
    python("-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", *WORKFLOWS)


def types(profile: str) -> None:
    python("tools/catalog.py", "--check")
    python("tools/stubs.py", "--check", "--profile", profile)
    python("tools/ops_page.py", "--check")
    allowed = "tools/stubtest_allowed.txt"
    python("-m", "mypy.stubtest", "tenferro", "--mypy-config-file", "pyproject.toml", "--allowlist", allowed)
    python("-m", "mypy", "python/tenferro", "tests/typing", *TOOLS, "x.py")
    python("-m", "basedpyright")


def demo(profile: str, more: list[str]) -> None:
    set_up("build", "demo")
    build(profile)
    python("-m", "tenferro", "demo", *more)


def test(profile: str, more: list[str]) -> None:
    set_up("build", "demo", "dev")
    lint()
    run("cargo", "test", "--workspace", "--exclude", "tenferro-py", "--locked")
    build(profile)
    types(profile)
    python("tools/docs_examples.py")
    python("-m", "pytest", *more)


def check(profile: str, more: list[str]) -> None:
    set_up("build", "demo", "dev")
    lint()
    build(profile)
    types(profile)


def bench(profile: str, more: list[str]) -> None:
    set_up("build", "demo", "dev")
    build(profile)
    # NumPy must be measured with its own choice of kernels.
    free = environment(without=("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"))
    python("benchmarks/overhead.py", *more, env=free)


def docs(profile: str, more: list[str]) -> None:
    set_up("build", "demo", "dev")
    build(profile)
    run("cargo", "doc", "--workspace", "--no-deps", "--locked", env=environment(RUSTDOCFLAGS="-D warnings"))
    python("tools/docs_examples.py", *more)


def parity(profile: str, more: list[str]) -> None:
    set_up("build", "demo", "dev")
    if "--regenerate" in more:
        more = [word for word in more if word != "--regenerate"]
        python("tests/parity/regenerate.py")
    build(profile)
    python("-m", "pytest", "tests/parity", *more)


def wheel(profile: str, more: list[str]) -> None:
    set_up("build")
    rust_version()
    start = time.time()
    python("-m", "maturin", "build", "--release", "--locked", "--strip", "--out", "dist", *more)
    made = [p for p in (ROOT / "dist").glob("*.whl") if p.stat().st_mtime >= start - 1]
    for path in made:
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e6:.2f} MB")
    if not made or any(p.stat().st_size > WHEEL_LIMIT for p in made):
        fail(f"expected a wheel of at most {WHEEL_LIMIT / 1e6:.0f} MB in dist/")


def stubs(profile: str, more: list[str]) -> None:
    set_up("build", "demo", "dev")
    build(profile)
    python("tools/catalog.py")
    python("tools/stubs.py", "--profile", profile, *more)
    python("tools/ops_page.py")


def fmt(profile: str, more: list[str]) -> None:
    set_up("build", "demo", "dev")
    run("cargo", "fmt", "--all")
    run("cargo", "fmt", "--manifest-path", ORACLE)
    python("-m", "ruff", "check", "--fix-only", ".")
    python("-m", "ruff", "format", ".")


def main() -> None:
    verbs = {f.__name__: f for f in (demo, test, check, bench, docs, parity, wheel, stubs, fmt)}
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(
        prog="x.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=verbs, metavar="VERB")
    help_profile = "Cargo profile of the extension: release, or dev-fast for quick rebuilds"
    parser.add_argument("--profile", default="release", choices=("release", "dev-fast"), help=help_profile)
    chosen = parser.parse_args(words[:cut])
    if chosen.verb != "fmt":
        rust_version()
    verbs[chosen.verb](chosen.profile, words[cut + 1 :])
    if len(times) > 1:
        print("\n" + "\n".join(f"{seconds:7.1f} s  {shown[:90]}" for shown, seconds in times))


if __name__ == "__main__":
    main()
