"""Values that no option takes: each is refused by its parser, in one line."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import pytest

from pytest_autoeval.engine import option_values as read

HUGE = "9" * 30
LONGEST = "9" * 5_000  # more digits than Python reads
HALF = "\udcff"  # a byte of the command line that is not UTF-8


@pytest.mark.parametrize(
    ("parser", "texts"),
    [
        (read.count, ("0", "-1", "1.5", "nan", HUGE, LONGEST, "", HALF)),
        (read.times, ("0", "10001", HUGE, "")),
        (read.non_negative_integer, ("-1", HUGE, LONGEST, "")),
        (read.positive, ("0", "nan", "inf", "-inf", "1e309", "")),
        (read.non_negative, ("-1", "nan", "inf", "")),
        (read.limit, ("0", HUGE, "None")),
        (
            read.sizes,
            ("", "a", "-1", "3:1", "0:99999999999", "99999999", f"0,{HUGE}", LONGEST, "0:5:0", ":"),
        ),
        (read.bounds, ("0", "5:1", f"1:{HUGE}", LONGEST, "a:b")),
        (read.duration, ("", "s", "nans", "infs", "1e309s", "-1s", "5")),
        (read.hours, ("nan", "inf", "0", "soon")),
        (read.rate, ("nan", "nan%", "inf", "1.5", "-1%", "101%", "")),
        (read.shard, ("0/1", "2/1", f"1/{HUGE}", "1", "")),
        (read.drop, ("drop:nan", "drop:0", "drop:5%,drop:6%", "")),
        (read.path, ("", " ", "a\0b")),
        (read.name, ("", HALF, "a\0b")),
        (read.url, ("", "host:80", f"http://{HALF}", "http://a\0b")),
        (
            read.json_object,
            (
                "",
                "[]",
                "{",
                '{"x": NaN}',
                '{"x": Infinity}',
                '{"x": 1e999}',
                '{"x": "\\ud800"}',
                HALF,
                *("[" * 100_000, '{"x":' * 100_000, f'{{"x": {LONGEST}}}', '{"model": "m"}'),
            ),
        ),
        (
            read.price,
            (
                "m=inf/1",
                "m=1/inf",
                "m=nan/1",
                "m=1/nan",
                "m=-1/1",
                "=1/2",
                "m=1",
                "m=1/2/3",
                "m=1e999/1",
            ),
        ),
    ],
)
def test_values_that_cannot_be_used_are_refused(
    parser: Callable[[str], Any], texts: tuple[str, ...]
) -> None:
    for text in texts:
        with pytest.raises(argparse.ArgumentTypeError) as refused:
            parser(text)
        assert "\n" not in str(refused.value)
