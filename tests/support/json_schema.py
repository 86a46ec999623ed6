"""Validates values by the part of JSON Schema that our schemas use. It shares no code with what makes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
#: A value need not meet these keywords: they are for readers, or choose among what `anyOf` lists.
_SILENT = frozenset(
    {"$schema", "$defs", "title", "description", "default", "discriminator", "properties"}
)


def problems(value: Any, schema: Mapping[str, Any]) -> list[str]:
    """What is wrong with a value, by a whole schema; empty if it is valid."""
    return list(_Validator(schema.get("$defs", {})).problems(value, schema, "$"))


@dataclass
class _Validator:
    definitions: Mapping[str, Any]

    def problems(self, value: Any, schema: Mapping[str, Any], place: str) -> Iterator[str]:
        for keyword, wanted in schema.items():
            if keyword in {"$ref", "anyOf"}:
                yield from self._of_another(value, wanted, place)
            elif keyword in {"type", "enum", "required"}:
                yield from _of_itself(value, keyword, wanted, place)
            elif keyword in {"items", "prefixItems"}:
                yield from self._of_items(value, schema, keyword, place)
            elif keyword in {"minItems", "maxItems"}:
                yield from _of_length(value, keyword, wanted, place)
            else:
                # Another keyword would be a rule that nobody checks.
                assert keyword in _SILENT or keyword == "additionalProperties", keyword
        known, others = schema.get("properties", {}), schema.get("additionalProperties", {})
        for key, one in value.items() if isinstance(value, dict) else ():
            yield from self.problems(one, known.get(key, others), f"{place}.{key}")

    def _of_items(
        self, value: Any, schema: Mapping[str, Any], keyword: str, place: str
    ) -> Iterator[str]:
        """By the schemas of the first items, or by the schema of all others."""
        if not isinstance(value, list):
            return
        first = schema.get("prefixItems", [])
        if keyword == "prefixItems":
            entries = list(enumerate(zip(value, first, strict=False)))
        else:
            others = enumerate(value[len(first) :], start=len(first))
            entries = [(number, (item, schema["items"])) for number, item in others]
        for number, (item, wanted) in entries:
            yield from self.problems(item, wanted, f"{place}[{number}]")

    def _of_another(self, value: Any, wanted: Any, place: str) -> Iterator[str]:
        """By another schema of which this one has the name, or by one of several; then by all of them."""
        if isinstance(wanted, str):
            yield from self.problems(
                value, self.definitions[wanted.removeprefix("#/$defs/")], place
            )
            return
        found = [list(self.problems(value, one, place)) for one in wanted]
        if all(found):
            yield from (problem for of_one in found for problem in of_one)


def _of_length(value: Any, keyword: str, wanted: int, place: str) -> Iterator[str]:
    if not isinstance(value, list):
        return
    is_wrong = len(value) < wanted if keyword == "minItems" else len(value) > wanted
    if is_wrong:
        yield f"{place}: {len(value)} items, and {keyword} is {wanted}"


def _of_itself(value: Any, keyword: str, wanted: Any, place: str) -> Iterator[str]:
    if keyword == "type":
        # True is an integer of Python, and none of JSON.
        if not isinstance(value, _TYPES[wanted]) or (
            isinstance(value, bool) and wanted != "boolean"
        ):
            yield f"{place}: {value!r} is not of type {wanted}"
    elif keyword == "enum":
        if value not in wanted:
            yield f"{place}: {value!r} is none of {wanted}"
    elif isinstance(value, dict):
        yield from (f"{place}: {key} is missing" for key in wanted if key not in value)
