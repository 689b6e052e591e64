"""Nested containers of tensors: lists, tuples, named tuples, dicts and dataclasses, taken apart and put together again.

`None` is an empty container; whatever else is not a container is a leaf.
"""

import copy
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from tenferro._tenferro import EagerTensor
from tenferro.errors import InvalidArgumentError

Tree: TypeAlias = Any
"""Containers of leaves, or a leaf."""


class Structure:
    """The shape of a nested container: its kind, the names of its entries, and their structures. A leaf has no kind."""

    __slots__ = ("children", "kind", "labels", "template")

    def __init__(
        self,
        kind: type | None = None,
        labels: tuple[Any, ...] = (),
        children: "tuple[Structure, ...]" = (),
        template: object = None,
    ) -> None:
        self.kind = kind
        self.labels = labels
        self.children = children
        self.template = template

    def count(self) -> int:
        """The number of leaves."""
        return 1 if self.kind is None else sum(child.count() for child in self.children)

    def build(self, leaves: Iterator[Any]) -> Tree:
        """The container with these leaves."""
        kind = self.kind
        if kind is None:
            return next(leaves)
        if kind is type(None):
            return None
        entries = [child.build(leaves) for child in self.children]
        if kind is list:
            return entries
        if kind is tuple:
            return tuple(entries)
        if kind is dict:
            return dict(zip(self.labels, entries, strict=True))
        if issubclass(kind, list):
            return kind(entries)
        if issubclass(kind, tuple):
            return kind(*entries) if hasattr(kind, "_fields") else kind(entries)
        made: Any = copy.copy(self.template)
        if issubclass(kind, dict):
            made.update(zip(self.labels, entries, strict=True))
            return made
        # Past `__init__` and `__setattr__`: a dataclass may be frozen, and its checks are not meant for gradients.
        for label, entry in zip(self.labels, entries, strict=True):
            object.__setattr__(made, label, entry)
        return made

    def place(self, number: int) -> str:
        """Where leaf `number` is, as Python would write it."""
        if self.kind is None or self.kind is type(None):
            return ""
        for label, child in zip(self.labels, self.children, strict=True):
            inside = child.count()
            if number < inside:
                return self.step(label) + child.place(number)
            number -= inside
        return ""

    def step(self, label: object) -> str:
        """The name of an entry, as Python would write it."""
        return f".{label}" if dataclasses.is_dataclass(self.kind) else f"[{label!r}]"


LEAF: Final = Structure()


def _template(kind: type, tree: Any, labels: tuple[Any, ...]) -> object:
    """A copy of a container that holds no leaves, so that a structure keeps none alive."""
    empty = copy.copy(tree)
    if issubclass(kind, dict):
        empty.clear()
    else:
        for label in labels:
            object.__setattr__(empty, label, None)
    return empty


def entries_of(tree: Tree) -> tuple[tuple[Any, ...], list[Any]] | None:
    """The names and values of a container's entries; `None` for a leaf."""
    if isinstance(tree, (list, tuple)):
        return tuple(range(len(tree))), list(tree)
    if isinstance(tree, dict):
        return tuple(tree), list(tree.values())
    if tree is None:
        return (), []
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        labels = tuple(field.name for field in dataclasses.fields(tree))
        return labels, [getattr(tree, label) for label in labels]
    return None


def flatten(tree: Tree) -> tuple[list[Any], Structure]:
    """The leaves of `tree`, in order, and its structure."""
    leaves: list[Any] = []
    return leaves, _flatten(tree, leaves)


def _flatten(tree: Tree, leaves: list[Any]) -> Structure:
    if type(tree) is EagerTensor:
        leaves.append(tree)
        return LEAF
    entries = entries_of(tree)
    if entries is None:
        leaves.append(tree)
        return LEAF
    labels, values = entries
    kind = type(tree)
    children = tuple(_flatten(value, leaves) for value in values)
    plain = isinstance(tree, (list, tuple)) or kind is dict or tree is None
    return Structure(kind, labels, children, None if plain else _template(kind, tree, labels))


def first_tensor(tree: Tree) -> EagerTensor | None:
    """The first tensor in `tree`, which may be any object, even a container of itself."""
    seen: set[int] = set()
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        if type(one) is EagerTensor:
            return one
        entries = entries_of(one)
        if entries is not None and id(one) not in seen:
            seen.add(id(one))
            waiting.extend(reversed(entries[1]))
    return None


def transform(function: Callable[[Any], Any], tree: Tree) -> Tree:
    """`tree` with `function` of each leaf in the leaf's place; unchanged if no leaf changes."""
    leaves, structure = flatten(tree)
    changed = [function(leaf) for leaf in leaves]
    if all(old is new for old, new in zip(leaves, changed, strict=True)):
        return tree
    return structure.build(iter(changed))


def leaves_as(structure: Structure, tree: Tree, op: str, argument: str) -> list[Any]:
    """What `tree` has where `structure` has leaves; `None` in place of a container stands for all its leaves.

    Raises `InvalidArgumentError` where `tree` is built differently.
    """
    found: list[Any] = []
    _leaves_as(structure, tree, found, op, argument, "")
    return found


def _leaves_as(structure: Structure, tree: Tree, found: list[Any], op: str, argument: str, place: str) -> None:
    kind = structure.kind
    # Where a tensor belongs, a list is its data.
    if kind is None and (tree is None or isinstance(tree, list) or entries_of(tree) is None):
        found.append(tree)
        return
    if tree is None:
        found.extend([None] * structure.count())
        return
    entries = entries_of(tree)
    got = type(tree).__name__
    expected = "a tensor" if kind is None else f"a {kind.__name__}"
    if kind is type(None):
        expected = "None"
    elif (
        kind is not None
        and entries is not None
        and (isinstance(tree, kind) or (kind is tuple and isinstance(tree, list)))
    ):
        labels, values = entries
        named = dict(zip(labels, values, strict=True))
        if len(labels) == len(structure.labels) and all(label in named for label in structure.labels):
            for label, child in zip(structure.labels, structure.children, strict=True):
                _leaves_as(child, named[label], found, op, argument, place + structure.step(label))
            return
        names = ", ".join(map(repr, structure.labels))
        expected += f" of {len(structure.labels)}" if isinstance(tree, (list, tuple)) else f" with {names}"
        got += f" of {len(labels)}" if isinstance(tree, (list, tuple)) else f" with {', '.join(map(repr, labels))}"
    message = f"argument '{argument}': expected {expected}{' at ' + place if place else ''}, got {got}"
    raise InvalidArgumentError(message, op=op, argument=argument)
