"""The whole plugin against a server that is slow, moody, out of order or shut: every sample ends as it should."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Event, Lock

import pytest
from support.chat_server import (
    SOON,
    Answer,
    Behaviour,
    ChatServer,
    Received,
    always,
    completion,
    error,
    first,
)
from support.formula_server import asked, sensible
from support.small_project import Ran, SmallProject

SAMPLES = 4
SUITE = f"operators=2, samples={SAMPLES}, threshold=0.9"


def slow() -> Behaviour:
    """Holds every answer back until as many were asked for as there are samples."""
    everybody = Barrier(SAMPLES, timeout=30)

    def wait(request: Received) -> Answer:
        everybody.wait()
        return sensible(request)

    return wait


def wrapped(request: Received) -> Answer:
    """Puts each formula into a fence."""
    body = sensible(request).body
    if "Description" in asked(request).payloads:
        body["choices"][0]["message"]["content"] = (
            f"```\n{body['choices'][0]['message']['content']}\n```"
        )
    return Answer(body=body)


def reads_as(answer: Answer) -> Behaviour:
    """Describes rightly, and gives this answer to every description."""
    return lambda request: answer if "Description" in asked(request).payloads else sensible(request)


def fails_on_one(answer: Answer) -> Behaviour:
    """Gives this answer whenever the formula is to be described that was the first to come."""
    victims: dict[str, str] = {}
    lock = Lock()

    def behave(request: Received) -> Answer:
        formula = asked(request).payloads.get("Formula", "")
        with lock:
            victim = victims.setdefault("first", formula)
        return answer if formula == victim else sensible(request)

    return behave


WELL: dict[str, Callable[[], Behaviour]] = {
    "sensible": lambda: sensible,
    "slow": slow,
    "busy-at-first": lambda: first(
        Answer(429, error("slow down"), {"retry-after": "0"}), then=sensible
    ),
    "broken-at-first": lambda: first(*2 * [Answer(500, error("oops"), SOON)], then=sensible),
    "hangs-up-at-first": lambda: first(Answer(drop=True), then=sensible),
    "wrapped": lambda: wrapped,
}
#: A behaviour, the outcome of each sample, and the word for it.
ILL: dict[str, tuple[Behaviour, str, str]] = {
    "too-long": (
        always(Answer(400, error("context too long", param="messages"))),
        "error",
        "refused this request",
    ),
    "silent-reader": (
        reads_as(Answer(body=completion(None))),
        "refused or empty",
        "the answer is empty",
    ),
    "refusing": (
        always(
            Answer(
                body=completion(
                    None, message={"role": "assistant", "content": None, "refusal": "No."}
                )
            )
        ),
        "refused or empty",
        "informalize: the model refused: No.",
    ),
    "cut-off-reader": (
        reads_as(Answer(body=completion("p1 ∧", finish_reason="length"))),
        "truncated",
        "autoformalize: the answer was cut off at the token limit",
    ),
    "chatty": (
        reads_as(Answer(body=completion("I would rather talk of trees."))),
        "unparseable",
        "no propositional",
    ),
    "inventive": (reads_as(Answer(body=completion("rain ∧ wind"))), "foreign symbol", "rain"),
}


def behave(behaviours: dict[str, Behaviour]) -> Behaviour:
    """One server for many models: each behaves as its name says."""
    return lambda request: behaviours[request.body["model"]](request)


def run_all(
    project: SmallProject, behaviours: dict[str, Behaviour], *arguments: str
) -> tuple[Ran, Counter[str]]:
    """One run over all these models, and how often each was asked."""
    with ChatServer(behave(behaviours)) as server:
        models = [f"--autoeval-model={model}" for model in behaviours]
        options = (f"--autoeval-base-url={server.url}", "--autoeval-shrink-budget=0", *arguments)
        ran = project.run(*models, *options)
    return ran, Counter(request.body["model"] for request in server.requests)


@pytest.fixture(scope="module")
def ill(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Counter[str]]:
    """A run with all models that are not well."""
    project = SmallProject(tmp_path_factory.mktemp("ill"), SUITE)
    return run_all(project, {model: behaviour for model, (behaviour, _, _) in ILL.items()})


def test_what_a_retry_or_patience_mends_is_no_failure(tmp_path: Path) -> None:
    project = SmallProject(tmp_path, SUITE)
    ran, calls = run_all(project, {model: behaviour() for model, behaviour in WELL.items()})
    assert ran.code == 0
    for model in WELL:
        part = ran.of(model)
        assert part.outcomes == {"equivalent": SAMPLES}, model
        assert ran.failure(model) == ""
        assert {row.recovered for row in part.rows} == {model == "wrapped"}
    assert {
        model: number - 2 * SAMPLES for model, number in calls.items() if number > 2 * SAMPLES
    } == {
        "busy-at-first": 1,
        "broken-at-first": 2,
        "hangs-up-at-first": 1,
    }


@pytest.mark.parametrize("model", ILL)
def test_what_nothing_mends_ends_in_its_outcome(ill: tuple[Ran, Counter[str]], model: str) -> None:
    _, outcome, word = ILL[model]
    ran, part = ill[0], ill[0].of(model)
    assert ran.code == 1
    assert part.outcomes == {outcome: SAMPLES}
    assert all(word in str(row.error) for row in part.rows)
    why = ran.failure(model)
    if outcome == "error":
        assert why.startswith(
            f"{SAMPLES} of {SAMPLES} samples ended in an error:\n{SAMPLES} × {model}: "
        )
        assert word in why
        assert {len(row.calls) for row in part.rows} == {0}
    else:
        assert why.startswith("pass rate 0.0 % (0 of 4")
        assert "is below the threshold 90 %" in why
        assert f"\n  {outcome} (AE" in why
        assert {len(row.calls) for row in part.rows} == {1 if model == "refusing" else 2}


def test_one_error_among_good_answers_fails_the_gate_and_is_not_recorded(tmp_path: Path) -> None:
    project = SmallProject(tmp_path, SUITE)
    behaviours = {
        "mixed": fails_on_one(Answer(400, error("our policy forbids it"))),
        "sensible": sensible,
    }
    record = "--autoeval-record-mode=new_episodes"
    ran, _ = run_all(project, behaviours, record)
    assert ran.code == 1
    assert ran.of("mixed").outcomes == {"equivalent": SAMPLES - 1, "error": 1}
    assert ran.failure("mixed").startswith("1 of 4 samples ended in an error:\nmixed: ")
    assert ran.failure("sensible") == ""
    assert len(project.recordings()) == 2 * (SAMPLES - 1) + 2 * SAMPLES

    completed, calls = run_all(project, {"mixed": sensible, "sensible": sensible}, record)
    assert completed.code == 0
    assert calls == {"mixed": 2}
    assert len(project.recordings()) == 4 * SAMPLES


#: The last line of a run that cannot go on; the failed item has the reason.
STOP = "Interrupted: autoeval: no further sample can succeed; the failure says why"
PATIENCE = {
    "busy": (Answer(429, error("slow down"), SOON), "limits the rate (429: slow down), "),
    "busy for an hour": (
        Answer(429, error("slow down"), {"retry-after": "3600"}),
        "it asks to wait: 3600), ",
    ),
    "broken": (Answer(500, error("oops"), SOON), "failed (500: oops), "),
    "silent": (Answer(body=completion("late"), gate=Event()), "no answer from "),
}


@pytest.mark.parametrize("case", PATIENCE)
def test_a_server_that_never_answers_stops_the_run_when_the_patience_is_over(
    tmp_path: Path, case: str
) -> None:
    project = SmallProject(tmp_path, SUITE)
    answer, word = PATIENCE[case]
    with ChatServer(always(answer)) as server:
        url = f"--autoeval-base-url={server.url}"
        ran = project.run(
            "--autoeval-model=m", url, "--autoeval-timeout=0.2", "--autoeval-patience=1s"
        )
        if answer.gate is not None:
            answer.gate.set()
    assert ran.code == 2
    assert ran.outcomes == {"error": SAMPLES}
    [why] = ran.failures.values()
    assert word in why
    assert "it has answered nothing for 1 s (--autoeval-patience)" in why
    assert STOP in ran.text


HOPELESS = {
    "wrong key": (
        Answer(401, error("no such key")),
        "refuses the key in OPENAI_API_KEY (401: no such key)",
    ),
    "unknown model": (
        Answer(404, error("no such model", code="model_not_found")),
        "does not know this model or address (404: no such model); check --autoeval-model",
    ),
    "unreachable": (None, "cannot be reached"),
}


@pytest.mark.parametrize(
    ("case", "workers"),
    [*((case, ()) for case in HOPELESS), ("wrong key", ("-n", "2"))],
    ids=[*HOPELESS, "wrong key, two workers"],
)
def test_what_can_never_succeed_stops_the_run_with_one_line(
    tmp_path: Path, case: str, workers: tuple[str, ...]
) -> None:
    project = SmallProject(tmp_path, "operators=range(1, 31), samples=2, threshold=0.9")
    models, at_once = ("m", "n", "o", "p"), 3
    answer, word = HOPELESS[case]
    with ChatServer(always(answer or Answer())) as server:
        url = server.url if answer else "http://127.0.0.1:1/v1"
        options = (f"--autoeval-base-url={url}", f"--autoeval-concurrency={at_once}", *workers)
        ran = project.run(
            *(f"--autoeval-model={model}" for model in models),
            *options,
            OPENAI_API_KEY="sk-wrong-key",
        )
    most = at_once + 4  # of an unknown model it takes five refusals to know
    suites = max(1, len(workers))  # that began: one for each worker
    assert ran.code == 2
    assert ran.outcomes.keys() == {"error"}
    assert len(ran.rows) <= most * suites
    assert len(server.requests) <= most * suites
    assert 1 <= len(ran.failures) <= suites
    lines = {
        name: f"{name.partition('[')[2].removesuffix(']')}: the server at {url} {word}"
        for name in ran.failures
    }
    assert all(
        why.startswith(lines[name]) and "\n" not in why for name, why in ran.failures.items()
    )
    assert STOP in ran.text
    assert "Traceback" not in ran.text
