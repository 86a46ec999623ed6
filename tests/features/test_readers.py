"""Who writes unclearly and who reads badly: what rows show, and what they do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest
from support.analyses import analyse, baseline_of
from support.result_rows import changed, row, suites_of, write_rows
from support.screens import texts

from pytest_autoeval.features.readers import reader_matrices
from pytest_autoeval.judging.item_groups import Comparable
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.merging import merge

SUITE = "suites/test_propositional.py::test_round_trip"
PASS, FAIL = "equivalent", "different"


def cell(
    describer: str, reader: str, failed: Iterable[int], outcome: str = FAIL, suite: str = SUITE
) -> list[Sample]:
    """Forty samples of a pair, of which some failed."""
    label = {} if describer == reader else {"reader": reader, "variant": f"read-by-{reader}"}
    name = suite if describer == reader else f"{suite}[read-by-{reader}]"
    return [
        row(
            outcome if n in set(failed) else PASS,
            suite=name,
            model=describer,
            formula=f"p{n}",
            index=n,
            **label,
        )
        for n in range(40)
    ]


def findings(cells: Mapping[tuple[str, str], Iterable[int]]) -> list[str]:
    rows = [
        one
        for (describer, reader), failed in cells.items()
        for one in cell(describer, reader, failed)
    ]
    (matrix,) = reader_matrices(suites_of(rows))
    return [str(finding).partition(":")[0] for finding in matrix.findings]


def test_a_model_is_found_out_only_where_the_data_show_it() -> None:
    few, many = range(2), range(12)
    assert findings({("a", "r"): few, ("b", "r"): many}) == ["b writes unclearly"]
    assert findings({("a", "r"): few, ("b", "r"): range(5)}) == []
    assert findings({("a", "r"): few, ("a", "s"): many}) == ["s reads badly"]
    # Not the number of failures alone: the same formulas are compared.
    assert findings({("a", "r"): range(20), ("a", "s"): range(28)}) == ["s reads badly"]
    assert findings({("a", "r"): range(20), ("a", "s"): range(12, 40)}) == []


def test_reading_what_it_wrote_itself_speaks_for_nobody() -> None:
    # b writes signs that only b reads: the others do not read badly.
    none, all_ = range(0), range(40)
    names = ("a", "b", "c")
    cells = {(name, two): all_ if name == "b" != two else none for name in names for two in names}
    assert findings(cells) == ["b writes unclearly"]
    assert findings({pair: failed for pair, failed in cells.items() if "c" not in pair}) == []


def test_the_undecided_speak_for_the_accused() -> None:
    rows = cell("a", "r", ()) + cell("b", "r", range(12), "undecided")
    (matrix,) = reader_matrices(suites_of(rows))
    assert matrix.findings == ()
    ((first,), (second,)) = matrix.rates
    assert first is not None
    assert second is not None
    assert (second.lower, second.upper) == (0.7, 1)


def test_suites_are_apart_and_a_pair_that_did_not_run_is_empty() -> None:
    other = f"{SUITE}[few-shot]"
    rows = cell("a", "b", ()) + cell("a", "a", range(1)) + cell("b", "b", ())
    rows += [
        changed(
            one, suite=f"{SUITE}[few-shot-read-by-r-x]", reader="r", variant="few-shot-read-by-r"
        )
        for one in cell("a", "a", ())
    ]
    rows += [
        changed(
            one, suite=f"{SUITE}[few-shot-read-by-s-x]", reader="s", variant="few-shot-read-by-s"
        )
        for one in cell("a", "a", ())
    ]
    matrices = reader_matrices(suites_of(rows))
    assert [matrix.suite for matrix in matrices] == [SUITE, f"{other[:-1]}-x]"]
    assert matrices[0].rates[1][0] is None
    shown = texts(analyse(rows, Rules()))
    start = shown.index("pass rates by describer (down) and reader (across)")
    assert [line.replace(" ", "") for line in shown[start + 1 : start + 5]] == [
        SUITE,
        *("passrate(95%)ab", "a97.5%(86.8–99.9)100.0%(91.2–100.0)", "b–100.0%(91.2–100.0)"),
    ]


@pytest.mark.parametrize("rows", [cell("a", "a", ()) + cell("b", "b", ()), cell("a", "r", ()), []])
def test_without_several_pairs_there_is_no_matrix(rows: list[Sample]) -> None:
    assert reader_matrices(suites_of(rows)) == []


def test_rates_of_a_run_of_an_older_release_are_not_shown() -> None:
    rows = [
        changed(one, incomparable="its sizes were chosen by the answers")
        for one in (*cell("a", "r", ()), *cell("a", "s", ()))
    ]
    assert reader_matrices(suites_of(rows)) == []


def test_only_a_run_with_the_same_reader_is_compared() -> None:
    def comparison(here: list[Sample], there: list[Sample]) -> tuple[int, str]:
        (gate,) = analyse(here, Rules(), baseline=baseline_of(there)).comparisons
        return len(gate.compared.pairs), gate.reason

    there = cell("a", "r", ()) + cell("a", "a", ())
    assert comparison(cell("a", "r", ()), there)[0] == 40
    assert comparison(cell("c", "r", ()), there)[0] == 40
    # A model that is named as its own reader is compared with one that reads its own without being named.
    named = [
        changed(one, reader="a", suite=f"{SUITE}[read-by-a]", variant="read-by-a")
        for one in cell("a", "a", ())
    ]
    assert comparison(named, there)[0] == 40
    assert comparison(cell("a", "s", ()), there) == (
        0,
        "not compared: this run has the reader s, and the baseline none, r (--autoeval-reader)",
    )


def test_variants_of_several_files_keep_their_readers(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("files")
    for way in ("zero-shot", "few-shot"):
        rows = [changed(one, way=way) for one in cell("a", "r", ()) + cell("a", "a", ())]
        write_rows(folder / f"{way}.jsonl", rows)
    suites = merge(sorted(folder.iterdir())).suites
    assert {one.name for one in suites} == {
        f"{SUITE}[{way}{read}]" for way in ("zero-shot", "few-shot") for read in ("", "-read-by-r")
    }
    assert {Comparable.of(one).test for one in suites} == {SUITE}
    assert [matrix.suite for matrix in reader_matrices(suites)] == [
        f"{SUITE}[few-shot]",
        f"{SUITE}[zero-shot]",
    ]
