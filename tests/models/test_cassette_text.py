"""The text of a recording gives back every request and response that was put into it."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.models.cassette import read_recording, read_request, write_recording

TEXTS = st.one_of(
    st.text(),
    st.text(alphabet=" \n\r\t\x00\x07\x1b\x7f\x85\xa0\u2028\u2029\ufeff\ufffe:#-'\"|>%@`&*!?{}[],~∀😀a0"),
    st.sampled_from(["yes", "null", "~", "1_000", "0x1F", "1:30", "2026-01-01", "=", "<<", "- a", "a: b", " a", "a "]),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda values: st.lists(values, max_size=4) | st.dictionaries(TEXTS, values, max_size=4),
    max_leaves=12,
)


@given(body=st.dictionaries(TEXTS, VALUES, max_size=4), response=st.dictionaries(TEXTS, VALUES, max_size=4))
def test_what_was_written_is_read(body: dict[str, Any], response: dict[str, Any]) -> None:
    with TemporaryDirectory() as directory:
        file = Path(directory) / "some.yaml"
        write_recording(file, body, response, overwrite=False)
        assert read_recording(file, body) == response
        assert read_request(file) == body


@pytest.mark.parametrize("number", [0, -1, 1.5, 1e300, 1e-7, 2**70, True, False, None])
def test_parameters_keep_their_type(tmp_path: Path, number: Any) -> None:
    file = tmp_path / "some.yaml"
    write_recording(file, {"temperature": number}, {"answer": number}, overwrite=False)
    assert json.dumps(read_recording(file, {"temperature": number})) == json.dumps({"answer": number})


def test_a_file_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert read_recording(tmp_path / "none.yaml", {}) is None
    assert read_request(tmp_path / "none.yaml") is None
