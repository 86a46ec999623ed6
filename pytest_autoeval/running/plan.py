"""`--autoeval-plan`: what a run would take, before anything is paid."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.models.base import (
    AnswerSchema,
    Embedded,
    Embedder,
    Form,
    Message,
    Model,
    ModelError,
    Reply,
)
from pytest_autoeval.models.names import is_local, is_offline
from pytest_autoeval.running.kept import kept_samples
from pytest_autoeval.running.left_out import left_out, refuse_unused_data
from pytest_autoeval.running.marker import LeftOutError, Obstacle, Suite
from pytest_autoeval.running.run import Run, run_of
from pytest_autoeval.running.settings import Settings
from pytest_autoeval.running.sources import draw
from pytest_autoeval.running.suites import function_of, left_out_of, suite_of
from pytest_autoeval.tasks.blame import blaming
from pytest_autoeval.tasks.round_trip import assert_equivalent, round_trip
from pytest_autoeval.tasks.trial import MeaningLostError, Trial, UndecidedError, under_trial

#: Characters a token, roughly, in English and formulas alike.
_CHARACTERS_A_TOKEN = 4
#: Tokens of an answer whose like was never seen, for each token of what is described or read.
_ANSWER_TOKENS_A_PAYLOAD_TOKEN = 3


@dataclass(slots=True)
class Share:
    """What one suite with one model would take."""

    samples: int = 0
    calls: int = 0
    replayed: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0

    def add(self, sent: Iterable[str], payload: str, *, recorded: bool) -> None:
        """Counts one call that sends some texts; the answer is as long as the payload lets expect."""
        self.calls += 1
        if recorded:
            self.replayed += 1
            return
        self.prompt_tokens += sum(map(len, sent)) // _CHARACTERS_A_TOKEN
        if payload:
            self.answer_tokens += _ANSWER_TOKENS_A_PAYLOAD_TOKEN * (len(payload) // _CHARACTERS_A_TOKEN + 1)


class PlannedModel:
    """Stands in for a trial's model and counts: what is recorded it replays, what is not it does not ask."""

    def __init__(self, model: Model, share: Share, payload: str) -> None:
        self.name = model.name
        self._model = model
        self._share = share
        self._payload = payload
        #: Once an answer is not known, the later requests are not those that a run would make.
        self._follows_the_run = True

    def complete(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> Reply:
        """The recorded reply, or one as long as an answer may be."""
        reply = None
        if self._follows_the_run and self._model.recorded(messages, repeat=repeat, schema=schema):
            with suppress(ModelError):
                reply = self._model.complete(messages, repeat=repeat, schema=schema)
        self._share.add((message.content for message in messages), self._payload, recorded=reply is not None)
        self._follows_the_run = reply is not None
        return reply or Reply(self._payload * _ANSWER_TOKENS_A_PAYLOAD_TOKEN)

    def recorded(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> bool:
        """Whether a recording would answer."""
        return self._model.recorded(messages, repeat=repeat, schema=schema)

    def close(self) -> None:
        """Leaves the model open: others use it."""


class PlannedEmbedder:
    """Stands in for a trial's model that only embeds texts, and counts them."""

    def __init__(self, model: Embedder, share: Share) -> None:
        self.name = model.name
        self._model = model
        self._share = share

    def embed(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> Embedded:
        """Vectors that say nothing: what else is embedded does not depend on them."""
        self._share.add(texts, "", recorded=self._model.recorded_texts(texts, form, repeat=repeat))
        return Embedded(tuple((1.0,) for _ in texts), Reply(""))

    def recorded_texts(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> bool:
        """Whether a recording would answer."""
        return self._model.recorded_texts(texts, form, repeat=repeat)


def show_plan(session: pytest.Session) -> None:
    """Writes the plan of the collected suites to the terminal."""
    config = session.config
    run = run_of(config)
    shares: dict[tuple[str, str], Share] = defaultdict(Share)
    obstacles: list[tuple[str, Obstacle, str]] = []
    problems: dict[str, None] = {}
    own_data = False
    for item in session.items:
        if (left := left_out_of(item)) is not None:
            obstacles.append((function_of(item), left.obstacle, left.reason))
        if (suite := suite_of(item)) is None:
            continue
        own_data = own_data or suite.source.own
        try:
            for trial in _trials(suite, run):
                _count(trial, shares[suite.name, suite.target.model], blame=run.settings.blame)
        except LeftOutError as problem:
            obstacles.append((suite.function, problem.obstacle, str(problem)))
        except AutoevalError as problem:
            raise pytest.UsageError(str(problem)) from None
        # Some are found only when the samples are drawn.
        problems |= dict.fromkeys((*suite.source.shortfalls, *suite.source.problems))
    _refuse_useless(config, obstacles, planned=bool(shares), own_data=own_data)
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None:
        terminal.section("autoeval: the plan")
    reasons = [(function, reason) for function, _, reason in obstacles]
    for line in (*_table(run.settings, dict(sorted(shares.items()))), *left_out(config, problems, reasons)):
        if terminal is not None:
            terminal.write_line(line)
        else:
            sys.stdout.write(f"{line}\n")


def _refuse_useless(
    config: pytest.Config, obstacles: Sequence[tuple[str, Obstacle, str]], *, planned: bool, own_data: bool
) -> None:
    """Refuses what a run would refuse in the end."""
    if not planned and (reasons := [reason for _, obstacle, reason in obstacles if obstacle == "formula"]):
        raise pytest.UsageError(*dict.fromkeys(reasons))
    if not own_data and (reasons := [reason for _, obstacle, reason in obstacles if obstacle == "data"]):
        refuse_unused_data(config, reasons)


def _trials(suite: Suite, run: Run) -> list[Trial]:
    """All trials of a suite, those of its kept counterexamples included."""
    samples = draw(suite, run.settings).samples
    if run.kept and not run.settings.formula:
        samples = [*samples, *kept_samples(run.kept, suite).samples]
    run.teach(suite.target.model, samples)
    return run.trials(samples, suite)


def _count(trial: Trial, share: Share, *, blame: bool) -> None:
    """Counts what a trial would ask: its task, or where the marker names none, a round trip.

    A round trip whose end is not recorded counts as one that fails, so that the question whom to blame is in the plan.
    """
    share.samples += 1
    if isinstance(trial.model, Embedder):
        trial.model = PlannedEmbedder(trial.model, share)
    else:
        trial.model = PlannedModel(trial.model, share, str(trial.about.formula))
    with under_trial(trial), suppress(MeaningLostError, UndecidedError):
        if trial.task is not None:
            trial.task.perform(trial)
        elif blame:
            blaming(_judged_round_trip)(trial)
        else:
            round_trip(trial.about)


def _judged_round_trip(trial: Trial) -> None:
    assert_equivalent(round_trip(trial.about), trial.about.formula)


def _table(settings: Settings, shares: dict[tuple[str, str], Share]) -> list[str]:
    if not shares:
        return ["no pass-rate test was collected: nothing would be asked"]
    prices = {model: (0.0, 0.0) for _, model in shares if is_offline(model) or is_local(model)}
    prices |= {name: (spent, made) for name, spent, made in settings.price}
    lines = [f"{'samples':>8}{'calls':>8}{'replayed':>10}{'tokens in':>11}{'tokens out':>12}{'USD':>9}  suite"]
    for (suite, model), share in shares.items():
        lines.append(f"{_figures(share, prices.get(model))}  {suite}[{model}]")
    total = Share()
    for share in shares.values():
        for name in Share.__slots__:
            setattr(total, name, getattr(total, name) + getattr(share, name))
    costs = [_cost(share, prices.get(model)) for (_, model), share in shares.items()]
    known = [cost for cost in costs if cost is not None]
    lines.append(f"{_figures(total, None, sum(known) if len(known) == len(costs) else None)}  in all")
    lines.append(
        "Tokens are estimates (four characters each); a body is taken to carry out its marker's task, or a round trip; "
        "shrinking comes on top."
    )
    if settings.stop_early:
        lines.append("--autoeval-stop-early: a suite whose gate is decided before its end takes less than this.")
    if settings.blame:
        lines.append(
            "--autoeval-blame asks once more about each round trip that fails: a call for each that is not recorded is "
            "in the plan, as if all of them failed."
        )
    if len(known) < len(costs):
        lines.append(
            "No cost where no price is known: give --autoeval-price=MODEL=INPUT/OUTPUT (USD for a million tokens)."
        )
    return lines


def _figures(share: Share, price: tuple[float, float] | None, cost: float | None = None) -> str:
    cost = cost if cost is not None else _cost(share, price)
    shown = "—" if cost is None else f"{cost:.2f}"
    counts = f"{share.samples:>8,}{share.calls:>8,}{share.replayed:>10,}"
    return f"{counts}{share.prompt_tokens:>11,}{share.answer_tokens:>12,}{shown:>9}"


def _cost(share: Share, price: tuple[float, float] | None) -> float | None:
    if price is None:
        return 0.0 if share.replayed == share.calls else None
    return (share.prompt_tokens * price[0] + share.answer_tokens * price[1]) / 1_000_000
