# ruff: noqa: RUF009 - the options are fields of a data class
"""`Settings`: every option of the group `autoeval`, which is its ini key too, declared once.

Only the standard library is imported here: this is loaded in every pytest run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from pytest_autoeval.running import option_values as read
from pytest_autoeval.running.option_values import Option, option

if TYPE_CHECKING:
    from pytest_autoeval.models.settings import Price

Prompting = Literal["zero-shot", "few-shot", "self-refine"]

#: The settings that decide what is asked about a sample, and which samples there are, beside model and variant.
ASKED = (
    *("samples", "usual_samples", "seed", "operators", "usual_operators", "repeats", "formula"),
    *("dataset", "prompts", "temperature", "max_tokens", "parameters", "hops", "adaptive", "precision"),
)
#: The limits that all workers share.
LIMITS = ("concurrency", "rpm", "patience", "max_calls", "max_cost")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)  # secrets may be among the values
class Settings:
    """The value of each option, under the option's name: from the command line, else the ini file, else its default.

    Repeatable options are tuples. Paths are absolute: relative to the current folder where they were typed, to the ini
    file's folder where they stand there. ``samples`` and ``operators`` are those of the command line, which override a
    test's marker; ``usual_samples`` and ``usual_operators`` are those of the ini file, which the marker overrides.
    """

    model: tuple[str, ...] = option(
        "the model under test; repeatable",
        read.name,
        ("offline/faithful",),
        metavar="NAME",
        purpose="Which model",
        more="Each suite runs once for each model. `offline/…` names the built-in models, which need no key and no "
        "network (`--autoeval-models` lists them). `litellm/PROVIDER/MODEL` is asked through LiteLLM. Any other name "
        "is asked at the server of `--autoeval-base-url`.",
    )
    base_url: str | None = option(
        "a server that speaks OpenAI's protocol",
        read.url,
        metavar="URL",
        more="Needs `--autoeval-model`. Default: `OPENAI_BASE_URL`, else OpenAI's own server. vLLM, Ollama and most "
        "providers have such an address.",
    )
    reader: tuple[str, ...] = option(
        "another model that reads the descriptions; repeatable",
        read.name,
        (),
        metavar="MODEL",
        more="The model describes a formula, and the reader writes a formula from the description. Each round trip "
        "runs once for each pair of model and reader. By default each model reads its own descriptions.",
    )
    samples: int | None = option(
        "number of formulas of each size",
        read.count,
        metavar="N",
        below_marker=True,
        purpose="What to draw",
        more="The option overrides a test's marker. The ini key applies to tests whose marker gives no number. Without "
        "any of them: 10.",
    )
    usual_samples: int | None
    operators: tuple[int, ...] | None = option(
        "sizes of the formulas: A:B, A:B:STEP or N,M,…",
        read.sizes,
        metavar="A:B",
        below_marker=True,
        more="A size is a number of operators; for regular expressions it is the depth. `0:13` is 0 to 12, `2:12:3` is "
        "2, 5, 8, 11. The option overrides a test's marker. The ini key applies to tests whose marker gives no sizes. "
        "Without any of them: `0:9`.",
    )
    usual_operators: tuple[int, ...] | None
    seed: int = option(
        "draw other formulas; equal seeds draw equal formulas", read.number, 0, metavar="S", more="An integer ≥ 0."
    )
    formula: tuple[str, ...] = option(
        "ask about this formula instead of drawn ones; repeatable",
        default=(),
        metavar="TEXT",
        ini=False,
        more="It may also be the id of an item of a data set. The command under each counterexample has this option. "
        "The threshold is 100 % unless a marker or an option gives another.",
    )
    dataset: tuple[Path, ...] = option(
        "a file of your own data (.csv, .jsonl); repeatable",
        read.path,
        (),
        metavar="PATH",
        more="Your own sentences, formulas or traces replace the shipped ones in every suite that can use them.",
    )
    prompting: tuple[Prompting, ...] = option(
        "which kind of prompts; repeatable",
        default=("zero-shot",),
        choices=get_args(Prompting),
        purpose="How to ask",
        more="`few-shot` adds worked examples to the prompt. With `self-refine` the model checks its answer once. Each "
        "suite runs once with each prompting.",
    )
    interface: tuple[str, ...] = option(
        "which form of a task's prompt; repeatable",
        default=(),
        metavar="NAME",
        more="Temporal logic: `minimal` (the task and its symbols), `detailed` (grammar, semantics, rules) or `python` "
        "(formulas as code to complete). The judge: `reasoning` (reasons before the answer) or `direct` (yes or no "
        "alone). Choices, rankings and entailments: `structured` (JSON by a schema, or text if the server accepts "
        "none) or `text`. By default each task uses its first form.",
    )
    prompts: tuple[Path, ...] = option(
        "a folder of prompts of your own; repeatable",
        read.path,
        (),
        metavar="PATH",
        more="It contains templates such as `informalize/regex.toml`. They replace the shipped ones of the same name.",
    )
    repeats: int = option(
        "ask each formula K times",
        read.count,
        1,
        metavar="K",
        more="The summary then shows pass@K, pass^K and the spread of the pass rate.",
    )
    hops: int = option(
        "round trips in a row for each formula",
        read.count,
        1,
        metavar="N",
        more="The formula that was read is described and read again. A sample passes if the meaning survives all hops.",
    )
    temperature: float | None = option(
        "sampling temperature, sent with each call", read.amount, metavar="T", more="By default the server chooses."
    )
    max_tokens: int | None = option(
        "longest answer in tokens, sent with each call", read.count, metavar="N", more="By default the server chooses."
    )
    parameters: Mapping[str, Any] | None = option(
        "more parameters of each call, as a JSON object",
        read.json_object,
        metavar="JSON",
        more="""For example `--autoeval-parameters='{"top_p": 0.9}'`.""",
    )
    threshold: float | None = option(
        "fail a suite below this pass rate: 0.9 or 90%",
        read.rate,
        metavar="RATE",
        purpose="Gates",
        more="It applies to tests whose marker gives no threshold. Without any threshold the pass rate is reported, "
        "not judged.",
    )
    gate: Literal["point", "interval"] = option(
        "what must meet the threshold: the rate or its interval",
        default="point",
        choices=("point", "interval"),
        more="`point` compares the pass rate with the threshold. `interval` compares its 95 % interval: the suite "
        "passes if the whole interval meets the threshold, and fails if the whole interval is below it. Otherwise it "
        "is inconclusive (exit code 10).",
    )
    baseline: Path | None = option(
        "results of an earlier run to compare with (.jsonl)",
        read.path,
        metavar="PATH",
        more="The runs are compared on the formulas that both have. `--autoeval-fail-on` judges the difference.",
    )
    fail_on: read.Falls | None = option(
        "fail a suite that got worse: drop:5%, horizon:10%",
        read.drop,
        metavar="DROP",
        more="Needs `--autoeval-baseline`. `drop:5%` fails a suite whose pass rate fell significantly, unless the data "
        "rule out a drop of five percentage points. `horizon:10%` does the same for the horizon and a fall of a tenth. "
        "The horizon is the size at which half of the formulas pass. `drop:5%,horizon:10%` does both. If there are too "
        "few samples to detect such a drop, the suite is inconclusive (exit code 10).",
    )
    alpha: float = option(
        "error rate of each statistical test",
        read.level,
        0.05,
        metavar="RATE",
        more="It applies to the tests against a baseline, between models, and those that stop a suite early.",
    )
    stop_early: bool = option(
        "end a suite as soon as its verdict is known",
        default=False,
        more="A sequential test decides. Its error rate is at most `--autoeval-alpha`, however often it looks.",
    )
    blame: bool = option(
        "find which half of a failed round trip lost the meaning",
        default=False,
        purpose="A closer look",
        more="After a failed round trip the model reads a correct description of the formula, in one more call. If it "
        "reads that correctly, its own description was wrong.",
    )
    shrink_budget: int = option(
        "round trips for shrinking the failures of a suite",
        read.number,
        200,
        metavar="N",
        more="Shrinking looks for the smallest formula that fails. 0 turns it off.",
    )
    keep_counterexamples: Path | None = option(
        "keep counterexamples in this folder; later runs ask again",
        read.path,
        metavar="PATH",
        more="Each smallest counterexample becomes a small file. Later runs ask about it again and report it as fixed, "
        "still failing or new. These samples count in no pass rate and no gate.",
    )
    #: False where the option stands without a value: as many samples as without it.
    adaptive: int | Literal[False] | None = option(
        "find the horizon, where half of the formulas pass",
        read.calls,
        alone=True,
        metavar="CALLS",
        more="The answers so far decide which sizes are asked next. A suite ends when its horizon is known to "
        "`--autoeval-precision`, or after CALLS calls. Without CALLS it takes at most as many samples as without this "
        "option.",
    )
    precision: float = option(
        "how exactly --autoeval-adaptive finds the horizon",
        read.share,
        "10%",
        metavar="RATE",
        more="A suite ends when half the width of the horizon's 95 % interval is at most this share of the horizon. "
        "If the marker has `horizon={…}`, this applies to each horizon in it.",
    )
    max_calls: int | None = option(
        "stop the run after N calls",
        read.count,
        metavar="N",
        purpose="Limits and costs",
        more="Replayed calls do not count. All workers together stay below the limit.",
    )
    max_cost: float | None = option(
        "stop the run at this cost in USD",
        read.positive,
        metavar="USD",
        more="Needs the `--autoeval-price` of each model.",
    )
    price: tuple[tuple[str, float, float], ...] = option(
        "USD for a million tokens: gpt-5-mini=0.25/2; repeatable",
        read.price,
        (),
        metavar="MODEL=IN/OUT",
        more="The first number is for input tokens, the second for output tokens.",
    )
    concurrency: tuple[int, int] = option(
        "calls in flight: N, or MIN:MAX to adapt",
        read.bounds,
        "4:64",
        metavar="MIN:MAX",
        more="All workers share this limit. Between the two bounds the number falls when the server answers 429, and "
        "rises again.",
    )
    rpm: int | None = option(
        "calls per minute, at most",
        read.count,
        metavar="N",
        more="All workers share this limit. There is none by default.",
    )
    timeout: float = option("seconds for one call", read.positive, "120", metavar="SECONDS")
    verify_timeout: float | None = option(
        "seconds for one verdict of the verifier, at most 10",
        read.positive,
        metavar="SECONDS",
        more="Default: 5, for temporal logic 2. A verdict that takes longer is `undecided`.",
    )
    patience: float = option(
        "how long to wait for a failing server: 90s, 10m, 1h",
        read.duration,
        "10m",
        metavar="TIME",
        more="The run stops when the server has given no answer for this time.",
    )
    record_mode: Literal["none", "once", "new_episodes", "all"] | None = option(
        "replay or record the calls",
        choices=("none", "once", "new_episodes", "all"),
        purpose="Recordings and long runs",
        more="`none` only replays. `once` records the first time and replays afterwards. `new_episodes` replays, and "
        "records what is new. `all` asks everything again and records it. By default a recorded answer is replayed, "
        "the rest is asked, and nothing is recorded.",
    )
    cassettes: Path = option("the folder of recordings", read.path, "cassettes", metavar="PATH")
    resume: bool = option(
        "continue the same run after it was cut off",
        default=False,
        ini=False,
        more="Tests, models and options must be the same. Only calls without an answer are made. Answers are kept in "
        "pytest's cache until a run has ended normally, for at most 30 days.",
    )
    shard: tuple[int, int] | None = option(
        "run the K-th of N parts of every suite, such as 2/5",
        read.shard,
        metavar="K/N",
        more="`python -m pytest_autoeval report` joins the results of all parts and judges the suites.",
    )
    results: Path | None = option(
        "write each sample to this file as a line of JSON (.jsonl)",
        read.path,
        metavar="PATH",
        purpose="Outputs",
        more="A line is written as soon as its sample has ended.",
    )
    html: Path | None = option(
        "write a page to open in a browser", read.path, metavar="PATH", more="It is one file that needs no network."
    )
    summary: Path | None = option(
        "write the whole analysis as JSON, for programs", read.path, metavar="PATH", more="It is one JSON object."
    )
    #: False where the option stands without a value: the summary of the GitHub job is meant.
    github_summary: Path | Literal[False] | None = option(
        "write a Markdown summary, by default to the GitHub job",
        read.path,
        alone=True,
        metavar="PATH",
        more="It has the verdict, the table and the smallest counterexamples. Without a path they are added to the "
        "summary of the GitHub job. If `GITHUB_STEP_SUMMARY` is set, this needs no option.",
    )
    #: Whether the command line or the ini file names a model; else ``model`` is the default.
    model_named: bool
    #: The options that stand on the command line, in the order of the help, with their parsed values.
    typed: Mapping[str, Any]
    #: The folder that pytest was started in.
    folder: Path
    #: The name of the ini file; empty where there is none.
    ini_file: str = ""

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
        plain = [name for name, one in OPTIONS.items() if one.type is not read.path]
        names = [*plain, *(one.name for one in fields(self) if one.name.startswith("usual_"))]
        return {name: sha256(repr(getattr(self, name)).encode()).hexdigest() for name in names}

    def origin(self, name: str) -> str:
        """Where the value of an option comes from, for a message: `--autoeval-NAME` or `FILE: autoeval_NAME`."""
        return shown_name(name) if name in self.typed else ini_key(name, self.ini_file)


#: The options of a run by name.
OPTIONS: dict[str, Option] = {one.name: one.metadata["option"] for one in fields(Settings) if one.metadata}
#: Options that print something instead of running tests.
ACTIONS: dict[str, Option] = {
    "plan": Option(
        "print what a run would cost, and stop",
        default=False,
        ini=False,
        purpose="Instead of a run",
        more="It prints the calls, tokens, cost, time and replayed share.",
    ),
    "models": Option("list the offline models, and stop", default=False, ini=False),
    "explain": Option("explain an outcome's code, such as AE101, and stop", metavar="CODE", ini=False),
}


def shown_name(name: str) -> str:
    """The option as it is typed."""
    return f"--autoeval-{name.replace('_', '-')}"


def ini_key(name: str, file: str) -> str:
    """The ini key of an option with its file, for a message."""
    return f"{file}: autoeval_{name}" if file else f"ini key autoeval_{name}"
