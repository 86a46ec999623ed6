"""The five data sets of the paper on ∀uto∃val. One seed is one batch of about 2,000 formulas each."""

from pytest_autoeval import autoeval


@autoeval("ksat", operators=range(2, 60, 3), samples=50, trivial=True)
def test_3sat(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)


@autoeval("propositional", operators=range(40), samples=50, trivial=True)
def test_propositional(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)


@autoeval(
    "first_order",
    operators=range(38),
    samples=50,
    trivial=True,
    quantifiers=(0, 12),
    vacuous_quantifiers=True,
)
def test_first_order_synthetic(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)


@autoeval(
    "first_order",
    operators=range(38),
    samples=50,
    trivial=True,
    quantifiers=(0, 12),
    vacuous_quantifiers=True,
    vocabulary="english",
)
def test_first_order_english(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)


@autoeval("regex", depth=range(1, 39), samples=50, trivial=True)
def test_regex(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)
