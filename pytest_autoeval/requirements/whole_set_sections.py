"""What a set of sentences says as a whole: contradictions, trivial sentences, repetitions, consequences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from itertools import chain
from typing import Any

from pytest_autoeval.record.figure_sentences import number, sentence
from pytest_autoeval.record.figures import Figure, Sentence, Value
from pytest_autoeval.report.blocks import AnyBlock, Document, Note, Section, Verdict
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


def set_document(data: SetData, exit_code: int) -> Document:
    """A document about a set of sentences alone. ``exit_code`` is that of the command."""
    sections = tuple(whole_set(data))
    return Document(
        state=_verdict(data).state,
        exit_code=exit_code,
        sections=sections,
        release=version("pytest-autoeval"),
    )


def whole_set(data: SetData) -> Iterator[Section]:
    """The sections about a set of sentences: the verdict, then one for each subject.

    Sentences are notes, not rows of a table: a table may cut a text that has no room, and two sentences that begin
    alike would look the same.
    """
    sentences = {one["item"]: one for one in data["sentences"]}
    first: list[AnyBlock] = [_verdict(data), _extent(data)]
    if data["stopped"]:
        first.append(note(_STOPPED[data["stopped"]], "warning"))
    witness_title, witness = _witness(data)
    subjects: dict[str, Iterable[Note]] = {
        "contradictions": _contradictions(data, sentences),
        "never true": _listed(data["never_true"], sentences),
        "always true": _listed(data["always_true"], sentences),
        witness_title: witness,
        "repeated: the same meaning": _repeats(data, sentences),
        "follows from others": _consequences(data, sentences),
        "undecided within the time limits": _undecided(data),
        "without a formula, left out": _without_formula(data),
        "names in one sentence only": _names(
            f"{one['name']} ({one['item']})" for one in data["names_used_once"]
        ),
        "names of the glossary that no formula uses": _names(data["unused_names"]),
    }
    yield Section(
        name="whole set", title="the sentences as a set", blocks=tuple(first), level="quiet"
    )
    for title, notes in subjects.items():
        blocks = tuple(notes)
        if blocks:
            yield Section(name="whole set", title=title, blocks=blocks)


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
        return Verdict(
            state="failed", text=f"found: {', '.join(texts[key] for key in values)}", values=values
        )
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
    read, lacking = len(data["sentences"]), len(data["without_formula"])
    said = sentence(
        "{file}: {sentences}, {read} with a formula by {model} ({language})",
        file=data["file"],
        sentences=number(read + lacking, "sentence"),
        read=number(read, name="with a formula"),
        model=data["model"],
        language=data["language"],
    )
    return note(said)


def _listed(items: Iterable[str], sentences: Mapping[str, Any]) -> Iterator[Note]:
    return chain.from_iterable(_sentence(sentences[item]) for item in items)


def _sentence(one: Mapping[str, str]) -> Iterator[Note]:
    yield note(sentence("[{item}] {said}", item=one["item"], said=one["sentence"]), "finding")
    yield note(sentence("{formula}", formula=one["formula"]))


def _contradictions(data: SetData, sentences: Mapping[str, Any]) -> Iterator[Note]:
    for place, core in enumerate(data["contradictions"]):
        among = (
            "of the sentences that are not above: "
            if place and core["proved"] == "smallest"
            else ""
        )
        text = f"these {{number}} contradict each other ({among}{PROVED[core['proved']]}):"
        yield note(
            sentence(text, number=number(len(core["sentences"]), name="contradictory sentences")),
            "error",
        )
        yield from _listed(core["sentences"], sentences)


def _witness(data: SetData) -> tuple[str, list[Note]]:
    """A case in which the sentences hold together, without those that cannot, and what to say above it."""
    title = f"all sentences{_with_a_formula(data)} can hold together, as here"
    if not data["witness_text"]:
        return title, []
    case = note(sentence("{case}", case=data["witness_text"]), "finding")
    left = {
        *data["never_true"],
        *(item for one in data["contradictions"] for item in one["sentences"]),
    }
    dropped = [
        one["item"] for one in data["sentences"] if one["item"] in left.difference(data["kept"])
    ]
    if not dropped:
        return title, [case]
    return "the others can hold together", [
        note(sentence("without {left_out}", left_out=", ".join(dropped))),
        case,
    ]


def _repeats(data: SetData, sentences: Mapping[str, Any]) -> Iterator[Note]:
    for group in data["repeats"]:
        first, *others = group
        yield from _listed(group, sentences)
        verb = "repeats" if len(others) == 1 else "repeat"
        yield note(sentence(f"{{others}} {verb} {{first}}", others=", ".join(others), first=first))


def _consequences(data: SetData, sentences: Mapping[str, Any]) -> Iterator[Note]:
    for one in data["consequences"]:
        yield from _sentence(sentences[one["sentence"]])
        text = f"follows from {{premises}} ({PROVED[one['proved']]})"
        yield note(sentence(text, premises=", ".join(one["premises"])))


def _undecided(data: SetData) -> Iterator[Note]:
    for kind, cases in data["undecided"].items():
        if kind == "together":
            yield note(Sentence(QUESTIONS[kind]), "warning")
        else:
            named = ", ".join(" and ".join(case) for case in cases)
            yield note(sentence(f"{QUESTIONS[kind]}: {{cases}}", cases=named), "warning")


def _without_formula(data: SetData) -> Iterator[Note]:
    for one in data["without_formula"]:
        said = sentence(
            "[{item}] {said} ({why})", item=one["item"], said=one["sentence"], why=one["why"]
        )
        yield note(said, "finding")


def _names(names: Iterable[str]) -> Iterator[Note]:
    listed = ", ".join(names)
    if listed:
        yield note(sentence("{names}", names=listed), "finding")
