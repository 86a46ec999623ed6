"""Samples on which a model failed, as reports show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import zip_longest
from typing import Any

from pytest_autoeval.judging.items import item_name, without_equal_paraphrases
from pytest_autoeval.outcomes import Outcome, OutcomeKind
from pytest_autoeval.reporting.row import Calls, Row
from pytest_autoeval.text import Line, count, harmless, one_line, shorten, wrap

_ONE_LINE_TEXT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """A failing row, and the smaller row that it was shrunk to. ``command`` reproduces the row that is shown.

    ``minimal``: no smaller variant fails; ``confirmed``: how often it failed when asked again, such as ``2 of 2``.
    """

    row: Row
    command: str
    shrunk_row: Row | None = None
    minimal: bool = False
    confirmed: str = ""
    round_trips_spent: int = 0
    calls: Calls | None = None

    @property
    def shown(self) -> Row:
        """The row to show: the shrunk one if there is one."""
        return self.shrunk_row if self.shrunk_row is not None else self.row

    @property
    def key(self) -> tuple[str, str, str]:
        """Suite, model and outcome."""
        return self.row.suite, self.row.model, self.row.outcome

    @property
    def one_line(self) -> str:
        """The example in one line: ``different: ¬(p1 ∧ p2) came back as ¬p1 ∧ p2 (witness: p1 = true, p2 = false)``."""
        row = self.shown
        given = [row.formula or row.sentence or ""]
        ending = f": {_brief(row.error or 'no answer')}"
        if row.expected is not None:
            given += filter(None, (row.other, row.trace))
        elif answer := row.translation or row.answer:
            ending = f" came back as {_brief(answer)}"
        witness = f" (witness: {_brief(_in_a_row(row.witness_text))})" if row.witness_text else ""
        return f"{one_line(row.outcome)}: {'; '.join(map(_brief, given))}{ending}{witness}"

    def to_json(self) -> dict[str, Any]:
        """Plain basic types."""
        shrunk = self.shrunk_row and self.shrunk_row.to_json()
        others = {field.name: getattr(self, field.name) for field in fields(self)}
        calls = self.calls and asdict(self.calls)
        return {**others, "row": self.row.to_json(), "shrunk_row": shrunk, "calls": calls}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Counterexample:
        """What :meth:`to_json` wrote."""
        shrunk, calls = data["shrunk_row"], data["calls"]
        rows = {"row": Row.from_json(data["row"]), "shrunk_row": shrunk and Row.from_json(shrunk)}
        return cls(**{**data, **rows, "calls": calls and Calls(**calls)})


def smallest_first(examples: Iterable[Counterexample]) -> list[Counterexample]:
    """The examples ordered by size and length of the formula that is shown."""
    return sorted(examples, key=lambda example: (example.shown.operators, len(item_name(example.shown))))


def _brief(text: str) -> str:
    return shorten(one_line(text), _ONE_LINE_TEXT)


def smallest_failures(rows: Iterable[Row]) -> dict[str, Row]:
    """For each outcome that is the model's failure, the smallest row that counts, in the order of the codes."""
    failures = [row for row in without_equal_paraphrases(rows)[0] if row.kind == OutcomeKind.MODEL_FAILURE]
    failures.sort(key=lambda row: (row.code, row.operators, len(item_name(row)), item_name(row), row.repeat, row.index))
    smallest: dict[str, Row] = {}
    for row in failures:
        smallest.setdefault(row.outcome, row)
    return smallest


_LABEL = 11
#: The fields that are left out first if there is no room for all.
_LEAST_USEFUL = ("shrunk", "aligned", "names", "candidates")
_INDENT = 4
#: The largest number of lines of a text, and of a witness, in a summary that is not verbose.
_TEXT_LINES = 4
_WITNESS_LINES = 10


def counterexample_lines(
    example: Counterexample, samples: int, *, verbose: bool, width: int, limit: int | None = None
) -> Iterator[Line]:
    """The lines of an example, at most ``limit`` unless its fields need more. ``samples`` ended in the same way;
    verbose shows whole texts. The command is never wrapped.
    """
    row, room = example.shown, max(20, width - _INDENT - _LABEL - 2)
    yield Line(f"  {one_line(f'{example.row.outcome} ({example.row.code})')}, {count(samples, 'sample')}", "bad")
    fields = [(label, _broken(text, room, verbose=verbose)) for label, text in (*_question(row), *_answer(row))]
    if isinstance(row.answered, list) and row.facts.get("candidates"):
        kinds = [f"{kind}: " for kind in row.facts.get("kinds") or ()]
        numbered = enumerate(zip_longest(_candidates(row), kinds, fillvalue=""), 1)
        shown = [f"{number}. {kind}{text}" for number, (text, kind) in numbered]
        fields.append(("candidates", [shorten(one_line(line), room) for line in shown]))
    if row.witness_text:
        fields.append(("witness", _witness(row.witness_text, room, verbose=verbose)))
    if note := history(example):
        fields.append(("shrunk", wrap(note, room)))
    if example.command:
        fields.append(("reproduce", [harmless(example.command)]))
    for label, lines in fields if limit is None else _within(fields, limit - 1, room):
        for number, text in enumerate(lines):
            yield Line(f"{'':{_INDENT}}{'' if number else label:<{_LABEL}}  {text}".rstrip())


def _within(fields: Sequence[tuple[str, list[str]]], limit: int, room: int) -> list[tuple[str, list[str]]]:
    """The fields in ``limit`` lines: less useful ones are left out, then the longest ones are cut."""
    fields = [(label, list(lines)) for label, lines in fields]
    for least in _LEAST_USEFUL:
        if len(fields) > limit:
            fields = [field for field in fields if field[0] != least]
    while sum(len(lines) for _, lines in fields) > limit:
        longest = max((lines for _, lines in fields), key=len)
        if len(longest) == 1:
            break
        del longest[-1]
        longest[-1] = shorten(f"{longest[-1].removesuffix('…')} …", room)
    return fields


def _question(row: Row) -> Iterator[tuple[str, str]]:
    if row.sentence is not None:
        yield "sentence", row.sentence
    if row.facts.get("propositions"):
        # The formula to find, or the reference beside the model's, or the given one.
        label = "expected" if row.figures == "extraction" else "names" if "alignment" in row.facts else "given"
        yield label, ", ".join(f'"{phrase}": {name}' for phrase, name in row.facts["propositions"])
    if row.facts.get("premises"):
        premises = row.facts["premises_formulas" if row.form == "formulas" else "premises"]
        yield "premises", "\n".join(f"{number}. {text}" for number, text in enumerate(premises, 1))
        yield "conclusion", row.facts["conclusion"]
    if row.formula:
        yield "formula", row.formula
    if formalization := row.facts.get("formalization"):
        yield "formula", formalization
    if row.other is not None:
        yield "other", row.other
    if row.trace is not None and row.trace != row.answer:
        yield "trace", row.trace
    if row.expected is not None:
        yield "expected", _in_words(row, row.expected)


def _answer(row: Row) -> Iterator[tuple[str, str]]:
    if row.facts.get("candidates") and row.answered is not None:
        yield "answered", _in_words(row, row.answered)
        return
    judged = isinstance(row.answered, bool)
    if judged and len((row.answer or "").split()) > 1:
        yield "answered", _in_words(row, row.answered)
    if row.description is not None:
        yield "description", row.description
    if (text := row.facts.get("description_read")) is not None:
        begins = text and (row.description or "").startswith(text)
        yield "text read", f"the first {count(len(text), 'character')} of the description" if begins else text
    if row.translation is not None:
        yield "translation", row.translation
    elif row.answer is not None:
        yield "answer", row.answer
    if row.facts.get("alignment"):
        pairs = ", ".join(f"{theirs} = {ours}" for theirs, ours in row.facts["alignment"])
        yield "aligned", f"{pairs} (by {row.facts.get('alignment_basis') or 'nothing'})"
    # The message would repeat the witness, or the expected and the given answer.
    if row.error and not row.witness_text and not (row.outcome == Outcome.WRONG_ANSWER and judged):
        yield "reason", row.error


def _candidates(row: Row) -> Sequence[str]:
    return row.facts.get("candidates" if row.form == "formulas" else "candidates_english") or ()


def _in_words(row: Row, answer: Any) -> str:
    """An answer in words: the candidate of a number, or the numbers of an order, related ones first."""
    candidates = _candidates(row)
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    if isinstance(answer, int) and 1 <= answer <= len(candidates):
        return f"{answer}. {candidates[answer - 1]}"
    if isinstance(answer, list):
        ends = [", ".join(map(str, part)) for part in answer if isinstance(part, list)]
        return f"{ends[0]} first, {ends[-1]} last" if ends else ", ".join(map(str, answer))
    return str(answer)


def history(example: Counterexample) -> str:
    """What shrinking did to the example, in one line; empty if it did nothing."""
    parts, spent = [], count(example.round_trips_spent, "round trip")
    if example.shrunk_row is not None:
        before, after = example.row.operators, example.shrunk_row.operators
        sizes = f"from size {before} to {after}" if before != after else f"from another formula of size {after}"
        parts.append(f"{sizes} in {spent}")
    elif example.round_trips_spent:
        parts.append(f"nothing smaller was found in {spent}")
    if example.confirmed:
        parts.append(f"fails {one_line(example.confirmed)} times")
    if parts:
        parts.append("no smaller variant fails" if example.minimal else "not all tried")
    return "; ".join(parts)


def _broken(text: str, room: int, *, verbose: bool) -> list[str]:
    if not text.strip():
        return ["(empty)"]
    if verbose:
        return [line for source in text.strip().split("\n") for line in wrap(one_line(source), room)]
    # Only the start is made harmless: an answer may have a megabyte.
    start = " ".join(text.split())[: _TEXT_LINES * (room + 1) + 1]
    return wrap(one_line(start), room, _TEXT_LINES)


def _in_a_row(text: str) -> str:
    """A table of names and values on one line, the values of the two formulas first, so that no cut removes them:
    ``left true; right false; domain {1}; bob 1``. Another text is unchanged.
    """
    rows = [line.split(maxsplit=1) for line in text.split("\n")]
    if len(rows) < 2 or [row[0] for row in rows[-2:] if row] != ["left", "right"] or any(len(row) != 2 for row in rows):
        return text
    return "; ".join(" ".join(row) for row in (*rows[-2:], *rows[:-2]))


def _witness(text: str, room: int, *, verbose: bool) -> list[str]:
    """A witness of one line is wrapped. One of several lines is a table whose spaces are kept."""
    text = text if verbose else _in_a_row(text)
    lines = [harmless(line.expandtabs()) for line in text.strip("\n").split("\n")]
    if len(lines) == 1:
        return wrap(lines[0], room)
    if verbose:
        return lines
    lines = [line for line in lines if line.strip()]
    more = len(lines) - _WITNESS_LINES
    shown = [shorten(line, room) for line in lines[:_WITNESS_LINES]]
    return [*shown, f"… {count(more, 'more line')}; -v shows all"] if more > 0 else shown
