"""Agreement on sentences as text: a table of the models, the disputed sentences, and the questions to their author."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from pytest_autoeval.judging.agreement import (
    AuthorQuestion,
    MeanAgreement,
    SentenceMeanings,
    attempts_text,
    bounds_text,
    mean_agreements,
)
from pytest_autoeval.statistics.agreement import MeanBounds
from pytest_autoeval.text import (
    Line,
    aligned,
    count,
    one_line,
    percent,
    rate_text,
    shorten,
    shorten_start,
    wrapped,
)

#: The columns of the table.
HEADINGS = ("largest class (95 %)", "classes", "entropy (95 %)", "sentences")
#: How many sentences, and how many meanings of each, are shown by default.
_SENTENCES = _MEANINGS = 3
ALL_MODELS = "all models"
#: How many lines of a formula with its readers a terminal shows.
_READERS = 3


def agreement_cells(one: MeanAgreement) -> list[str]:
    """The cells of a model by :data:`HEADINGS`."""
    classes = "–" if one.classes is None else bounds_text(one.classes, 2)
    return [rate_text(one.share), classes, _with_interval(one.entropy), f"{one.sentences:,}"]


def _with_interval(mean: MeanBounds | None) -> str:
    return "–" if mean is None else f"{bounds_text(mean, 2)} ({mean.interval.low:.2f}–{mean.interval.high:.2f})"


def disputed(sentences: Iterable[SentenceMeanings]) -> list[SentenceMeanings]:
    """The sentences that were read in several ways, the least agreement first."""
    several = [one for one in sentences if len(one.meanings) > 1]
    return sorted(several, key=lambda one: -one.agreement().entropy.high)


def sentence_text(one: SentenceMeanings) -> str:
    """The agreement on a sentence: ``3 meanings, 40.0 % in the largest, 1.52 bits``."""
    agreed = one.agreement()
    shares = [percent(end / agreed.total) for end in (agreed.largest.low, agreed.largest.high)]
    unread = f", {count(len(one.unread), 'answer')} without a formula" if one.unread else ""
    unread += f", {count(one.brief, 'pair')} undecided after little time" if one.brief else ""
    number = bounds_text(agreed.classes, 0)
    entropy = bounds_text(agreed.entropy, 2)
    return f"{number} meanings, {'–'.join(dict.fromkeys(shares))} % in the largest, {entropy} bits{unread}"


def meaning_texts(one: SentenceMeanings, *, every: bool) -> Iterator[tuple[str, str, str]]:
    """For each meaning the number of answers, its shortest formula, and who read it so; last, an empty one.

    ``every`` formula of a meaning has an entry of its own, with ``=`` for the number of answers from the second one on.
    """
    for meaning in one.meanings:
        ruled_out = "; contradicts an answer of the author" if meaning.contradicts else ""
        number = f"{len(meaning.attempts)} ×"
        for formula, attempts in meaning.formulas.items():
            yield number, formula, attempts_text(attempts if every else meaning.attempts) + ruled_out
            if not every:
                break
            number = "  ="
    if one.unread:
        yield f"{len(one.unread)} ×", "", attempts_text(one.unread)


def agreement_lines(sentences: Sequence[SentenceMeanings], *, verbose: bool, width: int) -> Iterator[Line]:
    """The table and the disputed sentences, for a terminal; verbose shows all."""
    means = mean_agreements(sentences)
    if not means:
        return
    yield from (Line(""), Line("agreement of the answers to each sentence", "title"))
    for suite in dict.fromkeys(one.suite for one in means):
        yield Line(f"  {shorten(one_line(suite), width - 2)}")
        some = [one for one in means if one.suite == suite]
        numbers = aligned([HEADINGS, *map(agreement_cells, some)], left=0)
        room = width - len(f"      {numbers[0]}")
        names = ["", *(shorten_start(one_line(one.model or ALL_MODELS), room) for one in some)]
        longest = max(map(len, names))
        yield from (Line(f"    {name:<{longest}}  {row}") for name, row in zip(names, numbers, strict=True))
    several = disputed(sentences)
    for one in several if verbose else several[:_SENTENCES]:
        place = f"{one.place}: " if one.place else ""
        yield Line(f"  {shorten(one_line(f'{place}“{one.sentence}”'), width - 2)}")
        yield from wrapped(sentence_text(one), width, 4, "dim")
        rows = list(meaning_texts(one, every=verbose))
        for number, formula, who in rows if verbose else rows[:_MEANINGS]:
            shown = f"{formula}, read by {who}" if formula else f"no formula: {who}"
            yield Line(f"    {number} {shorten(one_line(shown), width - 8)}")
    if len(several) > _SENTENCES and not verbose:
        yield Line(f"  and {count(len(several) - _SENTENCES, 'other')} with several meanings; -v shows them", "dim")
    if questions := questions_of(sentences):
        text = f"{count(len(questions), 'question')} for the author: python -m pytest_autoeval questions RESULTS.jsonl"
        yield from wrapped(text, width, 2, "warn")


def questions_of(sentences: Iterable[SentenceMeanings]) -> list[tuple[SentenceMeanings, AuthorQuestion]]:
    """The sentences that have a question, in the order of their files; each question once."""
    found = {one.question.id: (one, one.question) for one in sentences if one.question is not None}
    return sorted(found.values(), key=lambda pair: _place(pair[0]))


def _place(one: SentenceMeanings) -> tuple[str, int]:
    file, _, line = one.place.rpartition(":")
    return file, int(line) if line.isdecimal() else 0


def question_rows(sentences: Iterable[SentenceMeanings]) -> list[dict[str, str]]:
    """A row for each question, by the columns of the file of questions; ``answer`` is empty."""
    rows = []
    for one, question in questions_of(sentences):
        yes, no = one.meanings[question.yes], one.meanings[question.no]
        rows.append(
            {
                "answer": "",
                "question": question.text,
                "sentence": one.sentence,
                "place": one.place,
                "yes_means": yes.formula,
                "yes_read_by": attempts_text(yes.attempts),
                "no_means": no.formula,
                "no_read_by": attempts_text(no.attempts),
                "id": question.id,
                "language": one.language,
                "case": json.dumps(question.case, ensure_ascii=False),
                "names": json.dumps(question.names, ensure_ascii=False),
            }
        )
    return rows


def question_lines(sentences: Sequence[SentenceMeanings], width: int) -> Iterator[Line]:
    """The questions with both formulas, for a terminal."""
    for number, row in enumerate(question_rows(sentences), start=1):
        yield Line("")
        place = f" {one_line(row['place'])}" if row["place"] else ""
        yield Line(f"{number}.{place}", "title")
        yield from wrapped(row["question"], width, 2)
        for answer in ("yes", "no"):
            shown = f"{answer}: {row[f'{answer}_means']}, read by {row[f'{answer}_read_by']}"
            yield from wrapped(shown, width, 4, "dim", _READERS)
