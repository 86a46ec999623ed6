"""The parts of the documentation that are generated from the package: options and outcomes."""

from __future__ import annotations

import re
import textwrap

from pytest_autoeval.engine.option_values import Option
from pytest_autoeval.engine.settings import ACTIONS, OPTIONS, shown_name
from pytest_autoeval.outcomes import OUTCOMES, SampleOutcome

#: An option on the page: its name, a line with its help, the page's own text, its default and its ini key.
_ON_PAGE = re.compile(
    r"^### `(--autoeval-.+)`\n\n.+\n\n((?:.+\n+)*?)(?:Default: `.+`\. )?(?:Ini key: `|No ini key)", re.MULTILINE
)


def options(page: str) -> str:
    """Each option under the heading of its purpose: its help, what ``page`` says of it, its default and ini key."""
    said = {match[1]: match[2].strip() for match in _ON_PAGE.finditer(page)}
    return "\n".join(
        _option(name, option, said.get(shown_name(name), "")) for name, option in {**OPTIONS, **ACTIONS}.items()
    )


def _option(name: str, option: Option, said: str) -> str:
    values = "\\|".join(option.choices) or option.metavar
    form = f"[={values}]" if option.value_optional else f"={values}" if values else ""
    default = ", ".join(option.default) if option.repeatable else option.default
    facts = [
        f"Default: `{default}`." if default else "",
        f"Ini key: `autoeval_{name}`." if option.ini and name not in ACTIONS else "No ini key.",
    ]
    parts = [
        f"## {option.purpose}" if option.purpose else "",
        f"### `{shown_name(name)}`",
        f"`{shown_name(name)}{form}`: {option.help}.".replace("\\|", "|"),
        said,
        " ".join(filter(None, facts)),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def outcomes(_page: str) -> str:
    """Each outcome: its code, how it counts, what it means, its likely causes, and what to do."""
    return "\n".join(_outcome(one) for one in OUTCOMES.values())


def _outcome(outcome: SampleOutcome) -> str:
    causes = "\n".join(wrapped(f"- {cause}", "  ") for cause in outcome.causes)
    return (
        f"### {outcome.name} ({outcome.code})\n\n"
        f"{outcome.title}. Counts as: {outcome.kind}.\n\n"
        f"{wrapped(outcome.meaning)}\n\n"
        f"Likely causes:\n\n{causes}\n\n"
        f"{wrapped(f'What to do: {outcome.advice.strip()}')}\n"
    )


def wrapped(text: str, indent: str = "") -> str:
    """A paragraph in lines of at most 120 characters."""
    return textwrap.fill(text, 120, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)
