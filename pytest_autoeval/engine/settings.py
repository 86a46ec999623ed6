# ruff: noqa: RUF009 - the options are fields of a data class
"""`Settings`: every option of the group `autoeval` and its ini key, declared once.

Only the standard library is imported here, since every pytest run loads this module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pytest_autoeval.engine import option_values as read
from pytest_autoeval.engine.option_values import Option, option
from pytest_autoeval.outcomes import Prompting

if TYPE_CHECKING:
    from pytest_autoeval.generation.measure_bounds import MeasureBounds
    from pytest_autoeval.judging.baseline_runs import Variant
    from pytest_autoeval.models.model_settings import Price

T = TypeVar("T")

#: The share of the usual price, and the requests that wait at once, unless an option says another number.
_PRICE_OF_BATCH, _IN_BATCH = 0.5, 10_000
#: Why options exclude each other.
_ASKS_FIRST = "the answer to a first question says how the server takes a grammar"
_SETS_PACE = "the provider sets the pace of a batch"
_NO_LOOKS = (
    ("shard", "parts are not judged, so that no look ends them"),
    ("batch", "a batch is asked at once"),
)
_EARLIER_RESULTS = ("baseline", "the results to compare with")
_IN_REPORT = "parts are not judged; give {} to `python -m pytest_autoeval report`"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)  # secrets may be among the values
class Settings:
    """The value of each option, by the option's name: from the command line, else the ini file, else the default.

    Repeatable options are tuples. Paths are absolute: typed paths are relative to the current folder, paths in the ini
    file to that file's folder. For ``samples`` and ``operators`` see also :meth:`over_marker`.
    """

    model: tuple[str, ...] = option(
        "the model under test; repeatable",
        read.name,
        ("offline/faithful",),
        metavar="NAME",
        starts_group="Which model",
        asks="whom",
    )
    base_url: str | None = option(
        "a server that speaks OpenAI's protocol",
        read.url,
        metavar="URL",
        needs="a call that is not replayed",
        asks="whom",
        reproduces=True,
    )
    reader: tuple[str, ...] = option(
        "another model that reads the descriptions; repeatable",
        read.name,
        (),
        metavar="MODEL",
        needs="another model that reads the descriptions in a round trip",
        asks="whom",
    )
    samples: int | None = option(
        "number of formulas of each size",
        read.count,
        metavar="N",
        starts_group="What to draw",
        needs="samples that are not given by --autoeval-formula",
        asks="what",
    )
    operators: tuple[int, ...] | None = option(
        "sizes of the formulas: A:B, A:B:STEP (without B) or N,M,…",
        read.sizes,
        metavar="A:B",
        needs="samples that are not given by --autoeval-formula",
        asks="what",
    )
    measures: tuple[MeasureBounds, ...] | None = option(
        "ask only about formulas with this measure: depth=2:5,…",
        read.measures,
        metavar="NAME=A:B,…",
        needs="samples that are not given by --autoeval-formula",
        asks="what",
    )
    seed: int = option(
        "draw other formulas; equal seeds draw equal formulas",
        read.non_negative_integer,
        0,
        metavar="S",
        needs="drawn formulas",
        asks="what",
        reproduces=True,
    )
    formula: tuple[str, ...] = option(
        "ask about this formula instead of drawn ones; repeatable",
        default=(),
        metavar="TEXT",
        ini=False,
        asks="what",
    )
    dataset: tuple[Path, ...] = option(
        "a file of your own data or sentences (.csv, .md); repeatable",
        read.path,
        (),
        metavar="PATH",
        needs="a suite that takes data from files",
        asks="what",
        reproduces=True,
    )
    columns: Mapping[str, str] | None = option(
        "names of columns in your files: sentence=NL,formula=FOL",
        read.columns,
        metavar="COLUMN=NAME,…",
        asks="what",
        reproduces=True,
    )
    prompting: tuple[Prompting, ...] = option(
        "which kind of prompts; repeatable",
        default=(Prompting.ZERO_SHOT,),
        choices=tuple(Prompting),
        starts_group="How to ask",
        needs="a prompt of a task or of a round trip",
        asks="whom",
    )
    interface: tuple[str, ...] = option(
        "which form of the prompt; repeatable",
        default=(),
        metavar="NAME",
        needs="a task or a round trip with this form of its prompt",
        asks="whom",
    )
    prompts: tuple[Path, ...] = option(
        "a folder of prompts of your own; repeatable",
        read.path,
        (),
        metavar="PATH",
        asks="what",
        reproduces=True,
    )
    repeats: int = option("ask each formula K times", read.times, 1, metavar="K", asks="what")
    api_seeds: tuple[int, ...] | None = option(
        "ask once with each of these seeds: 3,12,26",
        read.api_seeds,
        metavar="N,N,…",
        needs="a call to a model",
        asks="what",
        reproduces=True,
        excludes=(("repeats", "each seed is one repeat"),),
    )
    paraphrases: int = option(
        "read each sentence in other words too, K times",
        read.non_negative_integer,
        0,
        metavar="K",
        needs="sentences in other words",
        asks="what",
        reproduces=True,
    )
    copies: Literal["fail", "count"] = option(
        "how to judge a description that copies the formula",
        default="fail",
        choices=("fail", "count"),
        needs="a description of a formula",
        asks="what",
        reproduces=True,
    )
    #: False if the option stands without a value, which means `auto`.
    constrained: Literal["auto", "llama.cpp", "vllm", "openai", "both", False] | None = option(
        "constrain answers by a grammar; both: compare with free ones",
        choices=("auto", "llama.cpp", "vllm", "openai", "both"),
        value_optional=True,
        needs="answers that can be constrained",
        asks="what",
        reproduces=True,
    )
    temperature: float | None = option(
        "sampling temperature, sent with each call",
        read.non_negative,
        metavar="T",
        needs="a call to a model",
        asks="what",
        reproduces=True,
    )
    max_tokens: int | Literal["none"] | None = option(
        "longest answer in tokens, or none; by default the task's",
        read.limit,
        metavar="N",
        needs="a call to a model",
        asks="what",
        reproduces=True,
    )
    parameters: Mapping[str, Any] | None = option(
        "more parameters of each call, as a JSON object",
        read.json_object,
        metavar="JSON",
        needs="a call to a model",
        asks="what",
        reproduces=True,
    )
    threshold: float | None = option(
        "fail a suite below this pass rate: 0.9 or 90%",
        read.rate,
        metavar="RATE",
        starts_group="Gates",
        needs="a suite without a threshold of its own",
        judges="suite",
    )
    gate: Literal["point", "interval"] = option(
        "what must meet the threshold: the rate or its interval",
        default="point",
        choices=("point", "interval"),
        needs="a suite with a threshold",
        judges="run",
        excludes=(("shard", _IN_REPORT.format("--gate")),),
    )
    agreement: float | None = option(
        "fail a suite whose answers to a sentence agree less: 90%",
        read.rate,
        metavar="RATE",
        needs="a suite of sentences without an agreement of its own",
        judges="suite",
    )
    baseline: tuple[Path, ...] = option(
        "results of an earlier run, or a folder of them; repeatable",
        read.path,
        (),
        metavar="PATH",
        judges="run",
        excludes=(("shard", _IN_REPORT.format("--baseline")),),
    )
    baseline_model: str | None = option(
        "compare with this model of the baseline",
        read.name,
        metavar="NAME",
        judges="run",
        excludes=(("shard", _IN_REPORT.format("--baseline-model")),),
        requires=_EARLIER_RESULTS,
    )
    baseline_variant: Variant | None = option(
        "compare with this prompting or interface of the baseline",
        read.variant,
        metavar="NAME",
        judges="run",
        excludes=(("shard", _IN_REPORT.format("--baseline-variant")),),
        requires=_EARLIER_RESULTS,
    )
    fail_on: Mapping[str, float] | None = option(
        "fail if it got worse: drop:5%, suite-drop:5%, agreement:5%",
        read.drop,
        metavar="DROP",
        judges="run",
        excludes=(("shard", _IN_REPORT.format("--fail-on")),),
        requires=_EARLIER_RESULTS,
    )
    alpha: float = option(
        "error rate of each statistical test", read.error_rate, 0.05, metavar="RATE", judges="run"
    )
    stop_early: bool = option(
        "look five times at a suite, and end it once decided", default=False, excludes=_NO_LOOKS
    )
    blame: bool = option(
        "find which half of a failed round trip lost the meaning",
        default=False,
        starts_group="A closer look",
        needs="a round trip",
    )
    shrink_budget: int = option(
        "round trips for shrinking the failures of a suite",
        read.non_negative_integer,
        200,
        metavar="N",
        needs="drawn formulas",
    )
    shrink: Literal["failed", "always"] = option(
        "shrink failures unless the gate passes, or always",
        default="failed",
        choices=("failed", "always"),
        needs="drawn formulas",
    )
    max_calls: int | None = option(
        "stop the run after N calls", read.count, metavar="N", starts_group="Limits and costs"
    )
    max_cost: float | None = option(
        "stop the run at this cost in USD", read.positive, metavar="USD"
    )
    price: tuple[tuple[str, float, float], ...] = option(
        "USD for a million tokens: gpt-5-mini=0.25/2; repeatable",
        read.price,
        (),
        metavar="MODEL=IN/OUT",
        needs="that model in the run",
    )
    concurrency: tuple[int, int] = option(
        "calls in flight: N, or MIN:MAX to adapt", read.bounds, "4:64", metavar="MIN:MAX"
    )
    rpm: int | None = option(
        "calls per minute, at most", read.count, metavar="N", needs="a call that is not replayed"
    )
    timeout: float = option(
        "seconds for one call",
        read.positive,
        "120",
        metavar="SECONDS",
        needs="a call that is not replayed",
        reproduces=True,
    )
    verify_timeout: float | None = option(
        "seconds for one verdict of the verifier",
        read.positive,
        metavar="SECONDS",
        needs="a verdict of the verifier",
        reproduces=True,
    )
    patience: float = option(
        "how long to wait for a failing server: 90s, 10m, 1h",
        read.duration,
        "10m",
        metavar="TIME",
        needs="a call that is not replayed",
    )
    record_mode: Literal["none", "once", "new_episodes", "all"] | None = option(
        "replay or record the calls",
        choices=("none", "once", "new_episodes", "all"),
        starts_group="Recordings and long runs",
        reproduces=True,
    )
    cassettes: Path = option(
        "the folder of recordings",
        read.path,
        "cassettes",
        metavar="PATH",
        needs="a call to a model",
        reproduces=True,
    )
    resume: bool = option("continue the same run after it was cut off", default=False, ini=False)
    #: False if the option stands without a value: as long as it takes.
    batch: float | Literal[False] | None = option(
        "ask in batches, at half the price; wait HOURS, or submit",
        read.hours,
        value_optional=True,
        metavar="HOURS",
        excludes=(("constrained", _ASKS_FIRST), ("rpm", _SETS_PACE)),
    )
    shard: tuple[int, int] | None = option(
        "run the K-th of N parts of every suite, such as 2/5",
        read.shard,
        metavar="K/N",
        asks="whom",
    )
    results: Path | None = option(
        "write each sample to this file as a line of JSON (.jsonl)",
        read.path,
        metavar="PATH",
        starts_group="Outputs",
    )
    html: Path | None = option("write a page to open in a browser", read.path, metavar="PATH")
    summary: Path | None = option(
        "write the whole analysis as JSON, for programs", read.path, metavar="PATH"
    )
    #: False if the option stands without a value: the summary of the GitHub job.
    github_summary: Path | Literal[False] | None = option(
        "write a Markdown summary, by default to the GitHub job",
        read.path,
        value_optional=True,
        metavar="PATH",
        guesses=("markdown", "md"),  # the command `report` has --markdown
    )
    #: Whether the command line or the ini file names a model. If not, ``model`` is the default.
    model_named: bool
    #: The options of the command line with their parsed values, in the order of the help.
    typed: Mapping[str, Any]
    #: The folder that pytest was started in.
    folder: Path
    #: The name of the ini file; empty if there is none.
    ini_file: str = ""
    #: What the command line says about the ini file: another file, other values.
    ini_options: tuple[str, ...] = ()

    @property
    def part(self) -> str:
        """The part of every suite that is run, such as ``2/5``; empty if suites run whole."""
        return "" if self.shard is None else f"{self.shard[0]}/{self.shard[1]}"

    @property
    def prices(self) -> dict[str, Price]:
        """The given prices, by the name of the model; with batches, half of them."""
        from pytest_autoeval.models.model_settings import Price

        share = 1.0 if self.batch is None else _PRICE_OF_BATCH
        return {
            model: Price(share * input_price, share * output_price)
            for model, input_price, output_price in self.price
        }

    @property
    def times_asked(self) -> int:
        """How often each formula is asked."""
        return self.repeats if self.api_seeds is None else len(self.api_seeds)

    @property
    def in_flight(self) -> int:
        """The largest number of calls in flight."""
        # A batch waits for answers that come hours later: the usual number in flight would make many small batches.
        uses_concurrency = self.batch is None or self.is_given("concurrency")
        return self.concurrency[1] if uses_concurrency else _IN_BATCH

    def is_given(self, name: str) -> bool:
        """Whether an option is typed, or has another value than its default."""
        option = OPTIONS[name]
        usual = option.type(option.default) if isinstance(option.default, str) else option.default
        return name in self.typed or getattr(self, name) != usual

    @property
    def shrinks(self) -> bool:
        """Whether counterexamples are shrunk: with batches, which take hours, only if an option says so."""
        return self.batch is None or self.is_given("shrink") or self.is_given("shrink_budget")

    def paraphrases_of(self, task: object) -> int:
        """How many paraphrases of each sample a task reads."""
        return self.paraphrases if getattr(task, "takes_paraphrases", False) else 0

    def digests(self) -> dict[str, str]:
        """A digest of each value that is not a path, by name. Equal values have equal digests on every host."""
        not_paths = [name for name, option in OPTIONS.items() if option.type is not read.path]
        return {name: sha256(repr(getattr(self, name)).encode()).hexdigest() for name in not_paths}

    def over_marker(self, name: Literal["samples", "operators"], marked: T | None) -> T | None:
        """The typed value, else the value of a test's marker, else that of the ini file."""
        value: T | None = getattr(self, name)
        return value if name in self.typed or marked is None else marked

    def origin(self, name: str) -> str:
        """Where the value of an option comes from, for a message: `--autoeval-NAME` or `FILE: autoeval_NAME`."""
        return shown_name(name) if name in self.typed else ini_key(name, self.ini_file)


#: The options of a run by name.
OPTIONS: dict[str, Option] = {
    field.name: field.metadata["option"] for field in fields(Settings) if field.metadata
}


def names_of(holds: Callable[[Option], object]) -> tuple[str, ...]:
    """The names of the options for which something holds, in the order of the help."""
    return tuple(name for name, option in OPTIONS.items() if holds(option))


def shown_name(name: str) -> str:
    """The option as a user types it."""
    return f"--autoeval-{name.replace('_', '-')}"


def ini_key(name: str, file: str) -> str:
    """The ini key of an option, with its file, for a message."""
    return f"{file}: autoeval_{name}" if file else f"ini key autoeval_{name}"
