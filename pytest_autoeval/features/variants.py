"""Variants: one test and model, asked with several interfaces, promptings, folders of prompts or readers, with and
without constraints.

All variants of a run have the same formulas, so each two of them are compared formula by formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from pytest_autoeval.judging.item_groups import (
    Comparable,
    Item,
    by_item,
    cluster_of_each,
    grouped,
    item_name,
    side_by_side,
    trials,
)
from pytest_autoeval.judging.run_differences import stopped_early
from pytest_autoeval.outcomes import Outcome, OutcomeKind
from pytest_autoeval.record.figure_sentences import number, sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.suite_names import in_id, shown_prompts, suite_name
from pytest_autoeval.record.witness_words import sides_of, witness_in_words
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Cell,
    Column,
    Counterexample,
    Curve,
    Field,
    Level,
    Note,
    Point,
    Row,
    SampleKey,
    Section,
    Series,
    Table,
)
from pytest_autoeval.report.sections.rate_figures import rate_figure
from pytest_autoeval.report.sections.values import columns_of_differences, note
from pytest_autoeval.statistics.multiplicity import holm
from pytest_autoeval.statistics.paired import PairedTest, two_sided_test
from pytest_autoeval.statistics.pass_rate import PassRate
from pytest_autoeval.text import one_line

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry

#: The level of the tests of all pairs of variants together.
_ALPHA = 0.05
#: How many formulas are listed that one of two wordings passed and the other failed.
_MOST_SAMPLES = 20


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    registry.add_section("variants", variants)


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantPair:
    """Two variants of a test and model, compared on the formulas that both answered.

    ``test`` is of the first variant against the second one. ``p`` is two-sided and exact; ``p_corrected`` is corrected
    by Holm's method over all pairs of variants of the run. ``by_size`` has the tests of the formulas of each size.
    ``disagreements`` are the samples of two folders of prompts of which one passed and the other failed.
    """

    test_name: str
    first: str
    second: str
    test: PairedTest
    p: float | None
    p_corrected: float | None = None
    by_size: tuple[tuple[int, PairedTest], ...] = ()
    disagreements: tuple[tuple[Sample, Sample], ...] = ()

    @property
    def significant(self) -> bool:
        return self.p_corrected is not None and self.p_corrected < _ALPHA


def variants(analysis: Analysis) -> Iterator[Section]:
    """The pass rates of the variants, and the differences of each two of them: in all, and by size."""
    pairs = differences(analysis.suites)
    blocks: list[AnyBlock] = [
        *_rates(analysis),
        *_differences(pairs),
        *_not_compared(analysis.suites, pairs),
        *_by_size(pairs),
        *_disagreements(pairs),
    ]
    several_folders = len({suite.asked.prompts for suite in analysis.suites}) > 1
    by = "interface, prompting and prompts" if several_folders else "interface and prompting"
    yield Section(name="variants", title=f"pass rates by {by}", blocks=tuple(blocks))


def _rates(analysis: Analysis) -> Iterator[Table]:
    """A table for each test and model with several variants."""
    rate_of = {summary.suite: summary.whole.rate for summary in analysis.summaries}
    for group in side_by_side(rate_of, _asked_in_variants, _variant):
        if len(group) > 1:
            yield _rate_table(group, rate_of)


def _rate_table(group: Sequence[SuiteRecord], rate_of: Mapping[SuiteRecord, PassRate]) -> Table:
    """The pass rates of the variants of one test: interfaces and folders of prompts down, promptings across."""
    # Where no suite names its interface, the column stays empty.
    named = any(suite.asked.interface for suite in group)
    rates = {_variant(suite, named=named): rate_figure(rate_of[suite]) for suite in group}
    promptings = sorted({prompting for *_, prompting in rates})
    keys = sorted({(interface, folders) for interface, folders, _ in rates})
    # A column without any difference would only take room.
    has_folders = len({folders for _, folders in keys}) > 1
    has_interfaces = not has_folders or len({interface for interface, _ in keys}) > 1
    headings = []
    if has_interfaces:
        headings.append("interface")
    if has_folders:
        headings.append("prompts")
    rows = []
    for interface, folders in keys:
        cells: list[Cell] = []
        if has_interfaces:
            cells.append(interface)
        if has_folders:
            cells.append(folders)
        cells += [rates.get((interface, folders, prompting)) for prompting in promptings]
        rows.append(Row(tuple(cells)))
    return Table(
        title=_name(group[0]),
        columns=(
            *map(Column, headings),
            *(Column(prompting, "rate") for prompting in promptings),
        ),
        rows=tuple(rows),
        thing=headings[-1],
        level="default",
    )


def _asked_in_variants(suite: SuiteRecord) -> Comparable:
    """What the variants of a suite have in common."""
    return Comparable.of(suite)._replace(interface="", prompting="", prompts=())


def _variant(suite: SuiteRecord, *, named: bool = True) -> tuple[str, str, str]:
    """The interface, the folders of prompts and the prompting."""
    asked = suite.asked
    return asked.form_of_prompt if named else "", shown_prompts(asked.prompts), asked.prompting


def differences(suites: Sequence[SuiteRecord]) -> list[VariantPair]:
    """Each two variants of each test and model that answered the same formulas, in the order of the suites."""
    answered = [suite for suite in suites if _obstacle(suite) is None]
    pairs = []
    for group in grouped(answered, _test_and_model).values():
        items = {suite: by_item(suite.counted) for suite in group}
        for variant, reference in combinations(group, 2):
            if variant.asked.variant == reference.asked.variant:
                continue
            pair = _difference(variant, reference, items)
            if pair is not None:
                pairs.append(pair)
    # All pairs of the run are one family: with many pairs, one is significant by chance.
    adjusted = iter(holm([pair.p for pair in pairs if pair.p is not None]))
    return [pair if pair.p is None else replace(pair, p_corrected=next(adjusted)) for pair in pairs]


def _obstacle(suite: SuiteRecord) -> Sentence | None:
    """Why a suite can be compared with no other variant; None if it can."""
    if stopped_early(suite):
        return Sentence("it was stopped early, which biases a comparison")
    if suite.asked.incomparable:
        return sentence("it is of an older release: {why}", why=one_line(suite.asked.incomparable))
    if not suite.regular:
        return Sentence("no sample ran")
    return None if by_item(suite.counted) else Sentence("no sample was answered")


def _not_compared(suites: Sequence[SuiteRecord], pairs: Sequence[VariantPair]) -> Iterator[Note]:
    """The variants that are not compared, and those that have no formula in common, each with the reason."""
    compared = {(pair.test_name, frozenset((pair.first, pair.second))) for pair in pairs}
    for group in grouped(suites, _test_and_model).values():
        if len({suite.asked.variant for suite in group}) == 1:
            continue
        comparable = []
        for suite in group:
            obstacle = _obstacle(suite)
            if obstacle is None:
                comparable.append(suite)
                continue
            text = "{suite}: {variant} is not compared: {why}"
            remark = sentence(text, suite=_name(suite), variant=_variant_name(suite), why=obstacle)
            yield note(remark, "warning")
        for variant, reference in combinations(comparable, 2):
            first, second = _variant_name(variant), _variant_name(reference)
            names = frozenset((first, second))
            if len(names) == 1 or (_name(variant), names) in compared:
                continue
            text = "{suite}: {first} and {second} are not compared: they answered no common formula"
            yield note(sentence(text, suite=_name(variant), first=first, second=second), "warning")


def _name(suite: SuiteRecord) -> str:
    """The name of the test with its model, whatever the variant."""
    settings = suite.asked
    return suite_name(settings.function, in_id(settings.model), settings.parameters)


def _variant_name(suite: SuiteRecord) -> str:
    return suite.asked.variant or "default"


def _test_and_model(suite: SuiteRecord) -> tuple[object, ...]:
    settings = suite.asked
    return settings.function, settings.parameters, settings.model, settings.task


def _difference(
    variant: SuiteRecord, reference: SuiteRecord, items: dict[SuiteRecord, dict[Item, list[Sample]]]
) -> VariantPair | None:
    items_of_variant, items_of_reference = items[variant], items[reference]
    common = [item for item in items_of_variant if item in items_of_reference]
    if not common:
        return None
    test, p_value = _tested(common, items_of_variant, items_of_reference)
    sizes = sorted(grouped(common, lambda item: items_of_variant[item][0].size).items())
    return VariantPair(
        test_name=_name(variant),
        first=_variant_name(variant),
        second=_variant_name(reference),
        test=test,
        p=p_value,
        by_size=tuple(
            (size, _tested(of_size, items_of_variant, items_of_reference)[0])
            for size, of_size in sizes
        ),
        disagreements=tuple(
            _disagreeing(common, items_of_variant, items_of_reference)
            if _other_prompts_alone(variant, reference)
            else ()
        ),
    )


def _other_prompts_alone(variant: SuiteRecord, reference: SuiteRecord) -> bool:
    """Whether two suites differ in their folders of prompts and in nothing else: then the wording explains all."""
    left, right = Comparable.of(variant), Comparable.of(reference)
    return left != right and left._replace(prompts=()) == right._replace(prompts=())


def _disagreeing(
    common: Sequence[Item],
    items_of_variant: dict[Item, list[Sample]],
    items_of_reference: dict[Item, list[Sample]],
) -> Iterator[tuple[Sample, Sample]]:
    """The first repeat of each item that one of the two passed and the other failed; the smallest items first."""
    decided = {OutcomeKind.PASS, OutcomeKind.MODEL_FAILURE}
    for item in sorted(common, key=lambda item: items_of_variant[item][0].place):
        of_reference = {
            (sample.repeat, sample.paraphrase): sample for sample in items_of_reference[item]
        }
        for sample in items_of_variant[item]:
            other = of_reference.get((sample.repeat, sample.paraphrase))
            if other is not None and {sample.kind, other.kind} == decided:
                yield sample, other
                break


def _tested(
    common: Sequence[Item],
    items_of_variant: dict[Item, list[Sample]],
    items_of_reference: dict[Item, list[Sample]],
) -> tuple[PairedTest, float | None]:
    """The test of the first variant against the second one: what was before is the second one."""
    pairs = [(trials(items_of_reference[item]), trials(items_of_variant[item])) for item in common]
    return two_sided_test(pairs, cluster_of_each(items_of_variant[item] for item in common))


def _differences(pairs: Sequence[VariantPair]) -> Iterator[Table]:
    rows = []
    for pair in pairs:
        test = pair.test
        tested = (test.pairs, test.won, test.lost, pair.p, pair.p_corrected)
        cells = (pair.test_name, pair.first, pair.second, _points("difference", test), *tested)
        rows.append(Row(cells, marked=(3,) if pair.significant else ()))
    if rows:
        yield Table(
            title="differences of the variants, on the same formulas",
            thing="pair",
            columns=columns_of_differences(Column("variant", "text"), "pairs", "won", "lost"),
            rows=tuple(rows),
            mark="significant (corrected for all pairs of variants)"
            if any(row.marked for row in rows)
            else "",
            level="default",
        )


def _by_size(pairs: Sequence[VariantPair]) -> Iterator[Curve]:
    """The difference of each pair of variants over the sizes, where there are several."""
    for pair in pairs:
        if len(pair.by_size) < 2:
            continue
        points = []
        for size, test in pair.by_size:
            figure = _points("difference", test)
            points.append(Point(size, figure.value, low=figure.low, high=figure.high, n=figure.n))
        name = f"{pair.first} − {pair.second}"
        yield Curve(
            title=f"{pair.test_name}: {name}",
            over="size",
            unit="points",
            series=(Series(name, tuple(points)),),
            level="verbose",
        )


def _disagreements(pairs: Sequence[VariantPair]) -> Iterator[AnyBlock]:
    """The formulas that only one of two wordings passed, each with both English texts."""
    for pair in pairs:
        samples = pair.disagreements
        if not samples:
            continue
        by_first = sum(sample.passed for sample, _ in samples)
        statement = sentence(
            "{suite}: {by_first} passed with {first} alone, {by_second} with {second} alone",
            suite=pair.test_name,
            by_first=number(by_first, "formula", name=f"passed with {pair.first} alone"),
            first=pair.first,
            by_second=number(len(samples) - by_first, name=f"passed with {pair.second} alone"),
            second=pair.second,
        )
        if len(samples) > _MOST_SAMPLES:
            statement = sentence(
                "{statement}; the smallest {shown} are listed",
                statement=statement,
                shown=number(_MOST_SAMPLES),
            )
        yield note(statement, "finding")
        for rank, (sample, other) in enumerate(samples[:_MOST_SAMPLES]):
            level: Level = "verbose" if rank else "default"
            yield _disagreement({pair.first: sample, pair.second: other}, level)


def _disagreement(samples: Mapping[str, Sample], level: Level) -> Counterexample:
    """A formula that one of two samples passed, by their variants: what each wrote, and how the other one failed."""
    passed, failed = sorted(samples, key=lambda name: not samples[name].passed)
    lost = samples[failed]
    texts = {
        "formula": item_name(lost),
        f"passed: {passed}": english_of(samples[passed]),
        f"failed: {failed}": english_of(lost),
        "translation": lost.translation,
        "compared": lost.compared,
        "witness": witness_in_words(lost),
    }
    return Counterexample(
        outcome=lost.outcome,
        code=lost.code,
        loses_meaning=lost.outcome == Outcome.DIFFERENT or lost.witness_text is not None,
        samples=1,
        fields=tuple(Field(name, text) for name, text in texts.items() if text),
        witness=lost.witness,
        sides=sides_of(lost),
        sample=SampleKey(lost.suite.number, *lost.place),
        level=level,
    )


def english_of(sample: Sample) -> str:
    """What a model wrote in a sample: the description, else the whole answer."""
    return sample.description or sample.answer or ""


def _points(name: str, test: PairedTest) -> Figure:
    return Figure(
        name, test.difference, "points", test.interval.low, test.interval.high, n=test.pairs
    )
