"""`--autoeval-blame`: each failed round trip says which half lost the meaning, and the summary counts them."""

from __future__ import annotations

import pytest

from .conftest import Rows, Run, Suite, said


def halves(rows: list[dict[str, object]]) -> set[str]:
    blamed = [row["blame"] for row in rows if row.get("blame")]
    return {entry["half"] for entry in blamed if isinstance(entry, dict)}


@pytest.mark.parametrize(
    ("model", "half", "workers"),
    [
        ("offline/leak", "description", ()),
        ("offline/negation-scope", "reading", ()),
        ("offline/negation-scope", "reading", ("-n", "2")),
    ],
)
def test_the_half_that_has_the_fault_is_blamed(
    suite: Suite, run: Run, rows: Rows, model: str, half: str, workers: tuple[str, ...]
) -> None:
    suite()
    result = run(
        "--autoeval-blame", f"--autoeval-model={model}", "--autoeval-results=out.jsonl", *workers
    )
    found = rows("out.jsonl")
    failed = [row for row in found if row["outcome"] != "equivalent"]
    assert failed
    assert all(row["blame"]["half"] == half for row in failed)
    # Nothing need be asked about a copy: it is the description that fails.
    assert all(row["calls"][-1]["stage"] == "blame" or row["outcome"] == "copied" for row in failed)
    assert not [row for row in found if row["outcome"] == "equivalent" and row.get("blame")]
    assert f"in the {half} {len(failed)}" in said(result)


def test_nobody_is_asked_about_who_passes(suite: Suite, run: Run, rows: Rows) -> None:
    suite()
    result = run("--autoeval-blame", "--autoeval-results=out.jsonl")
    found = rows("out.jsonl")
    assert halves(found) == set()
    assert {len(row["calls"]) for row in found} == {2}
    assert result.ret == 0


def test_the_calls_are_in_the_plan_and_within_the_limit(suite: Suite, run: Run, rows: Rows) -> None:
    suite()
    plain = said(run("--autoeval-plan", "--autoeval-model=offline/negation-scope"))
    blaming = said(
        run("--autoeval-plan", "--autoeval-blame", "--autoeval-model=offline/negation-scope")
    )
    samples = 16
    assert f"{samples:>8}{2 * samples:>8}" in plain
    assert f"{samples:>8}{3 * samples:>8}" in blaming
    run(
        "--autoeval-blame",
        "--autoeval-model=offline/negation-scope",
        "--autoeval-max-calls=20",
        "--autoeval-results=out.jsonl",
    )
    calls = [call for row in rows("out.jsonl") for call in row["calls"]]
    # An equal call is answered once, and is free then.
    assert 18 <= sum(not call["repeated"] for call in calls) <= 20
