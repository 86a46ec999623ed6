"""What `check` says of a set of sentences, as plain types: the data of ``--json``, from which the sections are made.

A sentence has its id, and a number, by which others refer to it: its line in the author's file, or the id of its
author.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from pytest_autoeval.datasets.plain_sentences import PlainSentence
from pytest_autoeval.languages import EnglishError, Formula
from pytest_autoeval.languages.base import Witness
from pytest_autoeval.languages.glossary import describe_in_phrases
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.author_answers import case_in
from pytest_autoeval.requirements.conditions import Rule
from pytest_autoeval.requirements.permission import permission_notes
from pytest_autoeval.requirements.rule_pairs import Forbidden, RuleFindings
from pytest_autoeval.requirements.set_answers import CheckedByAnswers, Contradicting
from pytest_autoeval.requirements.set_formulas import SetFormulas
from pytest_autoeval.requirements.whole_set import WholeSet

#: The data of `check … --json`: plain types, with the sentences by their ids.
SetData = Mapping[str, Any]

_LINE = lazy_pattern(r".*:(?P<number>\d+)", re.DOTALL)
#: An id without a letter, such as 10 or 4.2, which could be a line.
_NO_WORD = lazy_pattern(r"[\W\d_]+")
#: The words before a description that is of the first step; the effect of a rule is about any step.
_START = "at the start, "


def data_of(checked: CheckedByAnswers, whole_set: WholeSet, rules: RuleFindings) -> dict[str, Any]:
    """All findings, with the sentences by their ids."""
    set_formulas = checked.formulas
    sentences = [sentence for sentence, _ in (*set_formulas.taken, *set_formulas.left_out)]
    sentences += [entry.sentence for entry in checked.contradicting]
    numbers = numbers_of(sentences)
    items = [sentence.item for sentence, _ in set_formulas.taken]
    return {
        "file": set_formulas.files,
        "model": set_formulas.model,
        "language": set_formulas.language.name,
        "sentences": [
            _as_json(sentence, numbers) | _with_outcome(sentence, formula, set_formulas)
            for sentence, formula in set_formulas.taken
        ],
        "without_formula": [
            _as_json(sentence, numbers) | {"why": why} for sentence, why in set_formulas.left_out
        ],
        "contradicts_answer": [
            _contradicting(entry, numbers, set_formulas) for entry in checked.contradicting
        ],
        "unchecked_answers": list(checked.unchecked),
        "rows_left_out": list(set_formulas.problems),
        "doubtful_numbers": list(set_formulas.doubtful_numbers),
        "repeated_ids": list(set_formulas.repeated_ids),
        **_findings(whole_set, items),
        "rules": [_rule(number, rule, items, set_formulas) for number, rule in rules.rules.items()],
        "all_vacuous": rules.all_vacuous,
        "vacuous": [
            {"rule": items[number - 1], **_forbidden(forbidden, items, set_formulas)}
            for number, forbidden in rules.vacuous.items()
        ],
        "collisions": [
            {
                "rules": [items[number - 1] for number in pair],
                **_forbidden(forbidden, items, set_formulas),
            }
            for pair, forbidden in sorted(rules.collisions.items())
        ],
        "excluded": [
            {
                "rules": [items[number - 1] for number in pair],
                "by": None if by is None else items[by - 1],
            }
            for pair, by in sorted(rules.excluded.items())
        ],
        "can_meet": [[items[number - 1] for number in pair] for pair in sorted(rules.possible)],
        "triples": {"can_meet": rules.triples[0], "not_asked": rules.triples[1] - rules.triples[0]},
        "undecided": _undecided(whole_set, rules, items),
        "stopped": rules.stopped or whole_set.stopped,
        **_case_of(whole_set, set_formulas),
        **_names_of(checked),
        "permissions": permission_notes(set_formulas),
    }


def numbers_of(sentences: Sequence[PlainSentence]) -> dict[str, str]:
    """The number of each sentence by its id: for one file the lines, without the name of the file.

    Where an author's id is a number, lines keep the name of the file, and so are told from ids.
    """
    numbers: dict[str, str] = {}
    for sentence in sentences:
        line = _LINE.fullmatch(sentence.source)
        is_named_by_line = sentence.item == sentence.source
        numbers[sentence.item] = line["number"] if line and is_named_by_line else sentence.item
    files = {sentence.source.rpartition(":")[0] for sentence in sentences}
    own_ids = [sentence.item for sentence in sentences if sentence.item != sentence.source]
    # Even if no line has the number of an id, a reader would look for id 10 at line 10.
    has_numbers_as_ids = any(_NO_WORD.fullmatch(own_id) for own_id in own_ids)
    # Sentences of several files have equal line numbers: whole ids name them.
    if len(files) > 1 or has_numbers_as_ids:
        return {sentence.item: sentence.item for sentence in sentences}
    return numbers


def _as_json(sentence: PlainSentence, numbers: Mapping[str, str]) -> dict[str, str]:
    keys = ("item", "source", "group", "sentence")
    return {"number": numbers[sentence.item], **{key: getattr(sentence, key) for key in keys}}


def _with_outcome(
    sentence: PlainSentence, formula: Formula, set_formulas: SetFormulas
) -> dict[str, Any]:
    """The formula, and how its sample ended in the run; null for a formula of the author's file."""
    sample = set_formulas.samples.get(sentence.item)
    return {
        "formula": set_formulas.language.format(formula),
        "outcome": None if sample is None else sample.outcome,
        "passed": None if sample is None else sample.kind == OutcomeKind.PASS,
    }


def _contradicting(
    entry: Contradicting, numbers: Mapping[str, str], set_formulas: SetFormulas
) -> dict[str, Any]:
    """A sentence whose formula contradicts the author, with what the author says, and the case in English."""
    return {
        **_as_json(entry.sentence, numbers),
        **_with_outcome(entry.sentence, entry.formula, set_formulas),
        "allowed": entry.answer.allowed,
        "case_text": case_in(entry.answer.question),
    }


def _findings(whole_set: WholeSet, items: Sequence[str]) -> dict[str, Any]:
    def named(numbers: Iterable[int]) -> list[str]:
        return [items[number - 1] for number in sorted(numbers)]

    return {
        "satisfiable": whole_set.satisfiable,
        "kept": named(whole_set.kept),
        "never_true": named(whole_set.never_true),
        "always_true": named(whole_set.always_true),
        "contradictions": [
            {"sentences": named(core.numbers), "proved": core.proved}
            for core in whole_set.contradictions
        ],
        "repeats": [named(group) for group in whole_set.repeats],
        "consequences": [
            {
                "sentence": items[sentence - 1],
                "premises": named(core.numbers),
                "proved": core.proved,
            }
            for sentence, core in whole_set.consequences.items()
        ],
    }


def _undecided(
    whole_set: WholeSet, rules: RuleFindings, items: Sequence[str]
) -> dict[str, list[list[str]]]:
    questions = whole_set.undecided | rules.undecided
    return {
        kind: [[items[number - 1] for number in case] for case in cases]
        for kind, cases in questions.items()
    }


def _rule(
    number: int, rule: Rule, items: Sequence[str], set_formulas: SetFormulas
) -> dict[str, str]:
    """A rule with its condition and effect in notation, and what it requires in English."""
    short = rule.with_short_names()
    return {
        "item": items[number - 1],
        "condition": set_formulas.language.format(short.condition),
        "effect": set_formulas.language.format(short.effect),
        "says": _required_in_english(short, set_formulas),
    }


def _required_in_english(rule: Rule, set_formulas: SetFormulas) -> str:
    """What a rule requires of the things in a case, such as "x may enter the lab"; in notation if it has no English."""
    if not rule.variables:
        return _in_english(rule.effect, set_formulas)
    # A variable has no English of its own: it is described as "every x", and the case says which x is meant.
    start = f"for {' and '.join(f'every {name}' for name in rule.variables)}"
    text = _in_english(rule.required(), set_formulas)
    further = f"{start} and every "
    # An effect that begins with "for every y" is joined with the variables of the rule.
    if text.startswith(further):
        return f"for every {text.removeprefix(further)}"
    if text.startswith(f"{start}, "):
        return text.removeprefix(f"{start}, ")
    return set_formulas.language.format(rule.effect)


def _in_english(formula: Formula, set_formulas: SetFormulas) -> str:
    """A formula about one step or some things in the phrases of the glossary; in notation if it has no English."""
    try:
        text = describe_in_phrases(formula, set_formulas.phrases, set_formulas.language.name)
    except EnglishError:
        return set_formulas.language.format(formula)
    plain = " ".join(text.split()).rstrip(".")
    plain = plain[len(_START) :] if plain.casefold().startswith(_START) else plain
    first_word, _, further_words = plain.partition(" ")
    # The description begins with a capital letter, also where a name stands first.
    names = {name.casefold(): name for name in set_formulas.language.symbols(formula).names}
    return " ".join(
        filter(
            None,
            (
                names.get(first_word.casefold(), first_word[:1].casefold() + first_word[1:]),
                further_words,
            ),
        )
    )


def _forbidden(
    forbidden: Forbidden, items: Sequence[str], set_formulas: SetFormulas
) -> dict[str, Any]:
    case, text = _situation(forbidden.case, set_formulas)
    return {
        "forbidden_by": [items[number - 1] for number in sorted(forbidden.core.numbers)],
        "proved": forbidden.core.proved,
        "without": None if forbidden.without is None else items[forbidden.without - 1],
        "case": case,
        "case_text": text,
    }


def _situation(
    witness: Witness | None, set_formulas: SetFormulas
) -> tuple[dict[str, Any] | None, str]:
    """A case as JSON, and in English; in notation if its language has no English."""
    if witness is None:
        return None, ""
    try:
        return witness.to_json(), set_formulas.language.situation(witness, set_formulas.phrases)
    except EnglishError:  # a language of the user's
        return witness.to_json(), str(witness)


def _case_of(whole_set: WholeSet, set_formulas: SetFormulas) -> dict[str, Any]:
    """The case in which all sentences that are kept hold: as JSON, and in English in the phrases of the glossaries."""
    case, text = _situation(cast("Witness | None", whole_set.witness), set_formulas)
    if case is None:
        return {"witness": None, "witness_text": ""}
    holds = (
        set_formulas.language.holds_in(set_formulas.taken[number - 1][1], case)
        for number in whole_set.kept
    )
    # Only English leaves out what is false; the notation of a case shows all of it.
    if text != str(whole_set.witness) and any(value is None for value in holds):
        rest_of_domain = (
            f", and other terms are thing {case['domain'][0]}" if "domain" in case else ""
        )
        text += f" What is not mentioned does not hold{rest_of_domain}."
    return {"witness": case, "witness_text": text}


def _names_of(checked: CheckedByAnswers) -> dict[str, Any]:
    """The names that one sentence uses, and those of the glossary that none uses."""
    set_formulas = checked.formulas
    # A formula that contradicts the author has the names of its sentence too.
    with_formulas = [
        *set_formulas.taken,
        *((entry.sentence, entry.formula) for entry in checked.contradicting),
    ]
    used = [
        (sentence.item, set_formulas.language.symbols(formula).names)
        for sentence, formula in with_formulas
    ]
    times = Counter(name for _, names in used for name in names)
    glossary = dict.fromkeys(name.partition("(")[0] for name, _ in set_formulas.glossary)
    once = [
        {"name": name, "item": item}
        for item, names in used
        for name in sorted(names)
        if times[name] == 1
    ]
    return {"names_used_once": once, "unused_names": [name for name in glossary if not times[name]]}
