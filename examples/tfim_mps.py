"""Ground state of the critical Ising chain; the program is tenferro/demo/tfim.py."""

from tenferro.__main__ import main

raise SystemExit(main(["demo", "tfim"]))
