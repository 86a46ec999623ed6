"""Samples on which a model failed, as blocks: the smallest one of each kind of failure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_autoeval.record.figure_sentences import joined, number, sentence
from pytest_autoeval.record.figures import Sentence
from pytest_autoeval.report.blocks import Counterexample as Block
from pytest_autoeval.report.blocks import Field, Level, SampleKey
from pytest_autoeval.report.counterexample import Counterexample, texts_of

#: Fields that are left out first if there is no room for all.
_DETAILS = frozenset({"aligned", "names", "candidates"})


def counterexamples(examples: Sequence[tuple[Counterexample, int]]) -> Iterator[Block]:
    """The examples, each with its number of samples, as they are ranked. Those after the first are for -v."""
    for rank, (example, samples) in enumerate(examples):
        yield counterexample(example, samples, level="verbose" if rank else "default")


def counterexample(example: Counterexample, samples: int, level: Level = "default") -> Block:
    """An example. ``samples`` of its suite ended in the same way."""
    failed_sample, shown_sample = example.sample, example.shown
    history = history_of(example)
    size, index, repeat, paraphrase = failed_sample.place
    # What shrinking found is no sample of the run, so no place in the list of samples leads to it.
    key = None
    if example.shrunk is None:
        key = SampleKey(failed_sample.suite.number, size, index, repeat, paraphrase)
    return Block(
        outcome=failed_sample.outcome,
        code=failed_sample.code,
        loses_meaning=example.loses_meaning,
        samples=samples,
        fields=tuple(
            Field(name, text, detail=name in _DETAILS) for name, text in texts_of(shown_sample)
        ),
        witness=shown_sample.witness,
        history=history.text,
        values=history.values,
        command=example.command,
        sample=key,
        level=level,
    )


def history_of(example: Counterexample) -> Sentence:
    """What shrinking did to the example, in one line; empty if it did nothing."""
    spent = number(example.round_trips_spent, "round trip")
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
    elif example.round_trips_spent:
        sentences.append(sentence("nothing smaller was found in {spent}", spent=spent))
    if example.confirmed:
        sentences.append(_confirmed(example.confirmed))
    if sentences:
        sentences.append(
            Sentence("no smaller variant fails" if example.minimal else "not all tried")
        )
    return joined(sentences)


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
