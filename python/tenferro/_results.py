"""The named tuples that ops with several results return."""

from typing import NamedTuple

from tenferro._tenferro import EagerTensor


class Histogram(NamedTuple):
    """Counts in bins, and the edges of the bins."""

    counts: EagerTensor
    edges: EagerTensor


class TopK(NamedTuple):
    """The greatest or least elements, and their positions."""

    values: EagerTensor
    indices: EagerTensor


class UniqueInverse(NamedTuple):
    """Distinct elements, and the position of each element's value."""

    values: EagerTensor
    inverse_indices: EagerTensor


class UniqueCounts(NamedTuple):
    """Distinct elements, and numbers of occurrences."""

    values: EagerTensor
    counts: EagerTensor


class UniqueAll(NamedTuple):
    """Distinct elements, first occurrences, the position of each element's value, and numbers of occurrences."""

    values: EagerTensor
    indices: EagerTensor
    inverse_indices: EagerTensor
    counts: EagerTensor
