# ruff: noqa: RUF009 - the options are fields of a data class
"""`Settings`: every option of the group `autoeval` and its ini key, declared once and read once.

Only the standard library is imported here: this runs in every pytest run.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import pytest

from pytest_autoeval.running import option_values as read

if TYPE_CHECKING:
    from pytest_autoeval.models.settings import Price

Prompting = Literal["zero-shot", "few-shot", "self-refine"]

#: The settings that decide what is asked about a sample, and which samples there are, beside model and variant.
ASKED = (
    *("samples", "usual_samples", "seed", "operators", "usual_operators", "repeats", "formula"),
    *("dataset", "prompts", "temperature", "max_tokens", "parameters", "hops", "adaptive", "precision"),
)

#: The key under which a worker that was not started beside its controller finds what it must know of that.
ELSEWHERE = "autoeval_elsewhere"
_SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()


@dataclass(frozen=True, slots=True)
class Option:
    """What an option takes and means.

    A default that is a tuple makes it repeatable; False, one without a value; a text is read as if it was typed.
    """

    help: str
    type: Callable[[str], Any] = str
    default: Any = None
    choices: tuple[str, ...] = ()
    metavar: str = ""
    ini: bool = True
    #: The option may stand without a value, and is False then: argparse would hand a text to ``type``.
    alone: bool = False
    #: The command line wins over a test's marker, and the marker wins over the ini file.
    below_marker: bool = False

    @property
    def repeatable(self) -> bool:
        """Whether the option may be given several times."""
        return isinstance(self.default, tuple)


def option(text: str, kind: Callable[[str], Any] = str, default: Any = None, **more: Any) -> Any:
    """A field of `Settings` that an option gives: its help, what reads its value, its default, and more."""
    return field(metadata={"option": Option(text, kind, default, **more)})


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)  # secrets may be among the values
class Settings:
    """The value of each option, under the option's name: from the command line, else the ini file, else its default.

    Repeatable options are tuples. Paths are absolute: relative to the current folder where they were typed, to the ini
    file's folder where they stand there. ``samples`` and ``operators`` are those of the command line, which win over a
    test's marker; ``usual_samples`` and ``usual_operators`` are those of the ini file, which the marker overrides.
    """

    model: tuple[str, ...] = option(
        "the model under test; repeatable: each suite runs once for each. offline/… needs neither key nor "
        "network (see --autoeval-models); litellm/PROVIDER/MODEL is asked through LiteLLM",
        read.name,
        ("offline/faithful",),
    )
    reader: tuple[str, ...] = option(
        "another model, which reads the descriptions of the model under test; repeatable: each round trip runs once "
        "for each pair of model and reader. Default: each model reads its own",
        read.name,
        (),
        metavar="MODEL",
    )
    hops: int = option(
        "round trips in a row: the formula that was read is described and read again; a sample passes if the meaning "
        "survives all of them",
        read.count,
        1,
    )
    base_url: str | None = option(
        "any OpenAI-compatible server; needs --autoeval-model; default: OPENAI_BASE_URL, else the provider's", read.url
    )
    samples: int | None = option(
        "formulas of each size; in the ini file: where a marker has no number (else 10)", read.count, below_marker=True
    )
    usual_samples: int | None
    seed: int = option("draw other formulas: equal seeds draw equal formulas", read.number, 0)
    operators: tuple[int, ...] | None = option(
        "the sizes of the formulas: 0:13 is 0 to 12 operators (for regex: depth), 2:12:3 is 2, 5, 8, 11; or a list "
        "2,5,8. In the ini file: for tests whose marker gives no sizes (else 0:9)",
        read.sizes,
        below_marker=True,
    )
    usual_operators: tuple[int, ...] | None
    repeats: int = option("how many times to ask each formula", read.count, 1)
    prompting: tuple[Prompting, ...] = option(
        "which prompts: zero-shot, few-shot (with worked examples) or self-refine (the model checks its answer once); "
        "repeatable: each suite runs once with each",
        default=("zero-shot",),
        choices=get_args(Prompting),
    )
    interface: tuple[str, ...] = option(
        "which form of a task's prompt to use; repeatable. Temporal logic: minimal (the task and its symbols), "
        "detailed (grammar, semantics, rules) or python (formulas as code to complete). The judge: reasoning (reasons "
        "before the answer) or direct (yes or no alone). Choices, rankings and entailments: structured (JSON by a "
        "schema, or text where the server takes none) or text. Default: the first form of the task",
        default=(),
        metavar="NAME",
    )
    dataset: tuple[Path, ...] = option(
        "sentences, formulas or traces of your own (.csv, .jsonl) in place of the shipped ones, for every suite over a "
        "data set that they suit; repeatable",
        read.path,
        (),
    )
    prompts: tuple[Path, ...] = option(
        "a folder of templates (informalize/regex.toml, …) in place of the shipped ones; repeatable", read.path, ()
    )
    threshold: float | None = option(
        "fail a suite with a lower pass rate: 0.9 or 90%%; a test's marker wins", read.rate
    )
    gate: Literal["point", "interval"] = option(
        "when a suite meets its threshold: point, if its pass rate does; interval, if its 95%% interval does, and "
        "fails if none of it does: otherwise it is inconclusive (exit code 10)",
        default="point",
        choices=("point", "interval"),
    )
    baseline: Path | None = option(
        "compare with the results of an earlier run (.jsonl) by formula; judged with --autoeval-fail-on", read.path
    )
    fail_on: read.Falls | None = option(
        "drop:5%% fails a suite that is significantly worse than the baseline, unless by less than five percentage "
        "points; horizon:10%% one whose horizon (the size at which half of the formulas pass) is "
        "significantly lower, unless by less than a tenth of it; drop:5%%,horizon:10%% does both. Too few "
        "samples to see such a drop: inconclusive (exit code 10)",
        read.drop,
    )
    alpha: float = option(
        "how often a test against the baseline or between models, or one that stops a suite early, may be wrong",
        read.level,
        0.05,
    )
    stop_early: bool = option(
        "end a suite as soon as a sequential test knows what its gate will say; wrong at most at the rate "
        "--autoeval-alpha, however often it looks",
        default=False,
    )
    #: False where the option stands without a value: as many samples as without it.
    adaptive: int | Literal[False] | None = option(
        "choose the sizes that show most about the horizon (the size at which half of the formulas pass) from the "
        "answers so far; a suite ends when its horizon is known to --autoeval-precision, or after so many calls. "
        "Without a number: after as many samples as it has without this option",
        read.calls,
        alone=True,
        metavar="CALLS",
    )
    precision: float = option(
        "--autoeval-adaptive ends a suite when half the width of the horizon's 95%% interval is at most this share of "
        "the horizon; where the marker has horizon={…}, of each horizon that it names",
        read.share,
        "10%",
        metavar="RATE",
    )
    blame: bool = option(
        "ask once more after a failed round trip, with a faithful description: which half lost the meaning?",
        default=False,
    )
    keep_counterexamples: Path | None = option(
        "keep each smallest counterexample in this folder, a small file each; later runs ask about them again, beside "
        "their own samples, and say which are fixed, still failing or new; they count in no rate or gate",
        read.path,
    )
    record_mode: Literal["none", "once", "new_episodes", "all"] | None = option(
        "none: replay only; once: record the first time, replay afterwards; new_episodes: replay, and record what is "
        "new; all: record everything anew. Default: replay what is recorded, ask for the rest, record nothing",
        choices=("none", "once", "new_episodes", "all"),
    )
    cassettes: Path = option("the folder of recordings", read.path, "cassettes")
    resume: bool = option(
        "continue the run of these tests, models and options that was cut off: ask only for what has no answer yet. "
        "Answers are kept in pytest's cache until a run has ended well, for at most 30 days",
        default=False,
        ini=False,
    )
    shard: tuple[int, int] | None = option(
        "run the K-th of N stable parts of every suite, as 2/5; `python -m pytest_autoeval report` of the results of "
        "all parts judges the suites",
        read.shard,
        metavar="K/N",
    )
    concurrency: tuple[int, int] = option(
        "calls in flight at once, over all workers together: MIN:MAX adapts to what the server takes, N is fixed",
        read.bounds,
        "4:64",
        metavar="MIN:MAX",
    )
    rpm: int | None = option("calls started in a minute, over all workers together; default: no limit", read.count)
    patience: float = option(
        "how long to wait for a server that only refuses or fails before the run stops: 90s, 10m, 1h",
        read.duration,
        "10m",
        metavar="TIME",
    )
    shrink_budget: int = option(
        "round trips that a suite may spend on shrinking its failures; 0 turns it off", read.number, 200
    )
    max_calls: int | None = option("stop the run after this many calls; replayed ones are free", read.count)
    max_cost: float | None = option(
        "stop the run at this cost; needs the --autoeval-price of each model", read.positive, metavar="USD"
    )
    price: tuple[tuple[str, float, float], ...] = option(
        "USD for a million tokens; repeatable: gpt-5-mini=0.25/2", read.price, ()
    )
    results: Path | None = option("write a JSON object for each sample to this file, as it happens (.jsonl)", read.path)
    html: Path | None = option("write a page to open in a browser: one file that needs no network", read.path)
    summary: Path | None = option("write the whole analysis as one JSON object to this file, for programs", read.path)
    #: False where the option stands without a value: the summary of the GitHub job is meant.
    github_summary: Path | Literal[False] | None = option(
        "write the verdict, the table and the smallest counterexamples to this Markdown file; alone, and where "
        "GITHUB_STEP_SUMMARY is set anyway: add them to the summary of the GitHub job",
        read.path,
        alone=True,
    )
    temperature: float | None = option("sent with each call; default: the model's own", read.amount)
    max_tokens: int | None = option("the longest answer; default: the model's own", read.count)
    timeout: float = option("seconds that one call may take", read.positive, 120.0)
    verify_timeout: float | None = option(
        "seconds that one verdict may take, at most 10; default: 5, for temporal logic 2", read.positive
    )
    parameters: Mapping[str, Any] | None = option(
        "more parameters of each call, as JSON: '{\"top_p\": 0.9}'", read.json_object
    )
    formula: tuple[str, ...] = option(
        "ask about this formula instead of drawn ones, or about the item of a data set that has this id; repeatable. "
        "Each counterexample comes with such a command. Where neither a marker nor an option gives a threshold, it is "
        "100%%",
        default=(),
        metavar="TEXT",
        ini=False,
    )
    #: Whether the command line or the ini file names a model; else ``model`` is the default.
    model_named: bool
    #: The options that stand on the command line, in the order of the help, with their parsed values.
    typed: Mapping[str, Any]
    #: The folder that pytest was started in.
    folder: Path

    @property
    def part(self) -> str:
        """The part of every suite that is run, as ``2/5``; empty where suites run whole."""
        return "" if self.shard is None else f"{self.shard[0]}/{self.shard[1]}"

    @property
    def prices(self) -> dict[str, Price]:
        """The prices that were given, by the name of the model."""
        from pytest_autoeval.models.settings import Price

        return {model: Price(spent, made) for model, spent, made in self.price}

    def digests(self) -> dict[str, str]:
        """A digest of each value that is no path, by name; equal for equal values, on every host."""
        plain = [name for name, option in OPTIONS.items() if option.type is not read.path]
        names = [*plain, *(one.name for one in fields(self) if one.name.startswith("usual_"))]
        return {name: sha256(repr(getattr(self, name)).encode()).hexdigest() for name in names}

    def origin(self, name: str) -> str:
        """Where the value of an option comes from, for a message: `--autoeval-NAME` or `ini key autoeval_NAME`."""
        return shown_name(name) if name in self.typed else f"ini key autoeval_{name}"


OPTIONS: dict[str, Option] = {one.name: one.metadata["option"] for one in fields(Settings) if one.metadata}
#: Options that do something else than run, and so have no ini key.
_ACTIONS = {
    "plan": "print what a run would take (calls, tokens, cost, time, replayed share) and stop",
    "models": "list the offline models, a line each, and stop",
}


def shown_name(name: str) -> str:
    """The option as it is typed."""
    return f"--autoeval-{name.replace('_', '-')}"


def add_options(parser: pytest.Parser) -> None:
    """Registers the group."""
    group = parser.getgroup(
        "autoeval", "autoeval: does a language model keep the meaning between formal language and English?"
    )
    for name, option in OPTIONS.items():
        keywords: dict[str, Any] = {"help": option.help}
        if option.default:
            shown = ", ".join(option.default) if option.repeatable else option.default
            keywords["help"] += f" (default: {shown})".replace("%", "%%")
        if option.default is False:
            keywords["action"] = "store_true"
        elif option.choices:
            keywords["choices"] = option.choices
        else:
            keywords |= {"type": option.type, "metavar": option.metavar or option.type.__name__.upper()}
        if option.repeatable:
            keywords["action"] = "append"
        if option.alone:
            keywords |= {"nargs": "?", "const": False}
        group.addoption(shown_name(name), dest=f"autoeval_{name}", default=None, **keywords)
        if option.ini:
            kind: Literal["linelist", "string"] = "linelist" if option.repeatable else "string"
            parser.addini(f"autoeval_{name}", f"as {shown_name(name)}", type=kind, default=None)
    for name, text in _ACTIONS.items():
        group.addoption(shown_name(name), action="store_true", dest=f"autoeval_{name}", help=text)
    explain = "explain an outcome's code, such as AE101, and stop"
    group.addoption("--autoeval-explain", metavar="CODE", dest="autoeval_explain", help=explain)


def settings_of(config: pytest.Config) -> Settings:
    """The settings of the run. Raises :class:`pytest.UsageError` for a bad ini value, on the first call."""
    if _SETTINGS not in config.stash:
        config.stash[_SETTINGS] = _read(config)
    return config.stash[_SETTINGS]


def _read(config: pytest.Config) -> Settings:
    folder = config.invocation_params.dir
    ini_folder = config.inipath.parent if config.inipath else folder
    found = {name: getattr(config.option, f"autoeval_{name}", None) for name in OPTIONS}
    typed = {name: value for name, value in found.items() if value is not None}
    values: dict[str, Any] = {}
    place = getattr(config, "workerinput", {}).get(ELSEWHERE)
    moved = place["paths"] if place else {}
    for name, option in OPTIONS.items():
        chosen = _absolute(option, typed.get(name), folder)
        written = _absolute(option, _from_ini(name, option, config), ini_folder)
        if name == "model":
            values["model_named"] = chosen is not None or written is not None
        if option.below_marker:
            values |= {name: chosen, f"usual_{name}": written}
            continue
        usual = option.type(option.default) if isinstance(option.default, str) else option.default
        default = _absolute(option, usual, folder)
        value = next((given for given in (chosen, written) if given is not None), default)
        if name in moved:
            value = _absolute(option, moved[name], config.rootpath)
        values[name] = tuple(dict.fromkeys(value)) if option.repeatable else value
    return Settings(**values, typed=typed, folder=config.rootpath / place["folder"] if place else folder)


def _absolute(option: Option, value: Any, folder: Path) -> Any:
    """A value with its paths in a folder; any other value as it is."""
    if option.type is not read.path or value in (None, False):
        return value
    return [folder / entry for entry in value] if option.repeatable else folder / value


def _from_ini(name: str, option: Option, config: pytest.Config) -> Any:
    """The value in the ini file, or None."""
    written = config.getini(f"autoeval_{name}") if option.ini else None
    if not written:
        return None
    texts = written if option.repeatable else [written]
    if option.choices and (wrong := set(texts).difference(option.choices)):
        raise pytest.UsageError(f"ini key autoeval_{name}: {min(wrong)!r} is none of {', '.join(option.choices)}")
    kind = read.switch if option.default is False else option.type
    try:
        values = [kind(text) for text in texts]
    except argparse.ArgumentTypeError as problem:
        raise pytest.UsageError(f"ini key autoeval_{name}: {problem}") from None
    return values if option.repeatable else values[0]
