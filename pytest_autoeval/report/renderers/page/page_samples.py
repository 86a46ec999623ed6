"""The samples in a page: an index that the list is made from, and all samples in pieces that are read when needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_autoeval.by_name import added
from pytest_autoeval.judging.item_groups import Comparable, SuiteKey, item_of, side_by_side
from pytest_autoeval.outcomes import SampleOutcome
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.own_outcomes import outcome_among
from pytest_autoeval.record.suite_names import named
from pytest_autoeval.record.task_parts import Answered, Formalized, Given
from pytest_autoeval.record.witness_words import sides_of, witness_in_words
from pytest_autoeval.report.blocks import Counterexample, Document, SampleKey
from pytest_autoeval.report.flat_sample import flat_sample
from pytest_autoeval.report.renderers.page.shared_texts import with_digests
from pytest_autoeval.users_code import place_of, typed_text

CommandOf = Callable[[Sample], str]
Plain = dict[str, Any]

#: Samples in a piece: small enough to unpack without a delay, large enough to compress well.
PIECE = 250
#: Characters of a sample that a list shows.
_SHORT = 140
#: Characters of a drawing by a function of the user.
_LARGEST_DRAWING = 100_000
#: The largest integer that JavaScript represents exactly.
_EXACT = 2**53 - 1


def samples_in_order(suites: Iterable[SuiteRecord]) -> list[Sample]:
    """The samples that count, as the list shows them: by suite, by model, and then as they were asked."""
    # Suites of one test stand together, whichever of its models was asked first.
    ordered = sorted(suites, key=lambda suite: (suite.name, suite.model, suite.number))
    return [sample for suite in ordered for sample in suite.counted]


def suite_names(suites: Iterable[SuiteRecord]) -> dict[SuiteKey, str]:
    """The name of each suite in the list, without its model: a number tells names that occur twice apart."""
    times: Counter[str] = Counter()
    names: dict[SuiteKey, str] = {}
    for group in side_by_side(sorted(suites, key=lambda suite: suite.number)):
        name = group[0].name
        times[name] += 1
        if times[name] > 1:
            name = f"{name} ({times[name]})"
        names |= {suite.number: name for suite in group}
    return names


def links(
    document: Document,
    suites: Sequence[SuiteRecord],
    samples: Sequence[Sample],
    names: Mapping[SuiteKey, str],
) -> Plain:
    """Where a document leads to: ``suites``, by their numbers, and ``filters``, by the names that tables have, to what
    the list is filtered by; ``places``: from counterexamples to their samples.
    """
    numbered = {suite.number: (names[suite.number], suite.model) for suite in suites}
    filters: dict[str, tuple[str, str]] = {}
    for suite in suites:
        filters.setdefault(suite.name, (names[suite.number], ""))
        filters.setdefault(named(suite.name, suite.model), (names[suite.number], suite.model))
    blocks = (block for section in document.sections for block in section.blocks)
    counterexample_keys = {
        block.sample
        for block in blocks
        if isinstance(block, Counterexample) and block.sample is not None
    }
    positions = {
        place_text(key_of(sample)): position
        for position, sample in enumerate(samples)
        if key_of(sample) in counterexample_keys
    }
    return {
        "suites": {str(number): filter_ for number, filter_ in numbered.items()},
        "filters": filters,
        "places": positions,
    }


def key_of(sample: Sample) -> SampleKey:
    """The key by which a counterexample names its sample."""
    return SampleKey(
        sample.suite.number, sample.size, sample.index, sample.repeat, sample.paraphrase
    )


def place_text(key: SampleKey) -> str:
    """The key as the scripts write it."""
    return f"{key.suite}/{key.size}/{key.index}/{key.repeat}/{key.paraphrase}"


def index_of(samples: Sequence[Sample], names: Mapping[SuiteKey, str]) -> Plain:
    """The columns of the list of samples. Names are stored once, and samples refer to them."""
    suites = sorted({names[sample.suite.number] for sample in samples})
    models = sorted({sample.model for sample in samples})
    outcomes_by_name = {
        sample.outcome: outcome_among(sample.outcome, sample.suite.asked.outcomes)
        for sample in samples
    }
    times = Counter(sample.outcome for sample in samples)
    outcomes = sorted(
        outcomes_by_name.values(), key=lambda outcome: (-times[outcome.name], outcome.code)
    )
    suite_place = {name: position for position, name in enumerate(suites)}
    model_place = {name: position for position, name in enumerate(models)}
    outcome_place = {outcome.name: position for position, outcome in enumerate(outcomes)}
    return {
        "count": len(samples),
        "piece": PIECE,
        "suites": suites,
        "models": models,
        "outcomes": list(map(_plain_outcome, outcomes)),
        "suite": [suite_place[names[sample.suite.number]] for sample in samples],
        "model": [model_place[sample.model] for sample in samples],
        "outcome": [outcome_place[sample.outcome] for sample in samples],
        "size": [sample.size for sample in samples],
        "item": _numbered_questions(samples),
        "repeat": [sample.repeat for sample in samples],
        "text": [_title(sample) for sample in samples],
        "name": _column(_name_of_sentence, samples),
        "read": _column(_formula_of_sentence, samples),
    }


def _column(value: Callable[[Sample], str], samples: Sequence[Sample]) -> list[str] | None:
    """A column of the list; None if it is empty for all samples."""
    values = [value(sample) for sample in samples]
    return values if any(values) else None


def _plain_outcome(outcome: SampleOutcome) -> Plain:
    return {name: getattr(outcome, name) for name in ("name", "code", "kind", "title")}


def _numbered_questions(samples: Sequence[Sample]) -> list[int] | None:
    """A number for each sample: equal ones asked the same question. None if no two suites asked the same."""
    tests = {sample.suite.number: Comparable.of(sample.suite).test for sample in samples}
    questions = [(tests[sample.suite.number], sample.repeat, item_of(sample)) for sample in samples]
    suites = [sample.suite.number for sample in samples]
    # A question that two suites asked is here once for each.
    questions_of_suites = set(zip(questions, suites, strict=True))
    # Numbers take less space in the page than the questions, and the scripts need only compare them.
    numbers = {question: number for number, question in enumerate(dict.fromkeys(questions))}
    if len(questions_of_suites) == len(numbers):
        return None
    return [numbers[question] for question in questions]


def _title(sample: Sample) -> str:
    question = sample.part_or_empty(Given)
    trace = sample.part_or_empty(Answered).trace if question.trace is None else question.trace
    texts = (
        sample.formula,
        question.sentence,
        question.text,
        trace,
        sample.description,
        sample.answer,
    )
    text = next(filter(None, texts), "")
    name = _name_of_sentence(sample)
    if name:
        # What the model read is the paraphrase: the formula is that of its text.
        read = sample.part_or_empty(Formalized).paraphrased or question.sentence
        text = f"{name}: {read}"
    return _shortened(text)


def _name_of_sentence(sample: Sample) -> str:
    """The id of a sentence alone, by which its author knows it, and the paraphrase; empty for anything else."""
    question = sample.part_or_empty(Given)
    if not question.sentence or sample.formula or not question.name:
        return ""
    return (
        f"{question.name}, paraphrase {sample.paraphrase}" if sample.paraphrase else question.name
    )


def _formula_of_sentence(sample: Sample) -> str:
    """The formula that the model wrote for a sentence."""
    return _shortened(sample.part_or_empty(Formalized).formula or "")


def _shortened(text: str) -> str:
    return text if len(text) <= _SHORT else text[: _SHORT - 1] + "…"


def pieces_of(
    samples: Sequence[Sample],
    names: Mapping[SuiteKey, str],
    texts: Mapping[str, str],
    command_of: CommandOf | None,
) -> Iterator[Plain]:
    """The whole samples, :data:`PIECE` in each, with their commands, and digests in place of ``texts``."""
    for start in range(0, len(samples), PIECE):
        piece = samples[start : start + PIECE]
        commands = [] if command_of is None else [command_of(sample) for sample in piece]
        rows = [
            exact(
                {
                    **flat_sample(sample),
                    "suite": names[sample.suite.number],
                    **_named_witness(sample),
                    **own_drawing(sample),
                }
            )
            for sample in piece
        ]
        rows_with_digests = [row | {"calls": with_digests(row["calls"], texts)} for row in rows]
        yield {"rows": rows_with_digests, "commands": commands}


def _named_witness(sample: Sample) -> Plain:
    """The witness in words, and what its two formulas are called."""
    if sample.witness is None and sample.witness_text is None:
        return {}
    return {"witness_text": witness_in_words(sample), "sides": sides_of(sample)}


def own_drawing(sample: Sample) -> Plain:
    """The drawing of a witness by a function of the user (`registry.add_drawing`), or why there is none."""
    kind = (sample.witness or {}).get("kind")
    function = added("drawing").get(kind) if isinstance(kind, str) else None
    if function is None:
        return {}
    try:
        drawn = function(sample.witness)
    except KeyboardInterrupt:
        raise
    except BaseException as problem:  # noqa: BLE001  (the user's code may raise anything)
        return {
            "drawing": {"problem": f"the drawing failed: {typed_text(problem)}{place_of(problem)}"}
        }
    if not isinstance(drawn, str) or not drawn.lstrip().startswith("<svg"):
        return {
            "drawing": {"problem": f"the drawing is no text that begins with <svg: {drawn!r:.100}"}
        }
    if len(drawn) > _LARGEST_DRAWING:
        return {
            "drawing": {
                "problem": f"the drawing has {len(drawn):,} characters, more than {_LARGEST_DRAWING:,}"
            }
        }
    return {"drawing": {"svg": drawn}}


def exact(value: Any) -> Any:
    """The value in plain basic types, with texts in place of integers that JavaScript would round."""
    # This covers True and False: they are small, and stay as they are.
    if isinstance(value, int):
        return str(value) if abs(value) > _EXACT else value
    if isinstance(value, dict):
        return {key: exact(element) for key, element in value.items()}
    if isinstance(value, list | tuple):
        return [exact(element) for element in value]
    return value
