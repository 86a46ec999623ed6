"""Whether premises make a conclusion True, False or Uncertain: the verifier's own answer, and the labels of stories.

A label that the verifier does not confirm would make a right answer wrong: such a story is left out, and reported.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Literal, get_args

from pytest_autoeval.datasets.base import DataSet, Item
from pytest_autoeval.datasets.first_order.stories import Label, Stories, Story, read_stories
from pytest_autoeval.languages import Verdict, Witness, language
from pytest_autoeval.languages.logic.syntax import And, Not, Sentence, Top

Check = Literal["confirmed", "contradicted", "inconsistent", "undecided"]

#: Seconds for each of the two questions about a story.
_TIMEOUT = 5.0
#: Characters of a counter-model in a line about a row.
_SHORT = 400
_MEANING: dict[str, str] = {
    "True": "the premises entail the conclusion",
    "False": "the premises entail the negation of the conclusion",
    "Uncertain": "the premises entail neither the conclusion nor its negation",
}


@dataclass(frozen=True, slots=True)
class Derived:
    """What the verifier says of premises and a conclusion.

    ``outcome`` is a label, ``inconsistent`` where the premises entail both the conclusion and its negation, or
    ``undecided`` where the verifier cannot tell of either whether they do. ``entailed`` and ``denied`` are the verdicts
    on the conclusion and on its negation; the witness of one that is not entailed is a model of the premises.
    """

    outcome: Label | Literal["inconsistent", "undecided"]
    entailed: Verdict
    denied: Verdict

    def witness_against(self, label: Label) -> Witness | None:
        """A model of the premises in which the conclusion is not as the label says; None where none was found."""
        return {"True": self.entailed.witness, "False": self.denied.witness, "Uncertain": None}[label]


@lru_cache(maxsize=4096)
def derived_label(premises: tuple[Sentence, ...], conclusion: Sentence, timeout: float = _TIMEOUT) -> Derived:
    """Whether the conclusion is True, False or Uncertain, given the premises.

    ``timeout`` is in seconds, for each of two questions. A label is given only where both of them are answered: from
    premises that may contradict each other the conclusion may follow, and its negation too.
    """
    lang = language("first_order")
    given = reduce(And, premises) if premises else Top()
    entailed = lang.entails(given, conclusion, timeout)
    denied = lang.entails(given, Not(conclusion), timeout)
    match entailed.outcome, denied.outcome:
        case "entails", "entails":
            return Derived("inconsistent", entailed, denied)
        case "entails", "does not entail":
            return Derived("True", entailed, denied)
        case "does not entail", "entails":
            return Derived("False", entailed, denied)
        case "does not entail", "does not entail":
            return Derived("Uncertain", entailed, denied)
        case _:
            return Derived("undecided", entailed, denied)


@dataclass(frozen=True, slots=True)
class CheckedLabel:
    """A story, what the verifier says of it, and what that makes of its label."""

    story: Story
    derived: Derived

    @property
    def check(self) -> Check:
        """Whether the label is confirmed."""
        match self.derived.outcome:
            case "inconsistent" | "undecided" as outcome:
                return outcome
            case outcome:
                return "confirmed" if outcome == self.story.label else "contradicted"

    @property
    def problem(self) -> str:
        """A line that says why the story is left out; empty where the label is confirmed."""
        match self.check:
            case "confirmed":
                return ""
            case "inconsistent":
                says = "the premises contradict each other: everything follows from them"
            case "undecided":
                reasons = (self.derived.entailed.reason, self.derived.denied.reason)
                says = f"the verifier does not know: {next(filter(None, reasons))}"
            case "contradicted":
                says = self._contradiction()
        return f"{self.story.place}: column 'label': says {self.story.label_text!r}, but {says}"

    def _contradiction(self) -> str:
        says = _MEANING[self.derived.outcome]
        if (witness := self.derived.witness_against(self.story.label)) is not None:
            what = "conclusion" if self.story.label == "True" else "negation of the conclusion"
            model = textwrap.shorten("; ".join(str(witness).splitlines()), _SHORT, placeholder=" …")
            says += f"; a model of the premises (left) and not of the {what} (right): {model}"
        return "; ".join((says, *self.story.notes))


@dataclass(frozen=True, slots=True)
class CheckedLabels:
    """The labels of stories, checked, and what was read."""

    checked: tuple[CheckedLabel, ...]
    read: Stories

    @property
    def counts(self) -> dict[str, int]:
        """How many labels there are of each :data:`Check`, and as ``left out`` how many rows without a story."""
        return {check: len(self.of(check)) for check in get_args(Check)} | {"left out": self.read.left_out}

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the rows that no item is made of, a line each: file, line, what is wrong."""
        return (*self.read.problems, *(one.problem for one in self.checked if one.problem))

    def of(self, check: Check) -> tuple[CheckedLabel, ...]:
        """The labels of which that is said."""
        return tuple(one for one in self.checked if one.check == check)


def checked_labels(
    files: Sequence[Path], timeout: float = _TIMEOUT, progress: Callable[[int, int], None] = lambda *_: None
) -> CheckedLabels:
    """The labels of all stories in files, checked; ``timeout`` in seconds for each of two questions about a story.

    ``progress`` is called before each story with its number and how many there are.
    Raises :class:`DataSetError` for a file that cannot be read as a whole.
    """
    found = read_stories(files)
    checked: list[CheckedLabel] = []
    for number, story in enumerate(found.stories, start=1):
        progress(number, len(found.stories))
        checked.append(_checked(story, timeout))
    return CheckedLabels(tuple(checked), found)


class EntailmentSet(DataSet):
    """Stories whose labels the verifier confirms, by the number of their premises.

    The labels of a size are checked when its items are asked for: until then :attr:`problems` does not list them.
    """

    def __init__(self, name: str, stories: Stories) -> None:
        self.name = name
        self.language = "first_order"
        self._read = stories
        self._stories: dict[int, list[Story]] = defaultdict(list)
        for story in stories.stories:
            self._stories[len(story.premises)].append(story)
        self._checked: dict[int, tuple[CheckedLabel, ...]] = {}
        self._lock = Lock()

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(sorted(self._stories))

    def items(self, size: int, count: int | None = None, seed: int = 0) -> list[Item]:
        _ = seed
        confirmed = (one.story for one in self._labels(size) if one.check == "confirmed")
        return [_item(self.name, story, index) for index, story in enumerate(islice(confirmed, count))]

    def typed(self, text: str, seed: int = 0) -> list[Item]:
        _ = seed
        conclusion = language(self.language).tree(text)
        return [item for size in self.sizes for item in self.items(size) if item.formula == conclusion]

    @property
    def problems(self) -> tuple[str, ...]:
        with self._lock:
            checked = tuple(one for _, labels in sorted(self._checked.items()) for one in labels)
        return CheckedLabels(checked, self._read).problems

    def _labels(self, size: int) -> tuple[CheckedLabel, ...]:
        with self._lock:
            if size not in self._checked and size in self._stories:
                self._checked[size] = tuple(_checked(story) for story in self._stories[size])
            return self._checked.get(size, ())


def _checked(story: Story, timeout: float = _TIMEOUT) -> CheckedLabel:
    return CheckedLabel(story, derived_label(story.premises_formulas, story.conclusion_formula, timeout))


def _item(name: str, story: Story, index: int) -> Item:
    facts = {
        "premises": list(story.premises),
        "premises_formulas": [str(formula) for formula in story.premises_formulas],
        "conclusion": story.conclusion,
        "conclusion_formula": str(story.conclusion_formula),
        "expected": story.label,
        "label": story.label_text,
        "ontology": story.ontology.to_facts(),
        "ontology_derived": story.ontology.derived,
        "data_set": story.data_set,
        "source": story.source,
        **({"item": story.id} if story.id else {}),
        **({"repair": story.repair} if story.repair else {}),
    }
    vocabulary, size = story.ontology.vocabulary, len(story.premises)
    return Item(name, "first_order", vocabulary, "custom", size, 0, index, story.conclusion_formula, facts)
