"""Every option of the group `autoeval`, each also an ini key; only the standard library is imported here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from pytest_autoeval.running.option_values import (
    amount,
    count,
    drop,
    level,
    model_name,
    natural,
    path_name,
    positive,
    price,
    rate,
    request_parameters,
    sizes,
    switch,
)


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its name without ``--autoeval-``, what it takes, and what it means."""

    name: str
    help: str
    type: Callable[[str], Any] = str
    metavar: str | None = None
    default: Any = None
    repeatable: bool = False
    choices: tuple[str, ...] = ()
    ini: bool = True
    #: The option takes no value.
    flag: bool = False
    #: The option may stand without a value, and is False then: argparse would hand a text to ``type``.
    alone: bool = False
    #: The command line wins over a test's marker, and the marker wins over the ini file.
    below_marker: bool = False

    @property
    def field(self) -> str:
        """The option's field of `Settings`."""
        return self.name.replace("-", "_")

    @property
    def key(self) -> str:
        """The ini key, and the name in ``config.option``."""
        return f"autoeval_{self.field}"

    @property
    def is_path(self) -> bool:
        """Whether the value is the path of a file or folder."""
        return self.type is path_name

    def from_ini(self, text: str) -> Any:
        """The value that the ini file gives; raises :class:`argparse.ArgumentTypeError`."""
        return switch(text) if self.flag else self.type(text)


OPTIONS: tuple[Option, ...] = (
    Option(
        "model",
        "the model under test; repeatable: each suite runs once for each. offline/… needs neither key nor "
        "network (see --autoeval-models)",
        type=model_name,
        metavar="NAME",
        repeatable=True,
        default=("offline/faithful",),
    ),
    Option("base-url", "any OpenAI-compatible server; default: OPENAI_BASE_URL, else the provider's", metavar="URL"),
    Option(
        "samples",
        "formulas for each size; in the ini file: for tests whose marker gives no number (else 10)",
        type=count,
        metavar="N",
        below_marker=True,
    ),
    Option("seed", "draw other formulas: equal seeds draw equal formulas", type=natural, metavar="S", default=0),
    Option(
        "operators",
        "the sizes of the formulas: 0:13 is 0 to 12 operators (for regex: depth), 2:12:3 is 2, 5, 8, 11; or a list "
        "2,5,8. In the ini file: for tests whose marker gives no sizes (else 0:9)",
        type=sizes,
        metavar="A:B",
        below_marker=True,
    ),
    Option("repeats", "ask each formula K times", type=count, metavar="K", default=1),
    Option(
        "prompting",
        "which prompts: zero-shot, few-shot (with worked examples) or self-refine (the model checks its answer once); "
        "repeatable: each suite runs once with each",
        choices=("zero-shot", "few-shot", "self-refine"),
        repeatable=True,
        default=("zero-shot",),
    ),
    Option(
        "interface",
        "which form of a task's prompt to use; repeatable. Temporal logic: minimal (the task and its symbols), "
        "detailed (grammar, semantics, rules) or python (formulas as code to complete). The judge: reasoning (reasons "
        "before the answer) or direct (yes or no alone). Choices, rankings and entailments: structured (JSON by a "
        "schema, or text where the server takes none) or text. Default: the first form of the task",
        metavar="NAME",
        repeatable=True,
        default=(),
    ),
    Option(
        "dataset",
        "sentences, formulas or traces of your own (.csv, .jsonl) in place of the shipped ones, for every suite over a "
        "data set that they suit; repeatable",
        type=path_name,
        metavar="FILE",
        repeatable=True,
        default=(),
    ),
    Option(
        "prompts",
        "a folder whose templates (informalize/regex.toml, …) replace the shipped ones; repeatable",
        type=path_name,
        metavar="DIR",
        repeatable=True,
        default=(),
    ),
    Option(
        "threshold",
        "fail a suite whose pass rate is lower: 0.9 or 90%%; a threshold in a test's marker wins",
        type=rate,
        metavar="RATE",
    ),
    Option(
        "gate",
        "when a suite meets its threshold: point, if its pass rate does; interval, if its 95%% interval does, and "
        "fails if none of it does: otherwise it is inconclusive (exit code 10)",
        choices=("point", "interval"),
        default="point",
    ),
    Option(
        "baseline",
        "compare with the results of an earlier run (.jsonl), formula by formula; judged with --autoeval-fail-on",
        type=path_name,
        metavar="PATH",
    ),
    Option(
        "fail-on",
        "drop:5%% fails a suite that is significantly worse than the baseline, unless by less than five percentage "
        "points; too few samples to see such a drop: inconclusive (exit code 10)",
        type=drop,
        metavar="drop:RATE",
    ),
    Option(
        "alpha",
        "the level of the tests against the baseline and of stopping early: how often they may be wrong",
        type=level,
        metavar="A",
        default=0.05,
    ),
    Option(
        "stop-early",
        "end a suite as soon as a sequential test knows what its gate will say; wrong at most at the rate "
        "--autoeval-alpha, however often it looks",
        flag=True,
    ),
    Option(
        "blame",
        "ask once more after a failed round trip, with a faithful description: was the meaning lost in the "
        "description or in the reading?",
        flag=True,
    ),
    Option(
        "keep-counterexamples",
        "keep each smallest counterexample in this folder, a small file each; later runs ask about them again, beside "
        "their own samples, and say which are fixed, still failing or new; they count in no rate or gate",
        type=path_name,
        metavar="DIR",
    ),
    Option(
        "record-mode",
        "none: replay only; once: record the first time, replay afterwards; new_episodes: replay, and record what is "
        "new; all: record everything anew. Default: replay what is recorded, ask for the rest, record nothing",
        choices=("none", "once", "new_episodes", "all"),
    ),
    Option("cassettes", "the folder of recordings", type=path_name, metavar="DIR", default="cassettes"),
    Option("concurrency", "calls in flight at once, over all workers together", type=count, metavar="N", default=8),
    Option("rpm", "calls started in a minute, over all workers together; default: no limit", type=count, metavar="N"),
    Option(
        "shrink-budget",
        "round trips that a suite may spend on shrinking its failures to the smallest formulas; 0 turns it off",
        type=natural,
        metavar="N",
        default=200,
    ),
    Option("max-calls", "stop the run after this many calls; replayed ones are free", type=count, metavar="N"),
    Option("max-cost", "stop the run at this cost in USD; needs --autoeval-price", type=positive, metavar="USD"),
    Option(
        "price",
        "USD for a million tokens, repeatable: gpt-5-mini=0.25/2",
        type=price,
        metavar="MODEL=IN/OUT",
        repeatable=True,
        default=(),
    ),
    Option(
        "results",
        "write one JSON object for each sample to this file, as it happens (.jsonl)",
        type=path_name,
        metavar="PATH",
    ),
    Option("html", "write a page to open in a browser: one file that needs no network", type=path_name, metavar="PATH"),
    Option(
        "github-summary",
        "write the verdict, the table and the smallest counterexamples to this Markdown file; alone, and where "
        "GITHUB_STEP_SUMMARY is set anyway: add them to the summary of the GitHub job",
        type=path_name,
        metavar="PATH",
        alone=True,
    ),
    Option("temperature", "sent with each call; default: the model's own", type=amount, metavar="T"),
    Option("max-tokens", "the longest answer; default: the model's own", type=count, metavar="N"),
    Option(
        "max-retries",
        "further attempts of a call that met a rate limit or a server error",
        type=natural,
        metavar="N",
        default=2,
    ),
    Option("timeout", "seconds that one call may take", type=positive, metavar="S", default=120.0),
    Option(
        "verify-timeout",
        "seconds that one verdict may take; default: 5, for temporal logic 2 (and never more than 10)",
        type=positive,
        metavar="S",
    ),
    Option(
        "parameters",
        "more parameters of each call, as JSON: '{\"top_p\": 0.9}'",
        type=request_parameters,
        metavar="JSON",
    ),
    Option(
        "formula",
        "ask about this formula instead of drawn ones, or about the item of a data set that has this id; repeatable. "
        "Each counterexample comes with such a command. Where neither a marker nor an option gives a threshold, it is "
        "100%%",
        metavar="TEXT",
        repeatable=True,
        default=(),
        ini=False,
    ),
)

#: Options that do something else than run, and so have no ini key.
ACTIONS: tuple[tuple[str, str], ...] = (
    ("plan", "print what a run would take (calls, tokens, cost, replayed share) and stop"),
    ("models", "list the offline models, a line each, and stop"),
)


def add_options(parser: pytest.Parser) -> None:
    """Registers the group."""
    group = parser.getgroup(
        "autoeval", "autoeval: does a language model keep the meaning between formal language and English?"
    )
    for option in OPTIONS:
        keywords: dict[str, Any] = {"help": option.help, "dest": option.key, "default": None}
        if option.default not in (None, ()):
            shown = ", ".join(option.default) if option.repeatable else option.default
            keywords["help"] += f" (default: {shown})"
        if option.flag:
            keywords |= {"action": "store_true"}
        elif option.choices:
            keywords["choices"] = option.choices
        else:
            keywords |= {"type": option.type, "metavar": option.metavar}
        if option.repeatable:
            keywords["action"] = "append"
        if option.alone:
            keywords |= {"nargs": "?", "const": False}
        group.addoption(f"--autoeval-{option.name}", **keywords)
        if option.ini:
            kind: Literal["linelist", "string"] = "linelist" if option.repeatable else "string"
            parser.addini(option.key, f"as --autoeval-{option.name}", type=kind, default=None)
    for name, text in ACTIONS:
        group.addoption(f"--autoeval-{name}", action="store_true", dest=f"autoeval_{name}", help=text)
    group.addoption(
        "--autoeval-explain",
        metavar="CODE",
        dest="autoeval_explain",
        help="explain an outcome's code, such as AE101, and stop",
    )
