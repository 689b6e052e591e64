"""Einstein sums as products and sums, for the few cases that PyTorch's samples have."""

from __future__ import annotations

import tenferro as tf

T = tf.EagerTensor


def letters_of(term: str, operand: T) -> str:
    """The term with digits for the axes of its ellipsis, the last one 0."""
    hidden = operand.ndim - len(term.replace("...", ""))
    return term.replace("...", "".join(str(i) for i in reversed(range(hidden))))


def spread(operand: T, term: str, labels: str) -> T:
    """The operand with one axis per label, of extent 1 where it has none; repeated labels give its diagonal."""
    for letter in sorted(set(term)):
        while term.count(letter) > 1:
            first, second = term.index(letter), term.rindex(letter)
            operand = tf.moveaxis(operand, (first, second), (0, 1))
            rest = "".join(other for place, other in enumerate(term) if place not in (first, second))
            positions = tf.arange(operand.shape[0])
            operand, term = operand[positions, positions], letter + rest
    present = [letter for letter in labels if letter in term]
    operand = tf.transpose(operand, [term.index(letter) for letter in present])
    return tf.expand_dims(operand, [i for i, letter in enumerate(labels) if letter not in term])


def einsum(operands: list[T], equation: str) -> T:
    left, output = equation.replace(" ", "").split("->")
    terms = [letters_of(term, x) for term, x in zip(left.split(","), operands, strict=True)]
    digits = sorted({label for term in terms for label in term if label.isdigit()}, reverse=True)
    kept = output.replace("...", "".join(digits))
    labels = kept + "".join(sorted({label for term in terms for label in term} - set(kept)))
    product = spread(operands[0], terms[0], labels)
    for operand, term in zip(operands[1:], terms[1:], strict=True):
        product = product * spread(operand, term, labels)
    return tf.sum(product, axis=tuple(range(len(kept), len(labels))))


OPS = {"einsum": einsum}
