"""What a set of sentences says as a whole, as text for a terminal. The data are those of `check … --json`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from pytest_autoeval.text import count, one_line, wrap

#: What the page and the terminal show: plain types, with the sentences by their ids.
SetData = Mapping[str, Any]

_WIDTH = 80
#: What was proved of a contradiction and of premises.
_PROVED = {
    "smallest": "no smaller set does",
    "minimal": "none of them can be left out, but another, smaller set may do",
    "contradictory": "it was not decided whether all of them are needed",
}
_STOPPED = {
    "time": "The time limit (--seconds) ended the check: what follows is not all.",
    "interrupted": "The check was interrupted: what follows is not all.",
}
_QUESTIONS = {
    "alone": "whether a sentence is always or never true",
    "repeats": "whether two sentences mean the same",
    "together": "whether the sentences can hold together",
    "consequences": "whether a sentence follows from the others",
}
#: The words that the page has in common with the terminal.
WORDS = {**_PROVED, **_QUESTIONS}


def set_lines(data: SetData) -> Iterator[str]:
    """The report, at most 80 columns wide."""
    sentences = {one["item"]: one for one in data["sentences"]}
    yield from wrap(one_line(f"{data['file']}: {_extent(data)}"), _WIDTH)
    if data["stopped"]:
        yield from wrap(_STOPPED[data["stopped"]], _WIDTH)
    lacking = (_entry(one["item"], f"{one['sentence']} ({one['why']})") for one in data["without_formula"])
    yield from _section("without a formula, left out", chain.from_iterable(lacking))
    for title, items in (("never true", data["never_true"]), ("always true", data["always_true"])):
        yield from _section(title, chain.from_iterable(_sentence(sentences[item]) for item in items))
    yield from _section("contradictions", _contradictions(data, sentences))
    yield from _section(_title_of_witness(data), _indented([data["witness_text"]]))
    repeats = (_repeated(group, sentences) for group in data["repeats"])
    yield from _section("repeated: the same meaning", chain.from_iterable(repeats))
    consequences = (_consequence(one, sentences) for one in data["consequences"])
    yield from _section("follows from others", chain.from_iterable(consequences))
    once = (f"{one['name']} ({one['item']})" for one in data["names_used_once"])
    yield from _section("names in one sentence only", _indented([", ".join(once)]))
    unused = _indented([", ".join(data["unused_names"])])
    yield from _section("names of the glossary that no formula uses", unused)
    yield from _section("undecided within the time limits", _undecided(data["undecided"]))
    yield ""
    yield from wrap(verdict(data), _WIDTH)


def verdict(data: SetData) -> str:
    """One sentence on the whole set."""
    found = [
        count(len(data[key]), thing) + more
        for key, thing, more in (
            ("contradictions", "contradiction", ""),
            ("never_true", "sentence", " that can never be true"),
            ("always_true", "sentence", f" that {'is' if len(data['always_true']) == 1 else 'are'} always true"),
        )
        if data[key]
    ]
    if found:
        return f"found: {', '.join(found)}"
    if data["satisfiable"]:
        return f"the sentences{_with_a_formula(data)} can all hold together" + (
            "" if data["undecided"].get("alone") else ", and none is trivial"
        )
    return "no contradiction was found, but whether all sentences can hold together was not decided"


def _with_a_formula(data: SetData) -> str:
    return " with a formula" if data["without_formula"] else ""


def _extent(data: SetData) -> str:
    number, lacking = len(data["sentences"]), len(data["without_formula"])
    return f"{count(number + lacking, 'sentence')}, {number} with a formula by {data['model']} ({data['language']})"


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    if body := [line for line in lines if line.strip()]:
        yield from ("", title, *body)


def _sentence(one: Mapping[str, str]) -> Iterator[str]:
    yield from _entry(one["item"], one["sentence"])
    yield from _indented([one["formula"]], 6)


def _entry(item: str, text: str) -> Iterator[str]:
    first, *more = wrap(one_line(f"[{item}] {text}"), _WIDTH - 6)
    yield from (f"  {first}", *(f"{'':6}{line}" for line in more))


def _indented(lines: Iterable[str], by: int = 2) -> Iterator[str]:
    return (f"{'':{by}}{part}" for line in lines for part in wrap(one_line(line), _WIDTH - by))


def _contradictions(data: SetData, sentences: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    for number, core in enumerate(data["contradictions"]):
        among = "of the sentences that are not above: " if number and core["proved"] == "smallest" else ""
        number_of = f"these {len(core['sentences'])} contradict each other"
        yield from _indented([f"{number_of} ({among}{_PROVED[core['proved']]}):"])
        yield from chain.from_iterable(_sentence(sentences[item]) for item in core["sentences"])


def _title_of_witness(data: SetData) -> str:
    left = {*data["never_true"], *(item for one in data["contradictions"] for item in one["sentences"])}
    if dropped := [one["item"] for one in data["sentences"] if one["item"] in left.difference(data["kept"])]:
        return "\n".join(wrap(f"without {one_line(', '.join(dropped))} the others can hold together, as here", _WIDTH))
    return f"all sentences{_with_a_formula(data)} can hold together, as here"


def _repeated(group: Sequence[str], sentences: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    yield from chain.from_iterable(_sentence(sentences[item]) for item in group)
    yield from _indented([f"({', '.join(group[1:])} {'repeats' if len(group) == 2 else 'repeat'} {group[0]})"], 4)


def _consequence(one: Mapping[str, Any], sentences: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    yield from _sentence(sentences[one["sentence"]])
    yield from _indented([f"follows from {', '.join(one['premises'])} ({_PROVED[one['proved']]})"], 4)


def _undecided(questions: Mapping[str, Sequence[Sequence[str]]]) -> Iterator[str]:
    for kind, cases in questions.items():
        named = "" if kind == "together" else f": {', '.join(' and '.join(case) for case in cases)}"
        yield from _indented([f"{_QUESTIONS[kind]}{named}"])
