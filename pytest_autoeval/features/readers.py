"""Pass rates by describer and reader, for runs with `--autoeval-reader`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, TypeAlias

from pytest_autoeval.judging.item_groups import (
    Comparable,
    by_item,
    cluster_of_each,
    pass_rate,
    side_by_side,
    trials,
)
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.figures import Figure, Sentence, Value
from pytest_autoeval.record.lines import Sample, Suite, SuiteRecord
from pytest_autoeval.record.suite_names import reader_label, suite_name
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import AnyBlock, Column, Row, Section, Table
from pytest_autoeval.report.sections.rate_figures import rate_figure
from pytest_autoeval.report.sections.values import about, note
from pytest_autoeval.statistics.paired import PairedTest, paired_test
from pytest_autoeval.statistics.pass_rate import PassRate

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry

#: The samples of each describer and reader.
SamplesByPair: TypeAlias = Mapping[tuple[str, str], Sequence[Sample]]

#: The family-wise error rate of the findings, over all compared pairs of models.
_ALPHA = 0.05


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    registry.add_section("readers", readers)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderMatrix:
    """The pass rates of one suite: a row for each describer with one rate for each reader, None if it did not run.

    ``findings`` are sentences about models that describe or read significantly worse.
    """

    suite: str
    describers: tuple[str, ...]
    readers: tuple[str, ...]
    rates: tuple[tuple[PassRate | None, ...], ...]
    findings: tuple[Sentence, ...]


def reader_matrices(suites: Iterable[SuiteRecord]) -> list[ReaderMatrix]:
    """A matrix for each suite with several pairs of describer and reader, without what older releases did otherwise."""
    comparable = [suite for suite in suites if suite.samples and not suite.asked.incomparable]
    groups = side_by_side(comparable, _asked, _pair)
    matrices = []
    for group in groups:
        # Without a reader of its own, a suite is read by its model: then there is nothing to cross.
        if len(group) < 2 or not any(suite.asked.reader for suite in group):
            continue
        cells = {_pair(suite): suite.counted for suite in group}
        matrices.append(_matrix(_name_without_reader(group[0].asked), cells))
    return sorted(matrices, key=lambda matrix: matrix.suite)


def _name_without_reader(settings: Suite) -> str:
    label = reader_label(settings.reader or "")
    # A variant may be of the reader alone, or have it after the prompting and a hyphen.
    variant = settings.variant.removesuffix(label).removesuffix("-")
    return suite_name(settings.function, variant, settings.parameters)


def _asked(suite: SuiteRecord) -> Comparable:
    """What several describers and readers may have in common."""
    return Comparable.of(suite)._replace(model="", reader="")


def _pair(suite: SuiteRecord) -> tuple[str, str]:
    """The describer and the reader."""
    return suite.model, suite.asked.reader or suite.model


def _matrix(suite: str, cells: SamplesByPair) -> ReaderMatrix:
    describers = tuple(sorted({describer for describer, _ in cells}))
    readers = tuple(sorted({reader for _, reader in cells}))
    rates = {pair: pass_rate(by_item(samples)) for pair, samples in cells.items()}
    rows = [tuple(rates.get((row, column)) for column in readers) for row in describers]
    # The same test finds weak readers, with the two roles exchanged.
    by_reader = {(reader, describer): samples for (describer, reader), samples in cells.items()}
    return ReaderMatrix(
        suite=suite,
        describers=describers,
        readers=readers,
        rates=tuple(rows),
        findings=(
            *_weak_models(cells, "writes unclearly", "of its descriptions were read correctly"),
            *_weak_models(by_reader, "reads badly", "of the descriptions read correctly"),
        ),
    )


def _weak_models(cells: SamplesByPair, fault: str, measure: str) -> Iterator[Sentence]:
    """A sentence about each model that is significantly worse than another in its role.

    The role, describer or reader, is the first part of the keys. Two models are compared on the same formulas and with
    the same partners. Neither of the two is a partner, since a model may understand its own private notation. The
    interval of the difference is corrected over all pairs of models.
    """
    names = sorted({name for name, _ in cells})
    confidence = 1 - _ALPHA / max(1, comb(len(names), 2))
    for name in names:
        references = [reference for reference in names if reference != name]
        tests = [
            (_test_worse(cells, reference, name, confidence), reference) for reference in references
        ]
        # The clearest difference alone: one sentence about a model is enough.
        test, reference = min(tests, key=lambda pair: pair[0].interval.high, default=(None, ""))
        if test is not None and test.interval.high < 0:
            difference = Figure(
                "difference",
                test.difference,
                "points",
                test.interval.low,
                test.interval.high,
                n=test.pairs,
                confidence=confidence,
            )
            text = (
                f"{{model}} {fault}: {{rate}} {measure}, against {{other_rate}} with "
                f"{{other}}: {{difference}} points"
            )
            values: dict[str, Value] = {
                "model": name,
                "rate": Figure("pass rate", test.after, "rate"),
                "other": reference,
                "other_rate": Figure("pass rate", test.before, "rate"),
                "difference": difference,
            }
            yield Sentence(text, values)


def _test_worse(
    cells: SamplesByPair, reference: str, suspect: str, confidence: float
) -> PairedTest:
    """Tests whether ``suspect`` is worse than ``reference``. Undecided samples count in favour of ``suspect``."""
    partners = {partner for _, partner in cells if partner not in (reference, suspect)}
    # A partner of one of them alone may be an easier or a harder one.
    shared = [
        partner
        for partner in partners
        if {(reference, partner), (suspect, partner)} <= cells.keys()
    ]
    before = by_item(sample for partner in shared for sample in cells[reference, partner])
    after = by_item(sample for partner in shared for sample in cells[suspect, partner])
    # Only what both were asked: else the harder formulas of one of them would count against it.
    common = {item: samples for item, samples in after.items() if item in before}
    pairs = [(trials(before[item]), _trials_at_best(samples)) for item, samples in common.items()]
    return paired_test(pairs, confidence, cluster_of_each(common.values()))


def _trials_at_best(samples: Sequence[Sample]) -> tuple[int, int]:
    passed = sum(sample.kind in (OutcomeKind.PASS, OutcomeKind.UNDECIDED) for sample in samples)
    return passed, len(samples)


def readers(analysis: Analysis) -> Iterator[Section]:
    """A matrix for each suite that several pairs of models described and read, with what stands out."""
    matrices = reader_matrices(analysis.suites)
    if not matrices:
        return
    blocks: list[AnyBlock] = []
    for matrix in matrices:
        blocks.append(_table(matrix))
        blocks += [note(about(matrix.suite, finding), "finding") for finding in matrix.findings]
    title = "pass rates by describer (down) and reader (across)"
    yield Section(name="readers", title=title, blocks=tuple(blocks))


def _table(matrix: ReaderMatrix) -> Table:
    rows = []
    for describer, rates in zip(matrix.describers, matrix.rates, strict=True):
        cells = [None if rate is None else rate_figure(rate) for rate in rates]
        rows.append(Row((describer, *cells)))
    return Table(
        title=matrix.suite,
        thing="describer",
        columns=(
            Column("describer", "name"),
            *(Column("pass rate", "rate", group=reader) for reader in matrix.readers),
        ),
        rows=tuple(rows),
        level="default",
    )
