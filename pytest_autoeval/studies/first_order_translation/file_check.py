"""What the command `check` says of sentences of first-order logic: their labels, and candidates made for them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_autoeval.datasets.checking import Progress
from pytest_autoeval.datasets.columns import Columns
from pytest_autoeval.running.outputs import listed_with_note, numbered_names
from pytest_autoeval.studies.first_order_translation.candidates import (
    MostSimilarSet,
    RankingSet,
    Refusal,
)
from pytest_autoeval.studies.first_order_translation.sentence_files import Statement, read_sentences
from pytest_autoeval.studies.first_order_translation.stories import Check, Stories, checked_labels
from pytest_autoeval.text import aligned, count

#: The data sets with candidates, by name.
_CANDIDATES: Mapping[str, type[MostSimilarSet | RankingSet]] = {
    "fol_most_similar": MostSimilarSet,
    "fol_ranking": RankingSet,
}
#: The checks of labels whose rows are left out.
_SHOWN_CHECKS: tuple[Check, ...] = ("contradicted", "inconsistent", "undecided")
#: Why no candidates can be made for a sentence.
REASONS: dict[Refusal, str] = {
    "tautology": "always true",
    "contradiction": "never true",
    "undecided": "the decision procedure gave up",
    "too large": "the formula is too large",
    "no perturbation": "no single change provably alters the meaning",
    "no negation normal form": "its negation is already in normal form, as for an atom, or that form is too large",
    "no equivalent": "no law gives another equivalent formula",
}


@dataclass(frozen=True, slots=True)
class CandidatesCheck:
    """The number of sentences by their number of perturbations, and the sources without candidates by reason."""

    perturbations: Mapping[int, int]
    refused: Mapping[Refusal, tuple[str, ...]]

    @property
    def number_with_candidates(self) -> int:
        return sum(self.perturbations.values())


class ExaminedSentences:
    """Sentences with formulas, stories with labels, and candidates for the first sentences; see `Examined`."""

    def __init__(
        self, files: Sequence[Path], columns: Columns, number: int, seed: int, progress: Progress
    ) -> None:
        sentences = read_sentences(files, columns)
        labels = checked_labels(
            files, lambda position, total: progress(f"labels: {position} of {total}"), columns
        )
        statements = sentences.entries[:number]
        has_all = len(statements) == len(sentences.entries)
        self.seed = seed
        #: What could be made, by data set; empty if nothing was asked for.
        self.candidates: dict[str, CandidatesCheck] = {}
        if statements:
            for name, kind in _CANDIDATES.items():
                candidate_set = kind(name, sentences)
                self.candidates[name] = _candidates(candidate_set, statements, seed, progress)
        self.sentences = sentences if any(row.parts for row in sentences.rows) else None
        self.labels = labels if labels.stories else None
        self.repairs, self.notes = sentences.repairs, sentences.notes
        self.data_sets: dict[str, int | None] = {"fol_translation": len(sentences.entries)}
        tried = _CANDIDATES if sentences.entries else {}
        for name in tried:
            # Only the first sentences may have been tried: then the number of the whole file is unknown.
            self.data_sets[name] = self.candidates[name].number_with_candidates if has_all else None
        self.data_sets["fol_entailment"] = len(labels.of("confirmed"))

    @property
    def sound(self) -> bool:
        """Whether no label is contradicted, and no premises contradict each other."""
        if self.labels is None:
            return True
        return not self.labels.of("contradicted") and not self.labels.of("inconsistent")

    def lines(self, *, verbose: bool) -> Iterator[str]:
        if self.sentences is not None:
            counts = self.sentences.formula_counts()
            formulas = count(sum(counts.values()), "formula")
            yield f"{formulas} of first-order logic, each text once: {numbered_names(counts)}"
        if self.labels is not None:
            labels = count(len(self.labels.stories) + self.labels.left_out, "label")
            yield f"{labels} of conclusions, computed again: {numbered_names(self.labels.counts)}"
            for outcome in _SHOWN_CHECKS:
                problems = [story.problem for story in self.labels.of(outcome)]
                yield from listed_with_note(
                    outcome, "their rows are left out", problems, verbose=verbose
                )
        for name, candidates in self.candidates.items():
            yield from self._candidates_lines(name, candidates, verbose=verbose)

    def as_json(self) -> dict[str, Any]:
        formulas: dict[str, int] | None = None
        labels: dict[str, Any] | None = None
        if self.sentences is not None:
            formulas = self.sentences.formula_counts()
        if self.labels is not None:
            rows = list(_stories_json(self.labels))
            labels = {"counts": self.labels.counts, "rows": rows}
        candidates = {
            name: self._checked_as_json(checked) for name, checked in self.candidates.items()
        }
        return {"formulas": formulas, "labels": labels, "candidates": candidates}

    def _checked_as_json(self, checked: CandidatesCheck) -> dict[str, Any]:
        # The keys of JSON are texts.
        numbers = {str(number): times for number, times in checked.perturbations.items()}
        return {
            "seed": self.seed,
            "possible": checked.number_with_candidates,
            "perturbations": numbers,
            "refused": {why: list(sources) for why, sources in checked.refused.items()},
        }

    def _candidates_lines(
        self, name: str, checked: CandidatesCheck, *, verbose: bool
    ) -> Iterator[str]:
        refused = sum(map(len, checked.refused.values()))
        total = count(checked.number_with_candidates + refused, "sentence")
        possible = f"{checked.number_with_candidates:,} of {total}"
        yield f"{name}, seed {self.seed}: candidates for {possible}"
        if checked.perturbations:
            numbers = map(str, checked.perturbations)
            sentences = (f"{times:,}" for times in checked.perturbations.values())
            table = [("perturbations", *numbers), ("sentences", *sentences)]
            yield from (f"  {line}" for line in aligned(table))
        for why, sources in checked.refused.items():
            yield from listed_with_note(why, REASONS[why], sources, verbose=verbose)


def _candidates(
    candidate_set: MostSimilarSet | RankingSet,
    statements: Sequence[Statement],
    seed: int,
    progress: Progress,
) -> CandidatesCheck:
    perturbations: Counter[int] = Counter()
    refused: dict[Refusal, list[str]] = defaultdict(list)
    for number, statement in enumerate(statements, start=1):
        progress(f"{candidate_set.name}: {number} of {len(statements)} sentences")
        candidates = candidate_set.candidates(statement.formula, statement.ontology, seed)
        if isinstance(candidates, str):
            refused[candidates].append(statement.source)
        else:
            perturbations[candidates["perturbations"]] += 1
    # The most frequent reason first: it is the one to work on.
    by_frequency = sorted(refused.items(), key=lambda reason: (-len(reason[1]), reason[0]))
    sources_by_reason = {why: tuple(sources) for why, sources in by_frequency}
    return CandidatesCheck(dict(sorted(perturbations.items())), sources_by_reason)


def _stories_json(labels: Stories) -> Iterator[dict[str, Any]]:
    for story in labels.stories:
        if story.problem:
            about = {
                "source": story.source,
                "said": story.label_text,
                "derived": story.derived.outcome,
            }
            yield {**about, "check": story.check, "problem": story.problem}
