"""The fixtures. Those that ask hold nothing of a run: which model and sample they speak of is the current trial's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_autoeval.errors import AutoevalError

if TYPE_CHECKING:
    from pytest_autoeval.languages import Formula, Verdict
    from pytest_autoeval.tasks.round_trip import Llm

_HYPOTHESIS_SETTINGS = "_hypothesis_internal_use_settings"


class EachSample:
    """Stands in a pass-rate test's arguments until its body is run, once with each sample."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise AutoevalError(
            "a fixture cannot use 'sample': fixtures are made once for an item, and its body runs once per sample. "
            "Use the sample in the body of the test"
        )


@pytest.fixture
def sample(request: pytest.FixtureRequest) -> Any:
    """The drawn formula of a pass-rate test: sample.formula, .text, .operators, .index, .grammar, .vocabulary."""
    if request.node.get_closest_marker("autoeval") is None:
        raise AutoevalError("'sample' is for pass-rate tests: mark the test @pytest.mark.autoeval(\"propositional\")")
    return EachSample()


@pytest.fixture(scope="session")
def llm() -> Llm:
    """The model under test: llm.informalize(formula), .autoformalize(text, like=sample), .ask(…), .conversation()."""
    from pytest_autoeval.tasks.round_trip import Llm

    return Llm()


@pytest.fixture(scope="session")
def round_trip() -> Callable[..., Formula]:
    """round_trip(formula): the formula that comes back when the model describes it and reads its own description."""
    from pytest_autoeval.tasks import round_trip as task

    return task.round_trip


@pytest.fixture(scope="session")
def perform() -> Callable[[Any], object]:
    """perform(sample): carries out the task that the test's marker names; the answer is judged by its outcome."""
    from pytest_autoeval.tasks.trial import current_trial

    def carry_out(sample: Any) -> object:
        trial = current_trial()
        if trial.task is None or sample is not trial.subject:
            raise AutoevalError("perform(sample) takes the test's own sample, and its marker names the task")
        trial.performed = True
        return trial.task.perform(trial)

    return carry_out


@pytest.fixture(scope="session")
def assert_equivalent() -> Callable[..., Verdict]:
    """assert_equivalent(actual, expected): asserts by formal verification that two formulas mean the same."""
    from pytest_autoeval.tasks import round_trip as task

    return task.assert_equivalent


def suit_to_models(item: pytest.Item) -> None:
    """Turns off what does not suit a property (`@given`) that asks a model, where the test left it at its default.

    The deadline: the time of a call is no failure. The phase that explains: it asks for many more answers.
    """
    function: Any = getattr(item, "obj", None)
    function = getattr(function, "__func__", function)
    given = getattr(function, _HYPOTHESIS_SETTINGS, None)
    if given is None:
        return
    from hypothesis import Phase, settings

    default: Any = settings.default
    deadline = None if given.deadline == default.deadline else given.deadline
    phases = given.phases
    if phases == default.phases:
        phases = tuple(phase for phase in phases if phase is not Phase.explain)
    setattr(function, _HYPOTHESIS_SETTINGS, settings(given, deadline=deadline, phases=phases))
