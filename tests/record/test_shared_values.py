"""Values that samples of a file have in common are in memory once, and messages are kept only where they are needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from record.test_results_file import RUN, SUITE, SYSTEM, asked, sample
from support.result_rows import call, row

from pytest_autoeval.record.calls import Call
from pytest_autoeval.record.coding import encoded
from pytest_autoeval.record.distinct_samples import number_of_distinct, place_of
from pytest_autoeval.record.file import Results, lines_of, read_file
from pytest_autoeval.record.lines import AnyLine, Sample
from pytest_autoeval.record.merging import identity_of, merge


def written(folder: Path, *samples: Sample) -> Path:
    digests: set[str] = set()
    lines: list[AnyLine] = [RUN, SUITE.asked, *samples]
    path = folder / "results.jsonl"
    path.write_bytes(b"".join(text for line in lines for text in lines_of(line, digests)))
    return path


def without_messages(calls: tuple[Call, ...]) -> list[Call]:
    return [replace(made, messages=None) for made in calls]


def test_equal_values_of_two_samples_are_one_object(tmp_path: Path) -> None:
    first, second = read_file(written(tmp_path, asked(0), asked(1))).samples
    for name in ("outcome", "code", "verdict_method", "parts"):
        assert getattr(first, name) is getattr(second, name)
    for name in ("stage", "finish_reason"):
        assert getattr(first.calls[0], name) is getattr(second.calls[0], name)
    (system, _), (other_system, _) = (one.calls[0].messages or () for one in (first, second))
    assert system.content == SYSTEM
    assert (system.content, system.role) == (other_system.content, other_system.role)
    assert system.content is other_system.content


def test_a_formula_that_comes_back_is_one_object(tmp_path: Path) -> None:
    one = sample(formula="p1 ∧ p2", description="p1 ∧ p2", answer="p1 ∧ p2", translation="p1 ∧ p2")
    (read,) = read_file(written(tmp_path, one)).samples
    assert read.description is read.answer is read.translation is read.formula


@pytest.mark.parametrize(
    "read", [read_file, lambda path, **options: merge([path], **options).results]
)
def test_without_messages_all_else_is_the_same(tmp_path: Path, read: Any) -> None:
    path = written(tmp_path, asked(0), asked(1))
    whole: Results = read(path)
    brief: Results = read(path, keep_messages=False)
    assert all(made.messages for one in whole.samples for made in one.calls)
    assert [replace(one, suite=SUITE) for one in brief.samples] == [
        replace(one, suite=SUITE, calls=tuple(without_messages(one.calls))) for one in whole.samples
    ]


def test_messages_without_a_digest_stay(tmp_path: Path) -> None:
    """Nothing else distinguishes the prompt of such a call from others."""
    calls = [call("informalize", prompt_digest=None), call("autoformalize")]
    one = replace(row(calls=calls), suite=SUITE)
    (read,) = read_file(written(tmp_path, one), keep_messages=False).samples
    assert [made.messages for made in read.calls] == [one.calls[0].messages, None]


def test_a_line_of_another_writer_is_read_as_ours(tmp_path: Path) -> None:
    ours = written(tmp_path, asked(0), sample(1, witness_text="a\u2028b"))
    theirs = tmp_path / "theirs.jsonl"
    theirs.write_bytes(ours.read_bytes().replace(b'","', b'", "').replace(b":{", b": {"))
    assert theirs.read_bytes() != ours.read_bytes()
    read, read_too = ([*map(encoded, read_file(path).samples)] for path in (ours, theirs))
    assert read == read_too


@pytest.mark.parametrize(
    ("indices", "formulas", "distinct"),
    [([0, 1], "pp", 2), ([0, 0], "pq", 2), ([0, 0], "pp", 1), ([0, 0, 1], "ppp", 2)],
)
def test_samples_of_one_place_differ_in_their_identity(
    indices: list[int], formulas: str, distinct: int
) -> None:
    samples = [
        sample(index, formula=formula) for index, formula in zip(indices, formulas, strict=True)
    ]
    assert number_of_distinct(samples, identity_of) == distinct
    assert [place_of(one) for one in samples] == [one.place for one in samples]
