"""The names that earlier releases had, and what to do instead. A removed option or keyword says so when it is used.

This is the only place that knows these names. Keys of old results files are read in
:mod:`pytest_autoeval.report.old_rows`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from pytest_autoeval.errors import AutoevalError

T = TypeVar("T")

#: The first release without these names.
_RELEASE = "0.1.0"

#: The removed options, each with what to do instead. The option ``keep_counterexamples`` was written
#: ``--autoeval-keep-counterexamples`` on the command line, and ``autoeval_keep_counterexamples`` in the ini file.
OPTIONS = {
    "keep_counterexamples": "write the formulas that failed to a file, by `python -m pytest_autoeval report RESULTS "
    '--failures=FILE.jsonl`, and ask about them again, by --autoeval-dataset=FILE.jsonl or @autoeval("FILE.jsonl")',
    "reask": "use --autoeval-constrained to get the form, or state it in a prompt of your own (--autoeval-prompts)",
    "adaptive": "set the sizes and --autoeval-samples; the curve over the sizes and its horizon are still shown",
    "precision": "set --autoeval-samples; more samples make the interval of a horizon narrower",
    "hops": "use --autoeval-repeats to ask each formula several times; --autoeval-reader gives it another reader",
}
#: The removed keywords of the marker, each with what to do instead.
KEYWORDS = {
    "horizon": "require a pass rate, by threshold=, or compare with a baseline, by --autoeval-fail-on=drop:5%",
}
#: The removed kinds of a drop in ``--autoeval-fail-on``, each with what to do instead.
DROPS = {
    "horizon": "write drop:5%, which compares the same formulas and finds smaller losses",
}
#: The removed attributes, methods and keywords of the Python API, each with what to do instead.
API = {
    "Trial.notes": "write a class that derives from Part, and give an object of it to trial.add",
    "Trial.findings": "read the attributes of the trial, and its parts by trial.part",
    "Judgement(notes=…)": "write a class that derives from Part, and give parts=(…,)",
    "Task.notes_without_answer": "write a method parts_without_answer, which returns a tuple of parts",
}
#: The removed keys of a prompt file, each with what to do instead.
PROMPT_KEYS = {
    "reask": "state the form of the answer in the prompt itself; --autoeval-constrained has the server keep to it",
}


def removed_option(name: str) -> str:
    """The sentence about a removed option, by its name with underscores; empty for any other name."""
    return _sentence(f"--autoeval-{name.replace('_', '-')}", OPTIONS.get(name, ""))


def removed_ini_key(name: str) -> str:
    """The sentence about the ini key of a removed option, by the option's name; empty for any other name."""
    return _sentence(f"the ini key autoeval_{name}", OPTIONS.get(name, ""))


def removed_keyword(name: str) -> str:
    """The sentence about a removed keyword of the marker; empty for any other name."""
    return _sentence(f"the marker keyword {name}", KEYWORDS.get(name, ""))


def removed_drop(kind: str) -> str:
    """The sentence about a removed kind of a drop; empty for any other name."""
    return _sentence(f"{kind}:…", DROPS.get(kind, ""))


def removed_in_api(name: str) -> str:
    """The sentence about a removed name of the Python API, as in `API`; empty for any other name."""
    return _sentence(name, API.get(name, ""))


def removed_prompt_key(name: str) -> str:
    """The sentence about a removed key of a prompt file; empty for any other name."""
    return _sentence(f"the key {name}", PROMPT_KEYS.get(name, ""))


def without_keyword(keyword: str) -> Callable[[type[T]], type[T]]:
    """Decorates a class whose constructor had a keyword in earlier releases.

    A call with the keyword raises an `AutoevalError` with the sentence about it. Without the decorator, it would be a
    `TypeError` that does not say what to do instead.
    """

    def decorate(decorated: type[T]) -> type[T]:
        initialize: Callable[..., None] = decorated.__init__

        # With `wraps`, the class keeps the signature of its constructor, which the documentation shows.
        @wraps(initialize)
        def initialize_without_keyword(self: T, *arguments: Any, **keywords: Any) -> None:
            if keyword in keywords:
                raise AutoevalError(removed_in_api(f"{decorated.__name__}({keyword}=…)"))
            initialize(self, *arguments, **keywords)

        decorated.__init__ = initialize_without_keyword  # type: ignore[assignment]
        return decorated

    return decorate


def _sentence(name: str, instead: str) -> str:
    """The sentence about a removed name; empty if there is nothing to do instead, that is, for any other name."""
    return f"{name} was removed in release {_RELEASE}: {instead}" if instead else ""
