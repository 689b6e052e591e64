"""Small wrong changes to derivative rules, all in one text: each is behind a switch that a program turns on by number.

Used by mutants.py. The text is Rust, read without a parser: comments and strings are blanked out, brackets are matched,
and what counts as a rule is found by the names of functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

SWITCH = "::tenferro_tensor::mutant::on"
SHIFT = "::tenferro_tensor::mutant::shift"

# Functions that are derivative rules by name; generic functions over the interpreter and what they call are found.
# Of the composites, what is made for rules.
RULES = ("adjoint", "tangent", "rule", "saves", "additive", "sum_to")
NO_RULES = ("samples", "meta", "eval", "check", "name")

OPEN, CLOSE = "([{", ")]}"


@dataclass
class Mutant:
    """One wrong change: where, in which function, and what is different."""

    number: int
    path: str
    line: int
    function: str
    change: str

    def __str__(self) -> str:
        return f"{self.number:4} {self.path}:{self.line} {self.function}: {self.change}"


@dataclass
class Site:
    """A stretch of text with its wrong versions: (what changed, text), or a template around the right version."""

    start: int
    end: int
    branches: list[tuple[str, str]] = field(default_factory=list)
    template: tuple[str, str] | None = None


def blanked(text: str) -> str:
    """The text with comments and the insides of strings as spaces, of the same length."""
    token = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])'", re.S)
    return token.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def closing(text: str, start: int) -> int:
    """The place of the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] in OPEN) - (text[i] in CLOSE)
        if depth == 0:
            return i
    raise ValueError(f"unbalanced brackets after {text[start : start + 60]!r}")


def until(text: str, start: int, stops: tuple[str, ...]) -> int:
    """The first of `stops` outside of brackets from `start` on, or the bracket that closes around it."""
    depth, i = 0, start
    while i < len(text):
        if depth == 0 and text.startswith(stops, i):
            return i
        if text[i] in CLOSE and depth == 0:
            return i
        depth += (text[i] in OPEN) - (text[i] in CLOSE)
        i += 1
    return i


def arguments(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The stretches between the commas of an argument list."""
    parts = []
    while start < end:
        stop = min(until(text, start, (",",)), end)
        if text[start:stop].strip():
            parts.append((start, stop))
        start = stop + 1
    return parts


@dataclass
class Function:
    """A function's name and its body, brackets included."""

    name: str
    start: int
    end: int
    generic: bool


def functions(blank: str) -> Iterator[Function]:
    for found in re.finditer(r"\bfn (\w+)(<[^()]*?>)?\s*\(", blank):
        body = until(blank, closing(blank, found.end() - 1) + 1, ("{", ";"))
        if blank[body : body + 1] == "{":
            generic = ": Interp" in (found.group(2) or "")
            yield Function(found.group(1), body, closing(blank, body) + 1, generic)


def regions(blanks: dict[str, str], whole: Callable[[str], bool]) -> dict[str, list[Function]]:
    """The derivative rules of each file, with the functions that they call; all functions of files that are `whole`."""
    everything = {path: list(functions(blank)) for path, blank in blanks.items()}
    chosen: dict[str, list[Function]] = {path: [] for path in blanks}
    waiting = []
    for path, found in everything.items():
        for f in found:
            if whole(path) or f.name in RULES or (f.generic and f.name not in NO_RULES):
                waiting.append((path, f))
    while waiting:
        path, f = waiting.pop()
        if f in chosen[path]:
            continue
        chosen[path].append(f)
        called = set(re.findall(r"\b(?:self\.)?(\w+)\(", blanks[path][f.start : f.end])) - set(NO_RULES)
        for other, candidates in everything.items():
            waiting.extend((other, g) for g in candidates if g.name in called and "ops/" in other and not whole(other))
    for path, blank in blanks.items():
        for table in re.finditer(r"^(?!macro_rules)(\w+)! \{\n", blank, re.M):
            end = closing(blank, table.end() - 2) + 1
            if "cx." in blank[table.end() : end]:
                chosen[path].append(Function(table.group(1) + "!", table.end() - 2, end, False))
    return chosen


def clone(expression: str) -> str:
    return f"Ok(({expression.strip()}).clone())"


def call_branches(base: str, method: str, args: list[str]) -> list[tuple[str, str]]:
    """Wrong versions of `base.method(args)`, which gives a `Result`."""
    a = [arg.strip() for arg in args]
    right = f"{base}.{method}({', '.join(a)})"
    twice = ("twice", f"({right}).and_then(|v| {base}.times(&v, 2.0))")
    minus = ("sign", f"({right}).and_then(|v| {base}.neg(&v))")
    first = ("first operand only", clone(a[0])) if a else ("", "")
    match method:
        case "conj" | "neg" | "real":
            return [(f"no {method}", first[1])]
        case "add":
            return [("sub for add", f"{base}.sub({a[0]}, {a[1]})"), first, ("second operand only", clone(a[1]))]
        case "sub":
            return [
                ("add for sub", f"{base}.add({a[0]}, {a[1]})"),
                ("operands swapped", f"{base}.sub({a[1]}, {a[0]})"),
                first,
                ("minus second operand only", f"{base}.neg({a[1]})"),
            ]
        case "scale":
            return [first, ("mul for scale", f"{base}.mul({a[0]}, {a[1]})"), twice, minus]
        case "mul":
            return [first, ("second operand only", clone(a[1])), twice, minus]
        case "div":
            return [("operands swapped", f"{base}.div({a[1]}, {a[0]})"), ("mul for div", f"{base}.mul({a[0]}, {a[1]})")]
        case "times":
            return [
                ("twice", f"{base}.times({a[0]}, 2.0 * ({a[1]}))"),
                ("sign", f"{base}.times({a[0]}, -({a[1]}))"),
                first,
            ]
        case "number":
            other = "1.0" if a[1] == "0.0" else f"2.0 * ({a[1]})"
            changed = [(f"{other} for {a[1]}", f"{base}.number({a[0]}, {other})")]
            return changed if a[1] == "0.0" else [*changed, ("sign", f"{base}.number({a[0]}, -({a[1]}))")]
        case "select":
            return [
                ("branches swapped", f"{base}.select({a[0]}, {a[2]}, {a[1]})"),
                ("first branch only", f"{base}.select({a[0]}, {a[1]}, {a[1]})"),
                ("second branch only", f"{base}.select({a[0]}, {a[2]}, {a[2]})"),
            ]
        case "unary" if "::Is" not in a[0]:
            return [("argument for function", clone(a[1])), twice, minus]
        case "binary" if "Bit" not in a[0]:
            swapped = ("operands swapped", f"{base}.binary({a[0]}, {a[2]}, {a[1]})")
            return [twice, minus] if "imum" in a[0] else [swapped, twice, minus]
        case "zeros":
            one = f"{base}.number({base}.meta(&z).dtype, 1.0)?"
            return [("ones for zeros", f"({right}).and_then(|z| {{ let one = {one}; {base}.add(&z, &one) }})")]
        case "sum_to" | "transpose" | "broadcast_to":
            return [(f"no {method}", first[1]), twice, minus]
        case "reduce" | "dot" | "bind" | "slice_axis" | "broadcast_in_dim" | "reshape":
            return [twice, minus]
    return []


SWAPS = {
    "CompareOp::Lt": ["CompareOp::Le", "CompareOp::Gt"],
    "CompareOp::Le": ["CompareOp::Lt", "CompareOp::Ge"],
    "CompareOp::Gt": ["CompareOp::Ge", "CompareOp::Lt"],
    "CompareOp::Ge": ["CompareOp::Gt", "CompareOp::Le"],
    "CompareOp::Eq": ["CompareOp::Ne"],
    "CompareOp::Ne": ["CompareOp::Eq"],
    "BinaryOp::BitAnd": ["BinaryOp::BitOr"],
    "BinaryOp::BitOr": ["BinaryOp::BitAnd"],
    "BinaryOp::Maximum": ["BinaryOp::Minimum"],
    "BinaryOp::Minimum": ["BinaryOp::Maximum"],
    "UnaryOp::Sin": ["UnaryOp::Cos"],
    "UnaryOp::Cos": ["UnaryOp::Sin"],
    "UnaryOp::Trunc": ["UnaryOp::Floor"],
    "ReduceOp::Sum": ["ReduceOp::Max"],
    "Rule::Linear": ["Rule::Zero", "Rule::Inactive"],
    "Rule::Tangent": ["Rule::Zero", "Rule::Inactive"],
    "Rule::Zero": ["Rule::Inactive"],
    "Rule::Inactive": ["Rule::Zero"],
}
SAVED = r"(?:Saves::input\([^()]*\)|Saves::NONE|Saves::OUT|Saves\([^()]*\)|\b[ABXY]\b)"


def patterns(blank: str, start: int, end: int) -> list[tuple[int, int]]:
    """The patterns of match arms, without their guards."""
    found = []
    for arrow in re.finditer("=>", blank[start:end]):
        i, depth = start + arrow.start() - 1, 0
        while i > start and not (depth == 0 and blank[i] in "{,}"):
            depth += (blank[i] in ")]") - (blank[i] in "([")
            i -= 1
        guard = re.search(r"\bif\b", blank[i : start + arrow.start()])
        found.append((i, i + guard.start() if guard else start + arrow.start()))
    return found


class Sites:
    """The places to change in one function."""

    def __init__(self, text: str, blank: str, function: Function) -> None:
        self.text, self.blank, self.function = text, blank, function
        self.patterns = patterns(blank, function.start, function.end)
        self.found: list[Site] = []
        self.calls()
        self.conditions()
        if function.name == "saves" or function.name.endswith("!"):
            self.saves()
        if function.name == "additive":
            self.found.append(Site(function.start + 1, function.end - 1, template=("{0} != ({1})", "negated")))
        self.words()

    def matches(self, pattern: str) -> Iterator[re.Match[str]]:
        return re.compile(pattern).finditer(self.blank, self.function.start, self.function.end)

    def is_pattern(self, place: int) -> bool:
        return any(a <= place < b for a, b in self.patterns)

    def calls(self) -> None:
        for call in self.matches(r"(?<![\w.])(cx|self\.base|self)\.(\w+)\("):
            end = closing(self.blank, call.end() - 1)
            args = [self.text[a:b] for a, b in arguments(self.blank, call.end(), end)]
            branches = call_branches(call.group(1), call.group(2), args)
            if branches:
                self.found.append(Site(call.start(), end + 1, branches))
        for read in self.matches(r"\bat\.(?:x\((\d)\)|y\(\))"):
            which = read.group(1)
            others = ["at.x(0)"] if which is None else [f"at.x({1 - int(which) if int(which) < 2 else 0})", "at.y()"]
            self.found.append(Site(*read.span(), [(f"{other} for {read.group()}", other) for other in others]))
        if self.function.name == "adjoint":
            for same in self.matches(r"\bct\.clone\(\)"):
                self.found.append(
                    Site(*same.span(), [("twice", "cx.times(ct, 2.0)?"), ("sign", "cx.neg(ct)?")]),
                )

    def conditions(self) -> None:
        for word in self.matches(r"\bif\b(?! let\b)"):
            end = until(self.blank, word.end(), ("{", "=>"))
            self.negated(word.end(), end)
        for closure in self.matches(r"\.(?:filter|any|all)\(\|[^|]*\|"):
            self.negated(closure.end(), closing(self.blank, self.blank.index("(", closure.start())))
        for choice in self.matches(r"\bmatch\b"):
            end = until(self.blank, choice.end(), ("{",))
            if re.match(r"\{\s*(true|false)\b", self.blank[end:]):
                self.negated(choice.end(), end)

    def negated(self, start: int, end: int) -> None:
        condition = self.blank[start:end]
        if "let " not in condition and "is_multiple_of" not in condition and condition.strip():
            self.found.append(Site(start, end, template=(" {0} != ({1}) ", f"not ({condition.strip()})")))

    def saves(self) -> None:
        chain = rf"{SAVED}(?:\.and\({SAVED}\))*"
        where = chain if self.function.name == "saves" else rf"(?<=\w \(){chain}(?=, \|)"
        for place in self.matches(where):
            if not self.is_pattern(place.start()):
                right = place.group()
                nothing = [] if right == "Saves::NONE" else [("saves nothing", "Saves::NONE")]
                # Functions of one operand have nothing else to save.
                everything = [("saves everything", "Saves(0b111).and(Saves::OUT)")] if right != "X.and(Y)" else []
                self.found.append(Site(*place.span(), nothing + everything))

    def words(self) -> None:
        for word in self.matches(r"\b(?:CompareOp|BinaryOp|UnaryOp|ReduceOp|Rule)::\w+"):
            others = SWAPS.get(word.group(), [])
            if others and not self.is_pattern(word.start()):
                self.found.append(Site(*word.span(), [(f"{o} for {word.group()}", o) for o in others]))
        if self.function.name == "rule":
            for call in self.matches(r"\blinear\(dtype\)"):
                wrong = [(f"{o} for linear", o) for o in ("Rule::Zero", "Rule::Inactive")]
                self.found.append(Site(*call.span(), wrong))
        if self.function.name == "saves" or self.function.name.endswith("!"):
            return
        for number in self.matches(r"(?<![\w.])\d+(?!\w|\.\d)"):
            before, after = self.blank[: number.start()], self.blank[number.end() :]
            length = before.endswith("; ") and after.startswith("]")
            read = before.endswith("at.x(")
            counter = "steps" in self.text[self.text.rfind("\n", 0, number.start()) : number.end()]
            if not (self.is_pattern(number.start()) or length or read or counter):
                value = int(number.group())
                template = (f"{SHIFT}({{number}}, {{1}})", f"{value + 1} for {value}")
                self.found.append(Site(*number.span(), template=template))


class Rewriter:
    """Gives numbers to the mutants and writes the text that holds them all."""

    def __init__(self, without: set[int]) -> None:
        self.mutants: list[Mutant] = []
        self.without = without
        self.path, self.text = "", ""

    def file(self, path: str, text: str, chosen: list[Function]) -> str:
        self.path, self.text = path, text
        blank = blanked(text)
        edits = []
        for f in sorted(chosen, key=lambda f: f.start):
            sites = sorted(Sites(text, blank, f).found, key=lambda s: (s.start, -s.end))
            edits.append((f.start, f.end, self.render(sites, f.start, f.end, f.name)))
        for start, end, new in reversed(edits):
            text = text[:start] + new + text[end:]
        return self.kinds(blank, text)

    def next(self, place: int, function: str, change: str) -> int | None:
        """The number of a new mutant; none if it is left out because it does not compile."""
        line = self.text.count("\n", 0, place) + 1
        mutant = Mutant(len(self.mutants) + 1, self.path, line, function, " ".join(change.split()))
        self.mutants.append(mutant)
        return None if mutant.number in self.without else mutant.number

    def render(self, sites: list[Site], start: int, end: int, function: str) -> str:
        out, at = [], start
        while sites:
            site, rest = sites[0], sites[1:]
            inner = [s for s in rest if s.start < site.end]
            sites = rest[len(inner) :]
            out.append(self.text[at : site.start])
            out.append(self.switched(site, inner, function))
            at = site.end
        out.append(self.text[at:end])
        return "".join(out)

    def switched(self, site: Site, inner: list[Site], function: str) -> str:
        right = " ".join(self.text[site.start : site.end].split())
        if site.template:
            template, change = site.template
            number = self.next(
                site.start,
                function,
                change if template.startswith((" ", "{0")) else f"{change} in …{self.context(site)}",
            )
            body = self.render(inner, site.start, site.end, function)
            if number is None:
                return body
            return f"/*m{number}*/{template.format(f'{SWITCH}({number})', body, number=number)}/*{number}m*/"
        chain = ""
        for change, text in site.branches:
            number = self.next(site.start, function, f"{change}: {right}")
            if number is not None:
                chain += f"if {SWITCH}({number}) {{ /*m{number}*/{text}/*{number}m*/ }} else "
        body = self.render(inner, site.start, site.end, function)
        return f"({chain}{{ {body} }})" if chain else body

    def context(self, site: Site) -> str:
        line = self.text.rfind("\n", 0, site.start) + 1
        return self.text[line : self.text.find("\n", site.end)].strip()

    def kinds(self, blank: str, text: str) -> str:
        """The kinds of the rows of `rules!`, changed where the table is asked."""
        asked = "match kind(self.0) {"
        if asked not in text:
            return text
        chain = ""
        for row in re.finditer(r"^ +(\w+) in \([^()]*\) (Linear|Slope|Special|Zero|Inactive)\b", blank, re.M):
            for other in {"Zero": ["Inactive"], "Inactive": ["Zero"]}.get(row.group(2), ["Zero", "Inactive"]):
                number = self.next(row.start(1), "rules!", f"{row.group(1)}: {other} for {row.group(2)}")
                if number is not None:
                    test = f"{SWITCH}({number}) && self.0 == UnaryOp::{row.group(1)}"
                    chain += f"if {test} {{ /*m{number}*/Rule::{other}/*{number}m*/ }} else "
        return text.replace(asked, f"match ({chain}{{ kind(self.0) }}) {{")
