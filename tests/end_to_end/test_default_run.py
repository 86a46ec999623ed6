"""The command of the README's first lines, and the recordings of its judge suites, which show what replay is."""

from __future__ import annotations

from pathlib import Path

from support.small_project import run_in_repository

from pytest_autoeval.reporting.results import read

ROOT = Path(__file__).parents[2]
#: One small suite of each language: the recordings in `cassettes/` are its answers, all of them and no others.
RECORDED = "suites/test_judge.py"
RENEW = (
    f"the recordings are not those of {RECORDED} as it stands; renew them from the repository's root: "
    f"rm -r cassettes/*; pytest {RECORDED} --autoeval-record-mode=all"
)


def test_samples_of_every_suite_pass_and_recordings_are_replayed(tmp_path: Path) -> None:
    # A few samples of each size: that all of them pass is the business of `.ci/run`, which runs the command itself.
    results = f"--autoeval-results={tmp_path / 'results.jsonl'}"
    code, text = run_in_repository("suites", "--autoeval-samples=3", results)
    rows = read(tmp_path / "results.jsonl").rows
    assert code == 0, text
    assert {row.outcome for row in rows} == {"equivalent", "correct"}
    assert {row.model for row in rows} == {"offline/faithful"}
    for row in rows:
        assert {call.replayed for call in row.calls} == {row.suite.startswith(RECORDED)}, RENEW


def test_no_recording_is_missing_and_none_is_left_over() -> None:
    code, text = run_in_repository(RECORDED, "--autoeval-record-mode=none", "-v")
    assert code == 0, RENEW
    assert "did not use" not in text, RENEW


def test_recordings_are_small_and_of_the_default_model_alone() -> None:
    recordings = [path for path in (ROOT / "cassettes").rglob("[!.]*") if path.is_file()]
    assert recordings, RENEW
    assert {path.parent.name for path in recordings} == {"offline--faithful"}, RENEW
    assert max(path.stat().st_size for path in recordings) < 8192
    assert len(recordings) < 120
