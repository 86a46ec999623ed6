"""Messages that differ only in numbers or ids are one kind."""

from __future__ import annotations

from pytest_autoeval.reporting.error_kinds import kinds_of


def test_messages_that_differ_only_in_numbers_or_ids_are_one_kind() -> None:
    waits = [f"429: slow down (request req_7{number:x}f); try again in 0.{number}s." for number in range(10, 99)]
    lost = [f"connection lost: 127.0.0.1:{port}" for port in (8000, 8001, 8001)]
    found = kinds_of([*lost, *waits, "connection refused: 127.0.0.1:8000", "no digit"])
    assert list(found.items()) == [
        (min(waits), 89),
        ("connection lost: 127.0.0.1:8001", 3),
        ("connection refused: 127.0.0.1:8000", 1),
        ("no digit", 1),
    ]
