"""What a `conftest.py` adds to a run: languages, grammars, data sets, tasks, models, prompts, figures and sections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pytest_autoeval.built_in import Kind
from pytest_autoeval.by_name import adding
from pytest_autoeval.errors import AutoevalError

if TYPE_CHECKING:
    from pytest_autoeval.datasets import DataSet
    from pytest_autoeval.datasets.catalogue import ShippedDataSet
    from pytest_autoeval.generation.grammars import Grammar
    from pytest_autoeval.generation.vocabularies import Names
    from pytest_autoeval.languages import Language, Vocabulary
    from pytest_autoeval.models import Model
    from pytest_autoeval.models.connections import Connection
    from pytest_autoeval.models.offline.conversation import Exercise
    from pytest_autoeval.report.added_figures import FiguresFunction
    from pytest_autoeval.report.analysis import Analysis
    from pytest_autoeval.report.blocks import AnyBlock, Section
    from pytest_autoeval.tasks import Task


class Registry:
    """The languages, grammars, prompts, tasks, models and data sets that a `conftest.py` adds to a run::

        def pytest_autoeval_register(registry: Registry) -> None:
            registry.add_task(Negation())

    An entry replaces an earlier one of the same name. Entries last for one run.

    Args:
        root: the folder that relative paths start from; in a run, pytest's root folder.
    """

    def __init__(self, root: Path = Path()) -> None:
        self.root = root
        self.languages: dict[str, Language] = {}
        self.grammars: dict[str, Grammar] = {}
        self.data_sets: dict[str, DataSet] = {}
        self.tasks: dict[str, Task] = {}
        self.models: dict[str, Callable[[], Model]] = {}
        self.prompt_folders: list[Path] = []
        self.figures: list[FiguresFunction] = []
        self.blocks: list[Callable[[Analysis], Iterable[Section | AnyBlock]]] = []
        self._figures_by_kind: dict[str, FiguresFunction] = {}
        self._exercises: dict[str, Exercise] = {}
        self._connections: dict[str, Callable[..., Connection]] = {}
        self._shipped_data_sets: dict[str, ShippedDataSet] = {}
        self._examiners: dict[str, str] = {}
        self._preparations: dict[str, Callable[..., None]] = {}
        self._command_options: dict[str, Callable[..., Any]] = {}
        self._commands: dict[str, Callable[[list[str]], int]] = {}
        self._sections: dict[str, Callable[[Analysis], Iterable[Section | AnyBlock]]] = {}

    def add_language(self, instance: Language) -> None:
        """Adds a language. Its prompts come with `add_prompts`."""
        self.languages[_name_of("add_language", instance, "parse")] = instance

    def add_grammar(
        self, name: str, path: str | Path, language: str | None = None, vocabulary: Vocabulary | Names | None = None
    ) -> None:
        """Adds a grammar, for `@autoeval(name)`.

        Args:
            name: its name.
            path: the ``.lark`` file.
            language: the name of its language; not needed if the file begins with a comment ``// language: NAME``.
            vocabulary: the names for its slots in tests that give none; see `autoeval`.

        Raises:
            AutoevalError: there is no such file.
        """
        file = self.root / path
        if not file.is_file():
            raise AutoevalError(f"add_grammar({name!r}): there is no file {file}")
        if isinstance(vocabulary, str | Path) and (self.root / vocabulary).is_file():
            vocabulary = self.root / vocabulary
        from pytest_autoeval.generation.grammars import Grammar

        self.grammars[name] = Grammar(name, file, language, vocabulary)

    def add_data_set(self, data_set: DataSet) -> None:
        """Adds a data set, for `@autoeval(name, task=…)`."""
        self.data_sets[_name_of("add_data_set", data_set, "items", "language")] = data_set

    def add_task(self, task: Task) -> None:
        """Adds a task, for `@autoeval(…, task=name)`. Its prompts come with `add_prompts`."""
        self.tasks[_name_of("add_task", task, "judge")] = task

    def add_prompts(self, folder: str | Path) -> None:
        """Adds a folder of prompts (`informalize/LANGUAGE.toml`, …). They are used instead of shipped ones.

        Raises `AutoevalError` if there is no such folder.
        """
        place = self.root / folder
        if not place.is_dir():
            raise AutoevalError(f"add_prompts: there is no folder {place}")
        self.prompt_folders.append(place)

    def add_model(self, name: str, factory: Callable[[], Model]) -> None:
        """Adds a model, for `--autoeval-model=NAME`.

        Its answers are recorded, and its calls are counted and limited, as those of a server.

        Args:
            name: its name.
            factory: makes the model: its class, or a function. It is called once in each process, at the first call.

        Raises:
            AutoevalError: ``factory`` cannot be called without arguments, or is a class without ``complete``.
        """
        if isinstance(factory, type) and not callable(getattr(factory, "complete", None)):
            raise AutoevalError(
                f"add_model({name!r}, …): {factory.__name__} has no method complete(messages, *, repeat)"
            )
        try:
            signature(factory).bind()
        except TypeError as error:
            problem = f"{error}; give a class, or a function without arguments that makes the model"
            raise AutoevalError(f"add_model({name!r}, …): {problem}") from None
        self.models[name] = factory

    def add_figures(self, function: FiguresFunction, kind: str = "") -> None:
        """Adds figures to every suite, or to the suites of some tasks.

        They stand below the pass rate on every screen, in the summary and in trends::

            def polite(samples):
                yield rate("polite answers", sum("please" in (sample.answer or "") for sample in samples), len(samples))

            def pytest_autoeval_register(registry):
                registry.add_figures(polite)

        Figures with an interval are compared with those of a baseline. The results file keeps them, so that `report`
        shows them without the function. If the function fails, the test of the suite fails and says so.

        Args:
            function: gets the samples of a suite that count, also those that ended in an error. It returns or yields
                objects of `Figure`, `Figures` and `Table`. The figures of a suite have different names.
            kind: the figures are those of the tasks whose attribute `figures` has this value. They are computed when
                a report is made, from the samples without an error.

        Raises:
            AutoevalError: ``function`` cannot be called with the samples.
        """
        _check_function("add_figures", function, "the samples of a suite")
        if kind:
            self._figures_by_kind[kind] = function
        elif function not in self.figures:
            self.figures.append(function)

    def add_blocks(self, function: Callable[[Analysis], Iterable[Section | AnyBlock]], section: str = "") -> None:
        """Adds sections to the report of a run. They are not kept in the results file.

        Args:
            function: gets the analysis (`Report.analysis`), and returns or yields objects of `Section`, or blocks
                (`Figures`, `Table`, `Curve`, `Note`), which become a section with the name of the function.
            section: for a shipped plugin, the name of its section in the list of plugins.

        Raises:
            AutoevalError: ``function`` cannot be called with the analysis.
        """
        _check_function("add_blocks", function, "the analysis of a run")
        if section:
            self._sections[section] = function
        elif function not in self.blocks:
            self.blocks.append(function)

    def add_exercise(self, function: Exercise, *labels: str) -> None:
        """Adds an exercise that the offline models can do, for a task of a shipped plugin.

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
        """Adds what must be done before the samples of some sources are drawn, for a shipped plugin.

        Args:
            name: the value of the attribute `preparation` of these sources.
            function: gets the source and the engine; for a plan also a function that stands for the model.
        """
        self._preparations[name] = function

    def add_connection(self, name: str, function: Callable[..., Connection]) -> None:
        """Adds a way to models, for a shipped plugin.

        Args:
            name: the beginning of the names of its models, such as ``litellm/``, or ``batch``.
            function: opens the connection; `Upstream` says with which arguments.
        """
        self._connections[name] = function

    def add_shipped_data_set(self, name: str, described: ShippedDataSet) -> None:
        """Adds a data set that is made from a shipped file, or from the files of a user, for a shipped plugin."""
        self._shipped_data_sets[name] = described

    def add_examiner(self, name: str, location: str) -> None:
        """Adds what the command `check` says of the data of a shipped plugin.

        Args:
            name: what is examined.
            location: a class like `datasets.checking.Examined`, as ``module:name``, since most runs do not need it.
        """
        self._examiners[name] = location

    def add_command_option(self, name: str, function: Callable[..., Any]) -> None:
        """Adds what an option of a command of the core needs, for a shipped plugin.

        Args:
            name: the command and the option, such as ``report --plots``.
            function: called by the command, which says with what.
        """
        self._command_options[name] = function

    def entries(self, kind: Kind) -> dict[str, Any]:
        """What was added of a kind, by name."""
        of_kind: dict[Kind, dict[str, Any]] = {
            "language": self.languages,
            "grammar": self.grammars,
            "data set": self.data_sets,
            "task": self.tasks,
            "figures": self._figures_by_kind,
            "section": self._sections,
            "exercise": self._exercises,
            "part": {},
            "command": self._commands,
            "connection": self._connections,
            "command option": self._command_options,
            "preparation": self._preparations,
            "shipped data set": self._shipped_data_sets,
            "examiner": self._examiners,
        }
        return of_kind[kind]

    @contextmanager
    def active(self) -> Iterator[Self]:
        """Makes the entries known inside a ``with``; the innermost run counts."""
        with adding(self.entries):
            yield self


#: What the shipped plugins add, from the first use of each on.
SHIPPED = Registry()


def _check_function(method: str, function: Callable[[Any], object], given: str) -> None:
    """Raises `AutoevalError` if a function cannot be called with one argument."""
    if not callable(function):
        raise AutoevalError(f"{method}({function!r:.100}): give a function that takes {given}")
    try:
        signature(function).bind(None)
    except TypeError as error:
        name = getattr(function, "__qualname__", repr(function))
        raise AutoevalError(f"{method}({name}): {error}; give a function that takes {given}") from None
    except ValueError:  # a function in C without a signature
        return


def _name_of(method: str, instance: Any, *needed: str) -> str:
    """The name of an object to add. Raises `AutoevalError` if it lacks the name or another attribute."""
    if isinstance(instance, type):
        kind = instance.__name__
        raise AutoevalError(f"{method}({kind}): {kind} is a class; give an object of it: {method}({kind}())")
    kind = type(instance).__name__
    if lacking := [attribute for attribute in ("name", *needed) if not hasattr(instance, attribute)]:
        raise AutoevalError(f"{method}: {kind} has no attribute {lacking[0]!r}")
    name = instance.name
    if not isinstance(name, str) or not name:
        raise AutoevalError(f"{method}: the name of {kind} is {name!r}; give a text")
    return name
