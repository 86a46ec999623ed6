"""What a set of sentences says as a whole: contradictions, trivial sentences, repetitions, consequences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_autoeval.record.figures import Figure, Sentence, Value
from pytest_autoeval.report.blocks import AnyBlock, Column, Note, Row, Section, Table, Verdict
from pytest_autoeval.report.sections.values import note

#: The data of `check … --json`: plain types, with the sentences by their ids.
SetData = Mapping[str, Any]

#: What was proved of a contradiction and of premises.
PROVED = {
    "smallest": "no smaller set does",
    "minimal": "none of them can be left out, but another, smaller set may do",
    "contradictory": "it was not decided whether all of them are needed",
}
_STOPPED = {
    "time": "The time limit (--seconds) ended the check: what follows is not all.",
    "interrupted": "The check was interrupted: what follows is not all.",
}
QUESTIONS = {
    "alone": "whether a sentence is always or never true",
    "repeats": "whether two sentences mean the same",
    "together": "whether the sentences can hold together",
    "consequences": "whether a sentence follows from the others",
}
_SENTENCE = (Column("id", "name"), Column("sentence", "text"), Column("formula", "formula"))


def whole_set(data: SetData) -> Iterator[Section]:
    """The section about a set of sentences."""
    sentences = {one["item"]: one for one in data["sentences"]}
    blocks: list[AnyBlock] = [_verdict(data), _extent(data)]
    if data["stopped"]:
        blocks.append(note(_STOPPED[data["stopped"]], "warning"))
    blocks += _contradictions(data, sentences)
    blocks += _listed("never true", data["never_true"], sentences)
    blocks += _listed("always true", data["always_true"], sentences)
    blocks += _witness(data)
    blocks += _repeats(data, sentences)
    blocks += _consequences(data, sentences)
    blocks += _undecided(data)
    blocks += _without_formula(data)
    blocks += _names(data)
    yield Section(name="whole set", title="the sentences as a set", blocks=tuple(blocks), level="quiet")


def _verdict(data: SetData) -> Verdict:
    """One sentence on the whole set. It is decided if every sentence alone and all together are."""
    values: dict[str, Value] = {}
    for key, name, measure in (
        ("contradictions", "contradictions", "contradiction"),
        ("never_true", "sentences that can never be true", "sentence"),
        ("always_true", "sentences that are always true", "sentence"),
    ):
        if data[key]:
            values[key] = Figure(name, len(data[key]), "count", measure=measure)
    if values:
        texts = {
            "contradictions": "{contradictions}",
            "never_true": "{never_true} that can never be true",
            "always_true": f"{{always_true}} that {'is' if len(data['always_true']) == 1 else 'are'} always true",
        }
        return Verdict(state="failed", text=f"found: {', '.join(texts[key] for key in values)}", values=values)
    if not data["satisfiable"]:
        text = "no contradiction was found, but whether all sentences can hold together was not decided"
        return Verdict(state="inconclusive", text=text)
    together = f"the sentences{_with_a_formula(data)} can all hold together"
    if data["undecided"].get("alone"):
        return Verdict(state="inconclusive", text=together)
    return Verdict(state="passed", text=f"{together}, and none is trivial")


def _with_a_formula(data: SetData) -> str:
    return " with a formula" if data["without_formula"] else ""


def _extent(data: SetData) -> Note:
    number, lacking = len(data["sentences"]), len(data["without_formula"])
    values: dict[str, Value] = {
        "file": data["file"],
        "sentences": Figure("sentences", number + lacking, "count", measure="sentence"),
        "read": Figure("with a formula", number, "count"),
        "model": data["model"],
        "language": data["language"],
    }
    return note(Sentence("{file}: {sentences}, {read} with a formula by {model} ({language})", values))


def _listed(title: str, items: Iterable[str], sentences: Mapping[str, Any]) -> Iterator[Table]:
    rows = tuple(Row(_sentence(sentences[item])) for item in items)
    if rows:
        yield Table(title=title, thing="sentence", columns=_SENTENCE, rows=rows)


def _sentence(one: Mapping[str, str]) -> tuple[str, str, str]:
    return one["item"], one["sentence"], one["formula"]


def _contradictions(data: SetData, sentences: Mapping[str, Any]) -> Iterator[AnyBlock]:
    for number, core in enumerate(data["contradictions"]):
        among = "of the sentences that are not above: " if number and core["proved"] == "smallest" else ""
        together = Figure("contradictory sentences", len(core["sentences"]), "count")
        text = f"these {{number}} contradict each other ({among}{PROVED[core['proved']]})"
        yield note(Sentence(text, {"number": together}), "error", "quiet")
        yield from _listed("", core["sentences"], sentences)


def _witness(data: SetData) -> Iterator[Note]:
    """A case in which the sentences hold together, without those that cannot."""
    if not data["witness_text"]:
        return
    left = {*data["never_true"], *(item for one in data["contradictions"] for item in one["sentences"])}
    dropped = [one["item"] for one in data["sentences"] if one["item"] in left.difference(data["kept"])]
    if dropped:
        text = "without {dropped} the others can hold together, as here: {case}"
        yield note(Sentence(text, {"dropped": ", ".join(dropped), "case": data["witness_text"]}), "finding")
    else:
        text = f"all sentences{_with_a_formula(data)} can hold together, as here: {{case}}"
        yield note(Sentence(text, {"case": data["witness_text"]}), "finding")


def _repeats(data: SetData, sentences: Mapping[str, Any]) -> Iterator[Table]:
    rows: list[Row] = []
    for group in data["repeats"]:
        first, *others = group
        rows.append(Row((*_sentence(sentences[first]), None)))
        rows += [Row((*_sentence(sentences[item]), first)) for item in others]
    if rows:
        columns = (*_SENTENCE, Column("repeats", "name"))
        yield Table(title="repeated: the same meaning", thing="sentence", columns=columns, rows=tuple(rows))


def _consequences(data: SetData, sentences: Mapping[str, Any]) -> Iterator[Table]:
    rows = tuple(
        Row((*_sentence(sentences[one["sentence"]]), ", ".join(one["premises"]), PROVED[one["proved"]]))
        for one in data["consequences"]
    )
    if rows:
        columns = (*_SENTENCE, Column("follows from", "name"), Column("proved", "text"))
        yield Table(title="follows from others", thing="sentence", columns=columns, rows=rows)


def _undecided(data: SetData) -> Iterator[Table]:
    rows = tuple(
        Row((QUESTIONS[kind], None if kind == "together" else _cases(cases)))
        for kind, cases in data["undecided"].items()
    )
    if rows:
        columns = (Column("question", "text"), Column("sentences", "name"))
        yield Table(title="undecided within the time limits", thing="question", columns=columns, rows=rows)


def _cases(cases: Sequence[Sequence[str]]) -> str:
    return ", ".join(" and ".join(case) for case in cases)


def _without_formula(data: SetData) -> Iterator[Table]:
    rows = tuple(Row((one["item"], one["sentence"], one["why"])) for one in data["without_formula"])
    if rows:
        columns = (Column("id", "name"), Column("sentence", "text"), Column("why", "text"))
        yield Table(title="without a formula, left out", thing="sentence", columns=columns, rows=rows)


def _names(data: SetData) -> Iterator[Table]:
    once = tuple(Row((one["name"], one["item"])) for one in data["names_used_once"])
    if once:
        columns = (Column("name", "name"), Column("sentence", "name"))
        yield Table(title="names in one sentence only", thing="name", columns=columns, rows=once, level="default")
    unused = tuple(Row((name,)) for name in data["unused_names"])
    if unused:
        title = "names of the glossary that no formula uses"
        yield Table(title=title, thing="name", columns=(Column("name", "name"),), rows=unused, level="default")
