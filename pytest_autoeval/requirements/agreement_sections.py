"""Agreement on sentences: how far the answers mean the same, what was read in several ways, and whom to ask."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pytest_autoeval.judging.item_groups import grouped
from pytest_autoeval.record.figure_sentences import sentence as make_sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Cell,
    Column,
    Command,
    Level,
    Note,
    Row,
    Section,
    Table,
)
from pytest_autoeval.report.sections.rate_figures import rate_figure
from pytest_autoeval.report.sections.values import note
from pytest_autoeval.requirements.agreement import (
    MeanAgreement,
    SentenceMeanings,
    attempts_text,
    mean_agreements,
)
from pytest_autoeval.requirements.agreement_bounds import Agreement, Bounds, MeanBounds
from pytest_autoeval.requirements.author_questions import answer_files, question_rows
from pytest_autoeval.requirements.meanings import not_compared, sentence_meanings

#: How many sentences, and how many meanings of each, are shown without -v.
_SENTENCES = _MEANINGS = 3
#: How many further sentences are named.
_NAMED = 20
_ALL_MODELS = "all models"
#: Why a sentence is not agreed on.
_NO_FORMULA = "no answer has a formula"
_SEVERAL_MEANINGS = "read in several ways"
_FORMULAS_MISSING = "one meaning, but some answers have no formula"
_AGREEMENT = (
    "agreement: the share of the answers that give their sentence its most frequent meaning"
)


def agreement(analysis: Analysis) -> Iterator[Section]:
    """The means of each model, and the sentences with their meanings, if a sentence has several answers."""
    sentences = sentence_meanings(analysis.samples)
    blocks: list[AnyBlock] = [note(line, level="quiet") for line in not_compared(sentences)]
    means = mean_agreements(sentences)
    if means:
        blocks.append(note(Sentence(_AGREEMENT)))
        blocks += [*_means(means), *_sentences(sentences), *_meanings(sentences)]
    if not blocks:
        return
    yield Section(
        name="agreement", title="agreement of the answers to each sentence", blocks=tuple(blocks)
    )


def questions(analysis: Analysis) -> Iterator[Section]:
    """The questions to the author of the sentences, each of which decides between two meanings."""
    sentences = sentence_meanings(analysis.samples)
    rows = question_rows(sentences)
    if not rows:
        return
    number = Figure("questions", len(rows), "count", measure="question")
    text = "{number} for the author: the answer decides which meaning a sentence has"
    blocks: list[AnyBlock] = [
        note(Sentence(text, {"number": number}), "warning"),
        Command(purpose="answer them", command=_command(analysis.results, answer_files(sentences))),
        *_questions(rows),
    ]
    yield Section(name="questions", title="questions for the author", blocks=tuple(blocks))


def _command(results: Sequence[str], answer_files_of_run: Mapping[str, str]) -> str:
    """The command for a table of answers that the next run reads, if all sentences are of one file."""
    files = shlex.join(results or ["RESULTS.jsonl"])
    command = f"python -m pytest_autoeval questions {files}"
    if len(answer_files_of_run) != 1:
        return command
    (name,) = answer_files_of_run
    return f"{command} --csv {shlex.quote(name)}"


def _means(means: Sequence[MeanAgreement]) -> Iterator[Table]:
    """A table for each suite, with a row for each model; with -v a second one in terms of statistics."""
    for suite, of_suite in grouped(means, lambda mean: mean.suite).items():
        yield Table(
            title=suite,
            thing="model",
            columns=(
                Column("model", "name"),
                Column("agreement", "rate"),
                Column("meanings", "number"),
                Column("sentences", "count"),
            ),
            rows=tuple(
                _row_of_model(
                    mean,
                    rate_figure(mean.share, "agreement"),
                    _mean("meanings", mean.classes),
                    mean.sentences,
                )
                for mean in of_suite
            ),
            level="default",
        )
        yield Table(
            title=f"{suite}: entropy",
            thing="model",
            columns=(Column("model", "name"), Column("entropy in bits", "number")),
            rows=tuple(_row_of_model(mean, _mean("entropy", mean.entropy)) for mean in of_suite),
            level="verbose",
        )


def _row_of_model(mean: MeanAgreement, *cells: Cell) -> Row:
    return Row((mean.model or _ALL_MODELS, *cells), total=not mean.model)


def _mean(name: str, mean: MeanBounds | None) -> Figure | None:
    if mean is None:
        return None
    return Figure(
        name, mean.low, low=mean.interval.low, high=mean.interval.high, upper=_upper(mean)
    )


def _upper(bounds: Bounds | MeanBounds) -> float | None:
    """The upper bound, if it is another value than the lower one."""
    return bounds.high if bounds.high != bounds.low else None


def _sentences(sentences: Iterable[SentenceMeanings]) -> Iterator[Table | Note]:
    """All sentences, the least agreement first. Without -v the worst are in the table. If there are more that are not
    agreed on, all of these are named below it, by the reason.
    """
    rows: list[Row] = []
    details: list[Row] = []
    ordered = _least_agreed_first(sentences)
    disagreed = [sentence for sentence in ordered if _share(sentence) < 1.0]
    # An id that is a place says already where the sentence stands.
    has_places = any(sentence.own_id and sentence.place for sentence in ordered)
    # The title of the table above names the only suite.
    has_suites = len({sentence.suite for sentence in ordered}) > 1
    for sentence in ordered:
        is_shown = len(rows) < min(_SENTENCES, len(disagreed))
        level: Level = "default" if is_shown else "verbose"
        cells = _cells(sentence, has_place=has_places, has_suite=has_suites)
        rows.append(Row(tuple(cells), level=level))
        details.append(Row(_details(sentence)))
    if not rows:
        return
    yield Table(
        title="sentences",
        thing="sentence",
        columns=(
            Column("id", "name"),
            Column("sentence", "text"),
            Column("meanings", "count"),
            Column("agreement", "rate"),
            Column("answers", "count", optional=True),
            *([Column("place", "name", optional=True)] if has_places else []),
            Column("group", "name", optional=True),
            *([Column("suite", "name", optional=True)] if has_suites else []),
        ),
        rows=tuple(rows),
        # A heading over no row would say nothing.
        level="default" if disagreed else "verbose",
    )
    if len(disagreed) > _SENTENCES:
        yield from _names_by_reason(disagreed)
    yield Table(
        title="sentences: entropy, and what was not compared",
        thing="sentence",
        columns=(
            Column("id", "name"),
            Column("entropy in bits", "number"),
            Column("without a formula", "count"),
            Column("pairs undecided after little time", "count"),
        ),
        rows=tuple(details),
        level="verbose",
    )


def _least_agreed_first(sentences: Iterable[SentenceMeanings]) -> list[SentenceMeanings]:
    # The share counts answers without a formula, which have no meaning and so no entropy. The entropy is that of the
    # upper bound: undecided pairs that differ are the worst that the sentence can be.
    return sorted(
        sentences, key=lambda sentence: (_share(sentence), -sentence.agreement().entropy.high)
    )


def _share(sentence: SentenceMeanings) -> float:
    """The share of the answers that surely have the most frequent meaning: 0 if no answer has a formula."""
    agreed = sentence.agreement()
    return agreed.largest.low / agreed.total if agreed.total else 1.0


def _names_by_reason(disagreed: Sequence[SentenceMeanings]) -> Iterator[Note]:
    """The sentences that are not agreed on, apart by what their answers lack: a formula, or one meaning."""
    reasons = grouped(disagreed, _reason)
    for reason in (_NO_FORMULA, _SEVERAL_MEANINGS, _FORMULAS_MISSING):
        names = [sentence.item for sentence in reasons.get(reason, ())]
        if not names:
            continue
        listed = ", ".join(names[:_NAMED])
        if len(names) > _NAMED:
            listed = f"{listed} and {len(names) - _NAMED} more"
        yield note(make_sentence(f"{reason}: {{names}}", names=listed))


def _reason(sentence: SentenceMeanings) -> str:
    if not sentence.meanings:
        return _NO_FORMULA
    return _SEVERAL_MEANINGS if len(sentence.meanings) > 1 else _FORMULAS_MISSING


def _cells(sentence: SentenceMeanings, *, has_place: bool, has_suite: bool) -> Iterator[Cell]:
    agreed = sentence.agreement()
    yield sentence.item
    yield sentence.sentence
    yield Figure("meanings", agreed.classes.low, "count", upper=_upper(agreed.classes))
    yield _share_of_most_frequent(agreed)
    yield agreed.total
    if has_place:
        yield sentence.place or None
    yield sentence.group or None
    if has_suite:
        yield sentence.suite


def _share_of_most_frequent(agreed: Agreement) -> Figure | None:
    """The share of the answers that have the most frequent meaning; None without an answer."""
    if not agreed.total:
        return None
    upper = _upper(agreed.largest)
    return Figure(
        "agreement",
        agreed.largest.low / agreed.total,
        "rate",
        upper=None if upper is None else upper / agreed.total,
        n=agreed.total,
    )


def _details(sentence: SentenceMeanings) -> tuple[Cell, ...]:
    entropy = sentence.agreement().entropy
    return (
        sentence.item,
        Figure("entropy", entropy.low, upper=_upper(entropy)),
        len(sentence.unread),
        sentence.brief,
    )


def _meanings(sentences: Iterable[SentenceMeanings]) -> Iterator[Table]:
    """The formulas of the sentences with several meanings, by meaning; the most frequent meaning first."""
    rows: list[Row] = []
    disputed = [
        sentence for sentence in _least_agreed_first(sentences) if len(sentence.meanings) > 1
    ]
    for number, sentence in enumerate(disputed):
        rows += _rows(sentence, is_shown=number < _SENTENCES)
    if rows:
        yield Table(
            title="meanings of the sentences that were read in several ways",
            thing="formula",
            columns=(
                Column("id", "name"),
                Column("meaning", "count"),
                Column("answers", "count"),
                Column("formula", "formula"),
                Column("read by", "text"),
                Column("with this formula", "count", optional=True),
                Column("contradicts an answer of the author", "text", optional=True),
            ),
            rows=tuple(rows),
            level="default",
        )


def _rows(sentence: SentenceMeanings, *, is_shown: bool) -> Iterator[Row]:
    """A row for each meaning, with its shortest formula and all who read it; below it, rows for its other formulas."""
    item = sentence.item
    for number, meaning in enumerate(sentence.meanings, 1):
        level: Level = "default" if is_shown and number <= _MEANINGS else "verbose"
        readers, contradicts = attempts_text(meaning.attempts), meaning.contradicts or None
        (shortest, readings), *longer = meaning.formulas.items()
        yield Row(
            (item, number, len(meaning.attempts), shortest, readers, len(readings), contradicts),
            level=level,
        )
        for formula, attempts in longer:
            cells = (
                item,
                number,
                None,
                formula,
                attempts_text(attempts),
                len(attempts),
                contradicts,
            )
            yield Row(cells, level="verbose")
    if sentence.unread:
        unread = (
            item,
            None,
            len(sentence.unread),
            None,
            attempts_text(sentence.unread),
            None,
            None,
        )
        yield Row(unread, level="verbose")


def _questions(rows: Sequence[dict[str, str]]) -> Iterator[Table]:
    """The questions, and what yes and no stand for: a text that is the last column of a table is never cut."""
    yield Table(
        thing="question",
        columns=(Column("id", "name"), Column("question", "text")),
        rows=tuple(_row_of_question(row, "question") for row in rows),
        level="verbose",
    )
    yield Table(
        title="what yes and no stand for",
        thing="question",
        columns=(
            Column("id", "name"),
            Column("formula", "formula", group="yes"),
            Column("read by", "text", group="yes"),
            Column("formula", "formula", group="no"),
            Column("read by", "text", group="no"),
            Column("sentence", "text", optional=True),
        ),
        rows=tuple(
            _row_of_question(
                row, "yes_formula", "yes_read_by", "no_formula", "no_read_by", "sentence"
            )
            for row in rows
        ),
        level="verbose",
    )


def _row_of_question(question: dict[str, str], *names: str) -> Row:
    return Row(tuple(question[name] or None for name in ("requirement", *names)))
