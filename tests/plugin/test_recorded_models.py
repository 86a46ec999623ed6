"""A run that only replays, and a name without recordings: the nearest recorded name, and no results overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import FAITHFUL, Run, Suite, said

REPLAY = ("--autoeval-record-mode=none", "--autoeval-results=out.jsonl")


@pytest.fixture(autouse=True)
def recorded(suite: Suite, run: Run) -> None:
    """A project with recordings of two models, and with results."""
    suite()
    run(FAITHFUL, "--autoeval-record-mode=new_episodes")
    Path("cassettes/openai--gpt-5-mini").mkdir()
    recording = next(Path("cassettes/offline--faithful").glob("*.yaml"))
    Path("cassettes/openai--gpt-5-mini", recording.name).write_bytes(recording.read_bytes())
    assert run(FAITHFUL, *REPLAY).ret == 0


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "workers"])
@pytest.mark.parametrize(
    ("names", "meant"),
    [
        (("--autoeval-model=openai/gpt-5-mni",), "Did you mean 'openai/gpt-5-mini'?"),
        (("--autoeval-model=opneai/gpt-5-mini",), "Did you mean 'openai/gpt-5-mini'?"),
        (("--autoeval-model=gpt-5-mini",), "Did you mean 'openai/gpt-5-mini'?"),
        (("--autoeval-model=gpt-5-mini", "--autoeval-model=opnai/gpt-5-mni"), "Did you mean"),
        ((FAITHFUL, "--autoeval-reader=gpt-5-mini"), "Did you mean 'openai/gpt-5-mini'?"),
    ],
    ids=["name", "provider", "no provider", "two wrong", "reader"],
)
def test_without_any_recording_the_run_is_refused_and_keeps_the_results(
    run: Run, names: tuple[str, ...], meant: str, workers: tuple[str, ...]
) -> None:
    before = Path("out.jsonl").read_bytes()
    # A run whose first call failed leaves an empty folder.
    Path("cassettes/openai--gpt-5-mni").mkdir()
    result = run(*names, *REPLAY, *workers)
    shown = " ".join((said(result) + str(result.stderr)).split())
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "nothing is recorded for " in shown
    assert meant in shown
    assert "Recorded are: offline/faithful, openai/gpt-5-mini" in shown
    assert Path("out.jsonl").read_bytes() == before


def test_a_wrong_name_beside_a_good_one_is_explained_where_it_fails(run: Run) -> None:
    result = run(FAITHFUL, "--autoeval-model=openai/gpt-5-mni", *REPLAY)
    shown = " ".join(said(result).split())
    result.assert_outcomes(passed=1, failed=1)
    assert "Did you mean 'openai/gpt-5-mini'? Recorded are: offline/faithful" in shown


def test_what_asks_nothing_is_not_refused(run: Run, suite: Suite) -> None:
    wrong = ("--autoeval-model=nobody", "--autoeval-record-mode=none")
    assert run(*wrong, "--collect-only").ret == 0
    assert run(*wrong, "--autoeval-plan").ret == 0
    suite("def test_ordinary():\n    pass\n")
    assert run(*wrong).ret == 0


def test_missing_recordings_are_asked_for_and_not_more_samples(run: Run) -> None:
    options = (
        "--autoeval-baseline=out.jsonl",
        "--autoeval-fail-on=drop:1%",
        "--autoeval-samples=6",
    )
    shown = " ".join(said(run(FAITHFUL, "--autoeval-record-mode=none", *options)).split())
    assert "missing answers, then run more samples" in shown
    assert "first record the " in shown
    assert "(more samples)" not in shown
