"""The registry of shipped plugins: what users have, and what only shipped plugins need."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_autoeval.built_in import Kind
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.registry import Registry

if TYPE_CHECKING:
    from pytest_autoeval.datasets.catalogue import ShippedDataSet
    from pytest_autoeval.judging.added_gates import SuiteGate
    from pytest_autoeval.models.connections import Connection
    from pytest_autoeval.models.offline.answering import Exercise
    from pytest_autoeval.report.added_figures import FiguresFunction
    from pytest_autoeval.report.analysis import Analysis
    from pytest_autoeval.report.blocks import AnyBlock, Section
    from pytest_autoeval.report.matrix_measures import Measure
    from pytest_autoeval.report.suite_summary import SuiteSummary
    from pytest_autoeval.tasks.wrappers import Wrapper


def _for_users_only(method: str, instead: str) -> Callable[..., NoReturn]:
    """A method of users that a shipped plugin must not call. It raises `AutoevalError`, which says what to write."""

    def refuse(_registry: Registry, *_arguments: object, **_keywords: object) -> NoReturn:
        raise AutoevalError(f"{method}: nothing reads this of a shipped plugin; {instead}")

    return refuse


class ShippedRegistry(Registry):
    """The registry that shipped plugins get. Each name of an entry stands in the list of `built_in.py`.

    Features of users need none of the further methods: the list decides when a shipped plugin is loaded. Methods of
    users are refused where only the registry of a run is read: what they add would have no effect.
    """

    def __init__(self) -> None:
        super().__init__()
        self._exercises: dict[str, Exercise] = {}
        self._connections: dict[str, Callable[..., Connection]] = {}
        self._shipped_data_sets: dict[str, ShippedDataSet] = {}
        self._wrappers_by_name: dict[str, Wrapper] = {}
        self._examiners: dict[str, str] = {}
        self._preparations: dict[str, Callable[..., None]] = {}
        self._command_options: dict[str, Callable[..., Any]] = {}
        self._commands: dict[str, Callable[[list[str]], int]] = {}
        self._sections: dict[str, Callable[[Analysis], Iterable[Section | AnyBlock]]] = {}
        self._gates: dict[str, SuiteGate] = {}
        self._measures: dict[str, Measure] = {}
        self._suite_blocks: dict[str, Callable[[SuiteSummary], Iterable[AnyBlock]]] = {}

    add_grammar = _for_users_only("add_grammar", "put the .lark file into the folder grammars/")
    add_data_set = _for_users_only(
        "add_data_set", "write registry.add_shipped_data_set(name, described)"
    )
    add_outcome = _for_users_only("add_outcome", "declare the outcome in outcome_texts.py")
    add_prompts = _for_users_only(
        "add_prompts", "make the plugin a package with a folder prompts/, which is found"
    )
    add_model = _for_users_only("add_model", "write registry.add_connection(name, function)")
    add_wrapper = _for_users_only("add_wrapper", "write registry.add_named_wrapper(name, wrapper)")
    add_blocks = _for_users_only(
        "add_blocks",
        "write registry.add_section(name, function), or registry.add_suite_blocks(name, function) for each suite",
    )
    add_gate = _for_users_only("add_gate", "write registry.add_suite_gate(gate)")
    add_drawing = _for_users_only(
        "add_drawing", "draw the witness in report/renderers/page/drawings.js"
    )

    def add_figures(self, function: FiguresFunction, kind: str = "") -> None:
        """Adds the figures of a kind of tasks, as for users. Figures of every suite are blocks (`add_suite_blocks`)."""
        if not kind:
            raise AutoevalError(
                "add_figures without a kind: nothing reads this of a shipped plugin; "
                "write registry.add_suite_blocks(name, function)"
            )
        super().add_figures(function, kind)

    def add_section(
        self, name: str, function: Callable[[Analysis], Iterable[Section | AnyBlock]]
    ) -> None:
        """Adds a section of the report, as `add_blocks` does for users."""
        self._sections[name] = function

    def add_suite_blocks(
        self, name: str, function: Callable[[SuiteSummary], Iterable[AnyBlock]]
    ) -> None:
        """Adds what is said of each suite in its section of the report. A user's function for this is `add_figures`."""
        self._suite_blocks[name] = function

    def add_suite_gate(self, gate: SuiteGate) -> None:
        """Adds a gate of suites under its ``kind``. A user's gate is a function: `add_gate`."""
        self._gates[gate.kind] = gate

    def add_measure(self, name: str, measure: Measure) -> None:
        """Adds a measure of suites, which has a column in the matrix."""
        self._measures[name] = measure

    def add_named_wrapper(self, name: str, wrapper: Wrapper) -> None:
        """Adds a wrapper that an option of the run asks for, as `add_wrapper` does for users."""
        self._wrappers_by_name[name] = wrapper

    def add_exercise(self, function: Exercise, *labels: str) -> None:
        """Adds an exercise that the offline models can do, for a task.

        Args:
            function: gets the behaviour of the model, the request and random numbers, and returns the answer.
            labels: begin the lines of the prompt that the exercise reads, as in ``Formula: p1``.
        """
        self._exercises[", ".join(labels)] = function

    def add_command(self, name: str, main: Callable[[list[str]], int]) -> None:
        """Adds a command ``python -m pytest_autoeval NAME`` of a shipped plugin.

        Args:
            name: its name.
            main: gets the arguments after the name, and returns the exit code. It raises `AutoevalError` for a mistake
                of the user.
        """
        self._commands[name] = main

    def add_preparation(self, name: str, function: Callable[..., None]) -> None:
        """Adds what must be done before the samples of some sources are drawn.

        Args:
            name: the value of the attribute `preparation` of these sources.
            function: gets the source, the engine, and what is asked how; for a plan also a function that stands for
                the model.
        """
        self._preparations[name] = function

    def add_connection(self, name: str, function: Callable[..., Connection]) -> None:
        """Adds a way to models.

        Args:
            name: the beginning of the names of its models, such as ``litellm/``, or ``batch``.
            function: opens the connection; `Upstream` says with which arguments.
        """
        self._connections[name] = function

    def add_shipped_data_set(self, name: str, described: ShippedDataSet) -> None:
        """Adds a data set that is made from a shipped file, or from the files of a user."""
        self._shipped_data_sets[name] = described

    def add_examiner(self, name: str, location: str) -> None:
        """Adds what the command `check` says of the data of a shipped plugin.

        Args:
            name: what is examined.
            location: a class like `datasets.checking.Examined`, as ``module:name``, since most runs do not need it.
        """
        self._examiners[name] = location

    def add_command_option(self, name: str, function: Callable[..., Any]) -> None:
        """Adds what an option of a command of the core needs.

        Args:
            name: the command and the option, such as ``report --plots``.
            function: called by the command, which says with what.
        """
        self._command_options[name] = function

    def entries(self, kind: Kind) -> dict[str, Any]:
        of_kind: dict[Kind, dict[str, Any]] = {
            "section": self._sections,
            "exercise": self._exercises,
            "command": self._commands,
            "connection": self._connections,
            "command option": self._command_options,
            "preparation": self._preparations,
            "shipped data set": self._shipped_data_sets,
            "examiner": self._examiners,
            "wrapper": self._wrappers_by_name,
            "suite blocks": self._suite_blocks,
            "measure": self._measures,
            "gate": self._gates,
        }
        return of_kind[kind] if kind in of_kind else super().entries(kind)


#: What the shipped plugins add, from the first use of each on.
SHIPPED = ShippedRegistry()
