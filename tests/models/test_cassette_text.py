"""The text of a recording gives back every request and response that was put into it."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import vcr.serialize
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_autoeval.models import CallError
from pytest_autoeval.models.cassette import (
    UnreadableRecordingError,
    read_recording,
    read_request,
    write_recording,
)

try:
    from yaml import CSafeDumper as SafeDumper
except ImportError:  # it splits long lines elsewhere
    from yaml import SafeDumper  # type: ignore[assignment]

TEXTS = st.one_of(
    st.text(),
    st.text(
        alphabet=" \n\r\t\x00\x07\x1b\x7f\x85\xa0\u2028\u2029\ufeff\ufffe:#-'\"|>%@`&*!?{}[],~∀😀a0"
    ),
    st.sampled_from(
        [
            "yes",
            "null",
            "~",
            "1_000",
            "0x1F",
            "1:30",
            "2026-01-01",
            "=",
            "<<",
            "- a",
            "a: b",
            " a",
            "a ",
        ]
    ),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda values: st.lists(values, max_size=4) | st.dictionaries(TEXTS, values, max_size=4),
    max_leaves=12,
)


@given(
    body=st.dictionaries(TEXTS, VALUES, max_size=4),
    response=st.dictionaries(TEXTS, VALUES, max_size=4),
)
def test_what_was_written_is_read(body: dict[str, Any], response: dict[str, Any]) -> None:
    with TemporaryDirectory() as directory:
        file = Path(directory) / "some.yaml"
        write_recording(file, body, response)
        assert read_recording(file, body) == response
        assert read_request(file) == body


class _Dumper(SafeDumper):
    """Writes without anchors, and texts of several lines as blocks."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represented(dumper: Any, text: str) -> Any:
    style = "|" if "\n" in text else None
    if any(sign in text for sign in "\r\x85\u2028\u2029\ufeff"):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represented)


@given(
    body=st.dictionaries(TEXTS, VALUES, max_size=4),
    answer=VALUES,
    long=st.text(alphabet="ab :#\n'\"é", max_size=400),
)
@example(body={}, answer=[[], {}, [[1]], -0.0, 1e300, 10**20, "1_0"], long="word " * 60)
def test_a_recording_has_the_bytes_that_yaml_dump_writes(
    body: dict[str, Any], answer: Any, long: str
) -> None:
    interaction = {
        "request": {
            "method": "POST",
            "uri": "/chat/completions",
            "headers": {"content-type": ["application/json"]},
            "parsed_body": body,
        },
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": {"content-type": ["application/json"]},
            "parsed_body": {"answer": answer, "long": long},
        },
    }
    recording = {"version": 1, "interactions": [interaction]}
    dumped = yaml.dump(recording, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    with TemporaryDirectory() as directory:
        file = Path(directory) / "some.yaml"
        write_recording(file, body, {"answer": answer, "long": long}, purpose="description")
        assert file.read_bytes().decode() == f"{dumped}purpose: description\n"


def test_vcrpy_takes_a_recording_for_a_cassette(tmp_path: Path) -> None:
    body: dict[str, Any] = {"model": "some", "messages": []}
    response: dict[str, Any] = {"choices": []}
    write_recording(tmp_path / "some.yaml", body, response)

    class WithParsedBodies:
        @staticmethod
        def deserialize(text: str) -> Any:
            cassette = yaml.safe_load(text)
            for one in cassette["interactions"]:
                one["request"]["body"] = json.dumps(one["request"].pop("parsed_body"))
                one["response"]["body"] = {"string": json.dumps(one["response"].pop("parsed_body"))}
            return cassette

    text = (tmp_path / "some.yaml").read_text("utf-8")
    [request], [answer] = vcr.serialize.deserialize(text, WithParsedBodies)
    assert (request.method, request.path, json.loads(request.body)) == (
        "POST",
        "/chat/completions",
        body,
    )
    assert json.loads(answer["body"]["string"]) == response


@pytest.mark.parametrize("number", [0, -1, 1.5, 1e300, 1e-7, 2**70, True, False, None])
def test_parameters_keep_their_type(tmp_path: Path, number: Any) -> None:
    file = tmp_path / "some.yaml"
    write_recording(file, {"temperature": number}, {"answer": number})
    assert json.dumps(read_recording(file, {"temperature": number})) == json.dumps(
        {"answer": number}
    )


def test_a_file_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert read_recording(tmp_path / "none.yaml", {}) is None
    assert read_request(tmp_path / "none.yaml") is None


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        # Newer releases of libyaml refuse the text themselves.
        ("[" * 200_000, "line 1: more than 100 lists|maximum nesting depth"),
        ("- " * 100_000, "line 1: more than 100 lists"),
        ("{a: " * 100_000, "line 1: more than 100 lists"),
        (BOMB, "line 1: anchors, aliases and tags are not read"),
        (
            "interactions: !!python/object/apply:os.system [true]",
            "line 1: anchors, aliases and tags are not read",
        ),
        ("version: 1\n---\nversion: 1\n", "line 2: a second document begins"),
        ("version: " + "9" * 5000, "integer string conversion"),
        ("version: 1" + ":59" * 200_000, "KeyError: 'interactions'"),  # not a number of seconds
        ("\x00", "control characters are not allowed"),
        (" " * 16_000_001, "the file has more than 16 MB"),
    ],
)
def test_a_hostile_file_is_refused_in_a_line_and_at_once(
    tmp_path: Path, text: str, reason: str
) -> None:
    file = tmp_path / "some.yaml"
    file.write_text(text)
    started = time.process_time()
    with pytest.raises(UnreadableRecordingError, match=reason) as caught:
        read_recording(file, {})
    assert time.process_time() - started < 1
    assert "\n" not in str(caught.value)
    assert read_request(file) is None


def test_only_ordinary_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "device").symlink_to("/dev/zero")
    for name, reason in {
        "fifo": "this is not an ordinary file",
        "device": "this is not an ordinary file",
        "folder": "this is a folder",
        "link": "No such file or directory",
    }.items():
        with pytest.raises(
            UnreadableRecordingError, match=rf"{name} is not a recording .*{reason}"
        ):
            read_recording(tmp_path / name, {})
        assert read_request(tmp_path / name) is None


def test_a_long_text_without_quotes_that_somebody_wrote_by_hand_is_a_text(tmp_path: Path) -> None:
    file = tmp_path / "some.yaml"
    write_recording(file, {"model": "m"}, {"answer": "x"})
    by_hand = file.read_text().replace(
        "answer: x", f"answer: {'0 ' * 3000}\n      other: {{it's: [1, yes, 1e3]}}"
    )
    file.write_text("# by hand\n" + by_hand)
    assert read_recording(file, {"model": "m"}) == {
        "answer": ("0 " * 3000).strip(),
        "other": {"it's": [1, True, "1e3"]},
    }


@pytest.mark.parametrize(
    "response", [{"answer": "\x01" * 4_100_000}, json.loads("[" * 110 + "]" * 110)]
)
def test_what_could_not_be_read_again_is_not_written(tmp_path: Path, response: Any) -> None:
    with pytest.raises(CallError, match="cannot be recorded"):
        write_recording(tmp_path / "some.yaml", {}, response)
    assert list(tmp_path.iterdir()) == []
