"""The symbols that a sentence needs: which of the reference's were found, with how many places, and which were not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_autoeval.tasks.answers.signature_text import read_signature
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.matching.signature_matching import matching_notes, reference_signatures
from pytest_autoeval.tasks.questions import fact
from pytest_autoeval.tasks.trial import Subject, Trial


class OntologyExtraction(Task):
    """Sentence → signature and glossary.

    The subject's facts are the ``sentence`` and the ``ontology``; expected are the symbols of the ontology that its
    formula uses.
    """

    name = "ontology_extraction"
    prompt_language = "first_order"
    figures = "ontologies"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"statement": fact(trial.about, "sentence", str)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        """``correct`` if every symbol is matched, none is left over, and all have as many places as they should."""
        ours = reference_signatures(trial.about).used
        read = read_signature(answer)
        notes = {
            "answered": None if read.problem else [str(symbol) for symbol in read.symbols],
            **matching_notes(None if read.problem else read.symbols, ours),
        }
        if read.problem:
            return Judgement(outcome="unreadable answer", message=read.problem, notes=notes)
        if not (notes["missing"] or notes["surplus"] or notes["wrong_arity"]):
            return Judgement(outcome="correct", notes=notes)
        expected = "\n".join(f"    {symbol}: {symbol.gloss}" for symbol in ours)
        answered = "\n".join(f"    {symbol}: {symbol.gloss}" for symbol in read.symbols)
        message = f"{_what_is_wrong(notes)}\n  expected:\n{expected}\n  answered:\n{answered}"
        return Judgement(outcome="wrong answer", message=message, notes=notes)

    def notes_without_answer(self, subject: Subject) -> Mapping[str, Any]:
        return {"answered": None, **matching_notes(None, reference_signatures(subject).used)}


def _what_is_wrong(notes: Mapping[str, Any]) -> str:
    parts = [f"{key}: {', '.join(notes[key])}" for key in ("missing", "surplus") if notes[key]]
    arities = "; ".join(f"{theirs} for {ours}" for theirs, ours in notes["wrong_arity"])
    return "; ".join([*parts, *([f"wrong number of places: {arities}"] if arities else [])])


TASK = OntologyExtraction()
