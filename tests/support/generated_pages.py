"""The parts of the documentation that are generated from the package: options, outcomes, and the lines of results."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from typing import Any

from pytest_autoeval.engine.option_values import Option
from pytest_autoeval.engine.settings import ACTIONS, OPTIONS, shown_name
from pytest_autoeval.outcomes import OUTCOMES, SampleOutcome
from pytest_autoeval.record.schema import LINES, OBJECTS, results_schema
from pytest_autoeval.record.task_parts import SHIPPED_PARTS

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


#: The headings of the objects that stand in lines.
_HEADINGS = {
    "Call": "A call",
    "SentMessage": "A message",
    "Planned": "A planned suite",
    "Found": "A counterexample",
    "Calls": "Calls, counted",
    "Figure": "A figure",
    "Stopped": "A suite that was stopped early",
}
#: The word for each type of JSON.
_TYPES = {"string": "text", "object": "object", "array": "list", "null": "null"}


def results(_page: str) -> str:
    """Each kind of line with its keys, then the objects in them, then the parts of shipped tasks."""
    definitions = results_schema()["$defs"]
    tag = {kind.__name__: kind.__struct_config__.tag for kind in LINES}
    part = {kind.__name__: kind.part_name for kind in SHIPPED_PARTS}
    sections = ["## Lines\n"]
    sections += [_keys(f"`{tag[kind.__name__]}`", definitions[kind.__name__]) for kind in LINES]
    sections.append("## Objects in lines\n")
    sections += [_keys(_HEADINGS[kind.__name__], definitions[kind.__name__]) for kind in OBJECTS]
    sections.append("## Parts of the shipped tasks\n")
    sections += [_keys(f"`{part[kind.__name__]}`", definitions[kind.__name__]) for kind in SHIPPED_PARTS]
    return "\n".join(sections)


def _keys(heading: str, described: Mapping[str, Any]) -> str:
    rows = [
        f"| `{name}` | {_type_of(value)} | {_meaning(value)} |"
        for name, value in described["properties"].items()
        if name != "kind"
    ]
    table = "\n".join(("| key | type | meaning |", "|---|---|---|", *rows))
    return f"### {heading}\n\n{wrapped(described['description'])}\n\n{table}\n"


def _meaning(value: Mapping[str, Any]) -> str:
    text: str = value["description"]
    return text.replace("``", "`").replace("|", "&#124;").removesuffix(".")


def _type_of(value: Mapping[str, Any]) -> str:
    """The type of a key in words."""
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[object](#{_HEADINGS[name].casefold().replace(' ', '-').replace(',', '')})"
    if "anyOf" in value:
        return " or ".join(dict.fromkeys(_type_of(one) for one in value["anyOf"] if one.get("type") != "null"))
    if "enum" in value:
        words = [f"`{one}`" for one in value["enum"] if one is not None]
        return ", ".join(word if word != "``" else '""' for word in words)
    if value.get("type") == "array":
        items = value.get("items") or {}
        return "list" if not items else f"list of {_type_of(items)}"
    return _TYPES.get(str(value.get("type", "any value")), str(value.get("type", "any value")))


def wrapped(text: str, indent: str = "") -> str:
    """A paragraph in lines of at most 120 characters."""
    return textwrap.fill(text, 120, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)
