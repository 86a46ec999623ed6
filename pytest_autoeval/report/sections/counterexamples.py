"""Samples on which a model failed, as blocks: the smallest one of each kind of failure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import structs

from pytest_autoeval.record.figure_sentences import joined, number, sentence
from pytest_autoeval.record.figures import Sentence
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.witness_words import TRACE_NOTATION, sides_of
from pytest_autoeval.report.blocks import AnyBlock, Field, Level, SampleKey, Section
from pytest_autoeval.report.blocks import Counterexample as Block
from pytest_autoeval.report.counterexample import Counterexample, texts_of

#: Fields that are left out first if there is no room for all.
_DETAILS = frozenset({"aligned", "names", "candidates"})
#: The field that explains how a trace is written, and the fields that may have one.
_NOTATION, _TRACES = "notation", frozenset({"trace", "witness"})
#: What the fields of the simplified sample are called where the original stands above them.
_SIMPLIFIED = {
    "formula": "simpler formula",
    "description": "its description",
    "translation": "its translation",
    "answer": "its answer",
    "compared": "it compared",
    "compared with": "it compared with",
    "witness": "its witness",
    "reason": "its reason",
}


def counterexamples(examples: Sequence[tuple[Counterexample, int]]) -> Iterator[Block]:
    """The examples, each with its number of samples, as they are ranked. Those after the first are for -v."""
    for rank, (example, samples) in enumerate(examples):
        yield counterexample(example, samples, level="verbose" if rank else "default")


def counterexample(example: Counterexample, samples: int, level: Level = "default") -> Block:
    """An example. ``samples`` of its suite ended in the same way.

    Of drawn formulas the simplified one is shown alone. Somebody who typed a formula asked about that one, so it comes
    first.
    """
    failed_sample, shown_sample = example.sample, example.shown
    fields = list(_fields(shown_sample))
    if example.shrunk is not None and failed_sample.suite.asked.given_formulas:
        simplified, shown_sample = fields, failed_sample
        fields = [*_fields(failed_sample), *_as_simplified(simplified)]
    history = history_of(example)
    size, index, repeat, paraphrase = failed_sample.place
    # What shrinking found is no sample of the run, so no place in the list of samples leads to it.
    key = None
    if shown_sample is failed_sample:
        key = SampleKey(failed_sample.suite.number, size, index, repeat, paraphrase)
    return Block(
        outcome=failed_sample.outcome,
        code=failed_sample.code,
        loses_meaning=example.loses_meaning,
        samples=samples,
        fields=tuple(fields),
        witness=shown_sample.witness,
        sides=sides_of(shown_sample),
        history=history.text,
        values=history.values,
        command=example.command,
        sample=key,
        level=level,
    )


def _fields(sample: Sample) -> Iterator[Field]:
    """The texts of a sample, and how a trace among them is read."""
    has_trace = False
    for name, text in texts_of(sample):
        yield Field(name, text, detail=name in _DETAILS)
        has_trace = has_trace or (name in _TRACES and "cycle{" in text)
    if has_trace:
        yield Field(_NOTATION, TRACE_NOTATION, detail=True)


def _as_simplified(fields: Iterable[Field]) -> Iterator[Field]:
    for field in fields:
        if field.name in _SIMPLIFIED:
            yield Field(_SIMPLIFIED[field.name], field.text, detail=True)


def with_notation_once(sections: Iterable[Section]) -> Iterator[Section]:
    """The sections of a document. Only the first trace in it has the line about its notation."""
    is_explained = False
    for section in sections:
        blocks: list[AnyBlock] = []
        for block in section.blocks:
            if isinstance(block, Block) and explains_notation(block):
                blocks.append(without_notation(block) if is_explained else block)
                is_explained = True
            else:
                blocks.append(block)
        yield structs.replace(section, blocks=tuple(blocks))


def without_notation(block: Block) -> Block:
    """The block without the line about the notation of traces, which stands above."""
    fields = tuple(field for field in block.fields if field.name != _NOTATION)
    return structs.replace(block, fields=fields)


def explains_notation(block: Block) -> bool:
    """Whether the block has the line about the notation of traces."""
    return any(field.name == _NOTATION for field in block.fields)


def history_of(example: Counterexample) -> Sentence:
    """What shrinking did to the example, in one line; empty if it did nothing."""
    is_round_trip = example.sample.suite.asked.task is None
    # What is not recorded was not tried; it is named below.
    tried = example.round_trips_spent - example.unrecorded
    spent = number(tried, "round trip" if is_round_trip else "attempt")
    sentences: list[Sentence] = []
    if example.shrunk is not None:
        before = example.sample.size
        after = example.shrunk.size
        sizes = "from size {before} to {after}"
        if before == after:
            # Shrinking may end with a simpler formula of the same size.
            sizes = "from another formula of size {after}"
        sentences.append(
            sentence(
                f"{sizes} in {{spent}}",
                before=number(before, name="size before"),
                after=number(after, name="size"),
                spent=spent,
            )
        )
    elif tried > 0:
        sentences.append(sentence("nothing smaller was found in {spent}", spent=spent))
    if example.confirmed:
        sentences.append(_confirmed(example.confirmed))
    # A missing recording is an error too, and is named below as what it is.
    other_errors = example.ended_in_errors - example.unrecorded
    if sentences and other_errors > 0:
        errors = number(other_errors, name="errors of shrinking")
        sentences.append(sentence("{errors} of these ended in an error", errors=errors))
    if sentences or example.unrecorded:
        sentences.append(_how_far(example))
    return joined(sentences)


def _how_far(example: Counterexample) -> Sentence:
    """Whether a smaller variant may fail too, and why this is not known if recordings are missing."""
    if example.minimal:
        return Sentence("no smaller variant fails")
    if not example.unrecorded:
        return Sentence("not all tried")
    text = (
        "not all tried: {missing} not recorded (--autoeval-record-mode=new_episodes records them)"
    )
    thing = "round trip" if example.sample.suite.asked.task is None else "attempt"
    missing = number(example.unrecorded, thing, name=f"{thing}s not recorded")
    return sentence(text, missing=missing)


def _confirmed(times: str) -> Sentence:
    """How often it failed when it was asked again, from the record's ``2 of 2``."""
    failed, _, tries = times.partition(" of ")
    if not (failed.isdecimal() and tries.isdecimal()):
        return sentence("fails {times} times", times=times)
    text = "fails {failed} of {tries} times"
    return sentence(
        text,
        failed=number(int(failed), name="failed again"),
        tries=number(int(tries), name="asked again"),
    )
