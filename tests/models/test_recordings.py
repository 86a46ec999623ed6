"""Recordings: what is written, when it answers, and what a miss says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.chat_server import SOON, Answer, ChatServer, always, completion, error, says

from pytest_autoeval.models import (
    CallError,
    ConfigurationError,
    Message,
    ModelPool,
    ModelSettings,
    RecordingMissError,
    Reply,
    unused_recordings,
)
from pytest_autoeval.models.purposes import calls_for, read_purpose
from pytest_autoeval.models.recording import folder_of, nearest_request

PROMPT = "Describe the formula.\nAnswer in English alone.\n\nFormula: ∀x. (P(x) → Q(x))"


def ask(
    cassettes: Path,
    prompt: str = PROMPT,
    *,
    repeat: int = 0,
    name: str = "org/some-model",
    **settings: Any,
) -> Reply:
    with ModelPool(ModelSettings(cassettes=cassettes, patience=0.0, **settings)) as pool:
        return pool.chat(name).complete(
            [Message("system", "You are terse."), Message("user", prompt)], repeat=repeat
        )


def files(cassettes: Path) -> list[str]:
    return sorted(
        str(file.relative_to(cassettes)) for file in cassettes.rglob("*") if file.is_file()
    )


@pytest.fixture
def recorded(tmp_path: Path, server: ChatServer) -> Path:
    ask(tmp_path, base_url=server.url, record_mode="new_episodes")
    return tmp_path


def test_a_replay_needs_no_server_no_key_and_no_setting(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    reply = ask(recorded, record_mode="none")
    assert reply.text == f"You said: {PROMPT}"
    assert reply.replayed
    assert (reply.prompt_tokens, reply.completion_tokens) == (100, 10)
    assert (reply.cost, reply.seconds) == (0.0, 0.0)


def test_a_replay_equals_what_was_recorded_but_for_time_and_money(
    tmp_path: Path, server: ChatServer
) -> None:
    server.behaviour = says(
        None, finish_reason="length", message={"role": "assistant", "refusal": "No.\n\u2028\x85"}
    )
    live = ask(tmp_path, base_url=server.url, record_mode="all")
    replayed = ask(tmp_path, base_url="http://127.0.0.1:1/another/path", record_mode="none")
    assert (live.model, live.system_fingerprint) == ("some-model-2026-01-01", "fp_0815")
    names = (
        "text",
        "finish_reason",
        "refusal",
        "prompt_tokens",
        "completion_tokens",
        "prompt_digest",
    )
    for name in (*names, "model", "system_fingerprint"):
        assert getattr(replayed, name) == getattr(live, name)


@pytest.mark.parametrize("name", [None, 5, {"name": "m"}, ["m"], "m" * 201])
def test_a_server_that_names_no_version_leaves_it_empty(
    tmp_path: Path, server: ChatServer, name: Any
) -> None:
    server.behaviour = always(
        Answer(body={**completion("yes"), "model": name, "system_fingerprint": name})
    )
    reply = ask(tmp_path, base_url=server.url, record_mode="all")
    assert (reply.text, reply.model, reply.system_fingerprint) == ("yes", "", "")


def test_host_port_and_base_path_are_no_part_of_a_recording(
    recorded: Path, server: ChatServer
) -> None:
    with ChatServer() as elsewhere:
        assert elsewhere.url != server.url
        assert ask(recorded, base_url=elsewhere.url, record_mode="new_episodes").replayed
        assert not elsewhere.requests


def test_a_recording_can_be_read_and_holds_nothing_that_changes_by_itself(recorded: Path) -> None:
    [file] = recorded.rglob("*.yaml")
    assert re.fullmatch(r"org--some-model/[0-9a-f]{32}-0\.yaml", str(file.relative_to(recorded)))
    assert (
        file.read_text(encoding="utf-8")
        == """\
version: 1
interactions:
- request:
    method: POST
    uri: /chat/completions
    headers:
      content-type:
      - application/json
    parsed_body:
      model: org/some-model
      messages:
      - role: system
        content: You are terse.
      - role: user
        content: |-
          Describe the formula.
          Answer in English alone.

          Formula: ∀x. (P(x) → Q(x))
  response:
    status:
      code: 200
      message: OK
    headers:
      content-type:
      - application/json
    parsed_body:
      model: some-model-2026-01-01
      system_fingerprint: fp_0815
      choices:
      - index: 0
        message:
          role: assistant
          content: |-
            You said: Describe the formula.
            Answer in English alone.

            Formula: ∀x. (P(x) → Q(x))
        finish_reason: stop
      usage:
        prompt_tokens: 100
        completion_tokens: 10
        total_tokens: 110
"""
    )


def test_the_length_limit_has_one_name_in_recordings(tmp_path: Path, server: ChatServer) -> None:
    ask(tmp_path, base_url=server.url, record_mode="once", max_tokens=50)
    assert ask(
        tmp_path, base_url="https://api.openai.com/v1", record_mode="none", max_tokens=50
    ).replayed


def test_without_a_mode_recordings_answer_and_nothing_is_written(
    recorded: Path, server: ChatServer
) -> None:
    before = files(recorded)
    assert ask(recorded, base_url=server.url).replayed
    assert not ask(recorded, "something new", base_url=server.url).replayed
    assert files(recorded) == before


def test_mode_once_records_only_where_nothing_is_recorded(
    tmp_path: Path, server: ChatServer
) -> None:
    settings: dict[str, Any] = {"base_url": server.url, "record_mode": "once"}
    with ModelPool(ModelSettings(cassettes=tmp_path, **settings)) as pool:
        for prompt in ("one", "two"):
            pool.chat("some-model").complete([Message("user", prompt)])
    assert len(files(tmp_path)) == 2
    with ModelPool(ModelSettings(cassettes=tmp_path, **settings)) as pool:
        assert pool.chat("some-model").complete([Message("user", "two")]).replayed
        with pytest.raises(RecordingMissError, match="'once' sends no request"):
            pool.chat("some-model").complete([Message("user", "three")])
        assert not pool.chat("another-model").complete([Message("user", "three")]).replayed


def test_mode_new_episodes_records_what_is_missing(recorded: Path, server: ChatServer) -> None:
    assert ask(recorded, base_url=server.url, record_mode="new_episodes").replayed
    assert not ask(
        recorded, "something new", base_url=server.url, record_mode="new_episodes"
    ).replayed
    assert ask(recorded, "something new", record_mode="none").replayed


def test_mode_all_asks_anew_and_overwrites(recorded: Path, server: ChatServer) -> None:
    server.behaviour = says("another answer")
    assert not ask(recorded, base_url=server.url, record_mode="all").replayed
    assert ask(recorded, record_mode="none").text == "another answer"
    assert len(files(recorded)) == 1


def test_repeats_of_a_request_are_told_apart(tmp_path: Path, server: ChatServer) -> None:
    for repeat in range(3):
        server.behaviour = says(f"answer {repeat}")
        ask(tmp_path, repeat=repeat, base_url=server.url, record_mode="new_episodes")
    assert [ask(tmp_path, repeat=repeat, record_mode="none").text for repeat in range(3)] == [
        "answer 0", "answer 1", "answer 2",
    ]  # fmt: skip
    with pytest.raises(
        RecordingMissError, match="The same request is recorded, but another repeat"
    ):
        ask(tmp_path, repeat=3, record_mode="none")


def test_a_changed_prompt_misses_and_the_difference_is_shown(
    recorded: Path, server: ChatServer
) -> None:
    ask(
        recorded,
        "Quite another question: how are you?",
        base_url=server.url,
        record_mode="new_episodes",
    )
    changed = PROMPT.replace("Answer in English alone.", "Answer in plain English.")
    with pytest.raises(RecordingMissError) as caught:
        ask(recorded, changed, record_mode="none")
    assert (
        str(caught.value).replace(str(recorded), "DIR").replace("  \n", "\n")
        == """\
org/some-model: no recording of this request in DIR/org--some-model, and record mode 'none' sends no request.
The nearest recorded request differs:
  --- recorded
  +++ asked now
  …
   Describe the formula.
  -Answer in English alone.
  +Answer in plain English.

Record what is missing with --autoeval-record-mode=new_episodes."""
    )
    [note] = caught.value.__notes__
    [nearest] = [
        file
        for file in recorded.rglob("*.yaml")
        if PROMPT.splitlines()[1] in file.read_text("utf-8")
    ]
    assert note == f"Nearest recording: {nearest}; this request is repeat 0."


def test_a_folder_that_nobody_made_is_not_named(recorded: Path) -> None:
    elsewhere = recorded / "elsewhere"
    changed = PROMPT.replace("Answer in English alone.", "Answer in plain English.")
    settings: dict[str, Any] = {"more_cassettes": (recorded,), "record_mode": "none"}
    with pytest.raises(RecordingMissError, match=r"no recording of this request in ") as caught:
        ask(elsewhere, changed, **settings)
    assert str(elsewhere) not in str(caught.value)
    (elsewhere / "org--some-model").mkdir(parents=True)
    with pytest.raises(RecordingMissError, match=re.escape(str(elsewhere))):
        ask(elsewhere, changed, **settings)


def test_the_nearest_recording_is_one_of_the_same_sample(
    tmp_path: Path, server: ChatServer
) -> None:
    for prompt in (
        "Describe this formula of propositional logic in English.\np1 ∧ p2",
        "Read this.\nIt is so.",
    ):
        ask(tmp_path, prompt, base_url=server.url, record_mode="new_episodes")
    with pytest.raises(RecordingMissError, match=r"-Describe this formula of propositional logic"):
        ask(tmp_path, "Read this.\np1 ∧ p2", record_mode="none")


def test_requests_that_miss_for_one_reason_have_one_message(
    tmp_path: Path, server: ChatServer
) -> None:
    formulas = ["(p1 ∨ p2) ∧ ¬p1", "(p1 ∨ ¬p2) ∧ ¬p1", "p2"]
    for formula in formulas:
        ask(tmp_path, f"Describe it.\n{formula}", base_url=server.url, record_mode="new_episodes")
    messages, notes = set(), set()
    for formula in formulas:
        with pytest.raises(RecordingMissError) as caught:
            ask(tmp_path, f"Please:\nDescribe it.\n{formula}", record_mode="none")
        messages.add(str(caught.value))
        notes.update(caught.value.__notes__)
    assert (len(messages), len(notes)) == (1, 3)


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({"temperature": 0.3}, "+temperature: 0.3"),
        ({"seed": 5}, "+seed: 5"),
        ({"parameters": {"top_p": 1}}, "+top_p: 1"),
    ],
)
def test_a_changed_parameter_misses(recorded: Path, changed: dict[str, Any], shown: str) -> None:
    with pytest.raises(RecordingMissError, match=re.escape(shown)):
        ask(recorded, record_mode="none", **changed)


def test_examples_that_only_one_request_has_are_named() -> None:
    plain = ["model: m", "[system]", "Translate.", "[user]", "p1 and p2"]
    examples = [*plain[:3], "[user]", "p1", "[assistant]", "p1", *plain[3:]]
    heading = "The nearest recorded request has {}examples, as --autoeval-prompting=few-shot adds, "
    for wanted, recorded, lacking in ((plain, examples, ""), (examples, plain, "no ")):
        _, difference = nearest_request(wanted, {Path("recorded.yaml"): recorded})
        assert difference.startswith(heading.format(lacking))
    _, difference = nearest_request([*examples, "so"], {Path("recorded.yaml"): examples})
    assert difference.startswith("The nearest recorded request differs:")


def test_a_long_difference_is_cut(recorded: Path) -> None:
    with pytest.raises(RecordingMissError, match=r"… and 3[0-9] more lines") as caught:
        ask(
            recorded,
            "\n".join(f"line {number} {'x' * 500}" for number in range(40)),
            record_mode="none",
        )
    assert max(map(len, str(caught.value).splitlines())) < 200


def test_a_miss_where_nothing_is_recorded_says_so(tmp_path: Path) -> None:
    with pytest.raises(
        RecordingMissError, match=r"nothing is recorded for this model yet in .*some-model"
    ) as caught:
        ask(tmp_path, record_mode="none")
    assert "package" not in str(caught.value)


def test_the_recordings_of_the_package_are_compared_only_with_the_same_sample(
    recorded: Path, tmp_path: Path
) -> None:
    packaged: dict[str, Any] = {"record_mode": "none", "more_cassettes": (recorded,)}
    with pytest.raises(
        RecordingMissError, match="The recordings of the package are of other samples"
    ) as caught:
        ask(tmp_path / "own", "Describe something else.", **packaged)
    assert "nearest" not in str(caught.value)
    # Other samples of this model may be replayed.
    assert "nothing is recorded" not in str(caught.value)
    with pytest.raises(RecordingMissError, match=re.escape("+temperature: 0.3")):
        ask(tmp_path / "own", temperature=0.3, **packaged)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(500, error("oops"), SOON),
        Answer(429, error("slow down"), SOON),
        Answer(400, error("no")),
        Answer(200, b'{"choices": [{"mess'),
        Answer(200, completion("") | {"choices": []}),
        Answer(200, {"choices": [{"index": 0}]}),
        Answer(drop=True),
    ],
)
def test_only_a_whole_answer_is_recorded(
    tmp_path: Path, server: ChatServer, answer: Answer
) -> None:
    server.behaviour = always(answer)
    with pytest.raises((CallError, ConfigurationError)):
        ask(tmp_path, base_url=server.url, record_mode="all")
    assert files(tmp_path) == []


def test_further_directories_answer_and_are_never_written(
    recorded: Path, tmp_path: Path, server: ChatServer
) -> None:
    own = tmp_path / "own"
    settings: dict[str, Any] = {
        "more_cassettes": (recorded,),
        "base_url": server.url,
        "record_mode": "new_episodes",
    }
    assert ask(own, **settings).replayed
    before = files(recorded)
    assert not ask(own, "something new", **settings).replayed
    assert [file for file in files(recorded) if not file.startswith("own")] == before
    assert len(files(own)) == 1


def test_a_model_tells_what_is_recorded_without_asking(recorded: Path) -> None:
    with ModelPool(ModelSettings(cassettes=recorded, record_mode="none")) as pool:
        model = pool.chat("org/some-model")
        messages = [Message("system", "You are terse."), Message("user", PROMPT)]
        assert model.recorded(messages)
        assert not model.recorded(messages, repeat=1)
        assert not model.recorded(messages[1:])
    with ModelPool(ModelSettings(cassettes=recorded, record_mode="all")) as pool:
        assert not pool.chat("org/some-model").recorded(messages)


def test_recordings_that_a_run_did_not_use_are_listed(tmp_path: Path, server: ChatServer) -> None:
    settings = ModelSettings(cassettes=tmp_path, base_url=server.url, record_mode="new_episodes")
    with ModelPool(settings) as pool:
        for prompt in ("one", "two", "three"):
            pool.chat("a/b").complete([Message("user", prompt)])
        pool.chat("c").complete([Message("user", "one")])
        assert unused_recordings(tmp_path, ["a/b", "c"], pool.used_recordings()) == {}
        everything = pool.used_recordings()
    with ModelPool(settings) as pool:
        pool.chat("a/b").complete([Message("user", "two")])
        used = pool.used_recordings()
    assert len(used) == 1
    others = [file for file in everything if file.startswith("a--b/") and file not in used]
    assert unused_recordings(tmp_path, ["a/b"], used) == {"": others}


def test_a_recording_keeps_what_its_call_was_made_for(tmp_path: Path, server: ChatServer) -> None:
    settings = ModelSettings(cassettes=tmp_path, base_url=server.url, record_mode="new_episodes")
    with ModelPool(settings) as pool:
        pool.chat("m").complete([Message("user", "one")])
        with calls_for("shrinking"):
            pool.chat("m").complete([Message("user", "two")])
            pool.chat("m").complete([Message("user", "one")])
            with calls_for("blame"):
                pool.chat("m").complete([Message("user", "three")])
    unused = unused_recordings(tmp_path, ["m"], [])
    assert {purpose: len(some) for purpose, some in unused.items()} == {
        "": 1,
        "shrinking": 1,
        "blame": 1,
    }
    replayed = ModelSettings(cassettes=tmp_path, base_url=server.url, record_mode="none")
    with ModelPool(replayed) as pool:
        assert all(
            pool.chat("m").complete([Message("user", word)]).replayed
            for word in ("one", "two", "three")
        )


@pytest.mark.parametrize(
    "end", ["", "  purpose: shrinking\n", "purpose: \x1b[31m\n", "purpose: shrinking\nmore: 1\n"]
)
def test_a_purpose_is_the_last_line_of_a_recording_and_nothing_else(
    recorded: Path, end: str
) -> None:
    file = recorded / files(recorded)[0]
    file.write_bytes(file.read_bytes() + end.encode())
    assert read_purpose(file) == ""
    assert read_purpose(recorded / "no such file") == ""


@pytest.mark.parametrize(
    "text",
    ["", "<<<<<<< HEAD\n", "version: 1\ninteractions: 7\n", "- !!python/object:os.system {}"],
)
def test_a_mangled_recording_is_named(recorded: Path, text: str) -> None:
    [file] = recorded.rglob("*.yaml")
    file.write_text(text, encoding="utf-8")
    with pytest.raises(
        ConfigurationError, match=f"{file.name} is not a recording that can be read"
    ):
        ask(recorded, record_mode="none")
    with pytest.raises(RecordingMissError):
        ask(recorded, "something new", record_mode="none")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda file: file.write_text("[" * 200_000),
        os.mkfifo,
        lambda file: file.symlink_to("nowhere"),
    ],
    ids=["text", "pipe", "link"],
)
def test_a_bad_recording_stops_a_replay_and_is_made_anew_where_the_mode_records(
    recorded: Path, server: ChatServer, spoil: Callable[[Path], object]
) -> None:
    [file] = recorded.rglob("*.yaml")
    file.unlink()
    spoil(file)
    for mode in (None, "none", "once"):
        with pytest.raises(
            ConfigurationError, match=rf"{file.name} is not a recording .* \(.+\); restore"
        ):
            ask(recorded, base_url=server.url, record_mode=mode)
    with ModelPool(
        ModelSettings(cassettes=recorded, base_url=server.url, record_mode="new_episodes")
    ) as pool:
        messages = [Message("system", "You are terse."), Message("user", PROMPT)]
        assert not pool.chat("org/some-model").recorded(messages)
        assert not pool.chat("org/some-model").complete(messages).replayed
        [line] = pool.unreadable_recordings()
    assert line.startswith(f"{file} is not a recording that can be read (")
    assert ask(recorded, record_mode="none").replayed


def test_a_recording_of_another_request_does_not_answer(recorded: Path) -> None:
    [file] = recorded.rglob("*.yaml")
    cassette = yaml.safe_load(file.read_text(encoding="utf-8"))
    cassette["interactions"][0]["request"]["parsed_body"]["messages"][1]["content"] = "What else?"
    file.write_text(yaml.safe_dump(cassette), encoding="utf-8")
    with pytest.raises(RecordingMissError):
        ask(recorded, record_mode="none")


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path, server: ChatServer) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ConfigurationError, match=r"cannot be written.*--autoeval-cassettes"):
        ask(tmp_path / "file", base_url=server.url, record_mode="all")
    assert not server.requests


@pytest.mark.parametrize(
    ("model", "folder"),
    [
        ("gpt-5-mini", "gpt-5-mini"),
        ("offline/faithful", "offline--faithful"),
        ("org/model-7b_v1.5", "org--model-7b_v1.5"),
    ],
)
def test_a_model_s_folder_reads_like_its_name(model: str, folder: str) -> None:
    assert folder_of(model) == folder


def test_odd_names_have_folders_of_their_own_inside_the_directory() -> None:
    names = [
        "..",
        ".",
        "a?b",
        "a:b",
        "a b",
        "offline/student?strength=0.9",
        "x" * 300,
        "x" * 301,
        "ä",
        "ö",
    ]
    folders = [folder_of(name) for name in names]
    assert len(set(folders)) == len(names)
    for folder in folders:
        assert re.fullmatch(r"[A-Za-z0-9_=-][A-Za-z0-9._=-]{0,100}", folder)


def test_a_fully_recorded_run_loads_no_client(recorded: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from pytest_autoeval.models import Message, ModelPool, ModelSettings\n"
        f"pool = ModelPool(ModelSettings(cassettes=Path({str(recorded)!r}), record_mode='none'))\n"
        f"messages = [Message('system', 'You are terse.'), Message('user', {PROMPT!r})]\n"
        "assert pool.chat('org/some-model').complete(messages).replayed\n"
        "assert 'openai' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
