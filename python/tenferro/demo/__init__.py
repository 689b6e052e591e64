"""Two programs on real input, each with a known answer: `python -m tenferro demo`.

`digits` teaches a matrix product state to read handwritten digits; `tfim` finds the ground state of the critical
transverse-field Ising chain. They need the packages of the extra `demo`.
"""

from collections.abc import Sequence
from importlib import import_module, util
from pathlib import Path

PROGRAMS = ("digits", "tfim")
OUTPUT = Path("demo-output")
REQUIRED = {
    "matplotlib": "matplotlib",
    "scipy": "scipy",
    "sklearn": "scikit-learn",
    "threadpoolctl": "threadpoolctl",
    "tqdm": "tqdm",
}


def missing_packages() -> list[str]:
    return [package for module, package in REQUIRED.items() if util.find_spec(module) is None]


def run(
    programs: Sequence[str] = PROGRAMS,
    output: Path = OUTPUT,
    bond_dimension: int | None = None,
    show_progress: bool = True,
) -> bool:
    """Run the named programs, print the table of results, and say whether all of them passed."""
    missing = missing_packages()
    if missing:
        raise SystemExit(
            f"The demo also needs {', '.join(missing)}. Install what is missing with\n\n"
            '    python -m pip install "tenferro[demo]"\n'
        )
    from tenferro.demo.report import Result, table

    chosen = {} if bond_dimension is None else {"bond_dimension": bond_dimension}
    modules = [import_module(f"tenferro.demo.{name}") for name in programs]
    # NumPy's and SciPy's own BLAS threads only get into each other's way on matrices as small as these.
    with import_module("threadpoolctl").threadpool_limits(limits=1):
        results: list[Result] = [m.run(output, show_progress=show_progress, **chosen) for m in modules]
    print(table(results))
    return all(check.passed for result in results for check in result.checks)
