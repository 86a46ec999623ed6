"""What `check` says of a set of sentences, as plain types: the data of ``--json``, from which the sections are made.

A sentence has its id, and a number: its place in the author's file, or the id that the author gave it.
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
from pytest_autoeval.requirements.conditions import Rule
from pytest_autoeval.requirements.permission import permission_notes
from pytest_autoeval.requirements.rule_pairs import Forbidden, RuleFindings
from pytest_autoeval.requirements.set_formulas import SetFormulas
from pytest_autoeval.requirements.whole_set import WholeSet

#: The data of `check … --json`: plain types, with the sentences by their ids.
SetData = Mapping[str, Any]

_NUMBERED = re.compile(r"(?P<file>.*):(?P<number>\d+)", re.DOTALL)
#: The words before a description that is of the first step; the effect of a rule is about any step.
_START = "at the start, "


def data_of(given: SetFormulas, whole: WholeSet, rules: RuleFindings) -> dict[str, Any]:
    """All findings, with the sentences by their ids."""
    numbers = numbers_of([*(one for one, _ in given.taken), *(one for one, _ in given.left_out)])
    items = [sentence.item for sentence, _ in given.taken]
    return {
        "file": given.files,
        "model": given.model,
        "language": given.language.name,
        "sentences": [
            _as_json(sentence, numbers) | {"formula": given.language.format(formula)}
            for sentence, formula in given.taken
        ],
        "without_formula": [_as_json(one, numbers) | {"why": why} for one, why in given.left_out],
        **_findings(whole, items),
        "rules": [_rule(number, rule, items, given) for number, rule in rules.rules.items()],
        "all_vacuous": rules.all_vacuous,
        "vacuous": [
            {"rule": items[number - 1], **_forbidden(forbidden, items, given)}
            for number, forbidden in rules.vacuous.items()
        ],
        "collisions": [
            {"rules": [items[number - 1] for number in pair], **_forbidden(forbidden, items, given)}
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
        "undecided": _undecided(whole, rules, items),
        "stopped": rules.stopped or whole.stopped,
        **_case_of(whole, given),
        **_names_of(given),
        "permissions": permission_notes(given),
    }


def numbers_of(sentences: Sequence[PlainSentence]) -> dict[str, str]:
    """The number of each sentence by its id: of one file without the name of the file."""
    matches = [_NUMBERED.fullmatch(sentence.item) for sentence in sentences]
    if len({match["file"] if match else None for match in matches}) > 1:
        return {sentence.item: sentence.item for sentence in sentences}
    return {
        sentence.item: match["number"] if match else sentence.item
        for sentence, match in zip(sentences, matches, strict=True)
    }


def _as_json(sentence: PlainSentence, numbers: Mapping[str, str]) -> dict[str, str]:
    keys = ("item", "source", "group", "sentence")
    return {"number": numbers[sentence.item], **{key: getattr(sentence, key) for key in keys}}


def _findings(found: WholeSet, items: Sequence[str]) -> dict[str, Any]:
    def named(numbers: Iterable[int]) -> list[str]:
        return [items[number - 1] for number in sorted(numbers)]

    return {
        "satisfiable": found.satisfiable,
        "kept": named(found.kept),
        "never_true": named(found.never_true),
        "always_true": named(found.always_true),
        "contradictions": [
            {"sentences": named(core.numbers), "proved": core.proved}
            for core in found.contradictions
        ],
        "repeats": [named(group) for group in found.repeats],
        "consequences": [
            {
                "sentence": items[sentence - 1],
                "premises": named(core.numbers),
                "proved": core.proved,
            }
            for sentence, core in found.consequences.items()
        ],
    }


def _undecided(
    whole: WholeSet, rules: RuleFindings, items: Sequence[str]
) -> dict[str, list[list[str]]]:
    questions = whole.undecided | rules.undecided
    return {
        kind: [[items[number - 1] for number in case] for case in cases]
        for kind, cases in questions.items()
    }


def _rule(number: int, rule: Rule, items: Sequence[str], given: SetFormulas) -> dict[str, str]:
    """A rule with its condition and effect in notation, and what it requires in English."""
    shown = rule.with_short_names()
    return {
        "item": items[number - 1],
        "condition": given.language.format(shown.condition),
        "effect": given.language.format(shown.effect),
        "says": _in_english(shown.effect, given),
    }


def _in_english(formula: Formula, given: SetFormulas) -> str:
    """A formula about one step or some things in the phrases of the glossary; in notation if it has no English."""
    try:
        text = describe_in_phrases(formula, given.phrases, given.language.name)
    except EnglishError:
        return given.language.format(formula)
    plain = " ".join(text.split()).rstrip(".")
    plain = plain[len(_START) :] if plain.casefold().startswith(_START) else plain
    first, _, rest = plain.partition(" ")
    # The description begins with a capital letter, also where a name stands first.
    names = {name.casefold(): name for name in given.language.symbols(formula).names}
    return " ".join(
        filter(None, (names.get(first.casefold(), first[:1].casefold() + first[1:]), rest))
    )


def _forbidden(forbidden: Forbidden, items: Sequence[str], given: SetFormulas) -> dict[str, Any]:
    case, text = _situation(forbidden.case, given)
    return {
        "forbidden_by": [items[number - 1] for number in sorted(forbidden.core.numbers)],
        "proved": forbidden.core.proved,
        "without": None if forbidden.without is None else items[forbidden.without - 1],
        "case": case,
        "case_text": text,
    }


def _situation(witness: Witness | None, given: SetFormulas) -> tuple[dict[str, Any] | None, str]:
    """A case as JSON, and in English; in notation if its language has no English."""
    if witness is None:
        return None, ""
    try:
        return witness.to_json(), given.language.situation(witness, given.phrases)
    except EnglishError:  # a language of the user's
        return witness.to_json(), str(witness)


def _case_of(found: WholeSet, given: SetFormulas) -> dict[str, Any]:
    """The case in which all sentences that are kept hold: as JSON, and in English in the phrases of the glossaries."""
    case, text = _situation(cast("Witness | None", found.witness), given)
    if case is None:
        return {"witness": None, "witness_text": ""}
    holds = (given.language.holds_in(given.taken[number - 1][1], case) for number in found.kept)
    if text != str(found.witness) and any(value is None for value in holds):
        others = f", and other terms are thing {case['domain'][0]}" if "domain" in case else ""
        text += f" What is not mentioned does not hold{others}."
    return {"witness": case, "witness_text": text}


def _names_of(given: SetFormulas) -> dict[str, Any]:
    """The names that one sentence uses, and those of the glossary that none uses."""
    used = [
        (sentence.item, given.language.symbols(formula).names) for sentence, formula in given.taken
    ]
    times = Counter(name for _, names in used for name in names)
    glossary = dict.fromkeys(name.partition("(")[0] for name, _ in given.glossary)
    once = [
        {"name": name, "item": item}
        for item, names in used
        for name in sorted(names)
        if times[name] == 1
    ]
    return {"names_used_once": once, "unused_names": [name for name in glossary if not times[name]]}
