"""The fixtures. Those that ask a model have no state: model and sample come from the current trial."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_autoeval.errors import AutoevalError

if TYPE_CHECKING:
    from pytest_autoeval.languages import Formula, Verdict
    from pytest_autoeval.tasks.round_trip import Llm
    from pytest_autoeval.tasks.trial import Judgement

#: Private to Hypothesis, which has no public way to ask for the settings of a test.
_HYPOTHESIS_SETTINGS = "_hypothesis_internal_use_settings"


class EachSample:
    """Placeholder in a pass-rate test's arguments until its body runs, once with each sample."""

    def __getattr__(self, name: str) -> NoReturn:
        # pytest and others look for such attributes in any value. That is no use of the sample.
        if name.startswith("__"):
            raise AttributeError(name)
        raise AutoevalError(
            "a fixture cannot use 'sample': a fixture is set up once, and the test's body runs once per sample. "
            "Use the sample in the body of the test"
        )


@pytest.fixture
def sample(request: pytest.FixtureRequest) -> Any:
    """The drawn formula of a pass-rate test: sample.formula, .text, .operators, .index, .grammar, .vocabulary."""
    if request.node.get_closest_marker("autoeval") is None:
        # Without a traceback: it would show our code, not the test.
        pytest.fail(
            "'sample' needs a marker: write @pytest.mark.autoeval(\"propositional\") above the test",
            pytrace=False,
        )
    return EachSample()


@pytest.fixture(scope="session")
def llm() -> Llm:
    """The model under test: llm.informalize(formula), .autoformalize(text, like=sample), .ask(…), .conversation()."""
    from pytest_autoeval.tasks.round_trip import Llm

    return Llm()


@pytest.fixture(scope="session")
def round_trip() -> Callable[..., Formula]:
    """round_trip(formula): the model describes the formula and reads its own description; returns what it read."""
    from pytest_autoeval.tasks import round_trip as module

    return module.round_trip


@pytest.fixture(scope="session")
def perform() -> Callable[..., Judgement]:
    """perform(): runs the marker's task on the test's sample; returns the Judgement of a right answer."""
    from pytest_autoeval.tasks import trial as module

    return module.perform


@pytest.fixture(scope="session")
def assert_equivalent() -> Callable[..., Verdict]:
    """assert_equivalent(actual, expected): asserts that two formulas mean the same, by formal verification."""
    from pytest_autoeval.tasks import equivalence_check as module

    return module.assert_equivalent


def suit_to_models(item: pytest.Item) -> None:
    """Turns off two Hypothesis settings in a property (`@given`) that asks a model, unless the test sets them.

    The deadline, because calls take time. The phase `explain`, because it asks for many more answers.
    """
    function: Any = getattr(item, "obj", None)
    function = getattr(function, "__func__", function)
    test_settings = getattr(function, _HYPOTHESIS_SETTINGS, None)
    if test_settings is None:
        return
    from hypothesis import Phase, settings

    # A value that differs from the default was set by the test.
    default: Any = settings.default
    deadline = None if test_settings.deadline == default.deadline else test_settings.deadline
    phases = test_settings.phases
    if phases == default.phases:
        phases = tuple(phase for phase in phases if phase is not Phase.explain)
    setattr(
        function, _HYPOTHESIS_SETTINGS, settings(test_settings, deadline=deadline, phases=phases)
    )
