"""What a set of sentences says as a whole, against brute force over all subsets."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain, combinations
from typing import Any, cast

import pytest
from support.bounded_unrolling import Shape
from support.independent_logic import Fact, holds_in, profile, worlds
from support.ltl_formulas import random_formula
from support.naive_semantics import NaiveSemantics

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import language
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ltl.evaluate import TraceWitness
from pytest_autoeval.requirements.cores import (
    Core,
    Numbers,
    OracleAnswer,
    Questions,
    smallest_hitting_set,
)
from pytest_autoeval.requirements.whole_set import WholeSet, examine, oracle_of

#: Of each sentence the cases in which it holds, as bits.
Tables = Sequence[int]


class BruteForce:
    """The truth about sentences, by all subsets."""

    def __init__(self, tables: Tables, full: int) -> None:
        self._tables, self._full = tables, full

    def cases(self, numbers: Iterable[int]) -> int:
        cases = self._full
        for number in numbers:
            table = self._tables[abs(number) - 1]
            cases &= table if number > 0 else self._full ^ table
        return cases

    def can_hold(self, numbers: Iterable[int]) -> bool:
        return self.cases(numbers) != 0

    def size_of_smallest(self, numbers: Iterable[int], fixed: Sequence[int] = ()) -> int | None:
        """The number of sentences of a smallest core."""
        some = sorted(numbers)
        subsets = chain.from_iterable(combinations(some, size) for size in range(len(some) + 1))
        return next(
            (len(subset) for subset in subsets if not self.can_hold([*subset, *fixed])), None
        )

    def oracle(
        self, *, whole_cases: bool, undecided: Callable[[], bool] = lambda: False
    ) -> Callable[[Numbers], OracleAnswer]:
        def answer(numbers: Numbers) -> OracleAnswer:
            if undecided():
                return OracleAnswer(None)
            cases = self.cases(numbers)
            if not cases:
                return OracleAnswer(False)
            case = cases & -cases
            holding = [n if self.cases([n]) & case else -n for n in range(1, len(self._tables) + 1)]
            return OracleAnswer(True, frozenset(holding) if whole_cases else frozenset(), case)

        return answer


def check_claims(found: WholeSet, truth: BruteForce) -> None:
    """Each claim is right, whatever the oracle did not decide."""
    for sentence in found.always_true:
        assert not truth.can_hold([-sentence])
    for sentence in found.never_true:
        assert not truth.can_hold([sentence])
    for first, *others in found.repeats:
        assert all(truth.cases([first]) == truth.cases([other]) for other in others)
    numbers = list(chain.from_iterable(core.numbers for core in found.contradictions))
    assert len(set(numbers)) == len(numbers)
    repeated = {other for group in found.repeats for other in group[1:]}
    rest = (
        set(range(1, found.number + 1)) - set(found.always_true) - set(found.never_true) - repeated
    )
    for core in found.contradictions:
        check_core(core, rest, (), truth)
        rest -= core.numbers
    if found.satisfiable is not None:
        assert found.satisfiable == truth.can_hold(range(1, found.number + 1))
    if found.witness is not None:
        assert truth.cases(found.kept) & cast("int", found.witness)
    for sentence, core in found.consequences.items():
        assert truth.can_hold(core.numbers)
        check_core(core, set(found.kept) - {sentence}, (-sentence,), truth)


def check_core(core: Core, among: set[int], fixed: tuple[int, ...], truth: BruteForce) -> None:
    assert core.numbers <= among
    assert not truth.can_hold([*core.numbers, *fixed])
    if core.proved != "contradictory":
        assert all(truth.can_hold([*(core.numbers - {number}), *fixed]) for number in core.numbers)
    if core.proved == "smallest":
        assert len(core.numbers) == truth.size_of_smallest(among, fixed)


def check_complete(found: WholeSet, truth: BruteForce) -> None:
    """Nothing is missing, when the oracle decided everything."""
    assert not found.undecided
    assert not found.stopped
    contingent = [
        n for n in range(1, found.number + 1) if truth.can_hold([n]) and truth.can_hold([-n])
    ]
    assert {*found.always_true, *found.never_true} == set(range(1, found.number + 1)) - set(
        contingent
    )
    classes: dict[int, list[int]] = {}
    for sentence in contingent:
        classes.setdefault(truth.cases([sentence]), []).append(sentence)
    assert found.repeats == [group for group in classes.values() if len(group) > 1]
    assert truth.can_hold(found.kept)
    assert found.witness is not None
    different = [group[0] for group in classes.values()]
    dropped = set(different) - set(found.kept)
    assert all(not truth.can_hold([*found.kept, sentence]) for sentence in dropped)
    following = [
        n for n in different if not truth.can_hold([*(k for k in found.kept if k != n), -n])
    ]
    assert list(found.consequences) == following
    assert {core.proved for core in found.contradictions} <= {"smallest"}
    assert {core.proved for core in found.consequences.values()} <= {"smallest"}


def gives_up(rng: random.Random, share: float) -> bool:
    return rng.random() < share


def random_truth(rng: random.Random, cases: int) -> BruteForce:
    """Random sentences, some of them repeated, negated, trivial, or parts of others."""
    full = (1 << cases) - 1
    tables: list[int] = []
    for _ in range(rng.randint(1, 7)):
        made = [
            rng.getrandbits(cases),
            rng.getrandbits(cases) | rng.getrandbits(cases),
            rng.choice((0, full)),
        ]
        if tables:
            made += [
                rng.choice(tables),
                full ^ rng.choice(tables),
                rng.choice(tables) | rng.getrandbits(cases),
            ]
        tables.append(rng.choice(made))
    return BruteForce(tables, full)


@pytest.mark.parametrize("whole_cases", [True, False])
def test_findings_are_right_and_complete(whole_cases: bool) -> None:
    for seed in range(400):
        rng = random.Random(seed)
        truth = random_truth(rng, rng.randint(2, 8))
        found = examine(len(truth._tables), truth.oracle(whole_cases=whole_cases))
        check_claims(found, truth)
        check_complete(found, truth)


@pytest.mark.parametrize("whole_cases", [True, False])
@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_claims_stay_right_when_the_oracle_is_often_undecided(
    whole_cases: bool, share: float
) -> None:
    for seed in range(300):
        rng = random.Random(seed)
        truth = random_truth(rng, rng.randint(2, 8))
        oracle = truth.oracle(whole_cases=whole_cases, undecided=partial(gives_up, rng, share))
        number = len(truth._tables)
        found = examine(number, oracle)
        check_claims(found, truth)
        open_questions = {
            sentence for some in found.undecided.get("consequences", []) for sentence in some
        }
        claimed = set(found.consequences)
        repeated = {other for group in found.repeats for other in group[1:]}
        for sentence in set(range(1, number + 1)) - claimed - open_questions - repeated:
            if sentence not in (*found.always_true, *found.never_true):
                assert truth.can_hold([*(set(found.kept) - {sentence}), -sentence])
        if share == 1.0:
            assert found.is_clean
            assert found.satisfiable is None


def test_claims_stay_right_when_the_time_ends_early() -> None:
    for seed in range(200):
        rng = random.Random(seed)
        truth = random_truth(rng, 6)
        left = rng.randint(0, 30)

        def is_over() -> bool:
            nonlocal left
            left -= 1
            return left < 0

        number = len(truth._tables)
        found = examine(number, truth.oracle(whole_cases=False), is_over)
        check_claims(found, truth)
        assert found.stopped == ("time" if left < 0 else "")


def test_no_pairs_are_compared_after_the_end_of_the_time() -> None:
    """Large sets have millions of pairs, and each would be listed as undecided."""
    number, asked = 300, 0

    def is_over() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2 * number + 50

    found = examine(number, lambda numbers: OracleAnswer(True, numbers), is_over)
    assert found.stopped == "time"
    assert len(found.undecided["repeats"]) < number
    assert found.undecided["consequences"] == [(sentence,) for sentence in range(1, number + 1)]


def test_a_function_with_a_large_table_is_not_evaluated_in_the_witness_of_others() -> None:
    logic = language("first_order")
    three = logic.parse("∃x ∃y ∃z (¬(x = y) ∧ ¬(y = z) ∧ ¬(x = z))")
    wide = logic.parse(f"P(f({', '.join('a' * 30)}))")
    witness = logic.entails(three, logic.parse("⊥")).witness
    assert witness is not None
    case = witness.to_json()
    assert (logic.holds_in(three, case, closed=True), logic.holds_in(wide, case, closed=True)) == (
        True,
        None,
    )


def test_a_keyboard_interrupt_returns_what_is_known() -> None:
    truth = BruteForce([0b01, 0b01, 0b10], 0b11)
    asked = 0

    def oracle(numbers: Numbers) -> OracleAnswer:
        nonlocal asked
        asked += 1
        if len(numbers) > 2 or asked > 8:
            raise KeyboardInterrupt
        return truth.oracle(whole_cases=False)(numbers)

    found = examine(3, oracle)
    assert found.stopped == "interrupted"
    check_claims(found, truth)


def test_smallest_hitting_sets() -> None:
    for seed in range(300):
        rng = random.Random(seed)
        sets = [
            frozenset(rng.sample(range(1, 8), rng.randint(0, 4))) for _ in range(rng.randint(0, 6))
        ]
        candidates = chain.from_iterable(combinations(range(1, 8), size) for size in range(8))
        expected = next(
            (len(some) for some in candidates if all(each & {*some} for each in sets)), None
        )
        found = smallest_hitting_set(sets)
        assert (None if found is None else len(found)) == expected
        assert found is None or all(found & each for each in sets)


def test_a_core_that_is_not_proved_smallest_is_called_minimal() -> None:
    """Sentences 1 to 3 contradict each other, and so do 4 and 5, but every question about 4 is undecided."""
    truth = BruteForce([0b011, 0b101, 0b110, 0b100, 0b011], 0b111)

    def oracle(numbers: Numbers) -> OracleAnswer:
        return (
            OracleAnswer(None)
            if 4 in numbers and len(numbers) < 5
            else truth.oracle(whole_cases=False)(numbers)
        )

    assert Questions(oracle).core(range(1, 6)) == Core(frozenset({1, 2, 3}), "minimal")


def propositional_tables(formulas: Sequence[str]) -> BruteForce:
    lang = language("propositional")
    names = sorted(
        {name for formula in formulas for name in lang.symbols(lang.parse(formula)).names}
    )
    rows = 1 << len(names)
    full = (1 << rows) - 1
    facts: dict[Fact, int] = {
        (name,): sum(1 << row for row in range(rows) if row >> place & 1)
        for place, name in enumerate(names)
    }
    return BruteForce(
        [worlds(cast("Sentence", lang.parse(text)), (1,), {}, facts, full) for text in formulas],
        full,
    )


def without_witness(found: WholeSet) -> WholeSet:
    """For the checks of `BruteForce`, which has witnesses of its own kind."""
    found.witness = None
    return found


def test_random_propositional_sets() -> None:
    rng, lang = random.Random(5), language("propositional")
    for _ in range(60):
        atoms = [f"p{number}" for number in range(1, 4)]
        formulas = [random_clause(rng, atoms) for _ in range(rng.randint(2, 7))]
        truth = propositional_tables(formulas)
        found = examine(len(formulas), oracle_of(lang, [lang.parse(text) for text in formulas]))
        witness = cast("Any", found.witness)
        case = witness.to_json()
        assert all(
            lang.holds_in(lang.parse(formulas[kept - 1]), case, closed=True) for kept in found.kept
        )
        check_claims(without_witness(found), truth)
        found.witness = witness
        check_complete(found, truth)


def random_clause(rng: random.Random, atoms: Sequence[str]) -> str:
    literals = [rng.choice(("", "¬")) + atom for atom in rng.sample(atoms, rng.randint(1, 2))]
    return f" {rng.choice('∧∨→↔⊕')} ".join(literals)


def test_random_temporal_sets() -> None:
    """Against all lassos of up to four states; what can hold together does so on its trace."""
    rng, lang, atoms = random.Random(7), language("ltl"), ("a", "b")
    shapes = [Shape(atoms, 4, period) for period in range(1, 5)]
    contradictions = consequences = 0
    for _ in range(40):
        formulas = [random_formula(rng, rng.randint(2, 5), atoms) for _ in range(rng.randint(2, 6))]
        width = 1 << len(atoms) * 4
        tables = [
            sum(shape.truth(one) << width * at for at, shape in enumerate(shapes))
            for one in formulas
        ]
        truth = BruteForce(tables, (1 << width * len(shapes)) - 1)
        found = examine(len(formulas), oracle_of(lang, formulas))
        assert not found.undecided
        assert isinstance(found.witness, TraceWitness)
        trace = NaiveSemantics(found.witness.lasso)
        assert all(trace.holds(formulas[number - 1], 0) for number in found.kept)
        check_claims(without_witness(found), truth)
        contradictions += len(found.contradictions)
        consequences += len(found.consequences)
    assert contradictions > 5
    assert consequences > 5


def test_random_first_order_sets() -> None:
    """Against all models of up to two elements."""
    rng, lang = random.Random(3), language("first_order")
    predicates = {"P": 1, "Q": 1, "R": 2}
    literals = ["P(x)", "Q(x)", "¬P(x)", "¬Q(x)", "∃y. R(x, y)", "∀y. R(y, x)", "P(c)", "R(x, x)"]
    contradictions = consequences = 0
    for _ in range(15):
        texts = [
            f"{rng.choice('∀∃')}x. ({rng.choice(literals)} {rng.choice('∧∨→')} {rng.choice(literals)})"
            for _ in range(rng.randint(3, 6))
        ]
        formulas = [cast("Sentence", lang.parse(text)) for text in texts]
        found = examine(len(formulas), oracle_of(lang, formulas))
        assert not found.undecided
        tables, full = joined_profiles(formulas, predicates)
        witness = cast("Any", found.witness).to_json()
        # A name that the witness leaves out is false, or the first element.
        model = witness | {
            "constants": {"c": witness["domain"][0], **witness["constants"]},
            "predicates": {**{name: [] for name in predicates}, **witness["predicates"]},
        }
        assert all(holds_in(formulas[number - 1], model) for number in found.kept)
        contradictions += len(found.contradictions)
        consequences += len(found.consequences)
        check_claims(without_witness(found), BruteForce(tables, full))
    assert contradictions
    assert consequences


def joined_profiles(
    formulas: Sequence[Sentence], predicates: dict[str, int]
) -> tuple[list[int], int]:
    tables = [0] * len(formulas)
    full = 0
    for size in (1, 2):
        width = 1 << sum(size**arity for arity in predicates.values())
        profiles = [profile(formula, predicates, ("c",), size) for formula in formulas]
        for chosen in range(size):
            tables = [
                table << width | models[chosen]
                for table, models in zip(tables, profiles, strict=True)
            ]
            full = full << width | (1 << width) - 1
    return tables, full


def test_requirements_that_hold_in_pairs_but_not_together() -> None:
    lang = language("ltl")
    texts = ["G (open -> light)", "G F open", "F G !light", "G (light -> light)", "F open"]
    found = examine(5, oracle_of(lang, [lang.parse(text) for text in texts]))
    assert found.always_true == [4]
    assert found.contradictions == [Core(frozenset({1, 2, 3}), "smallest")]
    assert found.kept == [1, 2, 5]
    assert found.consequences == {5: Core(frozenset({2}), "smallest")}


def test_a_witness_that_the_evaluator_rejects_decides_nothing() -> None:
    lang = language("propositional")

    class Mistaken(type(lang)):  # type: ignore[misc]
        def holds_in(self, *_: Any, **__: Any) -> bool:
            return False

    found = examine(2, oracle_of(Mistaken(), [lang.parse("p"), lang.parse("q")]))
    assert found.satisfiable is None
    assert found.witness is None


def test_a_language_without_conjunctions_is_refused() -> None:
    lang = language("regex")
    with pytest.raises(AutoevalError, match="no conjunction"):
        oracle_of(lang, [lang.parse("0"), lang.parse("1")])
