"""Symbols with glosses in an answer: ``Larger(x, y): x is larger than y`` and the other ways to write it.

A symbol is taken only from a line that lists it: one that begins with the symbol, and says what it stands for or stands
under a heading. Formulas, sentences and explanations that merely use symbols list none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_autoeval.languages.ontology import Symbol
from pytest_autoeval.languages.wrappings import without_thoughts
from pytest_autoeval.tasks.answers.signature_json import objects_as_lines
from pytest_autoeval.tasks.matching.symbol_likeness import name_in_words


@dataclass(frozen=True, slots=True)
class SignatureText:
    """The symbols that an answer lists, in its order; its text without the lines that list them; why there are none.

    An answer that says that none are needed has no symbols and no problem.
    """

    symbols: tuple[Symbol, ...]
    rest: str
    problem: str = ""


#: Characters of an answer, and of one of its lines, that are looked at.
_LONGEST, _LONGEST_LINE = 100_000, 2_000
#: Words of a gloss that stands behind a bare name; more are a sentence about something else.
_LONGEST_GLOSS = 15
_VARIABLES: Final = ("x", "y", "z", "u", "v", "w")

_NAME: Final = r"[^\W\d](?:\w|['’](?=\w))*"
_PLACE: Final = r"(?:\w+(?:\s*:\s*\w+)?|[·•_?…–-]|\.\.\.)"
_ARITIES: Final = {
    "unary": 1,
    "binary": 2,
    "ternary": 3,
    "monadic": 1,
    "dyadic": 2,
    "zero": 0,
    "one": 1,
    "two": 2,
    "three": 3,
}
_ARITY: Final = (
    rf"(?:arity\s*[:=]?\s*)?(?:(?:{'|'.join(_ARITIES)})\b|\d(?=[-\s](?:place|ary|arg)|\s*\)|\s*$)|(?<=arity\s)\d|(?<==)\d)"
    r"(?:[-\s]?(?:place|ary|arguments?|places?))?(?:\s+(?:predicate|relation|function|symbol))?"
)
#: A symbol as lists have it: ``Larger(x, y)``, ``Larger/2``, ``Larger (binary)``, ``a``.
_SYMBOL: Final = (
    rf"(?P<name>{_NAME})(?:\s?\((?!{_ARITY}\))(?P<places>{_PLACE}(?:\s*,\s*{_PLACE})*)\)(?!\w)|\s?/\s?(?P<slash>\d)(?!\d))?"
    rf"(?:\s*(?:\((?P<arity>{_ARITY})\)|,\s+(?P<behind>{_ARITY})))?"
)
_SAYS: Final = (
    r"(?:\s*(?P<sign>:=|≔|:|≡|=(?!>)|=>|->|→|⇒|↦|[-–—]+(?=\s))\s*"
    r"|\s+(?:means?|denotes?|represents?|stands?\s+for|says|indicates|expresses|refers\s+to|be)(?:\s+that\b)?:?\s+)"
)
_LISTED = re.compile(rf"(?:let\s+)?{_SYMBOL}{_SAYS}(?P<gloss>\S.*)", re.IGNORECASE)
_BRACKETED = re.compile(rf"{_SYMBOL}\s+\((?P<gloss>[^()]+)\)", re.IGNORECASE)
_ALONE = re.compile(_SYMBOL, re.IGNORECASE)
#: Where items of a list on one line are parted: not inside of brackets.
_COMMAS = re.compile(r"\s*(?:[,;]\s*(?:and\s+)?|\s+and\s+)(?![^()]*\))")
#: A comma parts symbols where another one with its gloss follows.
_SEMICOLONS = re.compile(rf"\s*(?:;|,(?=\s*{_NAME}(?:\([^()]*\))?\s?:\s))\s*(?![^()]*\))")

_LABEL = re.compile(r"(?P<label>[^\W\d][\w'’/ -]*?)\s*(?:\([^()]*\)\s*)?(?::(?!=)\s*(?P<rest>.*)|$)")
#: What kind of symbols stands under a heading, by the first letters of one of its words.
_KINDS: Final = {
    "predicates": "predicate", "predicate": "predicate", "relations": "predicate", "relation": "predicate",
    "properties": "predicate", "propositions": "predicate", "functions": "term", "function": "term",
    "constants": "term", "constant": "term", "individuals": "term", "names": "term", "objects": "term",
    "variables": "variable", "variable": "variable",
    "symbols": "symbol", "signature": "symbol", "glossary": "symbol", "ontology": "symbol", "vocabulary": "symbol",
}  # fmt: skip
_HEADING_WORDS: Final = frozenset(
    {
        *_KINDS, "the", "and", "of", "used", "unary", "binary", "ternary", "individual", "named", "list", "set", "my",
        "symbol", "non", "logical", "extracted", "with", "glosses", "gloss", "meaning", "meanings", "their", "term",
        "place", "one", "two", "three", "proposition", "nullary", "letters", "here", "are",
    }
)  # fmt: skip
#: Words of labels under which, and behind which, no symbols are listed.
_TEXT_LABELS: Final = frozenset(
    {
        "answer", "formula", "fol", "translation", "formalization", "formalisation", "sentence", "statement", "input",
        "output", "example", "result", "conclusion", "premise", "text", "summary", "logic", "expression",
    }
)  # fmt: skip
_EXPLAINING_LABELS: Final = frozenset(
    {
        "explanation", "reasoning", "reason", "reasons", "note", "notes", "remark", "remarks", "justification", "why",
        "analysis", "breakdown", "comment", "comments", "rationale", "domain", "universe",
        "quantifiers", "quantifier", "connectives", "connective", "operators", "step", "interpretation", "assumption",
        "assumptions", "legend", "negation", "conjunction", "disjunction", "implication",
    }
)  # fmt: skip
#: Labels whose text stands behind them, and not in the lines below.
_REMARKS: Final = frozenset({"note", "notes", "remark", "remarks", "comment", "comments"})
_NO_NAMES: Final = (
    _TEXT_LABELS | _EXPLAINING_LABELS | _KINDS.keys()
    | {
        "where", "here", "arity", "meaning", "gloss", "description", "symbol", "none", "name", "kind", "type", "let",
        "key", "therefore", "so", "thus", "hence", "first", "second", "third", "next", "finally", "also", "or", "and",
        "if", "then", "is", "not", "forall", "exists", "final", "object", "individual", "proposition", "property",
    }
)  # fmt: skip

#: What says, as a whole answer, that there is nothing to list.
_NONE_NEEDED = re.compile(
    r"\W*(?:(?:there (?:are|is)|the (?:sentence|statement) (?:needs|requires|uses|has)) )?(?:none|no (?:non-logical )?"
    r"(?:symbols?|predicates?,?(?: (?:and|or|functions?,?|constants?,?|no))*))(?: (?:is|are))?"
    r"(?: (?:needed|required|necessary|used))?(?: (?:here|by (?:it|the sentence)))?\W*",
    re.IGNORECASE,
)
_LOGICAL = re.compile(r"[∀∃∧∨¬⊕↔⇔⊤⊥&]|\\(?:forall|exists|land|lor|neg)\b|<->|\b(?:forall|exists)\s+\w")
_APPLIED = re.compile(rf"\W*{_NAME}\([^()]*\)")
_MARKS = re.compile(r"\*+|`+|\$+|(?<!\w)__|__(?!\w)|\\[()\[\]]|[“”\"]|[✅✓✔\u2600-\u26ff\U0001f000-\U0001faff]\ufe0f?")
_LATEX = re.compile(r"\\(?:text(?:bf|tt|rm|it|sf)?|math(?:rm|bf|tt|it|sf)|operatorname)\s*\{([^{}]*)\}")
_DECORATION = re.compile(
    rf"^(?:\s|[>#•+·](?=\s)|[#-]+(?=\s)|\(?\d{{1,2}}[.)]\s|\(?[a-z]\)\s(?=[\W_]*{_NAME}[\W_]*\())*"
)
#: A heading that stands behind another list on the same line.
_NEXT_HEADING = re.compile(
    r"(?<=[.;)])[ \t]+(?=[*_]*(?:Predicates?|Relations?|Constants?|Individuals|Functions?|Propositions)[*_]*:)"
)
_VERB: Final = r"(?:is|are|was|were|has|have|does|do|will|can|must)\b"
_RELATIVE = re.compile(rf"\b(?:that|which|who)\s+{_VERB}", re.IGNORECASE)
_IS_SAID = re.compile(rf"\b{_VERB}", re.IGNORECASE)
_OF_SOMETHING = re.compile(
    r"(?:the|an?)\s+(?:[\w-]+\s+){1,3}of\s+(?:\w\d?\b|an?\b|the\b)|(?:maps|returns|gives)\b", re.IGNORECASE
)
_VARIABLE = re.compile(r"(?<![\w'’])[u-z]\d?(?![\w'’])")


def read_signature(answer: str, names: Collection[str] = ()) -> SignatureText:
    """The symbols that an answer lists; never raises.

    One symbol a line, with or without its gloss, in tables, in JSON, or several behind a heading such as
    ``Constants: a, b``. A list that is begun anew after other text, with names of the earlier one, replaces it, unless
    it stands under a label such as "Explanation". The places of a predicate without brackets are the variables that
    its gloss speaks of. ``names`` are those that are symbols for sure, whatever they look like.
    """
    text = _NEXT_HEADING.sub("\n", objects_as_lines(without_thoughts(answer)[-_LONGEST:]))
    reader = _Reader(names)
    rest = [line for line in text.splitlines() if not reader.takes(line)]
    symbols = reader.symbols()
    problem = (
        ""
        if symbols or _NONE_NEEDED.fullmatch(text)
        else "the answer lists no symbols, such as Larger(x, y): x is larger than y"
    )
    return SignatureText(symbols, "\n".join(rest), problem)


class _Reader:
    """Takes the lines of an answer one by one, and keeps the lists of symbols in them."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._parts: list[list[Symbol]] = [[]]
        self._heading = ""
        self._places: int | None = None
        self._is_explaining = False

    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols of the lists that count, each once."""
        kept: dict[tuple[str, int], Symbol] = {}
        for part in self._parts:
            found = {(symbol.name, symbol.arity): symbol for symbol in reversed(part)}
            if len(found) > 1 and not kept.keys().isdisjoint(found):
                kept = {}
            for symbol in part:
                kept.setdefault((symbol.name, symbol.arity), symbol)
        return tuple(kept.values())

    def takes(self, line: str) -> bool:
        """Whether a line lists symbols, or is a heading of such lines."""
        plain = _plain(line)
        if not plain or len(plain) > _LONGEST_LINE:
            return False
        found = [*self._in_line(plain)]
        if found and self._heading == "variable" and not any(symbol.arity for symbol in found):
            return True
        if found:
            if not self._is_explaining:
                self._parts[-1] += found
            return not self._is_explaining
        label = _LABEL.fullmatch(plain)
        words = re.findall(r"[a-z]+", label["label"].lower()) if label else []
        if label and _heads_symbols(words):
            self._heading = next(_KINDS[word] for word in reversed(words) if word in _KINDS)
            self._places = next((_ARITIES[word] for word in words if word in _ARITIES), None)
            self._is_explaining = False
            self._parts[-1] += [*self._in_list(label["rest"] or "")] if self._heading != "variable" else []
            return True
        if not plain.startswith("|"):
            explains = not _EXPLAINING_LABELS.isdisjoint(words[:3])
            is_remark = explains and words[0] in _REMARKS and label is not None and bool(label["rest"])
            self._is_explaining |= any(self._parts) and explains and not is_remark
            self._heading = ""
            self._parts += [[]] if self._parts[-1] else []
        return False

    def _in_line(self, plain: str) -> Iterator[Symbol]:
        """The symbols that a line lists: one, or several parted by semicolons."""
        if plain.startswith("|"):
            yield from self._in_row([cell.strip() for cell in plain.strip("|").split("|")])
            return
        items = _SEMICOLONS.split(plain.rstrip(";"))
        found = [self._listed(item) for item in items]
        symbols = [symbol for symbol in found if symbol is not None]
        if len(symbols) == len(items):
            yield from symbols
        elif whole := self._listed(plain):
            yield whole

    def _listed(self, item: str) -> Symbol | None:
        """The symbol that an item of a list is about."""
        if (found := _LISTED.fullmatch(item)) and _is_gloss(found):
            return self._symbol(found, found["gloss"])
        if (found := _BRACKETED.fullmatch(item)) and (self._heading or found["places"]) and _is_gloss(found):
            return self._symbol(found, found["gloss"])
        found = _ALONE.fullmatch(item)
        if found and ((self._heading and found["places"]) or found["slash"] or found["arity"] or found["behind"]):
            return self._symbol(found, "")
        return self._symbol(found, "") if found and self._heading == "term" else None

    def _in_list(self, text: str) -> Iterator[Symbol]:
        """The symbols that a heading lists itself, if it lists nothing else."""
        items = [item for item in _COMMAS.split(text.strip(" .{}[]")) if item]
        found = [self._listed(item) or self._bare(item) for item in items]
        symbols = [symbol for symbol in found if symbol is not None]
        if len(symbols) == len(items):
            yield from symbols
        else:
            yield from self._in_line(text)

    def _bare(self, item: str) -> Symbol | None:
        found = _ALONE.fullmatch(item)
        return self._symbol(found, "") if found else None

    def _in_row(self, cells: Sequence[str]) -> Iterator[Symbol]:
        """The symbol of a table's row: its name, and of the other cells its arity, its kind and its gloss."""
        kinds = {_KINDS[cell.lower()] for cell in cells if cell.lower() in _KINDS}
        found = _ALONE.fullmatch(cells[0])
        if found is None or cells[0].lower() in _NO_NAMES:
            self._heading = next(iter(kinds), "") if cells[0].lower() in _NO_NAMES else self._heading
            return
        others = [cell for cell in cells[1:] if cell.lower() not in _KINDS]
        arity = next((_arity(cell) for cell in others if _arity(cell) is not None), None)
        gloss = max((cell for cell in others if _arity(cell) is None), key=len, default="")
        heading, self._heading = self._heading, next(iter(kinds), self._heading or "symbol")
        symbol = self._symbol(found, gloss, arity)
        self._heading = heading
        if symbol is not None:
            yield symbol

    def _symbol(self, found: re.Match[str], gloss: str, arity: int | None = None) -> Symbol | None:
        """The symbol of a match; None where a bare name is more likely something else."""
        name, gloss = found["name"], gloss.strip(" .'’‘")
        is_doubtful = name.lower() in _NO_NAMES and name not in self._names
        if is_doubtful and not (found["slash"] or (found["places"] and not _LOGICAL.match(f"{name} x"))):
            return None
        told = next((found[key] for key in ("slash", "arity", "behind") if found[key]), None)
        arity = arity if told is None else _arity(told)
        places = [part.partition(":")[0].strip() for part in (found["places"] or "").split(",") if part.strip()]
        if not places and arity is None and self._heading == "predicate":
            arity = self._places
        is_bare = not places and arity is None
        if is_bare and self._heading != "term" and _says_of_variables(gloss):
            places = [*dict.fromkeys(_VARIABLE.findall(gloss))]
        elif is_bare and not self._may_be_bare(name, gloss):
            return None
        if arity is not None and len(places) != arity:
            mentioned = [*dict.fromkeys(_VARIABLE.findall(gloss))]
            places = mentioned if len(mentioned) == arity else [*_VARIABLES[:arity]]
        if len({*places}) < len(places) or not all(re.fullmatch(_NAME, place) for place in places):
            places = [*_VARIABLES[: len(places)]]
        return Symbol(name, tuple(places), gloss, is_term=self._is_term(name, places, gloss))

    def _may_be_bare(self, name: str, gloss: str) -> bool:
        is_variable = _VARIABLE.fullmatch(name) and re.match(r"(?:an?|any|some|variables?)\b", gloss)
        if is_variable or len(gloss.split()) > _LONGEST_GLOSS or _LOGICAL.search(gloss) or _APPLIED.search(gloss):
            return False
        repeats = not {*name_in_words(name).split()}.isdisjoint(gloss.lower().split())
        return bool(self._heading) or name[0].islower() or repeats or len(name) == 1 or name in self._names

    def _is_term(self, name: str, places: Sequence[str], gloss: str) -> bool:
        """Whether a symbol is a function or a constant, by its heading, or else by what its gloss says."""
        if self._heading in ("predicate", "term"):
            return self._heading == "term"
        if places:
            return _OF_SOMETHING.match(gloss) is not None and not _IS_SAID.search(_RELATIVE.sub("", gloss))
        if not gloss:
            return name[0].islower()
        is_sentence = _IS_SAID.search(_RELATIVE.sub("", gloss)) is not None
        return not is_sentence or re.match(rf"(?:the\s+\w+\s+|an?\s+\w+\s+)?{re.escape(name)}\b", gloss) is not None


def _plain(line: str) -> str:
    """A line without marks of lists, Markdown and LaTeX; empty where it is nothing but marks."""
    plain = _LATEX.sub(r"\1", line).replace("\\_", "_").replace("：", ":")
    plain = _DECORATION.sub("", _MARKS.sub("", _DECORATION.sub("", plain))).strip()
    return plain if re.search(r"\w", plain) else ""


def _heads_symbols(words: Sequence[str]) -> bool:
    return bool(words) and _HEADING_WORDS.issuperset(words) and not _KINDS.keys().isdisjoint(words)


def _says_of_variables(gloss: str) -> bool:
    return bool(_VARIABLE.search(gloss)) and bool(re.search(r"[^\W\d_]{2}", gloss))


def _is_gloss(found: re.Match[str]) -> bool:
    """Whether what stands behind a symbol can be its gloss, and is not the rest of a formula or an equation."""
    gloss = found["gloss"]
    if found.groupdict().get("sign") in (":", ":=", "≔"):
        return bool(found["places"] or found["slash"]) or not _LOGICAL.search(gloss)
    return not _LOGICAL.search(gloss) and not _APPLIED.match(gloss) and len(gloss.split()) > 1


def _arity(text: str) -> int | None:
    """The number of places that a text tells, if it tells nothing else."""
    told = re.fullmatch(_ARITY, text, re.IGNORECASE)
    if not told:
        return None
    number = re.search(rf"\d|{'|'.join(_ARITIES)}", text.lower())
    return (_ARITIES.get(number[0]) or int(number[0] if number[0].isdigit() else 0)) if number else None
