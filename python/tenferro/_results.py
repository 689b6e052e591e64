"""The named tuples that ops with several results return."""

from typing import NamedTuple

from tenferro._tenferro import EagerTensor


class TopK(NamedTuple):
    """The greatest or least elements, and their positions."""

    values: EagerTensor
    indices: EagerTensor


class UniqueAll(NamedTuple):
    """Distinct elements, first occurrences, the position of each element's value, and numbers of occurrences."""

    values: EagerTensor
    indices: EagerTensor
    inverse_indices: EagerTensor
    counts: EagerTensor
