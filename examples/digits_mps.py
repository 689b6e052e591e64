"""A matrix product state learns handwritten digits; the program is tenferro/demo/digits.py."""

from tenferro.__main__ import main

raise SystemExit(main(["demo", "digits"]))
