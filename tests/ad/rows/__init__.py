"""The catalogue: every exported op with samples, or with the reason why it has none."""

from __future__ import annotations

from ad.rows import arrangement, elementwise, lines, numbers
from ad.rows.case import Case

ROWS: dict[str, list[Case]] = elementwise.ROWS | arrangement.ROWS | numbers.ROWS | lines.ROWS

# Ops without a derivative.
WITHOUT: dict[str, list[str]] = {
    "truth values": """all allclose any array_equal compare equal greater greater_equal isclose iscomplex isfinite isin
        isinf isnan isneginf isposinf isreal less less_equal logical_and logical_not logical_or logical_xor not_equal
        signbit""".split(),
    "positions and counts": """argmax argmin argpartition argsort argwhere count_nonzero digitize flatnonzero nanargmax nanargmin
        nonzero ravel_multi_index searchsorted tril_indices triu_indices unravel_index""".split(),
    "integers": "bitwise_and bitwise_invert bitwise_or bitwise_xor left_shift right_shift".split(),
    "constants, whatever the operand": """arange eye fft.fftfreq fft.rfftfreq full full_like geomspace linspace logspace ones ones_like tri
        zeros zeros_like""".split(),
    "a tensor from without": "asarray from_dlpack tensor".split(),
}
