"""Damaged and odd data files, each made by its number."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

#: `AUTOEVAL_ODD_TABLES=500` tries so many files instead of 60.
FILES = int(os.environ.get("AUTOEVAL_ODD_TABLES", "60"))
ROWS: list[dict[str, object]] = [
    {"sentence": "In the next step a holds.", "formula": "X a"},
    {"sentence": "The pump runs.", "formula": "G(pump)"},
    {"sentence": "Every teacher is kind.", "formula": "∀x (Teacher(x) → Kind(x))"},
    {"sentence": "It never rains.", "formula": "G !x1", "propositions": {"it rains": "x1"}},
    {
        "sentence": "Ann is tall.",
        "formula": "Tall(ann)",
        "ontology": {"Tall(x)": "x is tall", "ann": "Ann"},
    },
    {"sentence": "The door is closed."},
    {"formula": "F x1", "trace": "!x1; cycle{x1}", "satisfies": True},
    {"formula": "p1 → p2", "language": "propositional"},
    {"formula": "0*1", "language": "regex"},
    {"formula": "G F a"},
    {"formula": "p1 & p2", "other": "p2 & p1", "same": "yes"},
    {"text": "G (x1 ->", "well_formed": False},
    {"premises": ["Ann is tall."], "premises-FOL": ["Tall(ann)"], "conclusion": "Ann is tall."},
    {"NL": "It rains.", "FOL": "Rains"},
]
ODD: list[object] = [
    None,
    "",
    " ",
    0,
    -1.5,
    True,
    [],
    {},
    [None],
    {"a": {"b": []}},
    "\x00",
    "\ud800",
    "🙂",
    "∀",
    "(" * 500,
    "a" * 5_000,
    "G (a",
    "a b",
    "fol",
    "ltl",
    "klingon",
    "x1 : x1",
    '"',
    "'",
    ";",
    "\t",
    "=1+1",
    "NaN",
    "[[[",
    "{",
    "Tall(x)",
    "G(pump)",
    float("nan"),
    float("inf"),
    10**400,
    "\u202e",
    "a\nb",
    "a\r\nb",
    "\ufeff",
    "01.",
    "*",
    "X",
    "F p & q",
    "premises",
]


def _rows(chance: random.Random) -> list[dict[str, object]]:
    rows = [dict(chance.choice(ROWS)) for _ in range(chance.randint(1, 4))]
    if chance.random() < 0.5:
        rows = [dict(rows[0]) for _ in rows]
    for row in rows:
        if chance.random() < 0.5:
            row[
                chance.choice([*row, "id", "group", "language", "propositions", "label", "formula"])
            ] = chance.choice(ODD)
        if chance.random() < 0.2:
            row.pop(chance.choice([*row]))
    return rows


def _cell(value: object, chance: random.Random) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if chance.random() < 0.2 else '"' + text.replace('"', '""') + '"'


def _csv(chance: random.Random) -> str:
    rows, sign = _rows(chance), chance.choice([",", ";", "\t", "|", ":", " "])
    names = list(dict.fromkeys(name for row in rows for name in row)) or ["sentence"]
    if chance.random() < 0.3:
        names[chance.randrange(len(names))] = chance.choice(
            ["NL", "Ground Truth", "", "Label", "satz", "formula", "🙂"]
        )
    lines = [
        sign.join(names),
        *(sign.join(_cell(value, chance) for value in row.values()) for row in rows),
    ]
    first = chance.choice(["", "", "", "sep=;\n", "sep=\n", "\n\n", "# note\n"])
    return first + chance.choice(["\n", "\r\n", "\r"]).join(lines)


def _json_lines(chance: random.Random) -> str:
    lines = [json.dumps(row, ensure_ascii=chance.random() < 0.5) for row in _rows(chance)]
    return "\n".join(
        [*lines, *chance.choices(["", "[]", "3", "null", "{", '{"a": 1, "a": 2}'], k=1)]
    )


def _json(chance: random.Random) -> str:
    return json.dumps(
        chance.choice([_rows(chance), {"rows": _rows(chance)}, [_rows(chance)], [], 7])
    )


def _text(chance: random.Random) -> str:
    lines = [
        "Always a.;G a",
        "Then b.;F b",
        "The door opens; it rings.",
        "- a item",
        "# x",
        "a\tG a",
        ";",
        "G (a;",
        "F p & q",
    ]
    return "\n".join(chance.choices(lines, k=chance.randint(0, 6)))


KINDS: list[tuple[str, Callable[[random.Random], str]]] = [
    *((ending, _csv) for ending in (".csv", ".csv", ".tsv", ".CSV", ".txt")),
    *((ending, _json_lines) for ending in (".jsonl", ".jsonl", ".ndjson", ".csv")),
    (".json", _json),
    (".jsonl", _json),
    (".txt", _text),
    (".txt", _text),
    (".md", _text),
    (".xlsx", _csv),
]


def _damaged(text: str, chance: random.Random) -> bytes:
    content = text.encode(
        chance.choice(["utf-8"] * 6 + ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"]),
        "surrogatepass",
    )
    for _ in range(chance.choice([0, 0, 0, 1, 2, 5])):
        at, length = chance.randint(0, len(content)), chance.randint(0, 8)
        content = content[:at] + chance.randbytes(chance.randint(0, 4)) + content[at + length :]
    if chance.random() < 0.05:
        content = gzip.compress(content)
    elif chance.random() < 0.05:
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w") as archive:
            archive.writestr("xl/workbook.xml", content)
        content = whole.getvalue()
    return content


def odd_file(number: int, folder: Path) -> Path:
    """The file of a number: the same in every run."""
    chance = random.Random(f"odd tables {number}")
    ending, made = chance.choice(KINDS)
    path = folder / f"odd{number}{ending}"
    path.write_bytes(_damaged(made(chance), chance))
    return path
