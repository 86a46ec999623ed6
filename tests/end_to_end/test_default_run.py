"""The command of the README's first lines, and the recordings of its judge suites, which show what replay is."""

from __future__ import annotations

from pathlib import Path

from support.small_project import run_in_repository

from pytest_autoeval.record.file import read_file

ROOT = Path(__file__).parents[2]
#: One small suite of each language: the recordings in `cassettes/` are its answers, all of them and no others.
RECORDED = "suites/test_judge.py"
RENEW = (
    f"the recordings are not those of {RECORDED} as it stands; renew them from the repository's root: "
    f"rm -r cassettes/offline--faithful; pytest {RECORDED} --autoeval-record-mode=all"
)


def outcomes(folder: Path, *arguments: str) -> tuple[set[tuple[str, str, bool]], str]:
    """Of a run that passes: the models, how their samples ended, whether calls were replayed; and what it printed."""
    code, text = run_in_repository(*arguments, f"--autoeval-results={folder / 'results.jsonl'}")
    assert code == 0, text
    samples = read_file(folder / "results.jsonl").samples
    return {
        (sample.model, sample.outcome, call.replayed) for sample in samples for call in sample.calls
    }, text


def test_some_samples_of_every_other_suite_pass(tmp_path: Path) -> None:
    # That all of them pass is the business of `.ci/run`, which runs the command itself.
    found, _ = outcomes(
        tmp_path,
        "suites",
        f"--ignore={RECORDED}",
        "--autoeval-samples=1",
        "--autoeval-operators=2,4",
    )
    # Two suites may ask the same, and are then answered once.
    assert {(model, outcome) for model, outcome, _ in found} == {
        ("offline/faithful", outcome) for outcome in ("equivalent", "correct")
    }


def test_no_recording_is_missing_and_none_is_left_over(tmp_path: Path) -> None:
    found, text = outcomes(tmp_path, RECORDED, "-v")
    assert found == {("offline/faithful", "correct", True)}, RENEW
    assert "unused recordings" not in text, RENEW


def test_recordings_are_small_and_of_known_models_alone() -> None:
    recordings = [*(ROOT / "cassettes").glob("*/*.yaml")]
    real = {"Qwen2.5-Coder-0.5B-Instruct", "SmolLM2-135M-Instruct"}
    assert {path.parent.name for path in recordings} == {"offline--faithful"} | real, RENEW
    assert max(path.stat().st_size for path in recordings) < 12_000
    assert sum(path.stat().st_size for path in recordings if path.parent.name in real) < 6_200_000
    assert sum(path.parent.name not in real for path in recordings) < 120
