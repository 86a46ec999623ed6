"""Time limits with one timer: each ends after its own seconds, and one that ended before cancels nothing."""

from __future__ import annotations

import asyncio

import pytest

from pytest_autoeval.models.deadlines import Deadlines

SECONDS = 0.1


async def waiting(deadlines: Deadlines, work: float) -> tuple[float, bool]:
    """Works for some seconds within a limit; returns how long that took, and whether the limit ended it."""
    loop = asyncio.get_running_loop()
    started = loop.time()
    try:
        async with asyncio.timeout(None) as limit:
            deadlines.begin(limit)
            try:
                await asyncio.sleep(work)
            finally:
                deadlines.end(limit)
    except TimeoutError:
        return loop.time() - started, True
    return loop.time() - started, False


def test_each_limit_ends_after_its_own_seconds() -> None:
    async def staggered() -> list[tuple[float, bool]]:
        deadlines = Deadlines(SECONDS)
        tasks = []
        for number in range(6):
            # Every second one ends by itself.
            work = 60.0 if number % 2 else SECONDS / 4
            tasks.append(asyncio.create_task(waiting(deadlines, work)))
            await asyncio.sleep(SECONDS / 3)
        ended = await asyncio.gather(*tasks)
        deadlines.close()
        return ended

    ended = asyncio.run(staggered())
    assert [timed_out for _, timed_out in ended] == [False, True] * 3
    assert all(took >= SECONDS for took, timed_out in ended if timed_out)
    # Far below the seconds of the work.
    assert all(took < 30 for took, _ in ended)


def test_a_limit_begins_again_after_a_time_without_any() -> None:
    async def twice() -> list[bool]:
        deadlines = Deadlines(SECONDS)
        first = await waiting(deadlines, SECONDS / 10)
        await asyncio.sleep(2 * SECONDS)
        second = await waiting(deadlines, 60.0)
        third = await waiting(deadlines, 60.0)
        return [first[1], second[1], third[1]]

    assert asyncio.run(twice()) == [False, True, True]


def test_a_cancelled_task_is_cancelled_and_not_late() -> None:
    async def cancelled() -> None:
        deadlines = Deadlines(60.0)
        task = asyncio.create_task(waiting(deadlines, 60.0))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        deadlines.close()

    asyncio.run(cancelled())
