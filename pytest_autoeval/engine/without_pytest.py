"""Suites without pytest: from a script, a notebook or another program."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from inspect import signature
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from types import NoneType
from typing import Any

from msgspec import structs

from pytest_autoeval.engine.asserting import AssertionScan
from pytest_autoeval.engine.bodies import Body
from pytest_autoeval.engine.collector import rarer_collections
from pytest_autoeval.engine.engine import Engine, rules_of
from pytest_autoeval.engine.events import Event, RunEnded, SuiteLeftOut
from pytest_autoeval.engine.formula_files import refuse_two_languages, unused_files
from pytest_autoeval.engine.given_models import with_own_models
from pytest_autoeval.engine.given_settings import settings_from
from pytest_autoeval.engine.keyword_names import in_keywords
from pytest_autoeval.engine.leader import Leader
from pytest_autoeval.engine.notes_of_servers import notes_of_servers
from pytest_autoeval.engine.settings import Settings
from pytest_autoeval.engine.suite import (
    TWO_MARKERS,
    LeftOutError,
    MarkerError,
    NothingDrawnError,
    PassRateTest,
    Suite,
    Target,
    read_test,
)
from pytest_autoeval.engine.suite_run import RunStoppedError, SuiteRun
from pytest_autoeval.engine.suites_of_test import suites_of
from pytest_autoeval.errors import AutoevalError, check_type, generates_here, raises_here
from pytest_autoeval.languages import language_names
from pytest_autoeval.models.model_settings import ModelSettings
from pytest_autoeval.models.pool import ModelPool
from pytest_autoeval.models.protocols import Model
from pytest_autoeval.prompts import PromptError, check_folder
from pytest_autoeval.record.lines import Planned
from pytest_autoeval.registry import Registry
from pytest_autoeval.tasks.equivalence_check import assert_equivalent
from pytest_autoeval.tasks.round_trip import Llm, round_trip
from pytest_autoeval.tasks.trial import Trial, perform
from pytest_autoeval.text import one_line

#: Options about files that pytest writes or continues. Without pytest a :class:`Report` writes them.
_OF_PYTEST = ("html", "summary", "github_summary", "results", "resume", "batch")
#: What the first argument of `run_suites` may have.
_GIVE_TESTS = (
    "give names of grammars, what pass_rate_test(...) made, or functions marked with @autoeval"
)
#: What a body may take besides the sample. Each asks the model of the current trial.
_GIVEN: Mapping[str, Callable[[], Any]] = {
    "llm": Llm,
    "round_trip": lambda: round_trip,
    "perform": lambda: perform,
    "assert_equivalent": lambda: assert_equivalent,
}

#: The note on a suite of a script that made no call.
_UNASKED = "the body did not ask the model through llm, round_trip or perform"


@raises_here
def pass_rate_test(
    source: str, /, body: Callable[..., object] | None = None, *, name: str = "", **keywords: Any
) -> PassRateTest:
    """A pass-rate test for :func:`run_suites`.

    Args:
        source: the name of a grammar or a data set, or the path of a ``.lark`` file.
        body: what runs once per sample; its arguments are named like the fixtures: ``sample``, ``llm``, ``round_trip``,
            ``perform``, ``assert_equivalent``. Without it the task of ``task=`` runs, else a round trip.
        name: its name in the results; by default that of the body, or the source and the task.
        keywords: those of `autoeval`: ``operators``, ``samples``, ``threshold``, ….

    Raises:
        AutoevalError: a keyword does not exist, or its value cannot be used.
    """
    if not isinstance(source, str):
        raise MarkerError(
            f"source={source!r:.60} is no text; give the name of a grammar or a data set, or the path of a file"
        )
    if body is not None and not callable(body):
        raise MarkerError(f"body={body!r:.60} is no function; give one that takes a sample")
    test = read_test(source, keywords)
    shown_name = name or (
        body.__qualname__ if body is not None else "-".join(filter(None, (source, test.task)))
    )
    return structs.replace(test, name=shown_name, body=body)


@raises_here
def run_suites(
    tests: str
    | PassRateTest
    | Callable[..., object]
    | Iterable[str | PassRateTest | Callable[..., object]],
    models: str | Model | type[Model] | Sequence[str | Model | type[Model]] = (),
    *,
    registry: Registry | None = None,
    **options: Any,
) -> Generator[Event, None, None]:
    """Runs pass-rate tests, and yields what happens, the moment it does: `SuiteStarted`, `SampleEnded`, …, `RunEnded`.

    When the iterator is closed, no further call is made.

    Args:
        tests: the name of a grammar or data set, what :func:`pass_rate_test` made, or a function marked with
            `@autoeval(...)` that takes no other fixtures than ours.
        models: names as for `--autoeval-model`, and objects or classes with a method ``complete`` (see :class:`Model`);
            by default ``offline/faithful``. An object is called by its attribute ``name``, else by its class.
        registry: languages, grammars, tasks, models, … of your own.
        options: any option of a run by its name, such as ``samples=5``, ``concurrency=(1, 8)``, ``max_cost=2.0``; texts
            are read as on the command line.

    Raises:
        AutoevalError: a test, model or option cannot be used; while it runs, also that no further sample can succeed;
            after `RunEnded`, that no suite could run.
    """
    if unfit := [name for name in options if name in _OF_PYTEST]:
        raise AutoevalError(
            f"{unfit[0]}= is for runs of pytest; a Report writes pages, summaries and results"
        )
    if registry is not None and not isinstance(registry, Registry):
        raise AutoevalError(
            f"registry={registry!r:.60} is no Registry; write registry = Registry()"
        )
    names, own_registry = with_own_models(models, registry or Registry())
    settings = settings_from({**({"model": names} if names else {}), **options})
    described = [_described(test) for test in _listed(tests)]
    return generates_here(in_keywords(_run(Leader(settings, own_registry), described)))


@contextmanager
def open_llm(name: str, base_url: str | None = None) -> Iterator[Llm]:
    """A model to ask without pytest, inside a ``with``. Many threads may use it::

        with open_llm("offline/faithful") as llm:
            text = llm.informalize(formula)
            again = llm.autoformalize(text, like=formula)

    Args:
        name: as for `--autoeval-model`. An `offline/…` model needs no key; others read ``OPENAI_API_KEY``.
        base_url: an OpenAI-compatible server, usually ending in ``/v1``; by default ``OPENAI_BASE_URL`` or OpenAI.

    Raises:
        AutoevalError: the model cannot be asked; the message says why.
    """
    if not isinstance(name, str):
        raise AutoevalError(f"name={name!r:.60} is no text; give a name such as 'offline/faithful'")
    check_type("base_url", base_url, str, NoneType)
    with ModelPool(ModelSettings(base_url=base_url)) as pool:
        try:
            llm = Llm(pool.open(name))
        except AutoevalError as problem:
            # The message says what to do; frames of ours would only hide it.
            raise problem.with_traceback(None) from None
        yield llm


def _listed(tests: Any) -> list[Any]:
    """The tests; a single one may stand without a list around it."""
    if isinstance(tests, str | PassRateTest) or callable(tests):
        return [tests]
    if not isinstance(tests, Iterable):
        raise MarkerError(f"tests={tests!r:.60} is no list of tests; {_GIVE_TESTS}")
    return list(tests)


def _described(test: str | PassRateTest | Callable[..., object]) -> PassRateTest:
    if isinstance(test, str):
        return pass_rate_test(test)
    if isinstance(test, PassRateTest):
        return test if test.name else structs.replace(test, name=test.source)
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "autoeval"]
    if not marks or len(marks[-1].args) != 1:
        advice = "write @autoeval('propositional') above it" if callable(test) else _GIVE_TESTS
        raise MarkerError(f"{test!r:.80} is not a pass-rate test: {advice}")
    if len(marks) > 1:
        raise MarkerError(f"{test!r}: {TWO_MARKERS}")
    return pass_rate_test(marks[-1].args[0], test, **marks[-1].kwargs)


def _call(test: PassRateTest, suite: Suite) -> Callable[[Trial], object]:
    if test.body is None:
        if suite.task is not None:
            return lambda trial: _nothing(perform(trial.subject))
        return lambda trial: _nothing(
            assert_equivalent(round_trip(trial.about), trial.about.formula)
        )
    names = tuple(signature(test.body).parameters)
    if unknown := [name for name in names if name != "sample" and name not in _GIVEN]:
        allowed = ", ".join(("sample", *_GIVEN))
        raise MarkerError(f"{test.name} takes {unknown[0]!r}; here a test can take only: {allowed}")
    fixtures = {name: _GIVEN[name]() for name in names if name != "sample"}
    body = test.body
    return lambda trial: body(
        **fixtures, **({"sample": trial.subject} if "sample" in names else {})
    )


def _nothing(_: object) -> None: ...


def _run(leader: Leader, tests: Sequence[PassRateTest]) -> Generator[Event, None, None]:
    events: SimpleQueue[Event | BaseException | None] = SimpleQueue()
    leader.on_event = events.put
    # A baseline that cannot be used is refused before anything is paid.
    _ = leader.earlier_runs
    with leader.registry.active(), leader.pool, rarer_collections():
        added = leader.registry.prompt_folders
        _check_prompts(leader.settings.prompts, leader.registry)
        suites = [
            (test, suite)
            for test in tests
            for suite in suites_of(test, leader.settings, reads=True, prompts=added)
        ]
        runnable = [(test, suite) for test, suite in suites if isinstance(suite, Suite)]
        runs = [
            (test, structs.replace(suite, function=test.name, number=number))
            for number, (test, suite) in enumerate(runnable, 1)
        ]
        refuse_two_languages(suite for _, suite in runs)
        _check_data_is_used([suite for _, suite in suites], leader.settings)
        leader.planned = lambda: [
            Planned(number=suite.number, name=suite.name, model=suite.target.model)
            for _, suite in runs
        ]
        engine = Engine(
            leader.settings,
            leader,
            suites=lambda: len(runs),
            added_prompts=leader.registry.prompt_folders,
            figures=leader.registry.figures,
            wrappers=leader.registry.wrappers,
            gates=leader.registry.gates,
        )
        # In a thread, so that the caller gets each event at once, and may close the iterator while calls are in flight.
        worker = Thread(target=_work, args=(engine, runs, events), name="autoeval-run", daemon=True)
        for test, target in suites:
            if isinstance(target, Target) and target.left_out is not None:
                engine.emit(_left_out(test, target, target.left_out))
        worker.start()
        interrupted = True
        problem: BaseException | None = None
        try:
            while (event := events.get()) is not None:
                if isinstance(event, BaseException):
                    problem = event
                else:
                    yield event
            interrupted = problem is not None
            record, settings = leader.record, leader.settings
            # No event after this: each figure of the report is of the same samples.
            leader.close()
            analysis = record.analysis(
                rules_of(settings),
                baseline=leader.baseline(),
                suites=engine.number_of_suites,
                baseline_name=leader.earlier_runs.name if leader.earlier_runs else "",
                baseline_notes=leader.earlier_runs.notes if leader.earlier_runs else (),
                counterexamples=record.counterexamples,
            )
            notes = [*_notes_of_suites(leader), *notes_of_servers(leader, analysis)]
            analysis = structs.replace(
                analysis,
                notes=[*analysis.notes, *notes],
                added_blocks=tuple(leader.registry.blocks),
            )
            end = analysis.end(interrupted=interrupted)
            yield RunEnded(end=end, analysis=analysis)
        finally:
            # Without a stop, the thread would go on asking until its suites end.
            if interrupted:
                engine.stop()
                leader.pool.stop()
            worker.join()
            engine.close()
    if problem is not None:
        raise problem
    if leader.record.left_out and not leader.record.judged:
        raise AutoevalError(
            "; ".join(dict.fromkeys(event.reason for event in leader.record.left_out))
        )


def _check_prompts(given: Sequence[Path], registry: Registry) -> None:
    """Refuses prompts that cannot be used before anything is asked, as pytest does while it collects."""
    for where, folders in (("prompts", given), ("add_prompts", registry.prompt_folders)):
        for folder in folders:
            others = (*given, *registry.prompt_folders)
            try:
                check_folder(folder, language_names(), registry.tasks, others)
            except PromptError as problem:
                raise AutoevalError(f"{where}: {problem}") from None


def _left_out(test: PassRateTest, target: Target, why: LeftOutError) -> SuiteLeftOut:
    """The event of a test that cannot be run with a model or variant."""
    return SuiteLeftOut(
        test=f"{test.name}[{target.id}]",
        function=test.name,
        obstacle=why.obstacle,
        reason=str(why),
    )


def _notes_of_suites(leader: Leader) -> list[str]:
    """Notes on the suites that were left out, and what is said of the others: nothing is left out silently."""
    record = leader.record
    reasons = dict.fromkeys(one_line(event.reason) for event in record.left_out)
    return [
        *(f"a suite was left out: {reason}" for reason in reasons),
        *dict.fromkeys(one_line(note) for event in record.judged for note in event.notes),
    ]


def _check_data_is_used(suites: Sequence[Suite | Target], settings: Settings) -> None:
    """Refuses files that no suite takes: the suites would draw, and their figures be read as those of the files."""
    # A suite that is left out says itself what its data set needs.
    is_used = any(
        suite.source.is_users_data if isinstance(suite, Suite) else suite.left_out
        for suite in suites
    )
    if settings.dataset and suites and not is_used:
        raise AutoevalError(f"dataset: {unused_files(settings.dataset)}")


def _work(
    engine: Engine,
    tests: Sequence[tuple[PassRateTest, Suite]],
    events: SimpleQueue[Event | BaseException | None],
) -> None:
    """Runs the suites one after another. The next suite starts while the last samples of one finish."""
    try:
        runs: list[SuiteRun] = []
        begun = {0}

        def begin(number: int) -> None:
            if number < len(runs) and number not in begun:
                begun.add(number)
                with suppress(Exception):  # it is raised again when its turn comes
                    runs[number].begin(later=True)

        # All before the first one runs: each must know the next, which it starts near its own end.
        for number, (test, suite) in enumerate(tests):
            test_id = f"{suite.name}[{suite.target.id}]"
            body = Body(
                call=_call(test, suite),
                test=test_id,
                scan=AssertionScan(test.body),
                unasked=_UNASKED,
            )
            runs.append(SuiteRun(suite, engine, body, partial(begin, number + 1)))
        for run in runs:
            with suppress(LeftOutError, NothingDrawnError):  # their events say so
                if (fatal := run.carry_out().fatal) is not None:
                    events.put(fatal)
                    break
    except RunStoppedError:
        # The caller has closed the iterator, and reads no further event.
        pass
    except BaseException as error:  # noqa: BLE001 - raised where the events are read
        events.put(error)
    finally:
        events.put(None)
