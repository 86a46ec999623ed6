"""What a report says of the rules of a set: collisions and vacuous rules with a case, and the table of all pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, permutations
from typing import Any

from msgspec import structs

from pytest_autoeval.judging.gate_verdicts import State
from pytest_autoeval.judging.item_groups import grouped
from pytest_autoeval.record.figure_sentences import number, sentence
from pytest_autoeval.record.figures import Sentence
from pytest_autoeval.report.blocks import AnyBlock, Column, Level, Note, Row, Table
from pytest_autoeval.report.sections.values import note
from pytest_autoeval.requirements.permission_section import file_and_line
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
        entries = [*data["sentences"], *data["contradicts_answer"]]
        self._sentences: dict[str, Any] = {entry["item"]: entry for entry in entries}
        self._rules: dict[str, Any] = {entry["item"]: entry for entry in data["rules"]}

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
        entry = self._sentences[item]
        return str(entry["sentence"] or entry["formula"]).rstrip(".")


def sentence_notes(items: Iterable[str], numbered: Numbered) -> Iterator[Note]:
    """Each sentence with its id, and its formula."""
    return chain.from_iterable(_sentence(item, numbered) for item in items)


def _sentence(item: str, numbered: Numbered) -> Iterator[Note]:
    entry = numbered.sentence(item)
    text = "{id}: {english}" if entry["sentence"] else "{id}:"
    yield note(sentence(text, id=item, english=entry["sentence"]), "finding")
    yield _formula(entry)


def in_order_of_files(data: SetData) -> list[Any]:
    """The sentences with a formula, also those whose formula contradicts an answer."""
    entries = [*data["sentences"], *data["contradicts_answer"]]
    return sorted(entries, key=lambda entry: file_and_line(entry["source"]))


def listed_formulas(data: SetData) -> Iterator[Note]:
    """Each sentence with a formula: its id, its text, and the formula."""
    for entry in in_order_of_files(data):
        text = "{id}: {english}" if entry["sentence"] else "{id}:"
        yield note(sentence(text, id=entry["item"], english=entry["sentence"]), level="verbose")
        yield structs.replace(_formula(entry), level="verbose")


def _formula(entry: Mapping[str, Any]) -> Note:
    """A formula; one that did not keep its meaning in the run may be a misreading, and is marked."""
    if entry["passed"] is False:
        text = "{formula} ({outcome} in the run)"
        return note(sentence(text, formula=entry["formula"], outcome=entry["outcome"]))
    return note(sentence("{formula}", formula=entry["formula"]))


def collisions(data: SetData, numbered: Numbered) -> Iterator[Note]:
    """The pairs that collide, those that the same rules forbid in one finding, with a case of the first pair."""
    # One set of rules may forbid many pairs. One finding for each pair would tell the same story many times.
    groups = grouped(data["collisions"], lambda collision: tuple(collision["forbidden_by"]))
    for core, pairs in groups.items():
        example = _example(pairs, core)
        proved = PROVED[example["proved"]]
        text = f"{{pairs}}: their conditions can never occur together; {{number}} forbid it ({proved}):"
        names = pairs_text([collision["rules"] for collision in pairs], numbered)
        yield note(sentence(text, pairs=names, number=number(len(core), "rule")), "error")
        about = dict.fromkeys((*core, *example["rules"]))
        yield from sentence_notes(sorted(about, key=_order(data)), numbered)
        yield from _case(example, numbered)


def _example(pairs: Sequence[Any], core: Sequence[str]) -> Any:
    """The pair whose case is shown: one whose own rules forbid it explains itself; other pairs need the core too."""
    for collision in pairs:
        if set(collision["rules"]) <= set(core):
            return collision
    return pairs[0]


def vacuous(data: SetData, numbered: Numbered) -> Iterator[Note]:
    """The rules whose condition cannot occur; those that the same rules forbid in one finding."""
    groups = grouped(data["vacuous"], lambda finding: tuple(finding["forbidden_by"]))
    for core, rules in groups.items():
        items = [finding["rule"] for finding in rules]
        condition = "its condition" if len(rules) == 1 else "their conditions"
        forbid = "forbids" if len(core) == 1 else "forbid"
        # They have one core, so that the same was proved of all of them.
        proved = PROVED[rules[0]["proved"]]
        text = f"{{rules}}: {condition} can never occur; {{number}} {forbid} it ({proved}):"
        names = numbered.listed(items)
        yield note(sentence(text, rules=names, number=number(len(core), "rule")), "error")
        about = dict.fromkeys((*items, *core))
        yield from sentence_notes(sorted(about, key=_order(data)), numbered)
        yield from _case(rules[0], numbered)


def _order(data: SetData) -> Any:
    """The key by which ids have the order of the file."""
    positions = {entry["item"]: position for position, entry in enumerate(data["sentences"])}
    return positions.__getitem__


def _case(finding: Any, numbered: Numbered) -> Iterator[Note]:
    """The case in which the conditions occur, and what each rule says of it."""
    if not finding["case_text"]:
        return
    yield note(sentence("{case}", case=finding["case_text"]), "finding")
    rules = finding["forbidden_by"]
    statements = [f"{numbered.number(item)} says: {numbered.says(item)}." for item in rules]
    text = "{says} This case breaks {without}."
    broken = numbered.number(finding["without"])
    yield note(sentence(text, says=" ".join(statements), without=broken), "finding")


def rules_by_rules(data: SetData, numbered: Numbered) -> Iterator[AnyBlock]:
    """A table of what can meet; rules that can meet all others are counted and left out."""
    rules = [entry["item"] for entry in data["rules"]]
    # A vacuous rule would show in all cells of its row that it meets nothing, which says nothing of the others.
    vacuous_rules = {entry["rule"] for entry in data["vacuous"]}
    examined = [item for item in rules if item not in vacuous_rules]
    if len(examined) < 2:
        return
    cells = _cells(data, numbered)
    special = _special(examined, cells)
    if special:
        level: Level = "default" if len(special) <= _LARGEST_TABLE else "verbose"
        yield _table(special, cells, numbered, level)
        yield note(_legend(special, cells))
    unremarkable = len(examined) - len(special)
    if unremarkable and special:
        text = "{others} can meet all others"
        yield note(sentence(text, others=number(unremarkable, "other rule")))
    elif unremarkable:
        text = "{others}: the conditions of each two can occur together"
        yield note(sentence(text, others=number(unremarkable, "rule")))
    if vacuous_rules:
        names = numbered.listed(sorted(vacuous_rules, key=_order(data)))
        yield note(sentence("vacuous, not asked: {rules}", rules=names))
    triples = data["triples"]
    if triples["can_meet"] or triples["not_asked"]:
        text = "three conditions at once: {shown} can occur, {open} not asked"
        can_occur = number(triples["can_meet"], name="triples that can occur")
        not_asked = number(triples["not_asked"], name="triples not asked")
        yield note(sentence(text, shown=can_occur, open=not_asked))


def _special(rules: Sequence[str], cells: Mapping[tuple[str, str], str]) -> list[str]:
    """The rules whose condition was not shown to occur together with that of each other rule."""
    special = []
    for item in rules:
        partners = [partner for partner in rules if partner != item]
        if any(cells.get((item, partner)) != _MEET for partner in partners):
            special.append(item)
    return special


def _legend(rules: Sequence[str], cells: Mapping[tuple[str, str], str]) -> Sentence:
    """What the words of the table mean, without words that it does not have."""
    words = set()
    for pair in permutations(rules, 2):
        # "by 3" is explained as "by".
        first_word, *_ = cells.get(pair, _OPEN).split()
        words.add(first_word)
    return Sentence("; ".join(text for word, text in _LEGEND.items() if word in words))


def _cells(data: SetData, numbered: Numbered) -> dict[tuple[str, str], str]:
    """What was found of each two rules, in both orders."""
    texts: dict[tuple[str, str], str] = {}
    for row, column in data["can_meet"]:
        texts[row, column] = _MEET
    for finding in data["excluded"]:
        row, column = finding["rules"]
        # Without a rule that does it, the two conditions contradict each other.
        excluded = "–"
        if finding["by"] is not None:
            excluded = f"by {numbered.number(finding['by'])}"
        texts[row, column] = excluded
    for finding in data["collisions"]:
        row, column = finding["rules"]
        texts[row, column] = _COLLIDE
    mirrored = {(column, row): text for (row, column), text in texts.items()}
    return texts | mirrored


def _table(
    rules: Sequence[str], cells: dict[tuple[str, str], str], numbered: Numbered, level: Level
) -> Table:
    rows = []
    for item in rules:
        # A rule with itself is no question: the diagonal stays empty.
        texts = ["" if partner == item else cells.get((item, partner), _OPEN) for partner in rules]
        states = tuple(_STATES.get(text) for text in texts)
        rows.append(Row((numbered.number(item), *texts), states=(None, *states)))
    columns = [Column(numbered.number(item), "text") for item in rules]
    return Table(
        title="rules × rules",
        thing="rule",
        columns=(Column("rule", "name"), *columns),
        rows=tuple(rows),
        level=level,
    )


_STATES: dict[str, State] = {_COLLIDE: "failed", _OPEN: "inconclusive"}


def pairs_text(cases: Iterable[Sequence[str]], numbered: Numbered) -> str:
    """Rules and pairs by their numbers: ``3, 5``; ``1 and 2; 4 and 5``; ``1 and 2, 4``, the pairs of 1 with 2 and 4."""
    partners: dict[str, list[str]] = defaultdict(list)
    for rule, *numbers in cases:
        partners[numbered.number(rule)] += map(numbered.number, numbers)
    groups = []
    separator = "; " if any(partners.values()) else ", "
    for rule, numbers in partners.items():
        groups.append(f"{rule} and {', '.join(numbers)}" if numbers else rule)
    return separator.join(groups)
