"""The fast reader and writer of JSON give what Python's own give."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.models.http_client import wire
from pytest_autoeval.models.protocols import json_value
from pytest_autoeval.models.responses import _without_blanks

#: As in the body of a request or response, with half a pair of surrogates in some texts.
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
SENDABLE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=20,
)
TEXTS = (
    *("1e400", "-1e400", "1e-400", "5e-324", "-0", "-0.0", "1.0", "1E5", "01", "+1", ".5", "1."),
    *("18446744073709551616", "-9223372036854775809", "9" * 40, "9" * 5000),
    *('"\\ud800"', '"\\ud83d\\ude00"', '"\\/"', '"\\u0000"', '"\x7f"', '"a\nb"', '"\\x41"'),
    *("NaN", "Infinity", "-Infinity", "[1,]", "{1:2}", '{"a":1,"a":2}', " 1 ", "", " ", "1 2"),
    *("\ufeff1", "[" * 100_000, "null", "nul"),
)
BYTES = (
    *(text.encode() for text in TEXTS),
    *(
        b'"\xff"',
        b'"\xed\xa0\x80"',
        b"\xef\xbb\xbf1",
        '"é"'.encode("utf-16"),
        '"é"'.encode("latin-1"),
    ),
)


def outcome(read: Any, text: str | bytes) -> object:
    """What a reader makes of a text: the value with its types, or the error."""
    try:
        return repr(read(text))
    except (ValueError, RecursionError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("text", [*TEXTS, *BYTES], ids=lambda text: repr(text)[:30])
def test_texts_at_the_edge_are_read_as_python_reads_them(text: str | bytes) -> None:
    assert outcome(json_value, text) == outcome(json.loads, text)


@given(VALUES, st.booleans())
def test_any_value_is_read_as_python_reads_it(value: Any, is_ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii)
    assert outcome(json_value, text) == outcome(json.loads, text)


@given(st.text())
def test_any_text_is_read_as_python_reads_it(text: str) -> None:
    assert outcome(json_value, text) == outcome(json.loads, text)


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), SENDABLE))
def test_a_body_is_sent_whole(body: dict[str, Any]) -> None:
    assert json.loads(wire(body)) == body


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_body_with_a_number_that_json_lacks_is_not_sent(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        wire({"temperature": [number]})


@given(VALUES)
def test_only_members_that_say_nothing_are_left_out(value: Any) -> None:
    def kept(value: Any) -> Any:
        """The same, by comparison with each value that says nothing."""
        if isinstance(value, list):
            return [kept(item) for item in value]
        if not isinstance(value, dict):
            return value
        members = {key: kept(member) for key, member in value.items()}
        return {key: member for key, member in members.items() if member not in (None, [], {})}

    assert repr(_without_blanks(value)) == repr(kept(value))
