"""The parts that the shipped tasks and data sets add to a sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import UNSET, UnsetType, field

from pytest_autoeval.built_in import provided
from pytest_autoeval.record.sample_parts import Part, declared


def _is_file_or_ends_in(name: str, file: str) -> bool:
    """Whether a name is that of a file, or that with its folder, which tells two files of one name apart."""
    return name == file or name.endswith(f"/{file}")


class Given(Part, frozen=True):
    """What the item of a data set gives besides its formula.

    Attributes:
        item: the id of a written item: that of its author, else its file and line.
        source: the file and line of the item.
        data_set: the shipped set, or your file without its ending.
        group: the group of the item.
        cluster: what the item shares with others of its file, such as its document: their results are not independent.
        story_id: the story that the sentence, or the whole item, is from.
        same_story: another sentence of that story, with its formula and the list of its symbols.
        pattern: the kind of requirement.
        repair: what was repaired in the formula of a data file.
        sentence: the given sentence.
        text: the string to be judged well-formed or not.
        trace: the given trace.
        other: the second formula of a judged pair. In the witness of a wrong yes, left is the first.
        pair: the origin of that pair: ``rewritten``, ``edited``, ``round trip`` or ``own``.
        expected: the right answer. Candidates are numbered from 1; a ranking expects those that belong first and last.
        propositions: pairs of phrase and proposition, given or expected.
        glossary: the names that formulas may use, each with its phrase.
        answers: the answered questions of the sentence.
        ontology: the symbols with kind, gloss and negative gloss.
        ontology_derived: whether the glosses were derived from names.
        candidates: the candidates to choose from or to rank, as formulas.
        candidates_english: the candidates in English.
        edits: how each candidate was made.
        kinds: what each candidate of a ranking is.
        law: the law that made the equivalent candidate.
        perturbations: the number of perturbations.
        premises: the premises in English.
        premises_formulas: the premises as formulas.
        conclusion: the conclusion in English.
        conclusion_formula: the conclusion as a formula.
        context: the text that a question is about.
        question: a question with yes or no as its answer.
        label: the label in the data set; ``expected`` is the verifier's.
        more: facts that only a data set of your own has.
    """

    item: str | None = None
    source: str | None = None
    data_set: str | None = None
    group: str | None = None
    cluster: str | None = None
    story_id: str | None = None
    same_story: dict[str, str] | None = None
    pattern: str | None = None
    repair: str | None = None
    sentence: str | None = None
    text: str | None = None
    trace: str | None = None
    other: str | None = None
    pair: str | None = None
    expected: Any = None
    propositions: list[tuple[str, str]] | None = None
    glossary: dict[str, str] | None = None
    answers: list[Any] | None = None
    ontology: list[Any] | None = None
    ontology_derived: bool | None = None
    candidates: list[str] | None = None
    candidates_english: list[str] | None = None
    edits: list[str] | None = None
    kinds: list[str] | None = None
    law: str | None = None
    perturbations: int | None = None
    premises: list[str] | None = None
    premises_formulas: list[str] | None = None
    conclusion: str | None = None
    conclusion_formula: str | None = None
    context: str | None = None
    question: str | None = None
    label: str | None = None
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def own_id(self) -> str | None:
        """The id that the author gave the item; None if the item is named by its place in a file.

        A place is no identity: an empty line above it would make the item another one for a baseline.
        """
        if self.item is None or self.source is None or ":" not in self.item:
            return self.item
        if _is_file_or_ends_in(self.item, self.source):
            return None
        # Earlier releases counted the sentences of a file: `rules:2` for the second sentence of `rules.md`.
        counted_in, _, number = self.item.rpartition(":")
        stem = self.source.rpartition(":")[0].rpartition(".")[0]
        is_counted = number.isdecimal() and _is_file_or_ends_in(counted_in, stem)
        return None if is_counted else self.item

    @property
    def name(self) -> str:
        """The item as its file names it, on every screen: by the id of its author, else by file and line."""
        if self.own_id is None and self.source is not None and self.item is not None:
            is_place = _is_file_or_ends_in(self.item, self.source)
            return self.item if is_place else self.source
        return self.item or self.source or ""


class Answered(Part, frozen=True):
    """What was read in an answer that is no formula.

    Attributes:
        value: the answer that was read; null for an unreadable one.
        problem: why it is invalid: ``no number`` (none, or several), ``out of range``, ``not a permutation``.
        structured: the answer follows the JSON schema; null for an embedding model.
        trace: the trace that the model wrote.
        similarities: of an embedding model, the cosine similarity of each candidate to the sentence.
        ranking_equivalence: the two equivalent candidates come first.
        ranking_negation: the two negations come last.
    """

    flat_names: ClassVar[Mapping[str, str]] = {"value": "answered"}

    value: Any = None
    problem: str | None = None
    structured: bool | None = None
    trace: str | None = None
    similarities: list[float] | UnsetType | None = UNSET
    ranking_equivalence: bool | None = None
    ranking_negation: bool | None = None


class Translated(Part, frozen=True):
    """How a translation compares with the reference.

    Attributes:
        relation: ``equivalent``, ``stronger`` (entails the reference), ``weaker`` (is entailed) or ``incomparable``.
        meaningful: it could be compared with the reference.
        syntactically_correct: a formula was read.
        lacking: names of the reference that the answer lacks; null without a formula, or if its names are not aligned.
        alignment: pairs of the model's symbol and ours, where the model chose its own names.
        alignment_basis: the evidence for it: ``glosses``, ``oracle`` (the verifier) or ``glosses and oracle``.
        le_score: the LE score of the answer, 0 to 1.
    """

    relation: str | None = None
    meaningful: bool = False
    syntactically_correct: bool = False
    lacking: list[str] | None = None
    alignment: list[tuple[str, str]] | UnsetType | None = UNSET
    alignment_basis: str | None = None
    le_score: float | None = None


class Formalized(Part, frozen=True):
    """The formula that a model wrote for a sentence, whose meaning then goes round.

    Attributes:
        formula: the formula; null if none was read.
        answer: the whole answer.
        glossary: the names that the formula may use, each with its phrase.
        paraphrased: the text of the paraphrase that was formalized.
        contradicted: the id of the answer of the author that the formula contradicts.
    """

    flat_names: ClassVar[Mapping[str, str]] = {
        "formula": "formalization",
        "answer": "formalization_answer",
    }

    formula: str | None = None
    answer: str | None = None
    glossary: dict[str, str] | None = None
    paraphrased: str | None = None
    contradicted: str | None = None


class First(Part, frozen=True):
    """What came first, if the model was asked to check its answer.

    Attributes:
        answer: the first answer.
        description: the first description.
        outcome: the outcome of the first answer.
    """

    flat_names: ClassVar[Mapping[str, str]] = {
        "answer": "first_answer",
        "description": "first_description",
        "outcome": "first_outcome",
    }

    answer: str | None = None
    description: str | None = None
    outcome: str | None = None


#: The fields of the part `given`.
GIVEN = frozenset(Given.__struct_fields__) - {"more"}

#: The parts of the core, in the order in which they are described.
CORE_PARTS: tuple[type[Part], ...] = (Given, Answered, Translated, Formalized, First)


def shipped_part_names() -> tuple[str, ...]:
    """The names of the parts of the core, then those of shipped plugins."""
    return (*(part.part_name for part in CORE_PARTS), *provided("part"))


def shipped_parts() -> tuple[type[Part], ...]:
    """The parts of the core, then those of shipped plugins, which are loaded."""
    types = map(declared, shipped_part_names())
    return tuple(part for part in types if part is not None)
