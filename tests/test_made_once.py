"""A property that many threads ask for at once is computed by one of them, on every version of Python."""

from __future__ import annotations

from threading import Barrier, Event, Thread

from pytest_autoeval.made_once import made_once


class Slow:
    """Its value takes as long as the test wants."""

    def __init__(self) -> None:
        self.computed = 0
        self.go_on = Event()

    @made_once
    def value(self) -> object:
        """The value."""
        self.computed += 1
        self.go_on.wait(10)
        return object()


def test_all_threads_get_one_value() -> None:
    slow, together, found = Slow(), Barrier(9), []

    def ask() -> None:
        together.wait()
        found.append(slow.value)

    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    together.wait()
    slow.go_on.set()
    for thread in threads:
        thread.join()
    assert slow.computed == 1
    assert found == [slow.value] * 8


def test_each_object_has_a_value_of_its_own() -> None:
    one, other = Slow(), Slow()
    one.go_on.set()
    other.go_on.set()
    assert one.value is one.value
    assert one.value is not other.value
    assert Slow.value.__doc__ == "The value."
