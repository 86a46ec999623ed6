"""What a `conftest.py` adds to a run: languages, grammars, data sets, tasks, models, prompts, figures and sections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import isgeneratorfunction, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from pytest_autoeval.built_in import Kind
from pytest_autoeval.by_name import adding
from pytest_autoeval.errors import AutoevalError, check_type, near_folder
from pytest_autoeval.outcomes import OutcomeKind, SampleOutcome, check_own_outcome
from pytest_autoeval.users_code import takes_repeat

if TYPE_CHECKING:
    from pytest_autoeval.datasets import DataSet
    from pytest_autoeval.generation.grammars import Grammar
    from pytest_autoeval.generation.vocabularies import Names
    from pytest_autoeval.judging.added_gates import GateFunction
    from pytest_autoeval.languages import Language, Vocabulary
    from pytest_autoeval.models.protocols import Model
    from pytest_autoeval.report.added_figures import FiguresFunction
    from pytest_autoeval.report.analysis import Analysis
    from pytest_autoeval.report.blocks import AnyBlock, Section
    from pytest_autoeval.tasks.task import Task
    from pytest_autoeval.tasks.wrappers import Wrapper


#: The kinds of witnesses that the page draws itself: the names in `drawings.js`.
DRAWN_KINDS = frozenset({"assignment", "finite model", "trace", "string", "symbol"})


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
        self.wrappers: list[Wrapper] = []
        self.gates: list[GateFunction] = []
        self._outcomes: dict[str, SampleOutcome] = {}
        self._drawings: dict[str, Callable[[Mapping[str, Any]], str]] = {}

    def add_language(self, instance: Language) -> None:
        """Adds a language. Its prompts come with `add_prompts`."""
        self.languages[_name_of("add_language", instance, "parse")] = instance

    def add_grammar(
        self,
        name: str,
        path: str | Path,
        language: str | None = None,
        vocabulary: Vocabulary | Names | None = None,
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
        check_type("add_grammar: name", name, str)
        check_type("add_grammar: path", path, str, Path)
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

    def add_outcome(  # noqa: PLR0913 - what `--autoeval-explain` says of it
        self,
        name: str,
        code: str,
        kind: Literal["model failure", "undecided", "error"],
        title: str,
        *,
        meaning: str = "",
        causes: Sequence[str] = (),
        advice: str = "",
        about: Literal["meaning", "form", ""] = "",
        answer_read: bool = True,
    ) -> None:
        """Adds a way in which a sample can end::

            def pytest_autoeval_register(registry):
                registry.add_outcome(
                    "impolite",
                    "POL1",
                    "model failure",
                    "The description is not polite",
                    advice="Ask for politeness in the prompt.",
                )

        A test ends a sample in this way with ``raise MeaningLostError("impolite", "what was found")``, a task with
        ``Judgement(outcome="impolite", message="what was found")``. ``--autoeval-explain=POL1`` explains it. The
        results file declares it, so that `report` needs no `conftest.py`.

        Args:
            name: its name, which no other outcome has.
            code: two to eight capitals and a number. Codes that begin with AE are those of shipped outcomes.
            kind: how it counts. A ``model failure`` lowers the pass rate, an ``undecided`` sample opens it into a lower
                and an upper bound, and an ``error`` is left out of it and fails the gate.
            title: what it means, in a few words.
            meaning: what it means, in a few sentences.
            causes: the likely causes.
            advice: what to do.
            about: whether it is about the meaning of an answer or its form.
            answer_read: whether something of the asked form was read in the answer.

        Raises:
            AutoevalError: the name is taken, or the code or kind is not allowed.
        """
        if isinstance(causes, str):
            raise AutoevalError(
                f"add_outcome: the causes of {name!r} are a text; give a list of texts"
            )
        kinds = [kind_of_outcome for kind_of_outcome in OutcomeKind if kind_of_outcome == kind]
        given = kinds[0] if kinds else cast("OutcomeKind", kind)
        outcome = SampleOutcome(
            code, name, given, title, meaning, tuple(causes), advice, about, answer_read
        )
        try:
            check_own_outcome(outcome)
        except AutoevalError as problem:
            raise AutoevalError(f"add_outcome: {problem}") from None
        twice = [
            other.name
            for other in self._outcomes.values()
            if other.code == code and other.name != name
        ]
        if twice:
            raise AutoevalError(
                f"add_outcome: the code {code} is that of the outcome {twice[0]!r} already"
            )
        self._outcomes[name] = outcome

    def add_prompts(self, folder: str | Path) -> None:
        """Adds a folder of prompts (`informalize/LANGUAGE.toml`, …). They are used instead of shipped ones.

        Raises `AutoevalError` if there is no such folder.
        """
        check_type("add_prompts: folder", folder, str, Path)
        place = self.root / folder
        if not place.is_dir():
            raise AutoevalError(f"add_prompts: there is no folder {place}{near_folder(place)}")
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
        if isinstance(factory, type):
            complete = getattr(factory, "complete", None)
            if not callable(complete) or not takes_repeat(complete):
                raise AutoevalError(
                    f"add_model({name!r}, …): {factory.__name__} has no method complete(messages, *, repeat)"
                )
        try:
            if _has_constructor(factory):
                signature(factory).bind()
        except TypeError as error:
            problem = f"{error}; give a class, or a function without arguments that makes the model"
            raise AutoevalError(f"add_model({name!r}, …): {problem}") from None
        self.models[name] = factory

    def add_wrapper(self, wrapper: Wrapper) -> None:
        """Adds code that runs around the body of a test, once for each sample::

            class Understood(Part, frozen=True):
                answer: str

            def asks_again(trial):
                yield  # the body runs here
                if trial.description is not None:
                    trial.add(Understood(Llm().ask(f"Is this clear? {trial.description}")))

            def pytest_autoeval_register(registry):
                registry.add_wrapper(asks_again)

        The calls that it makes are recorded, counted and limited like others; ``--autoeval-plan`` does not foresee
        them. It is not run around the samples that shrinking makes.

        Args:
            wrapper: a generator function with one ``yield``. It gets the trial, which has the formula, the description,
                the answer and the calls. A body that fails raises its error at the ``yield``. The wrapper cannot change
                how the sample ends, but an error in it is an ``error`` of the sample.

        Raises:
            AutoevalError: ``wrapper`` is no generator function, or cannot be called with a trial.
        """
        _check_function("add_wrapper", wrapper, "a trial")
        if not isgeneratorfunction(wrapper):
            raise AutoevalError(
                f"add_wrapper({wrapper!r:.100}): give a generator function, with a yield for the body"
            )
        if wrapper not in self.wrappers:
            self.wrappers.append(wrapper)

    def add_figures(self, function: FiguresFunction, kind: str = "") -> None:
        """Adds figures to every suite, or to the suites of some tasks.

        They stand below the pass rate on every screen, in the summary and in trends::

            def polite(samples):
                yield rate("polite answers", sum("please" in (sample.answer or "") for sample in samples), len(samples))

            def pytest_autoeval_register(registry):
                registry.add_figures(polite)

        Figures with an interval are compared with those of a baseline. The results file keeps them, so that `report`
        shows them without the function. If the function fails, the test of the suite fails and says so.
        `docs/reference/results.md#sample` lists the keys of a sample. ``sample.suite.asked`` says what its suite asked.

        Args:
            function: gets the samples of a suite that count, as the results file has them, also those that ended in an
                error. It returns or yields objects of `Figure`, `Figures` and `Table`, or returns one alone. The
                figures of a suite have different names.
            kind: the figures are those of the tasks whose attribute `figures` has this value; a round trip has none.
                The function then gets the samples without an error.

        Raises:
            AutoevalError: ``function`` cannot be called with the samples, or the kind is no text.
        """
        _check_function("add_figures", function, "the samples of a suite")
        if not isinstance(kind, str):
            raise AutoevalError(f"add_figures: the kind of figures is {kind!r:.100}; give a text")
        if kind:
            self._figures_by_kind[kind] = function
        elif function not in self.figures:
            self.figures.append(function)

    def add_gate(self, function: GateFunction) -> None:
        """Adds a gate of your own to every suite::

            def answers_are_short(samples):
                long = sum(len(sample.answer or "") > 500 for sample in samples)
                verdict = "failed" if long > len(samples) / 10 else "passed"
                return GateResult(verdict, f"{long} of {len(samples)} answers have more than 500 characters")

            def pytest_autoeval_register(registry):
                registry.add_gate(answers_are_short)

        A suite passes only if all of its gates pass. The results file keeps what the gate said, so that `report` judges
        without the function. A part of a suite, and a suite that did not run whole, are not judged by it; suites that
        are joined from several files are then inconclusive. With ``--autoeval-stop-early`` a suite that would pass runs
        whole.

        Args:
            function: gets the samples of a suite that count, also those that ended in an error. It returns a
                `GateResult`, or None for a suite that it does not judge. If it raises an exception, the gate fails.

        Raises:
            AutoevalError: ``function`` cannot be called with the samples.
        """
        _check_function("add_gate", function, "the samples of a suite")
        if function not in self.gates:
            self.gates.append(function)

    def add_blocks(self, function: Callable[[Analysis], Iterable[Section | AnyBlock]]) -> None:
        """Adds sections to the report of a run. They are not kept in the results file.

        Args:
            function: gets the analysis (`Report.analysis`), and returns or yields objects of `Section`, or blocks
                (`Figures`, `Table`, `Curve`, `Note`), which become a section with the name of the function. It may
                return one alone.

        Raises:
            AutoevalError: ``function`` cannot be called with the analysis.
        """
        _check_function("add_blocks", function, "the analysis of a run")
        if function not in self.blocks:
            self.blocks.append(function)

    def add_drawing(self, kind: str, function: Callable[[Mapping[str, Any]], str]) -> None:
        """Adds how the page draws the witnesses of a language of your own.

        The drawing is shown as an image: a script in it does not run, and it loads nothing. It is part of the pages
        that the run itself writes.

        Args:
            kind: the value of ``kind`` in `Witness.to_json` of these witnesses, which no shipped language has.
            function: gets what `Witness.to_json` gave, and returns the drawing: the text of an SVG image.

        Raises:
            AutoevalError: ``function`` cannot be called with a witness, or the kind is drawn already.
        """
        if not isinstance(kind, str) or not kind:
            raise AutoevalError(f"add_drawing: the kind of a witness is {kind!r}; give a text")
        if kind in DRAWN_KINDS:
            raise AutoevalError(
                f"add_drawing: the page draws witnesses of the kind {kind!r} itself; name another kind"
            )
        _check_function("add_drawing", function, "what to_json() of a witness gives")
        self._drawings[kind] = function

    def entries(self, kind: Kind) -> dict[str, Any]:
        """What was added of a kind, by name."""
        of_kind: dict[Kind, dict[str, Any]] = {
            "language": self.languages,
            "grammar": self.grammars,
            "data set": self.data_sets,
            "task": self.tasks,
            "figures": self._figures_by_kind,
            "outcome": self._outcomes,
            "drawing": self._drawings,
        }
        return of_kind.get(kind, {})

    @contextmanager
    def active(self) -> Iterator[Self]:
        """Makes the entries known inside a ``with``; the innermost run counts."""
        with adding(self.entries):
            yield self


def _has_constructor(factory: Callable[[], object]) -> bool:
    """Whether a class or function may need arguments. `signature` of a class without a constructor takes 3 ms."""
    is_plain_class = type(factory) is type
    constructors = (getattr(factory, "__init__", None), getattr(factory, "__new__", None))
    return not is_plain_class or constructors != (object.__init__, object.__new__)


def _check_function(method: str, function: Callable[[Any], object], given: str) -> None:
    """Raises `AutoevalError` if a function cannot be called with one argument."""
    if not callable(function):
        raise AutoevalError(f"{method}({function!r:.100}): give a function that takes {given}")
    try:
        signature(function).bind(None)
    except TypeError as error:
        name = getattr(function, "__qualname__", repr(function))
        raise AutoevalError(
            f"{method}({name}): {error}; give a function that takes {given}"
        ) from None
    except ValueError:  # a function in C without a signature
        return


def _name_of(method: str, instance: Any, *needed: str) -> str:
    """The name of an object to add. Raises `AutoevalError` if it lacks the name or another attribute."""
    if isinstance(instance, type):
        kind = instance.__name__
        raise AutoevalError(
            f"{method}({kind}): {kind} is a class; give an object of it: {method}({kind}())"
        )
    kind = type(instance).__name__
    if lacking := [
        attribute for attribute in ("name", *needed) if not hasattr(instance, attribute)
    ]:
        raise AutoevalError(f"{method}: {kind} has no attribute {lacking[0]!r}")
    name = instance.name
    if not isinstance(name, str) or not name:
        raise AutoevalError(f"{method}: the name of {kind} is {name!r}; give a text")
    return name
