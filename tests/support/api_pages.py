"""The parts of the documentation that are made from docstrings: functions, classes, and tables of their arguments.

A page names the objects in a comment, and everything up to the next comment is written anew:

    <!-- api: language Language -->
    …
    <!-- end of api -->
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import is_dataclass
from functools import cached_property
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from pytest_autoeval import Reply
from support.generated_pages import wrapped

API = re.compile(r"(<!-- api: ([\w. ]+) -->\n).*?(<!-- end of api -->)", re.DOTALL)
_SECTION = re.compile(
    r"^(Args|Attributes|Returns|Raises|Yields):\n((?:    .*\n|\n)+)", re.MULTILINE
)
_ENTRY = re.compile(r"^([\w, ]+): (.*(?:\n    .*)*)", re.MULTILINE)
#: A commented attribute of a class: the comment, the name.
_COMMENTED = re.compile(r"((?:^    #: .*\n)+)    (\w+):", re.MULTILINE)
_LONGEST_SIGNATURE = 100
#: A page of the reference in a docstring, perhaps with the name of a section.
_PAGE = re.compile(r"`?\bdocs/reference/([\w-]+\.md)(#[\w-]+)?`?")


def with_api(page: str) -> str:
    """The page with every generated part written anew."""
    return API.sub(
        lambda match: "\n".join([match[1], *map(_described, match[2].split()), match[3]]), page
    )


def named(page: str) -> list[str]:
    """The objects that the page describes."""
    return [name for match in API.finditer(page) for name in match[2].split()]


def _described(path: str) -> str:
    found: Any = resolve_name(f"pytest_autoeval.{path}")
    return "\n\n".join(_class(found) if inspect.isclass(found) else _function(found, "###")) + "\n"


def _function(function: Any, heading: str, owner: str = "") -> Iterator[str]:
    name = function.__name__
    yield f"{heading} `{owner}{name}`"
    yield from _signature(name, inspect.signature(function))
    yield from _sections(inspect.getdoc(function) or "")


def _class(described: type) -> Iterator[str]:
    yield f"### `{described.__name__}`"
    # A reply is made by models of the user's own. Of other structures only the attributes matter.
    if is_dataclass(described) or described is Reply:
        yield from _signature(described.__name__, _call_of(described))
    members = {name: member for name, member in vars(described).items() if not name.startswith("_")}
    comments = [
        (name, " ".join(re.findall("#: (.*)", text)))
        for text, name in _COMMENTED.findall(inspect.getsource(described))
    ]
    properties = [
        (name, doc)
        for name, it in members.items()
        if isinstance(it, property | cached_property) and (doc := inspect.getdoc(it))
    ]
    yield from _sections(inspect.getdoc(described) or "", attributes=[*comments, *properties])
    methods = {name: getattr(described, name) for name, it in members.items() if _is_method(it)}
    short = {
        name: doc
        for name, it in methods.items()
        if "Args:\n" not in (doc := inspect.getdoc(it) or "")
    }
    yield from _table("method", [(_call(name, methods[name]), doc) for name, doc in short.items()])
    for name, method in methods.items():
        if name not in short:
            yield from _function(method, "####", f"{described.__name__}.")


def _call_of(described: type) -> inspect.Signature:
    """How a class with fields is called, with types as in the source."""
    signature = inspect.signature(described)
    written: dict[str, str] = described.__annotations__
    parameters = [
        parameter.replace(annotation=written.get(name, parameter.annotation))
        for name, parameter in signature.parameters.items()
    ]
    return signature.replace(parameters=parameters)


def _is_method(member: Any) -> bool:
    if isinstance(member, cached_property):  # inspect takes it for a routine
        return False
    return inspect.isroutine(member) or isinstance(member, staticmethod | classmethod)


def _signature(name: str, signature: inspect.Signature) -> Iterator[str]:
    parts = _parts(signature)
    returned = _text(signature.return_annotation)
    arrow = f" -> {returned}" if returned not in ("", "None") else ""
    line = f"{name}({', '.join(parts)}){arrow}"
    if len(line) > _LONGEST_SIGNATURE:
        line = f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){arrow}"
    yield f"```text\n{line}\n```"


def _parts(signature: inspect.Signature) -> list[str]:
    """The parameters with the marks / and *, without ``self``."""
    parts: list[str] = []
    before = None
    for parameter in signature.parameters.values():
        kind = parameter.kind
        if before == parameter.POSITIONAL_ONLY != kind:
            parts.append("/")
        if kind == parameter.KEYWORD_ONLY and before not in (kind, parameter.VAR_POSITIONAL):
            parts.append("*")
        before = kind
        if parameter.name != "self":
            parts.append(_parameter(parameter))
    return parts


def _parameter(parameter: inspect.Parameter) -> str:
    stars = "*" * (parameter.kind == parameter.VAR_POSITIONAL) + "**" * (
        parameter.kind == parameter.VAR_KEYWORD
    )
    annotation, default = _text(parameter.annotation), ""
    if parameter.default is not parameter.empty:
        plain = isinstance(parameter.default, str | int | float | tuple | frozenset | None)
        default = f" = {parameter.default!r}" if plain else f" = {_text(parameter.default)}"
    return f"{stars}{parameter.name}{annotation and f': {annotation}'}{default}"


def _text(found: Any) -> str:
    """An annotation or a default as in the source."""
    if found is inspect.Parameter.empty or found is None:
        return ""
    if isinstance(found, Path):
        return f"Path({str(found)!r})"
    return found if isinstance(found, str) else getattr(found, "__name__", "…")


def _call(name: str, method: Any) -> str:
    plain = [
        it.replace(annotation=it.empty) for it in inspect.signature(method).parameters.values()
    ]
    return f"{name}({', '.join(_parts(inspect.Signature(plain)))})".replace(" = ", "=")


def _sections(doc: str, attributes: Sequence[tuple[str, str]] = ()) -> Iterator[str]:
    """The paragraphs of a docstring, and tables of its arguments and attributes, with other attributes added."""
    doc = _markdown(doc) + "\n"
    yield from _paragraphs(_SECTION.sub("", doc))
    sections = {title: textwrap.dedent(body) for title, body in _SECTION.findall(doc)}
    yield from _table("argument", _ENTRY.findall(sections.get("Args", "")))
    yield from _table("attribute", [*_ENTRY.findall(sections.get("Attributes", "")), *attributes])
    for title in sorted(sections.keys() & {"Returns", "Yields"}):
        yield wrapped(f"{title}: {' '.join(sections[title].split())}")
    for name, reason in _ENTRY.findall(sections.get("Raises", "")):
        yield wrapped(f"Raises `{name}`: {' '.join(reason.split())}")


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in filter(None, map(str.rstrip, re.split(r"\n\n(?!    )", text.strip("\n")))):
        prose, code, example = paragraph.partition("::\n\n")
        yield wrapped(" ".join(prose.split()) + ":" * bool(code))
        if code:
            yield f"```text\n{textwrap.dedent(example)}\n```"


def _table(title: str, rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    if rows:
        lines = [f"| {title} | meaning |", "|---|---|"]
        lines += [f"| `{name}` | {_cell(text)} |" for name, text in rows]
        yield "\n".join(lines)


def _cell(text: str) -> str:
    told = " ".join(_markdown(text).split()).replace("|", "\\|")
    return told[0].upper() + told[1:]


def _markdown(text: str) -> str:
    """Docstring markup as Markdown, with links to the pages of the reference that it names."""
    plain = re.sub(r":\w+:(?=`)", "", text).replace("``", "`").replace("`~", "`")
    return _PAGE.sub(r"[`\1`](\1\2)", plain)
