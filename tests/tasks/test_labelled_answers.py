"""Answers labelled by hand, before the readers were written: none is read wrongly, and what follows the form is read.

A row of `labelled_answers.jsonl` has the answer, the ``label`` that a person gave it (null: no clear answer), and
whether it ``follows`` the form that its prompt asks for.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval.languages import Formula, Vocabulary, language
from pytest_autoeval.languages.answers import UnreadableError
from pytest_autoeval.languages.ltl.python_notation import read_python
from pytest_autoeval.tasks.answer_readers import read_label, read_number, read_order, read_yes_no

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("labelled_answers.jsonl").read_text("utf-8").splitlines()
]


def vocabulary_of(names: str, lang: str) -> Vocabulary | None:
    """The vocabulary of a row: ``p1, p2``, ``P/1, R/2, a``, or the symbols of an alphabet."""
    words = [word.strip() for word in names.split(",") if word.strip()]
    if not words:
        return None
    if lang == "regex":
        return Vocabulary(alphabet=tuple(words))
    plain = tuple(word for word in words if "/" not in word)
    if lang != "first_order":
        return Vocabulary(propositions=plain)
    signatures = (word.split("/") for word in words if "/" in word)
    is_proposition = {name: name.startswith("p") for name in plain}
    return Vocabulary(
        predicates=tuple((name, int(arity)) for name, arity in signatures),
        propositions=tuple(name for name in plain if is_proposition[name]),
        constants=tuple(
            name for name in plain if not is_proposition[name] and not name.startswith("x")
        ),
    )


def value_of(row: dict[str, Any]) -> Any:  # noqa: PLR0911
    """What our readers take for the answer of a row; None if it is unreadable."""
    answer, context = row["answer"], row["context"]
    try:
        match row["kind"]:
            case "yes_no":
                return "yes" if read_yes_no(answer) else "no"
            case "label":
                return read_label(answer)
            case "number":
                number = read_number(answer, [f"option {at}" for at in range(context["options"])])
                return number if 1 <= number <= context["options"] else None
            case "order":
                order = list(read_order(answer))
                return order if sorted(order) == [*range(1, context["count"] + 1)] else None
            case "python":
                return read_python(answer).formula
            case _:
                lang = context["language"]
                vocabulary = vocabulary_of(context.get("vocabulary") or "", lang)
                return language(lang).read(answer, vocabulary=vocabulary).formula
    except UnreadableError:
        return None


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_an_answer_is_read_as_a_person_reads_it_or_not_at_all(row: dict[str, Any]) -> None:
    value, label = value_of(row), row["label"]
    if value is None:
        assert label is None or not row["follows"]
    elif isinstance(value, Formula):
        lang = language(row["context"]["language"])
        assert label is not None
        assert lang.equivalent(value, lang.read(label).formula or label).outcome == "equivalent"
    else:
        assert value == label
