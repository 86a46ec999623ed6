"""`python -m pytest_autoeval correlate`: pass rates of several models beside their scores elsewhere."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import pearsonr, spearmanr
from support.program import Program
from support.result_rows import row, write_rows

from pytest_autoeval.record.lines import Sample

LOGIC = "suites/test_propositional.py::test_round_trip"
REGEX = "suites/test_regex.py::test_round_trip"
PASSES = {"small": 3, "middle": 5, "large": 8, "largest": 10}
SCORES = "model,human_eval,bbh\nsmall,40.5,20\nmiddle,61,55\nlarge,60,\nlargest,90.2,83\n"


def samples(passes: dict[str, int], suite: str = LOGIC, **changes: Any) -> list[Sample]:
    """Ten samples of each model, of which so many passed."""
    made = []
    for model, passed in passes.items():
        for index in range(10):
            outcome = "equivalent" if index < passed else "different"
            whole = {
                "model": model,
                "suite": suite,
                "index": index,
                "formula": f"p{index + 1}",
                **changes,
            }
            made.append(row(outcome, **whole))
    return made


def results(
    folder: Path, passes: dict[str, int], *, suite: str = LOGIC, name: str = "", **changes: Any
) -> str:
    """A results file of ten formulas for each model, of which so many passed."""
    return write_rows(
        folder / f"{name or len(list(folder.iterdir()))}.jsonl", samples(passes, suite, **changes)
    )


def table(folder: Path, text: str = SCORES) -> str:
    path = folder / "scores.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.fixture
def correlate(program: Program) -> Program:
    return partial(program, "correlate")


def test_rates_are_set_beside_scores(tmp_path: Path, correlate: Program) -> None:
    human_eval, bbh = correlate(
        results(tmp_path, PASSES), "--scores", table(tmp_path), "--json"
    ).data
    rates, scores = [1.0, 0.8, 0.5, 0.3], [90.2, 60.0, 61.0, 40.5]
    assert {one["model"]: (one["rate"], one["score"]) for one in human_eval["models"]} == {
        "largest": (1.0, 90.2),
        "large": (0.8, 60.0),
        "middle": (0.5, 61.0),
        "small": (0.3, 40.5),
    }
    assert human_eval["pearson"]["coefficient"] == pytest.approx(pearsonr(rates, scores).statistic)
    assert human_eval["pearson"]["p_value"] == pytest.approx(pearsonr(rates, scores).pvalue)
    assert human_eval["spearman"]["coefficient"] == pytest.approx(
        spearmanr(rates, scores).statistic
    )
    assert human_eval["predictive_power"]["probability"] == pytest.approx(5 / 6)
    assert [one["model"] for one in bbh["models"]] == ["largest", "middle", "small"]
    assert bbh["no_score"] == ["large"]
    assert bbh["predictive_power"]["probability"] == 1.0


def test_what_is_printed(tmp_path: Path, correlate: Program) -> None:
    files = [results(tmp_path, PASSES), results(tmp_path, {**PASSES, "large": 2}, suite=REGEX)]
    out, err = correlate(
        *files, "--scores", table(tmp_path, SCORES + "absent,1,2\n"), "--benchmark", "bbh"
    )
    assert err == ""
    assert out.splitlines() == [
        "against bbh",
        "                                                 models  Pearson r (p)  Spearman ρ (p)  predictive power",
        "  mean of 2 suites                                    3   0.95 (0.195)    1.00 (0.333)      100.0 % of 3",
        "  suites/test_propositional.py::test_round_trip       3   0.95 (0.195)    1.00 (0.333)      100.0 % of 3",
        "  suites/test_regex.py::test_round_trip               3   0.95 (0.195)    1.00 (0.333)      100.0 % of 3",
        "  no score for large",
        "  no results of absent",
    ]


def test_the_mean_is_over_the_suites_that_every_model_ran(
    tmp_path: Path, correlate: Program
) -> None:
    most = {model: passed for model, passed in PASSES.items() if model != "large"}
    files = [results(tmp_path, PASSES), results(tmp_path, most, suite=REGEX)]
    whole, logic, regex = correlate(
        *files, "--scores", table(tmp_path), "--benchmark", "human_eval", "--json"
    ).data
    assert (whole["suite"], whole["suites"]) == (None, [LOGIC])
    assert whole["notes"] == [f"left out, because not every model with a score ran it: {REGEX}"]
    assert whole["models"] == logic["models"]
    assert regex["no_results"] == ["large"]
    assert len(regex["models"]) == 3


def test_suites_of_one_data_set_and_task_have_a_mean_of_their_own(
    tmp_path: Path, correlate: Program
) -> None:
    about = {"grammar": "fol_translation", "task": "logical_translation"}
    text = results(tmp_path, PASSES, suite="t.py::test_translation[text]", **about)
    structured = results(
        tmp_path, dict.fromkeys(PASSES, 4), suite="t.py::test_translation[structured]", **about
    )
    others = results(tmp_path, {**PASSES, "small": 9}, suite=REGEX, grammar="regex")
    chosen = ["--scores", table(tmp_path), "--benchmark", "human_eval"]
    loads = correlate(text, structured, others, *chosen, "--json").data
    pooled, mean, *_ = loads
    assert [(load["data_set"], load["task"], len(load["suites"])) for load in loads] == [
        (None, None, 3),
        ("fol_translation", "logical_translation", 2),
        *[("regex", "", 1)],
        *[("fol_translation", "logical_translation", 1)] * 2,
    ]
    rates = {model["model"]: model["rate"] for model in mean["models"]}
    assert rates == {model: pytest.approx((passed + 4) / 20) for model, passed in PASSES.items()}
    scores = {"small": 40.5, "middle": 61, "large": 60, "largest": 90.2}
    expected = pearsonr([rates[model] for model in PASSES], [scores[model] for model in PASSES])
    assert mean["pearson"]["coefficient"] == pytest.approx(expected.statistic)
    assert pooled["pearson"]["coefficient"] != pytest.approx(expected.statistic)
    assert (
        "fol_translation, logical_translation: mean of 2 suites"
        in correlate(text, structured, others, *chosen).out
    )


#: Passed of ten formulas of each size, for each model on the two suites.
BY_SIZE = {
    "a": ({1: 10, 2: 8, 3: 5, 4: 2}, {1: 9, 2: 9, 3: 4, 5: 0}),
    "b": ({1: 9, 2: 9, 3: 7, 4: 6}, {1: 6, 2: 10, 3: 8, 4: 3}),
    "only here": ({1: 1, 2: 2, 3: 3}, {}),
}


def sized(folder: Path) -> str:
    rows: list[Sample] = []
    for model, suites in BY_SIZE.items():
        for suite, passes in zip((LOGIC, REGEX), suites, strict=True):
            for size, passed in passes.items():
                numbers = {"operators": size, "index": 0}
                rows += [
                    row(
                        "equivalent" if index < passed else "different",
                        **{
                            **numbers,
                            "model": model,
                            "suite": suite,
                            "index": index,
                            "formula": f"p{size}_{index}",
                        },
                    )
                    for index in range(10)
                ]
    rows.append(row("error", model="a", suite=LOGIC, operators=5, index=0, formula="q"))
    return write_rows(folder / "sized.jsonl", rows)


def test_two_suites_are_compared_size_by_size_for_each_model(
    tmp_path: Path, correlate: Program
) -> None:
    every, *models = correlate(sized(tmp_path), "--by-size", "regex", "--json").data
    expected = {
        "a": ([1.0, 0.8, 0.5], [0.9, 0.9, 0.4]),
        "b": ([0.9, 0.9, 0.7, 0.6], [0.6, 1.0, 0.8, 0.3]),
    }
    assert (every["suite"], every["other"], every["model"]) == (LOGIC, REGEX, None)
    assert [(point["model"], point["size"]) for point in every["points"]] == [
        *[("a", size) for size in (1, 2, 3)],
        *[("b", size) for size in (1, 2, 3, 4)],
    ]
    assert [one["model"] for one in models] == ["a", "b"]
    both = ([*expected["a"][0], *expected["b"][0]], [*expected["a"][1], *expected["b"][1]])
    for load, (here, there) in zip((every, *models), (both, *expected.values()), strict=True):
        assert (
            [point["rate"] for point in load["points"]],
            [point["other_rate"] for point in load["points"]],
        ) == (*(here, there),)
        correlation = pearsonr(here, there)
        assert load["pearson"]["coefficient"] == pytest.approx(correlation.statistic)
        assert load["pearson"]["p_value"] == pytest.approx(correlation.pvalue)
        assert load["spearman"]["coefficient"] == pytest.approx(spearmanr(here, there).statistic)


def test_the_sizes_of_two_suites_are_printed_with_all_models_first(
    tmp_path: Path, correlate: Program
) -> None:
    lines = correlate(sized(tmp_path), "--by-size", "regex").out.splitlines()
    assert lines[0] == f"by size, against {REGEX}"
    assert lines[1].split() == ["model", "points", "Pearson", "r", "(p)", "Spearman", "ρ", "(p)"]
    assert [line.split()[:3] for line in lines[2:]] == [
        [LOGIC, "all", "7"],
        [LOGIC, "a", "3"],
        [LOGIC, "b", "4"],
    ]


def test_sizes_that_count_something_else_are_not_compared(
    tmp_path: Path, correlate: Program
) -> None:
    depths = [
        row(
            "equivalent",
            model="a",
            suite="t.py::test_depth",
            operators=size,
            measures={"depth": size, "operators": 9},
        )
        for size in (1, 2, 3)
    ]
    files = sized(tmp_path), write_rows(tmp_path / "depths.jsonl", depths)
    out = correlate(*files, "--by-size", "regex").out
    assert "t.py::test_depth is left out: its sizes are depth, and those there are operators" in out
    left_out = next(
        one for one in correlate(*files, "--by-size", "regex", "--json").data if one["problem"]
    )
    assert (left_out["suite"], left_out["points"]) == ("t.py::test_depth", [])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give the scores elsewhere, --scores SCORES.csv, or another suite, --by-size TEXT"),
        (("--by-size", "regexx"), "--by-size: no suite has 'regexx' in its name"),
        (
            ("--by-size", "regex", "--operators", "5:"),
            "no model ran both 'regex' and another suite at the same sizes",
        ),
    ],
)
def test_mistakes_in_what_to_compare_are_named(
    arguments: tuple[str, ...], message: str, tmp_path: Path, correlate: Program
) -> None:
    assert message in correlate(sized(tmp_path), *arguments, code=2).err


def test_fewer_than_three_models_give_no_number(tmp_path: Path, correlate: Program) -> None:
    file = results(tmp_path, {"small": 3, "large": 8, "unknown": 9})
    out = correlate(file, "--scores", table(tmp_path), "--benchmark", "human_eval").out
    assert out.splitlines()[2].split() == [LOGIC, "2", "–", "–", "–"]
    assert "2 models with both a pass rate and a score: too few to compare, 3 are needed" in out
    assert "no score for unknown" in out


def test_errors_and_rows_that_shrinking_made_count_in_no_rate(
    tmp_path: Path, correlate: Program
) -> None:
    more = [
        row("error", model="largest", suite=LOGIC, index=20, formula="q0"),
        row("different", model="largest", suite=LOGIC, index=21, formula="q1", shrunk=True),
        row("undecided", model="small", suite=LOGIC, index=10, formula="p11"),
    ]
    file = write_rows(tmp_path / "results.jsonl", [*samples(PASSES), *more])
    (one,) = correlate(
        file, "--scores", table(tmp_path), "--benchmark", "human_eval", "--json"
    ).data
    rates = {model["model"]: model["rate"] for model in one["models"]}
    assert rates["largest"] == 1.0
    assert rates["small"] == pytest.approx(3 / 11)
    assert one["notes"] == ["the models were not asked the same formulas"]


def test_suites_and_sizes_can_be_chosen(tmp_path: Path, correlate: Program) -> None:
    files = [
        results(tmp_path, PASSES, operators=2),
        results(tmp_path, dict.fromkeys(PASSES, 0), operators=7),
        results(tmp_path, dict.fromkeys(PASSES, 4), suite=REGEX),
    ]
    chosen = ["--benchmark", "human_eval", "--suite", "propositional", "--operators", "0:7"]
    (one,) = correlate(*files, "--scores", table(tmp_path), *chosen, "--json").data
    assert one["suite"] == LOGIC
    assert {model["rate"] for model in one["models"]} == {0.3, 0.5, 0.8, 1.0}


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (None, (), "scores.csv: scores cannot be read: No such file or directory"),
        ("", (), "scores.csv: the file is empty"),
        (
            "Model,x\na,1\n",
            (),
            "scores.csv:1: there is no column 'model', only 'Model', 'x'. Did you mean 'Model'?",
        ),
        ("model\nsmall\n", (), "scores.csv:1: beside 'model' there is no column of scores"),
        (
            "model,x\nsmall,1\n\nlarge,68 (2024)\n",
            (),
            "scores.csv:4, column 'x': '68 (2024)' is not a number",
        ),
        ("model,x\nsmall,nan\n", (), "scores.csv:2, column 'x': 'nan' is not a number"),
        ("model,x\nsmall,1\nsmall,2\n", (), "scores.csv:3: 'small' is in line 2 too"),
        ("model,x\nsmall,1,2\n", (), "scores.csv:2: 3 cells, and the first line names 2 columns"),
        (
            "model,x\nsmal,1\n",
            (),
            "no model has both results and a score: results are of large, largest, middle",
        ),
        (
            SCORES,
            ("--benchmark", "human-eval"),
            "no column 'human-eval', only 'model', 'human_eval', 'bbh'",
        ),
        (SCORES, ("--suite", "propositonal"), "no suite has 'propositonal' in its name"),
        (
            SCORES,
            ("--operators", "30:"),
            "there are no results to compare; is --operators too narrow?",
        ),
    ],
)
def test_mistakes_in_table_and_command_are_named(
    text: str | None, arguments: tuple[str, ...], message: str, tmp_path: Path, correlate: Program
) -> None:
    file = results(tmp_path, PASSES)
    path = str(tmp_path / "scores.csv") if text is None else table(tmp_path, text)
    out, err = correlate(file, "--scores", path, *arguments, code=2)
    assert out == ""
    assert message in err


def test_names_cannot_reach_the_terminal_as_orders(tmp_path: Path, correlate: Program) -> None:
    file = results(tmp_path, {**PASSES, "\x1b[31mred": 5})
    out = correlate(file, "--scores", table(tmp_path, SCORES.replace("bbh", "b\x1bh"))).out
    assert "\x1b" not in out
    assert "no score for \\x1b[31mred" in out


def test_a_table_as_spreadsheets_write_it_is_read(tmp_path: Path, correlate: Program) -> None:
    text = '\ufeff"Name","Score, total"\r\n"small"," 1 "\r\n"middle",2e0\r\n"large",-3\r\n\r\n'
    chosen = ("--scores", table(tmp_path, text), "--model-column", "Name")
    (one,) = correlate(results(tmp_path, PASSES), *chosen, "--json").data
    assert one["benchmark"] == "Score, total"
    assert {model["model"]: model["score"] for model in one["models"]} == {
        "small": 1.0,
        "middle": 2.0,
        "large": -3.0,
    }
