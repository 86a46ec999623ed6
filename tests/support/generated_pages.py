"""The parts of the documentation that are generated from the package: options, outcomes, results and summary."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from typing import Any

import gate_error_rates
from gate_rates.cells import Results, markdown
from msgspec import Struct

from pytest_autoeval.engine.option_values import Option
from pytest_autoeval.engine.settings import OPTIONS, shown_name
from pytest_autoeval.outcomes import OUTCOMES, SampleOutcome
from pytest_autoeval.record.schema import LINES, OBJECTS, results_schema
from pytest_autoeval.record.task_parts import shipped_parts
from pytest_autoeval.report.renderers.summary import BLOCKS, summary_schema
from pytest_autoeval.report.renderers.summary import OBJECTS as BLOCK_OBJECTS
from pytest_autoeval.running.options import ACTIONS

#: An option on the page: its name, a line with its help, the page's own text, its default and its ini key.
_ON_PAGE = re.compile(
    r"^### `(--autoeval-.+)`\n\n.+\n\n((?:.+\n+)*?)(?:Default: `.+`\. )?(?:Ini key: `|No ini key)",
    re.MULTILINE,
)


def error_rates(page: str) -> str:
    """The tables of simulated error rates, from the figures that the benchmark has kept."""
    del page  # nothing on it is written by hand
    tables = [table() for table in gate_error_rates.TABLES.values()]
    return gate_error_rates.printed(tables, _kept())[0] + "\n"


def with_answers_needed(page: str) -> str:
    """The page with the benchmark's table of the answers that a run needs, without rows that are not measured yet."""
    table = markdown(gate_error_rates.TABLES["calls"](), _kept(), error=0.0)[0]
    lines = [line for line in table.splitlines() if "…" not in line]
    heads = next(line for line in lines if line.startswith("|"))
    before, _, after = page.partition(heads)
    rest = after.partition("\n\n")[2]
    return before + "\n".join(lines[lines.index(heads) :]) + "\n\n" + rest


def _kept() -> Results:
    return Results(gate_error_rates.RESULTS, runs=2000, seed=1)


def options(page: str) -> str:
    """Each option under the heading of its purpose: its help, what ``page`` says of it, its default and ini key."""
    said = {match[1]: match[2].strip() for match in _ON_PAGE.finditer(page)}
    return "\n".join(
        _option(name, option, said.get(shown_name(name), ""))
        for name, option in {**OPTIONS, **ACTIONS}.items()
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
        f"## {option.starts_group}" if option.starts_group else "",
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


#: The headings of the objects that stand in other objects.
_HEADINGS = {
    "Call": "A call",
    "SentMessage": "A message",
    "Planned": "A planned suite",
    "OwnOutcome": "An outcome of your own",
    "Found": "A counterexample",
    "Calls": "Calls, counted",
    "Stopped": "A suite that was stopped early",
    "GateResult": "A gate of your own",
    "Document": "The object",
    "Section": "A section",
    "SuiteName": "A suite",
    "Figure": "A figure",
    "Column": "A column",
    "Row": "A row",
    "Series": "A line of a curve",
    "Point": "A point",
    "Mark": "A mark",
    "Field": "A text of a counterexample",
    "SampleKey": "A sample",
}
#: The word for each type of JSON.
_TYPES = {"string": "text", "object": "object", "array": "list", "null": "null"}


def results(_page: str) -> str:
    """Each kind of line with its keys, then the objects in them, then the parts of shipped tasks."""
    definitions = results_schema()["$defs"]
    part = {kind.__name__: kind.part_name for kind in shipped_parts()}
    sections = ["## Lines\n"]
    sections += [_keys(f"`{_tag(kind)}`", definitions[kind.__name__]) for kind in LINES]
    sections.append("## Objects in lines\n")
    sections += [_keys(_HEADINGS[kind.__name__], definitions[kind.__name__]) for kind in OBJECTS]
    sections.append("## Parts of the shipped tasks\n")
    sections += [
        _keys(f"`{part[kind.__name__]}`", definitions[kind.__name__]) for kind in shipped_parts()
    ]
    return "\n".join(sections)


def summary(_page: str) -> str:
    """The document and its sections, then each kind of block with its keys, then the objects in blocks."""
    definitions = summary_schema()["$defs"]
    document, section, suite = (definitions[kind] for kind in ("Document", "Section", "SuiteName"))
    sections = [
        _keys("The object", document, level=2),
        _keys("A section", section, level=2),
        _keys("A suite", suite),
        "## Blocks\n",
        "The key `block` of a block says what kind it is.\n",
    ]
    sections += [_keys(f"`{_tag(kind)}`", definitions[kind.__name__]) for kind in BLOCKS]
    sections.append("## Objects in blocks\n")
    sections += [
        _keys(_HEADINGS[kind.__name__], definitions[kind.__name__]) for kind in BLOCK_OBJECTS
    ]
    return "\n".join(sections)


def _tag(kind: type[Struct]) -> str:
    """What the key `kind` of a line, or `block` of a block, says."""
    return str(kind.__struct_config__.tag)


def _keys(heading: str, described: Mapping[str, Any], level: int = 3) -> str:
    rows = [
        f"| `{name}` | {_type_of(value)} | {_meaning(value)} |"
        for name, value in described["properties"].items()
        if name not in {"kind", "block"}
    ]
    table = "\n".join(("| key | type | meaning |", "|---|---|---|", *rows))
    description = wrapped(described["description"].replace("``", "`"))
    return f"{'#' * level} {heading}\n\n{description}\n\n{table}\n"


def _meaning(value: Mapping[str, Any]) -> str:
    text: str = value["description"]
    meaning = text.replace("``", "`").replace("|", "&#124;").removesuffix(".")
    # An absent key is null, empty, false or 0, as the introductions of the pages say. Other defaults are named.
    return f"{meaning} (`{value['default']}` if absent)" if value.get("default") else meaning


def _type_of(value: Mapping[str, Any]) -> str:
    """The type of a key in words."""
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[object](#{_HEADINGS[name].casefold().replace(' ', '-').replace(',', '')})"
    if "discriminator" in value:
        return "[block](#blocks)"
    if "anyOf" in value:
        # A key whose default is null is absent instead.
        absent = "null" if "default" in value else ""
        return " or ".join(
            dict.fromkeys(_type_of(one) for one in value["anyOf"] if one.get("type") != absent)
        )
    if "enum" in value:
        words = [f"`{one}`" for one in value["enum"] if one is not None]
        return ", ".join(word if word != "``" else '""' for word in words)
    return _type_named(str(value.get("type", "any value")), value)


def _type_named(name: str, value: Mapping[str, Any]) -> str:
    """A type with what is in it: ``list of text``, ``object of (text or [object](#a-figure))``."""
    inside = value.get("items") or value.get("additionalProperties") or {}
    inner = _type_of(inside) if inside else ""
    # Of an object whose keys are names, plain values need no words.
    if not inner or (name == "object" and "[" not in inner):
        return _TYPES.get(name, name)
    return f"{_TYPES[name]} of {f'({inner})' if ' or ' in inner else inner}"


def wrapped(text: str, indent: str = "") -> str:
    """A paragraph in lines of at most 120 characters."""
    return textwrap.fill(
        text, 120, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )
