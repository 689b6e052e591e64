"""Runs every example that a reader meets: ```python blocks of the Markdown pages, and `>>>` lines in docstrings.

The blocks of one page run in order and share their names, as a reader would type them; their asserts must hold. The
docstrings are those of everything public in tenferro, also of what the extension defines. Warnings are errors.
"""

import contextlib
import doctest
import importlib
import inspect
import io
import os
import pkgutil
import re
import sys
import tempfile
import traceback
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python[ \t]*\n(.*?)^```[ \t]*$", re.M | re.S)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
# Running these starts a program.
PROGRAMS = ("tenferro.demo", "tenferro.__main__")


def page_blocks(path: Path) -> Iterator[tuple[int, str]]:
    text = path.read_text("utf-8")
    for match in BLOCK.finditer(text):
        yield text.count("\n", 0, match.start(1)), match.group(1)


def run_page(path: Path) -> tuple[int, int]:
    """(blocks run, blocks failed) of one page; the first failure ends the page."""
    names: dict[str, Any] = {"__name__": "__main__"}
    done = 0
    for line, source in page_blocks(path):
        done += 1
        try:
            # Empty lines in front: a traceback names the line of the page.
            code = compile("\n" * line + source, str(path.relative_to(ROOT)), "exec")
            with contextlib.redirect_stdout(io.StringIO()):
                exec(code, names)
        except Exception:
            print(f"{path.relative_to(ROOT)}, example at line {line + 1}:\n{source}")
            traceback.print_exc(file=sys.stdout)
            return done, 1
    return done, 0


def modules(name: str = "tenferro") -> Iterator[types.ModuleType]:
    module = importlib.import_module(name)
    yield module
    for info in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if f"{name}.{info.name}" not in PROGRAMS:
            yield from modules(f"{name}.{info.name}")


def public(module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    own = [name for name, thing in vars(module).items() if getattr(thing, "__module__", None) == module.__name__]
    names = getattr(module, "__all__", own)
    yield module.__name__, module
    for name in names:
        thing = getattr(module, name)
        yield f"{module.__name__}.{name}", thing
        if inspect.isclass(thing) and thing.__module__.startswith("tenferro"):
            for member, value in vars(thing).items():
                yield f"{module.__name__}.{name}.{member}", getattr(value, "__func__", value)


def docstring_examples() -> Iterator[doctest.DocTest]:
    """Each docstring with examples once, under the first name that shows it."""
    parser = doctest.DocTestParser()
    seen: set[str] = set()
    for module in modules():
        for name, thing in public(module):
            text = inspect.getdoc(thing) if not isinstance(thing, int | float | str | tuple) else None
            if not text or ">>>" not in text or text in seen:
                continue
            seen.add(text)
            names = {"np": importlib.import_module("numpy"), "tf": importlib.import_module("tenferro")}
            yield parser.get_doctest(text, names, name, name, 0)


def run_docstrings() -> tuple[int, int]:
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for test in docstring_examples():
        runner.run(test)
    return runner.tries, runner.failures


def main() -> int:
    warnings.simplefilter("error")
    os.environ.setdefault("MPLBACKEND", "Agg")
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
        pages = [run_page(page) for page in PAGES]
        examples, wrong = run_docstrings()
    blocks, broken = (sum(column) for column in zip(*pages, strict=True))
    print(f"examples: {blocks} blocks in {len(PAGES)} pages, {examples} lines in docstrings; {broken + wrong} failed")
    if not blocks or not examples:
        print("tools/docs_examples.py: found no example in the pages or in the docstrings: that cannot be right")
        return 1
    return 1 if broken or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
