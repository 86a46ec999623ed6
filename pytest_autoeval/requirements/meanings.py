"""Sorts the formulas of each sentence by meaning, and finds a case that two meanings judge differently."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from hashlib import sha256
from itertools import combinations, product
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_autoeval.datasets.author_answers import answers_beside
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.item_groups import grouped
from pytest_autoeval.languages import Language, language, language_names
from pytest_autoeval.languages.author_cases import (
    AuthorAnswer,
    answers_of_facts,
    contradicted_answer,
    names_of_case,
)
from pytest_autoeval.languages.base import EnglishError, Verdict, VerdictOutcome
from pytest_autoeval.languages.isolation import share_of_cores
from pytest_autoeval.outcomes import Outcome, OutcomeKind
from pytest_autoeval.record.author_answers import answer_text, question_about
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Formalized, Given
from pytest_autoeval.requirements.agreement import (
    Attempt,
    AuthorQuestion,
    MeaningClass,
    SentenceMeanings,
)
from pytest_autoeval.requirements.agreement_bounds import sort_by_meaning
from pytest_autoeval.text import count

#: The task whose samples have a sentence and the formula that was read in it.
TASK = "sentence_round_trip"
#: The verdicts in which a question is sought, for two meanings.
_TRIES = 4
#: After so many undecided pairs of a sentence, the other pairs get little time: each takes all that is allowed.
_MOST_UNDECIDED = 20
#: The answers of the author, by the name of their table, the language, and the text of the sentence.
AnswersOfFiles = Mapping[tuple[str, str, str], Sequence[AuthorAnswer]]
#: Without "undecided": such a pair leaves its classes open.
_SAME = {VerdictOutcome.EQUIVALENT: True, VerdictOutcome.DIFFERENT: False}


def sentence_meanings(
    samples: Iterable[Sample],
    answers: AnswersOfFiles = MappingProxyType({}),
) -> list[SentenceMeanings]:
    """The meanings of each sentence of each suite, in the order of the samples; errors are left out.

    Only one formula of each meaning is compared with a new one. ``answers`` are the author's, besides
    those in the samples. A sentence in an unknown language has no answers here: see `not_compared`.
    """
    by_sentence = grouped(filter(is_answer, samples), _question_of)

    def meanings(of_sentence: Sequence[Sample]) -> SentenceMeanings:
        name = of_sentence[0].suite.asked.language
        if name not in language_names():
            # A report does not run the conftest.py of the run, which alone knows the language.
            return SentenceMeanings(**_about(of_sentence[0]))
        return _meanings(of_sentence, answers.get(key_of_answers(of_sentence[0]), ()))

    if not by_sentence:
        return []
    # Hard decisions are made in processes of their own, several at once.
    with ThreadPoolExecutor(share_of_cores()) as threads:
        return list(threads.map(meanings, by_sentence.values()))


def has_sentences(samples: Iterable[Sample]) -> bool:
    """Whether some of the samples answer to a sentence."""
    return any(map(is_answer, samples))


def is_answer(sample: Sample) -> bool:
    """Whether a sample counts as an answer to a sentence."""
    return (
        sample.counts == "yes"
        and sample.kind != OutcomeKind.ERROR
        and sample.suite.asked.task == TASK
        and bool(_given(sample).item)
    )


def _given(sample: Sample) -> Given:
    return sample.part(Given) or Given()


def key_of_answers(sample: Sample) -> tuple[str, str, str]:
    """The name of the table with the answers on a sentence, its language, and its text."""
    facts = _given(sample)
    file = (facts.source or "").rpartition(":")[0]
    table = answers_beside(Path(file)).name if file else ""
    return table, sample.suite.asked.language, facts.sentence or ""


def glossary_of(sample: Sample) -> dict[str, str]:
    """The names that the formula of a sentence may use, each with its phrase."""
    formalized = sample.part(Formalized)
    return (formalized and formalized.glossary) or _given(sample).glossary or {}


def _question_of(sample: Sample) -> tuple[str | None, ...]:
    """What the answers must share, so that their formulas can be compared.

    Two versions of a file have the same items. Another file may mean something else by the same sentence, and has
    answers of its own. In runs whose models listed the names, a name can stand for something else.
    """
    names = json.dumps(glossary_of(sample), sort_keys=True)
    return sample.suite.name, _given(sample).own_id, *key_of_answers(sample), names


def _meanings(samples: Sequence[Sample], later_answers: Sequence[AuthorAnswer]) -> SentenceMeanings:
    example, lang = samples[0], language(samples[0].suite.asked.language)
    read: dict[str, list[Attempt]] = defaultdict(list)
    unread: list[Attempt] = []
    # A later answer to the same case replaces an earlier one.
    old = (
        answer for sample in samples for answer in answers_of_facts(_given(sample).answers or ())
    )
    glossary = glossary_of(example)
    answers = list(
        {
            answer.case_text: answer for answer in (*old, *later_answers) if answer.fits(glossary)
        }.values()
    )
    for sample in samples:
        attempt = Attempt(sample.model, sample.repeat, sample.paraphrase)
        formalized = sample.part(Formalized)
        formula = formalized and formalized.formula
        is_refused = sample.outcome == Outcome.REFUSED_OR_EMPTY
        # A constant such as ⊤ says nothing of the sentence: as a meaning it would agree with other refusals.
        is_refusal = is_refused and formula and not lang.symbols(lang.parse(formula)).names
        (read[formula] if formula and not is_refusal else unread).append(attempt)
    # Neither the order of the samples nor other models may decide which formulas are compared.
    formulas = sorted(read, key=lambda formula: (len(formula), formula))

    full: list[bool | None] = []
    brief: list[bool | None] = []

    def verdict(left: int, right: int) -> bool | None:
        is_brief = full.count(None) >= _MOST_UNDECIDED
        pair = formulas[left], formulas[right]
        # In the order of their texts, so that gates and reports find the pair in the cache.
        result = _SAME.get(_verdict(lang.name, *sorted(pair), is_brief=is_brief).outcome)
        (brief if is_brief else full).append(result)
        return result

    partition = sort_by_meaning(len(formulas), verdict)
    size = [sum(len(read[formulas[number]]) for number in members) for members in partition.classes]
    # The most frequent meaning first; of equally frequent ones, that of the shortest formula.
    order = sorted(range(len(size)), key=lambda index: -size[index])
    meanings = []
    for index in order:
        texts = sorted(
            (formulas[number] for number in partition.classes[index]),
            key=lambda text: (len(text), text),
        )
        read_so = {text: tuple(sorted(read[text])) for text in texts}
        meanings.append(MeaningClass(read_so, contradicts=_contradicted(texts, lang, answers)))
    undecided = {tuple(sorted((order.index(i), order.index(j)))) for i, j in partition.undecided}
    return SentenceMeanings(
        **_about(example),
        meanings=tuple(meanings),
        undecided=frozenset((i, j) for i, j in undecided),
        brief=brief.count(None),
        unread=tuple(sorted(unread)),
        question=_question(example, meanings, undecided),
    )


def _contradicted(texts: Iterable[str], lang: Language, answers: Sequence[AuthorAnswer]) -> str:
    """The answer that formulas of one meaning contradict, with its case; empty if there is none."""
    # They mean the same, but a case may leave one open that has more names than another.
    for text in texts:
        answer = contradicted_answer(lang, lang.parse(text), answers)
        if answer is not None:
            return answer_text(answer.question, allowed=answer.allowed)
    return ""


def _about(sample: Sample) -> dict[str, Any]:
    """The sentence of a sample, as keywords of its meanings."""
    facts = _given(sample)
    suite_facts = {"suite": sample.suite.name, "language": sample.suite.asked.language}
    source_facts = {"place": facts.source or "", "group": facts.group or ""}
    return {
        **suite_facts,
        **source_facts,
        "item": facts.name,
        "glossary": glossary_of(sample),
        "own_id": facts.own_id or "",
        "sentence": facts.sentence or "",
    }


def not_compared(sentences: Iterable[SentenceMeanings]) -> list[str]:
    """A line for each language that is not known: only the `conftest.py` of the run adds it."""
    unknown = Counter(
        sentence.language for sentence in sentences if sentence.language not in language_names()
    )
    return [
        f"not compared: the formulas of {count(number, 'sentence')} in {name}, a language that only the conftest.py of "
        "the run adds"
        for name, number in unknown.items()
    ]


@lru_cache(maxsize=1 << 14)
def _verdict(name: str, left: str, right: str, *, is_brief: bool = False) -> Verdict:
    """The verdict on the texts of two formulas, the first one first. Gates and reports of one run ask for the same."""
    lang = language(name)
    return (lang.decide_briefly if is_brief else lang.equivalent)(
        lang.parse(left), lang.parse(right)
    )


def _question(
    sample: Sample, meanings: Sequence[MeaningClass], undecided: Iterable[tuple[int, ...]]
) -> AuthorQuestion | None:
    """The question for the two largest meanings that contradict no answer and have a case in which they differ."""
    open_ones = [number for number, meaning in enumerate(meanings) if not meaning.contradicts]
    for number, partner in combinations(open_ones, 2):
        # There is no case to ask about, and the time for a decision was spent already.
        if (number, partner) in undecided:
            continue
        for case, case_text, english, is_first in _cases(
            sample, meanings[number], meanings[partner]
        ):
            yes, no = (number, partner) if is_first else (partner, number)
            facts = _given(sample)
            # The same question has the same id in every run, so that an author's answer still fits it.
            key = json.dumps(
                [sample.suite.asked.language, facts.own_id, facts.sentence, case], sort_keys=True
            )
            text = question_about(facts.sentence or "", english)
            names = names_of_case(case, glossary_of(sample))
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


def _cases(
    sample: Sample, first: MeaningClass, second: MeaningClass
) -> Iterator[tuple[Mapping[str, Any], str, str, bool]]:
    """Cases that separate two meanings: as JSON, in notation, in English, and whether the first meaning allows it."""
    lang = language(sample.suite.asked.language)
    pairs = sorted(product(first.formulas, second.formulas), key=lambda pair: len("".join(pair)))
    # Short formulas first: their cases have few names, and an author can read them.
    for left, right in pairs[:_TRIES]:
        witness = _verdict(lang.name, *sorted((left, right))).witness
        if witness is None:
            continue
        case = {
            key: value for key, value in witness.to_json().items() if key not in ("left", "right")
        }
        try:
            english = lang.situation(witness, glossary_of(sample))
            values = [lang.holds_in(lang.parse(formula), case) for formula in (left, right)]
        # The phrases of the glossary cannot say it, and those of the other formulas are the same.
        except EnglishError:
            return
        except AutoevalError:
            continue
        if sorted(values, key=str) == [False, True]:
            notation = (
                str(witness).rpartition(" (left: ")[0] or str(witness).partition("\nleft ")[0]
            )
            yield case, notation, english, bool(values[0])
