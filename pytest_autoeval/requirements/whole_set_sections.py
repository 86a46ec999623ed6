"""What a set of sentences says as a whole: contradictions, trivial sentences, repetitions, consequences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import version

from msgspec import structs

from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.author_answers import CONTRADICTED
from pytest_autoeval.record.figure_sentences import number, sentence
from pytest_autoeval.record.figures import Figure, Sentence, Value
from pytest_autoeval.report.blocks import AnyBlock, Document, Note, Section, Verdict
from pytest_autoeval.report.sections.values import note
from pytest_autoeval.requirements.permission import ADVICE
from pytest_autoeval.requirements.rule_sections import (
    PROVED,
    Numbered,
    collisions,
    in_order_of_files,
    listed_formulas,
    pairs_text,
    rules_by_rules,
    sentence_notes,
    vacuous,
)
from pytest_autoeval.requirements.set_data import SetData
from pytest_autoeval.requirements.set_formulas import HAS_NO_FORMULA

_STOPPED = {
    "time": "The time limit (--seconds) ended the check: what follows is not all.",
    "interrupted": "The check was interrupted: what follows is not all.",
}
_STRICT = "--strict: the check fails, because the rows that were left out may change what it finds."
QUESTIONS = {
    "alone": "whether a sentence is always or never true",
    "repeats": "whether two sentences mean the same",
    "together": "whether the sentences can hold together",
    "consequences": "whether a sentence follows from the others",
    "conditions": "whether the condition of a rule can occur",
    "pairs": "whether the conditions of two rules can occur together",
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
    numbered = Numbered(data)
    summary: list[AnyBlock] = [_verdict(data), _extent(data)]
    if data["strict"] and lacks_rows(data):
        summary.append(note(Sentence(_STRICT), "warning"))
    if data["stopped"]:
        summary.append(note(_STOPPED[data["stopped"]], "warning"))
    summary += _advice(data)
    witness_title, witness = _witness(data, numbered)
    subjects: dict[str, Iterable[AnyBlock]] = {
        "contradicts an answer of the author": _contradicting(data, numbered),
        "contradictions": _contradictions(data, numbered),
        "collisions": collisions(data, numbered),
        "vacuous rules": vacuous(data, numbered),
        "never true": sentence_notes(data["never_true"], numbered),
        "always true": sentence_notes(data["always_true"], numbered),
        witness_title: witness,
        "which conditions can occur together": rules_by_rules(data, numbered),
        "repeated: the same meaning": _repeats(data, numbered),
        "follows from others": _consequences(data, numbered),
        "permission lost in the formula": _permissions(data, numbered),
        "undecided within the time limits": _undecided(data, numbered),
        "without a formula, left out": _without_formula(data),
        "rows of the file that were left out": _warnings(data["rows_left_out"]),
        "sentences that may begin with a number": _warnings(data["doubtful_numbers"]),
        "ids that several rows have: these rows are named by their lines": _warnings(
            data["repeated_ids"]
        ),
        "answers of the author that were not checked": _warnings(data["unchecked_answers"]),
        "the formulas": listed_formulas(data),
        "names in one sentence only": _names(
            f"{entry['name']} ({numbered.number(entry['item'])})"
            for entry in data["names_used_once"]
        ),
        "names of the glossary that no formula uses": _names(data["unused_names"]),
    }
    yield Section(
        name="whole set", title="the sentences as a set", blocks=tuple(summary), level="quiet"
    )
    for title, notes in subjects.items():
        blocks = tuple(notes)
        if blocks:
            yield Section(name="whole set", title=title, blocks=blocks)


#: What is found in a set, by the key of the data: the name, one thing that is counted, and the words of the verdict.
_FOUND = (
    (
        "contradicts_answer",
        "formulas against an answer",
        "formula",
        "{contradicts_answer} that {contradict} an answer of the author",
    ),
    ("contradictions", "contradictions", "contradiction", "{contradictions}"),
    ("collisions", "collisions", "collision", "{collisions}"),
    ("vacuous", "vacuous rules", "vacuous rule", "{vacuous}"),
    (
        "never_true",
        "sentences that can never be true",
        "sentence",
        "{never_true} that can never be true",
    ),
    (
        "always_true",
        "sentences that are always true",
        "sentence",
        "{always_true} that {are} always true",
    ),
)


def lacks_rows(data: SetData) -> bool:
    """Whether a row was left out, so that nothing was proved of all that the author wrote."""
    return bool(data["rows_left_out"] or data["without_formula"])


def _verdict(data: SetData) -> Verdict:
    """One sentence on the whole set, first what was left out of it. With ``--strict`` nothing may be left out."""
    verdict = _verdict_on_formulas(data)
    if not lacks_rows(data):
        return verdict
    left_out = _left_out(data)
    return structs.replace(
        verdict,
        state="failed" if data["strict"] else verdict.state,
        text=f"{left_out.text}; {verdict.text}",
        values={**left_out.values, **verdict.values},
    )


def _left_out(data: SetData) -> Sentence:
    """How many rows could not be read, and how many sentences have no formula."""
    lacking = sum(entry["why"] == HAS_NO_FORMULA for entry in data["without_formula"])
    unread = len(data["rows_left_out"])
    # The author writes the formulas of a file, and a model those of a run: what it did not write was not misread.
    if data["model"]:
        lacking = len(data["without_formula"])
    else:
        unread += len(data["without_formula"]) - lacking
    texts = []
    if unread:
        texts.append(f"{{unread}} could not be read and {_are(unread)} left out")
    if lacking:
        verb = "has" if lacking == 1 else "have"
        texts.append(f"{{lacking}} {verb} no formula and {_are(lacking)} left out")
    return sentence(
        "; ".join(texts), unread=number(unread, "row"), lacking=number(lacking, "sentence")
    )


def _are(number_of_things: int) -> str:
    return "is" if number_of_things == 1 else "are"


def _verdict_on_formulas(data: SetData) -> Verdict:
    """One sentence on the formulas. It is decided if every sentence alone, all together and all rules are."""
    values: dict[str, Value] = {}
    texts: list[str] = []
    for key, name, measure, text in _FOUND:
        if data[key]:
            values[key] = Figure(name, len(data[key]), "count", measure=measure)
            is_single = len(data[key]) == 1
            words = text.replace("{are}", "is" if is_single else "are")
            texts.append(
                words.replace("{contradict}", "contradicts" if is_single else "contradict")
            )
    together = f"the sentences{_with_a_formula(data)} can all hold together"
    if values:
        findings = f"found: {', '.join(texts)}"
        if data["all_vacuous"] and data["satisfiable"]:
            findings = f"{together}, but only where no condition of a rule occurs; {findings}"
        return Verdict(state="failed", text=findings, values=values)
    if not data["satisfiable"]:
        text = "no contradiction was found, but whether all sentences can hold together was not decided"
        return Verdict(state="inconclusive", text=text)
    if data["undecided"].get("alone"):
        return Verdict(state="inconclusive", text=together)
    if data["undecided"].keys() & {"conditions", "pairs"}:
        text = f"{together}, and no collision was found, but not all pairs of rules were decided"
        return Verdict(state="inconclusive", text=text)
    if len(data["rules"]) > 1:
        return Verdict(
            state="passed", text=f"{together}, none is trivial, and no two rules collide"
        )
    return Verdict(state="passed", text=f"{together}, and none is trivial")


def _with_a_formula(data: SetData) -> str:
    if data["contradicts_answer"]:
        return " whose formula counts"
    return " with a formula" if data["without_formula"] or data["rows_left_out"] else ""


def _extent(data: SetData) -> Note:
    read = len(data["sentences"]) + len(data["contradicts_answer"])
    lacking = len(data["without_formula"])
    text = "{file}: {sentences}, {read} with a formula ({language})"
    if data["model"]:
        text = "{file}: {sentences}, {read} with a formula by {model} ({language})"
    if data["rules"]:
        text = f"{text}, {{rules}} with a condition"
    sentences = [
        *data["sentences"],
        *data["contradicts_answer"],
        *data["without_formula"],
    ]
    # A table of rules by rules has no room for the name of the file at each rule.
    if any(entry["number"] != entry["item"] for entry in sentences):
        text = f"{text}; a number alone is a line of it"
    extent = sentence(
        text,
        file=data["file"],
        sentences=number(read + lacking, "sentence"),
        read=number(read, name="with a formula"),
        model=data["model"],
        language=data["language"],
        rules=number(len(data["rules"]), name="with a condition"),
    )
    return note(extent)


def _advice(data: SetData) -> Iterator[Note]:
    """What to do before a finding is believed: the model may have misread a sentence."""
    entries = in_order_of_files(data)
    # A formula against an answer kept its meaning. It is a finding, if the answer still stands.
    doubtful = [
        entry["number"]
        for entry in entries
        if entry["passed"] is False and entry["outcome"] != Outcome.CONTRADICTS_ANSWER
    ]
    if doubtful:
        text = "read the formulas first: {formulas} did not keep the meaning in the run ({numbers})"
        figure = number(len(doubtful), "formula")
        yield note(sentence(text, formulas=figure, numbers=", ".join(doubtful)), "warning")
    elif data["model"] and any(data[key] for key, *_ in _FOUND):
        yield note(
            Sentence(
                "read the formulas first: the model may have misread a sentence (-v lists all)"
            )
        )


def _contradicting(data: SetData, numbered: Numbered) -> Iterator[Note]:
    """The formulas that the author has ruled out, each with the case, and what was done with them."""
    if data["contradicts_answer"]:
        text = "The answer counts: these formulas are left out of all that follows."
        yield note(Sentence(text), "warning")
    for entry in data["contradicts_answer"]:
        yield from sentence_notes([entry["item"]], numbered)
        says = CONTRADICTED[entry["allowed"]]
        yield note(sentence("the author says: {says}", says=says), "error")
        yield note(sentence("{case}", case=entry["case_text"]))


def _contradictions(data: SetData, numbered: Numbered) -> Iterator[Note]:
    for index, core in enumerate(data["contradictions"]):
        # A later core was sought without the sentences of those above, so it is the smallest of the others alone.
        among = (
            "of the sentences that are not above: "
            if index and core["proved"] == "smallest"
            else ""
        )
        text = f"these {{number}} contradict each other ({among}{PROVED[core['proved']]}):"
        yield note(
            sentence(text, number=number(len(core["sentences"]), name="contradictory sentences")),
            "error",
        )
        yield from sentence_notes(core["sentences"], numbered)


def _witness(data: SetData, numbered: Numbered) -> tuple[str, list[Note]]:
    """A case in which the sentences hold together, without those that cannot, and what to say above it."""
    title = f"all sentences{_with_a_formula(data)} can hold together, as here"
    if not data["witness_text"]:
        return title, []
    case = note(sentence("{case}", case=data["witness_text"]), "finding")
    excluded = {
        *data["never_true"],
        *(item for entry in data["contradictions"] for item in entry["sentences"]),
    }
    dropped = [
        entry["item"]
        for entry in data["sentences"]
        if entry["item"] in excluded.difference(data["kept"])
    ]
    if not dropped:
        return title, [case]
    without = sentence("without {left_out}", left_out=numbered.listed(dropped))
    return "the others can hold together", [note(without), case]


def _repeats(data: SetData, numbered: Numbered) -> Iterator[Note]:
    for group in data["repeats"]:
        original, *repetitions = group
        yield from sentence_notes(group, numbered)
        verb = "repeats" if len(repetitions) == 1 else "repeat"
        text = f"{{others}} {verb} {{first}}"
        yield note(
            sentence(text, others=numbered.listed(repetitions), first=numbered.number(original))
        )


def _consequences(data: SetData, numbered: Numbered) -> Iterator[Note]:
    for consequence in data["consequences"]:
        yield from sentence_notes([consequence["sentence"]], numbered)
        text = f"follows from {{premises}} ({PROVED[consequence['proved']]})"
        yield note(sentence(text, premises=numbered.listed(consequence["premises"])))


def _permissions(data: SetData, numbered: Numbered) -> Iterator[Note]:
    for permission in data["permissions"]:
        yield from sentence_notes([permission["item"]], numbered)
        yield note(sentence(ADVICE, words=permission["words"]), "warning")


def _undecided(data: SetData, numbered: Numbered) -> Iterator[Note]:
    for kind, cases in data["undecided"].items():
        if kind == "together":
            yield note(Sentence(QUESTIONS[kind]), "warning")
            continue
        named = pairs_text(cases, numbered)
        yield note(sentence(f"{QUESTIONS[kind]}: {{cases}}", cases=named), "warning")


def _without_formula(data: SetData) -> Iterator[Note]:
    for entry in data["without_formula"]:
        description = sentence(
            "{id}: {english} ({why})",
            id=entry["item"],
            english=entry["sentence"],
            why=entry["why"],
        )
        yield note(description, "finding")


def _warnings(lines: Iterable[str]) -> Iterator[Note]:
    for line in lines:
        yield note(sentence("{line}", line=line), "warning")


def _names(names: Iterable[str]) -> Iterator[Note]:
    listed = ", ".join(names)
    if listed:
        yield note(sentence("{names}", names=listed), "finding")
