"""Which conditions of a set of rules can occur, and which can meet: vacuous rules, collisions and exclusions.

A set of rules "if … then …" can always hold together: where no condition occurs. So more is asked. Sources: the
vacuity of Beer, Ben-David, Eisner and Rodeh (2001); the rt-inconsistency of A. Post, J. Hoenicke, A. Podelski,
"rt-Inconsistency: A New Property for Real-Time Requirements", FASE 2011, as the tool hanfor checks it; the consistency
of C. Heitmeyer, R. Jeffords, B. Labaw, "Automated consistency checking of requirements specifications", ACM TOSEM 5
(1996); and the realizability checks of NASA's FRET.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from threading import Lock
from typing import Any, Literal, NamedTuple, TypeAlias

from pytest_autoeval.languages import Formula, Language
from pytest_autoeval.languages.base import Witness
from pytest_autoeval.languages.isolation import share_of_cores
from pytest_autoeval.requirements.conditions import Rule, meeting, rules_of, speak_of_one_thing
from pytest_autoeval.requirements.cores import Core, Numbers, OracleAnswer, Questions
from pytest_autoeval.requirements.whole_set import Progress, WholeSet, examine_formulas
from pytest_autoeval.requirements.worlds import World, Worlds

#: Two numbers of rules, the smaller one first.
Pair: TypeAlias = tuple[int, int]
#: So many conditions are tried together with one, in the hope of a case that answers many questions.
_MOST_TOGETHER = 12


@dataclass(frozen=True, slots=True)
class Forbidden:
    """What a set of rules forbids: a condition, or that two conditions meet.

    Attributes:
        core: the rules that forbid it.
        without: one of them, without which it is possible; None if that was not decided.
        case: a case in which it happens, and the others of the core hold.
    """

    core: Core
    without: int | None = None
    case: Witness | None = None


@dataclass(slots=True)
class RuleFindings:
    """What was found out about the conditions of rules, which have the numbers of their formulas, from 1.

    Attributes:
        rules: the rules with a condition that were asked about.
        vacuous: rules whose condition cannot occur.
        collisions: pairs of rules whose conditions can occur, but not together; no rule alone forbids it.
        excluded: pairs whose conditions cannot meet because one rule forbids it; None if no rule is needed for it.
        possible: pairs whose conditions can meet.
        undecided: the questions without an answer: ``conditions`` and ``pairs``.
        triples: of three rules whose conditions can meet in pairs, how many are shown to meet all, and how many there
            are. The rest was not asked.
        stopped: why not everything was asked; empty if it was.
    """

    rules: dict[int, Rule] = field(default_factory=dict)
    vacuous: dict[int, Forbidden] = field(default_factory=dict)
    collisions: dict[Pair, Forbidden] = field(default_factory=dict)
    excluded: dict[Pair, int | None] = field(default_factory=dict)
    possible: set[Pair] = field(default_factory=set)
    undecided: dict[str, list[tuple[int, ...]]] = field(default_factory=dict)
    triples: tuple[int, int] = (0, 0)
    stopped: Literal["", "time", "interrupted"] = ""

    @property
    def is_clean(self) -> bool:
        """Whether no collision and no vacuous rule was found."""
        return not (self.collisions or self.vacuous)

    @property
    def all_vacuous(self) -> bool:
        """Whether no condition of any rule can occur."""
        return bool(self.rules) and len(self.vacuous) == len(self.rules)


def examine_set(
    formulas: Sequence[Formula],
    language: Language,
    timeout: float | None,
    seconds: float,
    progress: Progress = lambda _: None,
) -> tuple[WholeSet, RuleFindings]:
    """Examines a set: first what can hold together, and then which of its rules can matter and meet.

    ``timeout`` is for one decision, ``seconds`` for all. Only sentences that can hold together are asked about, and
    those that repeat them.
    """
    if not formulas:
        return WholeSet(0, satisfiable=True), RuleFindings()
    ends = time.monotonic() + seconds
    whole_set = examine_formulas(formulas, language, timeout, seconds, progress)
    # A second search after a Ctrl-C would look as if the first Ctrl-C had no effect.
    if whole_set.stopped == "interrupted":
        return whole_set, RuleFindings()
    # A sentence that repeats another one was left out of the search, but its rule is still a rule of the author.
    repeated: set[int] = set()
    for original, *repetitions in whole_set.repeats:
        if original in whole_set.kept:
            repeated.update(repetitions)
    examined = {number: formulas[number - 1] for number in sorted({*whole_set.kept, *repeated})}
    limits = Limits(timeout, lambda: time.monotonic() > ends, progress)
    return whole_set, examine_rules(examined, whole_set.kept, whole_set.witness, language, limits)


class Limits(NamedTuple):
    """What ends a search, and who hears of it.

    ``timeout`` is for one decision, in seconds; None is that of the language. When ``is_over`` becomes true, each new
    question is undecided. ``progress`` is called with a line on each step.
    """

    timeout: float | None = None
    is_over: Callable[[], bool] = lambda: False
    progress: Progress = lambda _: None


def examine_rules(
    formulas: Mapping[int, Formula],
    consistent: Iterable[int],
    witness: Witness | None,
    language: Language,
    limits: Limits = Limits(),  # noqa: B008  (immutable)
) -> RuleFindings:
    """Examines the rules among formulas, given by number.

    ``consistent`` are the formulas of the set that can hold together, as ``witness`` shows; others may have the meaning
    of one of them. Without a witness nothing is decided. A Ctrl-C ends the search; what was found until then is
    returned.
    """
    rules = {
        number: rule
        for number, rule in zip(formulas, rules_of(list(formulas.values())), strict=True)
        if rule is not None
    }
    findings = RuleFindings(rules)
    if witness is None:
        findings.undecided = {"conditions": [(number,) for number in rules]} if rules else {}
        return findings
    worlds = Worlds(language, formulas, limits.timeout, limits.is_over)
    # The witness of the whole set shows for free which conditions can occur, and meet, in it.
    worlds.add(witness)
    search = _Search(worlds, frozenset(consistent), findings, limits.progress)
    try:
        # Before the pairs: a vacuous rule would collide with all others, so it is not asked about again.
        search.conditions()
        search.pairs()
    except KeyboardInterrupt:
        findings.stopped = "interrupted"
    else:
        findings.stopped = "time" if worlds.were_cut else ""
    # Threads end in any order; reports need the same order in each run.
    findings.vacuous = dict(sorted(findings.vacuous.items()))
    search.name_undecided()
    return findings


class _Search:
    """The steps of the search, each of which adds to the findings. Several questions are asked at the same time."""

    def __init__(
        self, worlds: Worlds, consistent: Numbers, findings: RuleFindings, progress: Progress
    ) -> None:
        self._worlds = worlds
        self._kept = consistent
        self._findings = findings
        self._progress = progress
        self._meetings: dict[tuple[int, ...], Any] = {}
        #: Numbers whose conditions hold together in a kept case, at one step or of one thing.
        self._together: list[frozenset[int]] = []
        self._together_at_once = _MOST_TOGETHER
        self._lock = Lock()

    def conditions(self) -> None:
        """Asks whether each condition can occur."""
        self._each("condition", [(number,) for number in self._findings.rules], self._condition)

    def pairs(self) -> None:
        """Asks whether the conditions of each two rules can meet. A vacuous rule collides with nothing."""
        findings = self._findings
        numbers = [number for number in findings.rules if number not in findings.vacuous]
        # One case with many conditions answers many pairs. benchmarks/colliding_rules.py measures it with 200 rules.
        self._each("rule", [(number,) for number in numbers], partial(self._several, numbers))
        self._each("pair", list(combinations(numbers, 2)), self._pair)
        findings.triples = self._triples(numbers)

    def name_undecided(self) -> None:
        """Names the conditions and pairs without an answer."""
        findings = self._findings
        # A condition that occurs in a kept case was answered, also if the search ended before it was asked.
        unknown = [
            n for n in findings.rules if n not in findings.vacuous and not self._is_shown((n,))
        ]
        answered = findings.possible | findings.collisions.keys() | findings.excluded.keys()
        numbers = [number for number in findings.rules if number not in findings.vacuous]
        pairs = [pair for pair in combinations(numbers, 2) if pair not in answered]
        cases: dict[str, list[tuple[int, ...]]] = {
            "conditions": [(n,) for n in unknown],
            "pairs": [*pairs],
        }
        findings.undecided = {kind: named for kind, named in cases.items() if named}

    def _each(
        self,
        thing: str,
        questions: Sequence[tuple[int, ...]],
        ask: Callable[[tuple[int, ...]], None],
    ) -> None:
        """Asks questions, as many at once as there are cores: hard decisions are made in processes of their own."""
        threads = ThreadPoolExecutor(share_of_cores())
        try:
            for number, _ in enumerate(threads.map(ask, questions), start=1):
                self._progress(
                    f"{thing} {number} of {len(questions)}: can conditions of rules occur together?"
                )
        except BaseException:
            # The questions that were not asked yet are left out.
            self._worlds.stop()
            raise
        finally:
            threads.shutdown(wait=True, cancel_futures=True)

    def _meeting(self, numbers: tuple[int, ...]) -> Any:
        if numbers not in self._meetings:
            self._meetings[numbers] = meeting([self._findings.rules[number] for number in numbers])
        return self._meetings[numbers]

    def _is_shown(self, numbers: tuple[int, ...]) -> bool:
        return (
            self._worlds.known(self._kept, self._meeting(numbers), self._parts(numbers)) is not None
        )

    def _find(self, numbers: tuple[int, ...]) -> World | bool | None:
        """A case in which these conditions meet. Their own rules apply in it, so they are asked with at once."""
        return self._worlds.find(
            self._kept, self._meeting(numbers), self._parts(numbers), frozenset(numbers)
        )

    def _parts(self, numbers: tuple[int, ...]) -> list[Any]:
        return [self._meeting((number,)) for number in numbers] if len(numbers) > 1 else []

    def _condition(self, number: tuple[int, ...]) -> None:
        if self._find(number) is False:
            forbidden = self._forbidden(number)
            if forbidden is not None:
                self._findings.vacuous[number[0]] = forbidden

    def _several(self, numbers: Sequence[int], rule: tuple[int, ...]) -> None:
        """Asks for cases in which a condition meets several others that it was not seen with.

        One case answers the questions about all their pairs. A group that cannot meet is tried in halves; what is left
        is asked pair by pair. If a question is too hard, smaller groups are tried from now on.
        """
        unseen = self._unseen(rule[0], numbers)
        # Other threads may lower this limit: it is read anew for each new group of rules.
        size = self._together_at_once
        while len(unseen) > 1 and size > 1:
            group = tuple(sorted((*rule, *unseen[:size])))
            case = self._find(group)
            if case is None:
                self._together_at_once = size = min(size, len(unseen)) // 2
            elif case is False and size > 2:
                size = min(size, len(unseen)) // 2
            else:
                unseen = self._unseen(rule[0], unseen[size:])
                size = self._together_at_once
            # Several threads search at once, each for its own rule.
            if isinstance(case, World):
                with self._lock:
                    self._together.append(frozenset(group))

    def _unseen(self, number: int, candidates: Sequence[int]) -> list[int]:
        """The rules whose condition was not seen with that of a rule."""
        return [
            candidate
            for candidate in candidates
            if candidate != number and not self._is_shown(_pair(number, candidate))
        ]

    def _pair(self, pair: tuple[int, ...]) -> None:
        lower, higher = pair
        answer = self._find(pair)
        if isinstance(answer, World):
            self._findings.possible.add((lower, higher))
        if answer is not False:
            return
        forbidden = self._forbidden(pair)
        if forbidden is None:
            return
        numbers = forbidden.core.numbers
        if len(numbers) > 1:
            # Several rules forbid it together, and none of them alone was written to do so.
            self._findings.collisions[lower, higher] = forbidden
        else:
            self._findings.excluded[lower, higher] = next(iter(numbers), None)

    def _forbidden(self, numbers: tuple[int, ...]) -> Forbidden | None:
        """The rules that forbid that conditions meet; None if it is not decided which.

        The set is asked for anew, and a case without one of its rules is a case that the evaluator confirms.
        """
        meets = self._meeting(numbers)
        # The number of the meeting itself.
        fixed = max(self._findings.rules) + max(self._kept, default=0) + 1

        def oracle(question: Numbers) -> OracleAnswer:
            answer = self._worlds.ask(question - {fixed}, meets)
            if isinstance(answer, World):
                return OracleAnswer(True, answer.holding | {fixed}, answer)
            return OracleAnswer(answer)

        cases = [(holding | {fixed}, world) for holding, world in self._worlds.showing(meets)]
        core = Questions(oracle, cases=cases).core(self._kept, [fixed])
        if not isinstance(core, Core):
            return None
        if core.proved != "smallest" and not self._is_needed_in_full(core, meets):
            return None
        # The case breaks one of the rules in question, if it can, and not what the others take for granted.
        for number in sorted(core.numbers, key=lambda number: (number not in numbers, -number)):
            answer = self._worlds.ask(core.numbers - {number}, meets)
            if isinstance(answer, World):
                return Forbidden(core, number, answer.witness)
        return Forbidden(core)

    def _is_needed_in_full(self, core: Core, meets: Formula) -> bool:
        """Whether no rule alone forbids it: else it is an exclusion on purpose, and no collision."""
        if len(core.numbers) < 2:
            return True
        return all(
            isinstance(self._worlds.find(frozenset({number}), meets), World)
            for number in self._kept
        )

    def _triples(self, numbers: Sequence[int]) -> tuple[int, int]:
        """How many triples are shown to meet, and how many there are whose pairs can all meet.

        Only the cases that were asked for with three and more conditions show triples, without further questions.
        """
        possible = self._findings.possible
        partners = {
            number: {higher for lower, higher in possible if lower == number} for number in numbers
        }
        candidates = sum(len(partners[lower] & partners[higher]) for lower, higher in possible)
        triples = {
            triple
            for group in self._together
            if speak_of_one_thing(self._findings.rules[number] for number in group)
            for triple in combinations(sorted(group), 3)
        }
        return len(triples), candidates


def _pair(number: int, partner: int) -> Pair:
    return min(number, partner), max(number, partner)
