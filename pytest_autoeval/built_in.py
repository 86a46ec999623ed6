"""The list of shipped plugins: what each provides, by name, and which sections of a report are its own.

The core finds features, studies and requirements here, and imports none of them. A plugin is imported when something
of it is used for the first time: its function `pytest_autoeval_register` then gets the registry of shipped things. It
is the hook that a user's `conftest.py` has.

Only the standard library is imported here, since every pytest run loads this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import RLock
from typing import Any, Literal, NamedTuple

#: What can be found by a name. ``figures`` are those of a kind of task, ``section`` is one of the report, ``exercise``
#: is what offline models can do, named by the labels in its prompt. A ``part`` registers itself when it is declared.
Kind = Literal[
    "language",
    "grammar",
    "data set",
    "task",
    "figures",
    "section",
    "exercise",
    "part",
    "command",
    "connection",
    "command option",
    "preparation",
    "shipped data set",
    "examiner",
    "outcome",
    "wrapper",
    "drawing",
    "suite blocks",
    "measure",
    "gate",
]


class ShippedSection(NamedTuple):
    """A section of the report that a plugin makes.

    Attributes:
        name: its name in the document.
        before: the section of the core that it stands before.
        used: whether the suites of a run (objects of `SuiteRecord`) need it. If not, its plugin is not imported. None
            for a section that only a command makes.
    """

    name: str
    before: str
    used: Callable[[Iterable[Any]], bool] | None


class ShippedCommand(NamedTuple):
    """A command ``python -m pytest_autoeval NAME`` of a plugin: what it takes, and what it does, for the help."""

    name: str
    takes: str
    does: str


class ShippedBlocks(NamedTuple):
    """What a plugin says of each suite, inside the section of the suite.

    Attributes:
        name: its name.
        before: the part of the section that it stands before: ``figures of the task`` or ``comparison``.
        attention: whether a suite of many that passed is shown by default because of these blocks.
        only_in_reports: it takes time, and is left out where only JUnit's properties of a suite are made.
        are_details: whether everything that it says of a suite (an object of `SuiteSummary`) is for -v and for files.
    """

    name: str
    before: Literal["figures of the task", "comparison"]
    attention: bool = False
    only_in_reports: bool = False
    are_details: Callable[[Any], bool] = lambda _summary: False


class ShippedGate(NamedTuple):
    """A gate of a plugin, and whether a suite (an object of `SuiteRecord`) is of the kind that it judges."""

    name: str
    used: Callable[[Any], bool]


class ShippedWrapper(NamedTuple):
    """A wrapper of a plugin, and whether the options of a run (an object of `Settings`) ask for it."""

    name: str
    used: Callable[[Any], bool]


class Plugin(NamedTuple):
    """A shipped plugin.

    Attributes:
        module: its module inside the package.
        provides: the names of what it registers.
        sections: the sections that it makes, with `registry.add_section`.
        commands: its commands, added with `registry.add_command`.
        wrappers: what it runs around each sample, added with `registry.add_named_wrapper`.
        blocks: what it says of each suite, added with `registry.add_suite_blocks`.
        gates: its gates, added with `registry.add_suite_gate`.
    """

    module: str
    provides: Mapping[Kind, tuple[str, ...]] = {}
    sections: tuple[ShippedSection, ...] = ()
    commands: tuple[ShippedCommand, ...] = ()
    wrappers: tuple[ShippedWrapper, ...] = ()
    blocks: tuple[ShippedBlocks, ...] = ()
    gates: tuple[ShippedGate, ...] = ()


#: What the names of sentences are called in prompts.
_LABELS_OF_NAMES = ("Propositions", "Statements", "Symbols")


def _reads_sentences(suite: Any) -> bool:
    return bool(suite.asked.task == "sentence_round_trip")


def _limits_collisions(suite: Any) -> bool:
    return suite.asked.collisions is not None


def _some_limit_collisions(suites: Iterable[Any]) -> bool:
    return any(map(_limits_collisions, suites))


def _some_read_sentences(suites: Iterable[Any]) -> bool:
    return any(map(_reads_sentences, suites))


def _have_variants(suites: Iterable[Any]) -> bool:
    asked = [(suite.asked.function, suite.asked.parameters, suite.asked.model) for suite in suites]
    return len(set(asked)) < len(asked)


def _passed_without_guesses(summary: Any) -> bool:
    return summary.is_flawless and not any(sample.chance for sample in summary.samples)


def _without_repeats(summary: Any) -> bool:
    return not any(sample.repeat for sample in summary.samples)


def _vary_in_two_ways(suites: Iterable[Any]) -> bool:
    """Whether the suites of some test differ in two ways: model, interface, prompting, folders of prompts."""
    values: dict[tuple[Any, ...], tuple[set[Any], ...]] = {}
    for suite in suites:
        asked = suite.asked
        factors = values.setdefault(
            (asked.function, asked.parameters), (set(), set(), set(), set())
        )
        of_suite = (asked.model, asked.interface, asked.prompting, asked.prompts)
        for factor, value in zip(factors, of_suite, strict=True):
            factor.add(value)
    return any(sum(len(factor) > 1 for factor in factors) > 1 for factors in values.values())


def _tried_again(suites: Iterable[Any]) -> bool:
    known = list(suites)
    several_models = len({suite.asked.model for suite in known}) > 1
    return several_models or any(sample.repeat for suite in known for sample in suite.samples)


def _chosen_and_ranked(suites: Iterable[Any]) -> bool:
    return {"choices", "rankings"} <= {suite.asked.figures for suite in suites}


#: All plugins. Sections before the same section of the core have the order of this list.
PLUGINS: tuple[Plugin, ...] = (
    Plugin(
        "features.readers",
        sections=(
            ShippedSection(
                "readers",
                "suite",
                lambda suites: any(suite.asked.reader is not None for suite in suites),
            ),
        ),
    ),
    Plugin(
        "studies.temporal_logic",
        {
            "task": (
                *("propositions", "well_formed", "judge_trace", "write_trace"),
                *("translate", "translate_past", "translate_sentence"),
            ),
            "shipped data set": (
                *("ltl_future", "ltl_past", "ltl_propositions"),
                *("ltl_well_formedness", "ltl_traces", "ltl_trace_writing"),
            ),
            "part": ("phrases",),
            "figures": (
                "extraction",
                "judged traces",
                "translation",
                "well-formedness",
                "written traces",
            ),
            "exercise": (
                *("Sentence", "String", "Propositions, Sentence", "Requirement"),
                *("Formula, Trace", "Formula, Wanted"),
            ),
        },
    ),
    Plugin(
        "studies.first_order_translation",
        {
            "task": (
                "ontology_extraction",
                "logical_translation",
                "informalization",
                "open_translation",
                "most_similar_formulas",
                "most_similar_english",
                "ranking_formulas",
                "ranking_english",
                *("entailment_formulas", "entailment_english", "answer_question"),
            ),
            "shipped data set": (
                "fol_translation",
                "fol_most_similar",
                "fol_ranking",
                "fol_entailment",
                "questions",
            ),
            "examiner": ("sentences of first-order logic",),
            "part": ("symbols",),
            "figures": ("choices", "entailments", "ontologies", "rankings", "scored translation"),
            "exercise": (
                *("Symbols, Sentence", "Symbols, Formula to describe"),
                "Statement to formalize",
                "Statement to analyse",
                "Premises, Conclusion",
                "Context, Question",
                *("Symbols, Sentence, Options", "Sentence, Options"),
                *("Symbols, Sentence, Candidates", "Sentence, Candidates"),
            ),
        },
        sections=(
            ShippedSection(
                "scores", "suite", lambda suites: any(suite.asked.benchmark for suite in suites)
            ),
            ShippedSection("both tasks", "suite", _chosen_and_ranked),
        ),
    ),
    Plugin(
        "requirements",
        {
            "task": ("sentence_round_trip",),
            "exercise": (
                *("Requirements", "Sentences", "Rules"),
                "Propositions, Formula to describe",
                "Statements, Sentence",
                "Statements, Formula to describe",
                *(
                    f"{names}, Number of sentences, Sentence to rewrite"
                    for names in _LABELS_OF_NAMES
                ),
            ),
            "preparation": ("sentences",),
            "command option": ("check --set",),
        },
        sections=(
            ShippedSection("agreement", "suite", _some_read_sentences),
            ShippedSection("questions", "suite", _some_read_sentences),
            ShippedSection("permissions", "suite", _some_read_sentences),
            ShippedSection("collisions", "suite", _some_limit_collisions),
            ShippedSection("formulas", "suite", _some_read_sentences),
            ShippedSection("whole set", "suite", None),
        ),
        commands=(
            ShippedCommand(
                "questions",
                "FILE.jsonl…",
                "ask the author about sentences that are read in two ways",
            ),
        ),
        gates=(
            ShippedGate("agreement", _reads_sentences),
            ShippedGate("agreement drop", _reads_sentences),
            ShippedGate("collisions", _limits_collisions),
        ),
    ),
    Plugin(
        "features.correlation",
        commands=(
            ShippedCommand(
                "correlate", "FILE.jsonl…", "compare pass rates with scores on other benchmarks"
            ),
        ),
    ),
    Plugin(
        "features.text_metrics",
        commands=(
            ShippedCommand(
                "metrics", "FILE.jsonl…", "compare BLEU, BERTScore, LE and others with the verdicts"
            ),
        ),
    ),
    Plugin(
        "features.horizon",
        {"measure": ("horizon",)},
        blocks=(
            ShippedBlocks(
                "curves",
                "figures of the task",
                only_in_reports=True,
                are_details=_passed_without_guesses,
            ),
        ),
    ),
    Plugin(
        "features.repeats",
        blocks=(
            ShippedBlocks("repeats", "comparison", attention=True, are_details=_without_repeats),
        ),
    ),
    Plugin(
        "features.blame",
        {"part": ("blame",)},
        wrappers=(ShippedWrapper("blame", lambda settings: settings.blame),),
        blocks=(ShippedBlocks("blame", "comparison", attention=True),),
    ),
    Plugin(
        "features.variants", sections=(ShippedSection("variants", "comparison", _have_variants),)
    ),
    Plugin("features.means", sections=(ShippedSection("means", "comparison", _vary_in_two_ways),)),
    Plugin(
        "features.missed",
        {"command option": ("report --missed",)},
        sections=(ShippedSection("missed", "comparison", _tried_again),),
    ),
    Plugin(
        "features.slices", blocks=(ShippedBlocks("slices", "comparison", only_in_reports=True),)
    ),
    Plugin(
        "features.finite_traces",
        {"language": ("ltlf",), "exercise": ("Formula on finite traces",)},
    ),
    Plugin("features.litellm", {"connection": ("litellm/",)}),
    Plugin("features.batches", {"connection": ("batch",)}),
    Plugin("features.plots", {"command option": ("report --plots",)}),
    Plugin(
        "features.trends",
        {"command option": ("report --history",)},
        sections=(ShippedSection("trends", "suite", None),),
    ),
)

#: Held while a plugin is loaded; threads that need it wait. A plugin may load another one.
_LOADING = RLock()
#: The modules that were loaded, or are just being loaded.
_LOADED: set[str] = set()


@cache
def provided(kind: Kind) -> dict[str, Plugin]:
    """The plugins of all shipped things of a kind, by their names, in the order of the list."""
    return {name: plugin for plugin in PLUGINS for name in _names_of(plugin, kind)}


def _names_of(plugin: Plugin, kind: Kind) -> Iterable[str]:
    """The names of what a plugin provides of a kind."""
    match kind:
        case "section":
            return [section.name for section in plugin.sections]
        case "wrapper":
            return [wrapper.name for wrapper in plugin.wrappers]
        case "command":
            return [command.name for command in plugin.commands]
        case "gate":
            return [gate.name for gate in plugin.gates]
        case "suite blocks":
            return [blocks.name for blocks in plugin.blocks]
    return plugin.provides.get(kind, ())


def folders_of_plugins(name: str) -> tuple[Path, ...]:
    """The folders of this name inside plugins that are packages, such as those of their prompts."""
    package = Path(__file__).parent
    inside = (package.joinpath(*plugin.module.split("."), name) for plugin in PLUGINS)
    return tuple(folder for folder in inside if folder.is_dir())


@cache
def _registry() -> Any:
    """The registry of shipped things: the same one as long as the process runs, like the list of what was loaded.

    A run of pytest inside a test removes the modules that it imported. A second registry would be empty.
    """
    return import_module("pytest_autoeval.shipped_registry").SHIPPED


def load(plugin: Plugin) -> Any:
    """Loads a plugin, once in a process. Returns the registry of shipped things."""
    registry = _registry()
    with _LOADING:
        if plugin.module not in _LOADED:
            _LOADED.add(plugin.module)
            import_module(f"pytest_autoeval.{plugin.module}").pytest_autoeval_register(registry)
    return registry


def shipped(kind: Kind, name: str) -> Any:
    """What a shipped plugin registers under a name; raises `KeyError` if none does."""
    return load(provided(kind)[name]).entries(kind)[name]
