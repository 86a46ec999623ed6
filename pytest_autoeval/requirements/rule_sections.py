"""What a report says of the rules of a set: collisions and vacuous rules with a case, and the table of all pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, permutations
from typing import Any

from pytest_autoeval.judging.gate_verdicts import State
from pytest_autoeval.record.figure_sentences import number, sentence
from pytest_autoeval.record.figures import Sentence
from pytest_autoeval.report.blocks import AnyBlock, Column, Level, Note, Row, Table
from pytest_autoeval.report.sections.values import note
from pytest_autoeval.requirements.set_data import SetData

#: What was proved of a contradiction, of premises and of what rules forbid.
PROVED = {
    "smallest": "no smaller set does",
    "minimal": "none of them can be left out, but another, smaller set may do",
    "contradictory": "it was not decided whether all of them are needed",
}
#: Of a larger table, a terminal shows the rows with -v.
_LARGEST_TABLE = 10
_MEET, _COLLIDE, _OPEN = "meet", "collide", "?"
#: What a cell of the table means, by its first word.
_LEGEND = {
    _MEET: "meet: the conditions can occur together",
    _COLLIDE: "collide: several rules forbid it",
    "by": "by N: rule N alone excludes it",
    "–": "–: the conditions exclude each other by themselves",
    _OPEN: "?: undecided",
}


class Numbered:
    """The sentences of a set by their ids, and how a report names them."""

    def __init__(self, data: SetData) -> None:
        self._sentences: dict[str, Any] = {one["item"]: one for one in data["sentences"]}
        self._rules: dict[str, Any] = {one["item"]: one for one in data["rules"]}

    def sentence(self, item: str) -> Any:
        return self._sentences[item]

    def number(self, item: str) -> str:
        """The number of a sentence: that of the author's file."""
        return str(self._sentences[item]["number"])

    def listed(self, items: Iterable[str]) -> str:
        return ", ".join(map(self.number, items))

    def says(self, item: str) -> str:
        """What a sentence requires where its condition occurs; of one without a condition the sentence itself."""
        if item in self._rules:
            return str(self._rules[item]["says"])
        one = self._sentences[item]
        return str(one["sentence"] or one["formula"]).rstrip(".")


def sentence_notes(items: Iterable[str], known: Numbered) -> Iterator[Note]:
    """Each sentence with its number, and its formula."""
    return chain.from_iterable(_sentence(item, known) for item in items)


def _sentence(item: str, known: Numbered) -> Iterator[Note]:
    one = known.sentence(item)
    text = "{number}: {english}" if one["sentence"] else "{number}:"
    yield note(sentence(text, number=one["number"], english=one["sentence"]), "finding")
    yield note(sentence("{formula}", formula=one["formula"]))


def collisions(data: SetData, known: Numbered) -> Iterator[Note]:
    """The pairs that collide, those that the same rules forbid in one finding, with a case of the first pair."""
    groups: dict[tuple[str, ...], list[Any]] = defaultdict(list)
    for one in data["collisions"]:
        groups[tuple(one["forbidden_by"])].append(one)
    for core, pairs in groups.items():
        first = next((one for one in pairs if {*one["rules"]} <= {*core}), pairs[0])
        text = (
            f"{{pairs}}: their conditions can never occur together; {{number}} "
            f"forbid it ({PROVED[first['proved']]}):"
        )
        names = pairs_text([one["rules"] for one in pairs], known)
        yield note(sentence(text, pairs=names, number=number(len(core), "rule")), "error")
        about = dict.fromkeys((*core, *first["rules"]))
        yield from sentence_notes(sorted(about, key=_order(data)), known)
        yield from _case(first, known)


def vacuous(data: SetData, known: Numbered) -> Iterator[Note]:
    """The rules whose condition cannot occur; those that the same rules forbid in one finding."""
    groups: dict[tuple[str, ...], list[Any]] = defaultdict(list)
    for one in data["vacuous"]:
        groups[tuple(one["forbidden_by"])].append(one)
    for core, rules in groups.items():
        items = [one["rule"] for one in rules]
        condition = "its condition" if len(rules) == 1 else "their conditions"
        forbid = "forbids" if len(core) == 1 else "forbid"
        text = f"{{rules}}: {condition} can never occur; {{number}} {forbid} it ({PROVED[rules[0]['proved']]}):"
        yield note(
            sentence(text, rules=known.listed(items), number=number(len(core), "rule")), "error"
        )
        yield from sentence_notes(sorted(dict.fromkeys((*items, *core)), key=_order(data)), known)
        yield from _case(rules[0], known)


def _order(data: SetData) -> Any:
    """The key by which ids have the order of the file."""
    places = {one["item"]: place for place, one in enumerate(data["sentences"])}
    return places.__getitem__


def _case(finding: Any, known: Numbered) -> Iterator[Note]:
    """The case in which the conditions occur, and what each rule says of it."""
    if not finding["case_text"]:
        return
    yield note(sentence("{case}", case=finding["case_text"]), "finding")
    says = " ".join(
        f"{known.number(item)} says: {known.says(item)}." for item in finding["forbidden_by"]
    )
    text = "{says} This case breaks {without}."
    yield note(sentence(text, says=says, without=known.number(finding["without"])), "finding")


def rules_by_rules(data: SetData, known: Numbered) -> Iterator[AnyBlock]:
    """A table of what can meet; rules that can meet all others are counted and left out."""
    rules = [one["item"] for one in data["rules"]]
    vacuous_rules = {one["rule"] for one in data["vacuous"]}
    asked = [item for item in rules if item not in vacuous_rules]
    if len(asked) < 2:
        return
    cells = _cells(data, known)
    special = [
        item
        for item in asked
        if any(cells.get((item, other)) != _MEET for other in asked if other != item)
    ]
    if special:
        level: Level = "default" if len(special) <= _LARGEST_TABLE else "verbose"
        yield _table(special, cells, known, level)
        words = {
            cells.get((first, second), _OPEN).split()[0]
            for first, second in permutations(special, 2)
        }
        yield note(Sentence("; ".join(text for word, text in _LEGEND.items() if word in words)))
    others = len(asked) - len(special)
    if others:
        text = (
            "{others} can meet all others"
            if special
            else "{others}: the conditions of each two can occur together"
        )
        yield note(sentence(text, others=number(others, "other rule" if special else "rule")))
    if vacuous_rules:
        left = sentence(
            "vacuous, not asked: {rules}",
            rules=known.listed(sorted(vacuous_rules, key=_order(data))),
        )
        yield note(left)
    triples = data["triples"]
    if triples["can_meet"] or triples["not_asked"]:
        text = "three conditions at once: {shown} can occur, {open} not asked"
        shown = number(triples["can_meet"], name="triples that can occur")
        yield note(
            sentence(text, shown=shown, open=number(triples["not_asked"], name="triples not asked"))
        )


def _cells(data: SetData, known: Numbered) -> dict[tuple[str, str], str]:
    """What was found of each two rules, in both orders."""
    found: dict[tuple[str, str], str] = {}
    for first, second in data["can_meet"]:
        found[first, second] = _MEET
    for one in data["excluded"]:
        first, second = one["rules"]
        found[first, second] = f"by {known.number(one['by'])}" if one["by"] is not None else "–"
    for one in data["collisions"]:
        first, second = one["rules"]
        found[first, second] = _COLLIDE
    return found | {(second, first): text for (first, second), text in found.items()}


def _table(
    rules: Sequence[str], cells: dict[tuple[str, str], str], known: Numbered, level: Level
) -> Table:
    rows = []
    for item in rules:
        texts = ["" if other == item else cells.get((item, other), _OPEN) for other in rules]
        states = tuple(_STATES.get(text) for text in texts)
        rows.append(Row((known.number(item), *texts), states=(None, *states)))
    columns = (Column("rule", "name"), *(Column(known.number(item), "text") for item in rules))
    return Table(
        title="rules × rules", thing="rule", columns=columns, rows=tuple(rows), level=level
    )


_STATES: dict[str, State] = {_COLLIDE: "failed", _OPEN: "inconclusive"}


def pairs_text(cases: Iterable[Sequence[str]], known: Numbered) -> str:
    """Rules and pairs by their numbers: ``3, 5``; ``1 and 2, 4, 5``, which are the pairs of 1 with 2, 4 and 5."""
    partners: dict[str, list[str]] = defaultdict(list)
    for first, *others in cases:
        partners[known.number(first)] += map(known.number, others)
    shown = [
        f"{first} and {', '.join(others)}" if others else first
        for first, others in partners.items()
    ]
    return ("; " if any(len(others) > 1 for others in partners.values()) else ", ").join(shown)
