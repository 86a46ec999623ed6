"""The gate ``collisions=`` of a suite of sentences: how many of its rules may collide, or never apply."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.added_gates import AddedGate, Judged, SuiteGate
from pytest_autoeval.judging.gate_verdicts import GateVerdict
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.languages import FormulaSyntaxError, language
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.figure_sentences import number, sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.task_parts import Formalized, Given
from pytest_autoeval.requirements.permission_section import place_of
from pytest_autoeval.requirements.rule_pairs import RuleFindings, examine_set
from pytest_autoeval.requirements.whole_set import WholeSet

#: The time limit for the rules of one suite, in seconds.
_SECONDS = 120.0
#: How many pairs a sentence names.
_NAMED = 3
_Judged = tuple[GateVerdict, Sentence]


class CollisionGate(SuiteGate):
    """Fails a suite in which more rules collide, or can never apply, than is allowed.

    It judges the formulas of the first answers to the sentences themselves, which are one set.
    """

    kind = "collisions"
    has_interval = False

    def wanted(self, suite: SuiteRecord, rules: Rules) -> bool:  # noqa: ARG002
        return suite.asked.collisions is not None and not suite.asked.ungated

    def judge(self, judged: Judged) -> AddedGate | None:
        allowed, gate = judged.suite.asked.collisions, judged.gate
        if allowed is None or judged.suite.asked.ungated:
            return None
        verdict, why = _obstacle(judged) or _judged(judged, allowed)
        return AddedGate(
            kind=self.kind,
            suite=gate.suite,
            model=gate.model,
            verdict=verdict,
            explanation=sentence("collisions: {why}", why=why),
            figures=(Figure("allowed collisions", allowed, "count"),),
        )


def _obstacle(judged: Judged) -> _Judged | None:
    """The verdict on a suite whose rules are not all there, and why."""
    gate = judged.gate
    if gate.interrupted:
        return gate.verdict, Sentence("interrupted, so that the suite cannot pass")
    if gate.stopped_early is not None:
        return "inconclusive", Sentence("not judged, because the suite was stopped early")
    if judged.suite.asked.given_formulas:
        return "reported", Sentence(
            "not judged, since the run asked only about what --autoeval-formula names"
        )
    if gate.part:
        return "reported", sentence(
            "part {part}; `report` judges all parts together", part=gate.part
        )
    return None


def _judged(judged: Judged, allowed: int) -> _Judged:
    suite = judged.suite
    samples = samples_with_formulas(suite)
    lacking = len({_item(sample) for sample in suite.counted} - samples.keys())
    try:
        whole_set, rules = examined_rules(suite)
    except (AutoevalError, FormulaSyntaxError) as problem:
        return "inconclusive", sentence(
            "the formulas cannot be joined: {problem}", problem=str(problem)
        )
    items = list(samples)
    pairs = [
        f"{items[lower - 1]} and {items[higher - 1]}" for lower, higher in sorted(rules.collisions)
    ]
    # Two rules with one condition and opposite effects forbid their own condition, and so collide with nothing.
    vacuous = [items[number_of_rule - 1] for number_of_rule in sorted(rules.vacuous)]
    # A failure needs no further proof: more could only be found, not less.
    if len(pairs) + len(vacuous) > allowed:
        names = "; ".join([*_listed(pairs), *_listed(vacuous)])
        found = _found(pairs, vacuous, allowed)
        return "failed", sentence("{found}: {names}", found=found, names=names)
    if whole_set.contradictions:
        text = "{contradictions} among the sentences; `check --formulas` names them"
        contradictions = number(len(whole_set.contradictions), "contradiction")
        return "failed", sentence(text, contradictions=contradictions)
    if whole_set.satisfiable is None or rules.undecided:
        return "inconclusive", Sentence("not all pairs of rules were decided within the time limit")
    unknown_rules = _unknown_rules(lacking, judged.rows_left_out)
    if unknown_rules is not None:
        return "inconclusive", unknown_rules
    text = "{found}, among {rules} with a condition"
    found = _found(pairs, vacuous, allowed)
    return "passed", sentence(text, found=found, rules=number(len(rules.rules), "rule"))


def _found(pairs: Sequence[str], vacuous: Sequence[str], allowed: int) -> Sentence:
    """How many pairs of rules collide, how many rules can never apply, and how many of both are allowed."""
    texts = []
    if pairs or not vacuous:
        texts.append("{count} found")
    if vacuous:
        texts.append("{vacuous} can never apply")
    return sentence(
        f"{', '.join(texts)}, {{limit}} allowed",
        count=number(len(pairs), name="collisions"),
        vacuous=number(len(vacuous), "rule", name="vacuous rules"),
        limit=number(allowed, name="allowed collisions"),
    )


def _listed(names: Sequence[str]) -> list[str]:
    """The first names, and how many more there are. A pair has an "and" of its own."""
    hidden = len(names) - _NAMED
    more = [f"{hidden} more"] if hidden > 0 else []
    return [*names[:_NAMED], *more]


def _unknown_rules(lacking: int, rows_left_out: Sequence[str]) -> Sentence | None:
    """Why not all rules are known; None if they are. An unknown rule may collide with the others."""
    if lacking:
        text = "{lacking} without a formula that counts, so that not all rules are known"
        return sentence(text, lacking=number(lacking, "sentence"))
    if rows_left_out:
        text = "{rows} left out, so that not all rules are known; the first is {first}"
        rows = number(len(rows_left_out), "row", name="rows left out")
        return sentence(text, rows=rows, first=rows_left_out[0])
    return None


def _item(sample: Sample) -> str:
    return sample.part_or_empty(Given).name


def samples_with_formulas(suite: SuiteRecord) -> dict[str, Sample]:
    """The first answer to each sentence itself, by the id of the sentence, if it has a formula that counts."""
    samples = {}
    # Samples have the order of sizes, and pairs are named in that of the file.
    for sample in sorted(suite.counted, key=place_of):
        # What such a formula says of the rules, its author has ruled out.
        if sample.outcome == Outcome.CONTRADICTS_ANSWER:
            continue
        formula = sample.part_or_empty(Formalized).formula
        if formula and (sample.repeat, sample.paraphrase) == (0, 0):
            samples[_item(sample)] = sample
    return samples


def examined_rules(suite: SuiteRecord) -> tuple[WholeSet, RuleFindings]:
    """What the formulas of a suite say as a set. Raises :class:`AutoevalError` or :class:`FormulaSyntaxError`."""
    samples = samples_with_formulas(suite).values()
    texts = tuple(sample.part_or_empty(Formalized).formula or "" for sample in samples)
    return _examined(suite.asked.language, texts)


@lru_cache(maxsize=64)
def _examined(name: str, texts: tuple[str, ...]) -> tuple[WholeSet, RuleFindings]:
    """What a set of formulas says; the end of a run and its reports ask for the same."""
    lang = language(name)
    return examine_set([lang.parse(text) for text in texts], lang, None, _SECONDS)
