"""The limiter by itself: what it grants, in simulated time."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, count, pairwise, repeat
from math import ceil
from typing import Any

import pytest
from support.simulated_servers import (
    ANSWERED,
    FAILED,
    Server,
    Simulation,
    in_simulated_time,
    limited,
    per_minute,
    simulate,
    token_bucket,
)

from pytest_autoeval.models import CallError, ConfigurationError, LimitReachedError, ModelSettings
from pytest_autoeval.models.call_limits import AttemptEnd, Budget
from pytest_autoeval.models.limiter import Grant, Limiter
from pytest_autoeval.models.window import Ended


@pytest.fixture(autouse=True)
def short_pauses() -> None:
    """The pauses are those of the product: time is simulated here."""


def every(number: int, end: AttemptEnd) -> Server:
    """A server that ends each so-manieth attempt so, and answers the others."""
    attempts = count(1)
    return lambda _now, _in_flight: ANSWERED if next(attempts) % number else end


def out(start: float, end: float, ends: AttemptEnd) -> Server:
    """A server that answers nothing for some time."""
    return lambda now, _in_flight: ends if start < now < end else ANSWERED


@pytest.mark.parametrize(
    ("server", "latency", "rate", "wasted"),
    [
        pytest.param(token_bucket(8, 8), 0.2, 7.5, 0.25, id="8 a second"),
        pytest.param(
            token_bucket(8, 8, ceil), 0.2, 6.0, 0.25, id="8 a second, and when to ask again"
        ),
        pytest.param(token_bucket(100, 100), 0.2, 90, 0.05, id="100 a second"),
        pytest.param(token_bucket(100, 100), 2.0, 25, 0.0, id="more than is asked for"),
        pytest.param(
            lambda _, at_once: ANSWERED if at_once <= 30 else limited(),
            1.0,
            20,
            0.05,
            id="30 at once",
        ),
        pytest.param(every(10, FAILED), 1.0, 50, 0.11, id="single errors for ever"),
    ],
)
def test_a_server_is_asked_about_as_fast_as_it_answers(
    server: Server, latency: float, rate: float, wasted: float
) -> None:
    run = simulate(server, 2000, latency=latency)
    assert run.ends["answered"] == 2000
    assert 2000 / run.now >= rate
    assert run.wasted <= wasted


def test_ten_calls_a_minute_are_made_in_each_minute() -> None:
    run = simulate(per_minute(10), 64)
    assert run.problem is None
    assert run.now <= 7 * 60  # six minutes are needed, and the seventh begins
    assert run.ends["limited"] <= 64


@pytest.mark.parametrize("end", [limited(), limited(89.0), FAILED])
def test_after_an_outage_the_window_is_as_large_as_before(end: AttemptEnd) -> None:
    run = simulate(out(20, 80, end), 12_000, latency=1.0)
    assert run.problem is None
    assert run.wasted < 0.03
    assert max(size for time, size in run.windows if time < 20) == 64
    assert min(size for time, size in run.windows) < 64
    assert run.windows[-1][1] == 64


def test_a_wait_that_is_too_long_each_time_freezes_nothing() -> None:
    """A server that always says 89 seconds: each episode costs a minute, and halves the window once."""
    run = simulate(token_bucket(8, 8, lambda _: 89.0), 500, latency=1.0)
    assert run.ends["answered"] == 500
    assert run.wasted < 0.1
    sizes = [size for _, size in run.windows]
    grown = [later > earlier for earlier, later in pairwise(sizes)]
    halved = [later < earlier for earlier, later in pairwise(sizes)]
    assert any(grown)
    assert sum(halved) >= 5
    assert all(later >= earlier // 2 for earlier, later in pairwise(sizes))


def test_a_server_that_never_answers_stops_the_run_when_the_patience_is_over() -> None:
    for end in (limited(), limited(89.0), FAILED):
        run = simulate(every(1, end), 10, settings=ModelSettings(patience=90.0))
        assert isinstance(run.problem, ConfigurationError)
        assert (
            str(run.problem)
            == f"{end.message}; it has answered nothing for 1.5 min (--autoeval-patience)"
        )
        assert run.now == pytest.approx(90.0, abs=5.0)
        assert run.ends.total() < 100


@in_simulated_time
async def test_a_time_in_which_nobody_asks_is_no_trouble() -> None:
    limits = limiter(patience=600.0)
    await attempt(limits, "failed")
    await attempt(limits, "refused")
    await asyncio.sleep(690)
    await attempt(limits, "failed")
    for _ in range(8):
        await asyncio.sleep(60)
        await attempt(limits, "failed", retry_after=60.0)
    await asyncio.sleep(60)
    with pytest.raises(ConfigurationError, match="answered nothing for 10 min"):
        await attempt(limits, "failed")


@in_simulated_time
async def test_no_pause_is_longer_than_a_minute() -> None:
    limits = limiter()
    await attempt(limits, "limited", retry_after=89.0)
    await limits.acquire("remote", "m")
    assert asyncio.get_running_loop().time() == pytest.approx(60.0)


def test_the_window_grows_by_each_answer_until_the_first_limit_and_then_by_one_a_window() -> None:
    run = Simulation(out(9.5, 9.6, limited()), 10_000, latency=1.0).run(until=9)
    assert run.limiter.traffic().window == 64
    run = Simulation(out(0.9, 1.0, limited()), 10_000, latency=1.0).run(until=20)
    [halved] = [later for (_, earlier), (_, later) in pairwise(run.windows) if later < earlier]
    grown = run.limiter.traffic().window - halved
    assert 10 <= grown <= 20  # about one a second
    assert run.limiter.traffic().why_fewer == "rate limited"


def test_a_fixed_number_stays() -> None:
    run = simulate(every(7, limited()), 200, settings=ModelSettings(concurrency=(5, 5)))
    assert {size for _, size in run.windows} == {5}


def test_one_attempt_goes_first_after_a_pause() -> None:
    starts: list[float] = []

    def server(now: float, _in_flight: int) -> AttemptEnd:
        starts.append(now)
        return limited(10.0) if now < 5 else ANSWERED

    simulate(server, 50, latency=1.0, settings=ModelSettings(concurrency=(4, 8)))
    assert [start > 10 for start in starts[:9]] == [False] * 8 + [True]
    probe, follower = starts[8:10]
    assert probe + 0.5 <= follower


def test_attempts_are_spaced_evenly() -> None:
    starts: list[float] = []

    def server(now: float, _in_flight: int) -> AttemptEnd:
        starts.append(now)
        return ANSWERED

    run = simulate(server, 50, settings=ModelSettings(rpm=120))
    assert min(later - earlier for earlier, later in pairwise(starts)) >= 0.5 - 1e-9
    assert run.now == pytest.approx(24.7, abs=0.2)
    traffic = Simulation(server, 50, settings=ModelSettings(rpm=120)).run(until=5).limiter.traffic()
    assert (traffic.why_fewer, traffic.highest) == ("rpm", 64)
    assert traffic.attempts - traffic.in_flight == traffic.answered


def test_the_pace_holds_where_the_first_requests_leave_late() -> None:
    starts: list[float] = []
    delays = chain([3.0, 1.0], repeat(0.02))

    def server(now: float, _in_flight: int) -> AttemptEnd:
        starts.append(now)
        return ANSWERED

    simulate(server, 50, settings=ModelSettings(rpm=120), leaves_after=lambda: next(delays))
    assert min(later - earlier for earlier, later in pairwise(starts)) >= 0.5 - 1e-9


@in_simulated_time
async def test_a_request_that_never_leaves_holds_up_nobody() -> None:
    limits = limiter(rpm=60)
    stuck = await limits.acquire("remote", "m")
    waiting = await ask(limits)
    limits.release(stuck, AttemptEnd(ended="other"))
    await waiting
    assert asyncio.get_running_loop().time() == pytest.approx(1.0)


def limiter(**settings: Any) -> Limiter:
    return Limiter(ModelSettings(**settings), clock=asyncio.get_running_loop().time)


async def attempt(
    limits: Limiter, ended: Ended = "answered", model: str = "m", **more: Any
) -> None:
    grant = await limits.acquire("remote", model)
    limits.release(grant, AttemptEnd(ended=ended, message="mend it", **more))


async def ask(limits: Limiter, server: str = "remote", model: str = "m") -> asyncio.Task[Grant]:
    """Somebody who asks for a grant, and has had the time to get it."""
    asking = asyncio.create_task(limits.acquire(server, model))
    for _ in range(5):
        await asyncio.sleep(0)
    return asking


def spend(budget: Budget, costs: Iterator[float], *, at_once: int, calls: int = 1000) -> float:
    """Calls in flight end in the order of their start; returns what the dearest cost."""
    flying, dearest = deque[float](), 0.0
    with suppress(LimitReachedError):
        while budget.attempts < calls:
            while len(flying) < at_once and budget.allows("m"):
                budget.start("m")
                flying.append(next(costs))
            dearest = max(dearest, flying[0])
            budget.settle("m", flying.popleft())
    for cost in flying:
        dearest = max(dearest, cost)
        budget.settle("m", cost)
    return dearest


@pytest.mark.parametrize("at_once", [1, 20, 64, 200])
def test_a_budget_of_one_call_pays_one_call(at_once: int) -> None:
    budget = Budget(None, 0.25)
    spend(budget, repeat(0.25), at_once=at_once)
    assert (budget.attempts, budget.spent) == (1, 0.25)


@pytest.mark.parametrize("at_once", [20, 200])
@pytest.mark.parametrize("limit", [0.02, 0.2, 2.0])
def test_no_more_than_one_call_is_overspent_by_costs_with_a_heavy_tail(
    at_once: int, limit: float
) -> None:
    overspent = 0
    for seed in range(50):
        draw, budget = random.Random(seed), Budget(None, limit)
        dearest = spend(budget, (0.001 * draw.paretovariate(1.1) for _ in count()), at_once=at_once)
        overspent += budget.spent > limit + dearest
    assert overspent <= 1  # two of the calls in flight may be dearer than all before


def test_the_whole_budget_is_spent_on_calls_of_equal_cost() -> None:
    budget = Budget(None, 0.3)
    spend(budget, repeat(0.001), at_once=64)
    assert budget.attempts == 300


def test_a_model_that_is_dearer_than_the_one_before_is_tried_by_one_call() -> None:
    budget = Budget(None, 2.0)
    spend(budget, repeat(0.01), at_once=64, calls=50)
    assert budget.allows("dear")
    budget.start("dear")
    assert not budget.allows("dear")
    assert budget.allows("m")
    budget.settle("dear", 1.0)
    assert budget.spent <= 2.0
    with pytest.raises(LimitReachedError, match="call of dear cost 1"):
        budget.allows("dear")


def test_a_call_that_timed_out_counts_as_the_dearest() -> None:
    budget = Budget(None, 2.0)
    for cost in (None, 0.3, None, 0.1):
        assert budget.allows("m")
        budget.start("m")
        budget.settle("m", cost, paid=cost is None)
    assert budget.spent == pytest.approx(4 * 0.3 - 0.2)
    budget.start("m")
    budget.settle("m", None)  # it was refused
    assert budget.spent == pytest.approx(1.0)


@in_simulated_time
async def test_who_waits_for_the_rest_of_the_budget_is_served_when_a_call_ends_at_another_server() -> (
    None
):
    limits = limiter(max_cost=1.0)
    first = await limits.acquire("one", "m")
    second = await ask(limits, "two")
    assert not second.done()
    limits.release(first, AttemptEnd(ended="answered", cost=0.4))
    granted = await second
    third = await ask(limits, "two")
    assert not third.done()
    limits.release(granted, AttemptEnd(ended="answered", cost=0.6))
    with pytest.raises(LimitReachedError):
        await third


@in_simulated_time
async def test_who_waits_at_one_server_learns_that_another_one_got_the_last_call() -> None:
    limits = limiter(max_calls=2, concurrency=(1, 1))
    await limits.acquire("one", "m")
    waiting = await ask(limits, "one")
    await limits.acquire("two", "m")
    with pytest.raises(LimitReachedError):
        await waiting


@in_simulated_time
async def test_every_attempt_counts_whatever_its_end() -> None:
    limits = limiter(max_calls=3)
    for ended in ("answered", "refused", "failed"):
        await attempt(limits, ended)
    with pytest.raises(LimitReachedError, match="--autoeval-max-calls=3 is reached"):
        await limits.acquire("remote", "m")


@in_simulated_time
async def test_those_who_wait_learn_that_a_model_is_useless_and_others_go_on() -> None:
    limits = limiter(concurrency=(1, 1))
    held = await limits.acquire("remote", "m")
    *refused, granted = [await ask(limits, model=model) for model in ("m", "m", "m", "another")]
    with pytest.raises(ConfigurationError, match="mend it"):
        limits.release(held, AttemptEnd(ended="useless", message="mend it"))
    problems = await asyncio.gather(*refused, return_exceptions=True)
    assert [str(problem) for problem in problems] == ["mend it"] * 3
    assert len(set(map(id, problems))) == 3  # an exception belongs to one thread
    await granted


@in_simulated_time
async def test_a_server_that_was_never_reached_is_useless_for_all_models() -> None:
    limits = limiter()
    with pytest.raises(ConfigurationError, match="mend it"):
        await attempt(limits, "unreached")
    with pytest.raises(ConfigurationError, match="mend it"):
        await limits.acquire("remote", "another")
    limits = limiter()
    await attempt(limits)
    await attempt(limits, "unreached")  # it will come back


@in_simulated_time
async def test_grants_come_in_the_order_of_the_requests() -> None:
    limits = limiter(concurrency=(1, 1))
    held = await limits.acquire("remote", "m")
    waiting = [await ask(limits) for _ in range(5)]
    waiting.pop(1).cancel()  # who gives up holds up nobody
    for one in waiting:
        limits.release(held, ANSWERED)
        held = await one


@in_simulated_time
async def test_who_waits_is_told_when_the_run_stops() -> None:
    limits = limiter(concurrency=(1, 1))
    await limits.acquire("remote", "m")
    waiting = [await ask(limits), asyncio.create_task(limits.pause(60.0))]
    await asyncio.sleep(0)
    assert not any(one.done() for one in waiting)
    limits.stop()
    for one in (*waiting, limits.acquire("remote", "m")):
        with pytest.raises(CallError, match="stopped"):
            await one
    assert asyncio.get_running_loop().time() == 0


@in_simulated_time
async def test_the_end_of_a_pause_wakes_those_who_wait() -> None:
    limits = limiter(concurrency=(1, 1))
    await attempt(limits, "limited", retry_after=0.02)
    await attempt(limits)
    assert limits.traffic().answered == 1


def test_with_the_highest_cost_of_a_call_many_start_before_any_cost_is_known() -> None:
    budget = Budget(None, 1.0)
    flying = []
    while budget.allows("m", 0.3):
        flying.append(budget.start("m", 0.3))
    assert flying == [0.3] * 3
    for reserve in flying:
        budget.settle("m", 0.05, reserve=reserve)
    assert budget.allows("m", 0.8)
    with pytest.raises(
        LimitReachedError, match=r"spent 0\.1500 USD, and the next call of m may cost 0\.9000 USD"
    ):
        budget.allows("m", 0.9)


@pytest.mark.parametrize("at_once", [1, 20, 200])
@pytest.mark.parametrize("longer", [3, 30, 300])
def test_answers_that_become_longer_do_not_overspend(at_once: int, longer: int) -> None:
    """Each call costs what it may at most, after many that cost a fraction of it."""
    most, budget = 0.003, Budget(None, 1.0)
    costs = chain(repeat(most / longer, 200), repeat(most))
    flying: deque[float | None] = deque()
    with suppress(LimitReachedError):
        while True:
            while len(flying) < at_once and budget.allows("m", most):
                flying.append(budget.start("m", most))
            budget.settle("m", next(costs), reserve=flying.popleft())
    for reserve in flying:
        budget.settle("m", next(costs), reserve=reserve)
    assert 1.0 - most <= budget.spent + 1e-9
    assert budget.spent <= 1.0 + 1e-9


def test_a_call_without_an_answer_counts_as_what_it_can_have_cost() -> None:
    budget = Budget(None, 1.0)
    for _ in range(3):
        budget.settle("m", None, paid=True, reserve=budget.start("m", 0.3))
    with pytest.raises(
        LimitReachedError, match=r"spent 0\.0000 USD and up to 0\.9000 for calls without an answer"
    ):
        budget.allows("m", 0.3)


def test_a_server_that_ignores_the_limit_of_answers_gets_larger_reserves() -> None:
    budget = Budget(None, 1.0)
    budget.settle("m", 0.2, reserve=budget.start("m", 0.01))
    budget.start("m", 0.01)
    budget.start("m", 0.01)
    assert not budget.allows("m", 0.01)
