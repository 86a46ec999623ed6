"""Sorts the formulas of each sentence by meaning, and finds a case that two meanings judge differently."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from hashlib import sha256
from itertools import combinations, product
from types import MappingProxyType
from typing import Any

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.agreement import Attempt, AuthorQuestion, MeaningClass, SentenceMeanings
from pytest_autoeval.judging.items import grouped, without_equal_paraphrases
from pytest_autoeval.languages import language, language_names
from pytest_autoeval.languages.author_answers import (
    AuthorAnswer,
    answers_of_facts,
    contradicted_answer,
    names_of_case,
)
from pytest_autoeval.languages.base import EnglishError, Verdict, VerdictOutcome
from pytest_autoeval.languages.isolation import share_of_cores
from pytest_autoeval.outcomes import Outcome, OutcomeKind
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.statistics.agreement import sort_by_meaning
from pytest_autoeval.text import count

#: The task whose rows have a sentence and the formula that was read in it.
TASK = "sentence_round_trip"
#: The verdicts in which a question is sought, for two meanings.
_TRIES = 4
#: After so many undecided pairs of a sentence, the other pairs get little time: each takes all that is allowed.
_MOST_UNDECIDED = 20
_SAME = {VerdictOutcome.EQUIVALENT: True, VerdictOutcome.DIFFERENT: False}


def sentence_meanings(
    rows: Iterable[Row],
    answers: Mapping[tuple[str, str], Sequence[AuthorAnswer]] = MappingProxyType({}),
) -> list[SentenceMeanings]:
    """The meanings of each sentence of each suite, in the order of the rows; errors are left out.

    Only one formula of each meaning is compared with a new one. ``answers`` are the author's, by language and
    sentence, besides those in the rows. A sentence in an unknown language has no answers here: see `not_compared`.
    """
    asked = [row for row in rows if row.task == TASK and row.item and row.kind != OutcomeKind.ERROR and not row.shrunk]
    by_sentence = grouped(without_equal_paraphrases(asked)[0], _question_of)

    def meanings(some: Sequence[Row]) -> SentenceMeanings:
        if some[0].language not in language_names():
            return SentenceMeanings(**_about(some[0]))
        return _meanings(some, answers.get((some[0].language, some[0].sentence or ""), ()))

    if not by_sentence:
        return []
    # Hard decisions are made in processes of their own, several at once.
    with ThreadPoolExecutor(share_of_cores()) as threads:
        return list(threads.map(meanings, by_sentence.values()))


def _question_of(row: Row) -> tuple[str | None, ...]:
    """What the answers must share, so that their formulas can be compared.

    Files of one name in two folders, and two versions of a file, have the same items. In runs whose models listed the
    names, a name can stand for something else.
    """
    names = json.dumps(row.facts.get("glossary"), sort_keys=True)
    return row.suite, row.language, row.item, row.sentence, names


def _meanings(rows: Sequence[Row], more: Sequence[AuthorAnswer]) -> SentenceMeanings:
    first, lang = rows[0], language(rows[0].language)
    read: dict[str, list[Attempt]] = defaultdict(list)
    unread: list[Attempt] = []
    # A later answer to the same case replaces an earlier one.
    old = (answer for row in rows for answer in answers_of_facts(row.facts.get("answers") or ()))
    glossary = first.facts.get("glossary") or {}
    answers = list({answer.case_text: answer for answer in (*old, *more) if answer.fits(glossary)}.values())
    for row in rows:
        attempt = Attempt(row.model, row.repeat, row.facts.get("paraphrase") or 0)
        formula = row.facts.get("formalization")
        is_refusal = row.outcome == Outcome.REFUSED_OR_EMPTY and formula and not lang.symbols(lang.parse(formula)).names
        (read[formula] if formula and not is_refusal else unread).append(attempt)
    # Neither the order of the rows nor other models may decide which formulas are compared.
    formulas = sorted(read, key=lambda formula: (len(formula), formula))

    full: list[bool | None] = []
    brief: list[bool | None] = []

    def verdict(left: int, right: int) -> bool | None:
        is_brief = full.count(None) >= _MOST_UNDECIDED
        pair = formulas[left], formulas[right]
        result = _SAME.get(_verdict(first.language, *sorted(pair), is_brief=is_brief).outcome)
        (brief if is_brief else full).append(result)
        return result

    found = sort_by_meaning(len(formulas), verdict)
    size = [sum(len(read[formulas[number]]) for number in some) for some in found.classes]
    order = sorted(range(len(size)), key=lambda place: -size[place])
    meanings = []
    for place in order:
        texts = sorted((formulas[number] for number in found.classes[place]), key=lambda text: (len(text), text))
        # They mean the same, but a case may leave one open that has more names than another.
        wrong = filter(None, (contradicted_answer(lang, lang.parse(text), answers) for text in texts))
        read_so = {text: tuple(sorted(read[text])) for text in texts}
        meanings.append(MeaningClass(read_so, contradicts=next((answer.text for answer in wrong), "")))
    undecided = {tuple(sorted((order.index(i), order.index(j)))) for i, j in found.undecided}
    return SentenceMeanings(
        **_about(first),
        meanings=tuple(meanings),
        undecided=frozenset((i, j) for i, j in undecided),
        brief=brief.count(None),
        unread=tuple(sorted(unread)),
        question=_question(first, meanings, undecided),
    )


def _about(row: Row) -> dict[str, Any]:
    """The sentence of a row, as keywords of its meanings."""
    place, group = (str(row.facts.get(key) or "") for key in ("source", "group"))
    known = {"suite": row.suite, "language": row.language, "place": place, "group": group}
    return {**known, "item": row.item or "", "sentence": row.sentence or ""}


def not_compared(sentences: Iterable[SentenceMeanings]) -> list[str]:
    """A line for each language that is not known: only the `conftest.py` of the run adds it."""
    unknown = Counter(one.language for one in sentences if one.language not in language_names())
    return [
        f"not compared: the formulas of {count(number, 'sentence')} in {name}, a language that only the conftest.py of "
        "the run adds"
        for name, number in unknown.items()
    ]


@lru_cache(maxsize=1 << 14)
def _verdict(name: str, left: str, right: str, *, is_brief: bool = False) -> Verdict:
    """The verdict on the texts of two formulas, the first one first. Gates and reports of one run ask for the same."""
    lang = language(name)
    return (lang.decide_briefly if is_brief else lang.equivalent)(lang.parse(left), lang.parse(right))


def _question(
    row: Row, meanings: Sequence[MeaningClass], undecided: Iterable[tuple[int, ...]]
) -> AuthorQuestion | None:
    """The question for the two largest meanings that contradict no answer and have a case in which they differ."""
    open_ones = [number for number, meaning in enumerate(meanings) if not meaning.contradicts]
    for first, second in combinations(open_ones, 2):
        if (first, second) in undecided:
            continue
        for case, case_text, english, is_first in _cases(row, meanings[first], meanings[second]):
            yes, no = (first, second) if is_first else (second, first)
            key = json.dumps([row.language, row.item, row.sentence, case], sort_keys=True)
            text = f"“{row.sentence}” can be read in two ways. {english} Is that allowed?"
            names = names_of_case(case, row.facts.get("glossary") or {})
            return AuthorQuestion(
                id=sha256(key.encode()).hexdigest()[:10],
                text=text,
                case=case,
                case_text=case_text,
                names=names,
                yes=yes,
                no=no,
            )
    return None


def _cases(row: Row, first: MeaningClass, second: MeaningClass) -> Iterator[tuple[Mapping[str, Any], str, str, bool]]:
    """Cases that separate two meanings: as JSON, in notation, in English, and whether the first meaning allows it."""
    lang = language(row.language)
    pairs = sorted(product(first.formulas, second.formulas), key=lambda pair: len("".join(pair)))
    for left, right in pairs[:_TRIES]:
        witness = _verdict(row.language, *sorted((left, right))).witness
        if witness is None:
            continue
        case = {key: value for key, value in witness.to_json().items() if key not in ("left", "right")}
        try:
            english = lang.situation(witness, row.facts.get("glossary") or {})
            values = [lang.holds_in(lang.parse(formula), case) for formula in (left, right)]
        except EnglishError:
            return
        except AutoevalError:
            continue
        if sorted(values, key=str) == [False, True]:
            notation = str(witness).rpartition(" (left: ")[0] or str(witness).partition("\nleft ")[0]
            yield case, notation, english, bool(values[0])
