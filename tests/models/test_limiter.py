"""The limiter by itself: what it grants, in simulated time and by several threads."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import chain, count, pairwise, repeat
from math import ceil, inf
from typing import Any

import pytest
from support.simulated_servers import (
    ANSWERED,
    FAILED,
    Server,
    Simulation,
    limited,
    per_minute,
    simulate,
    token_bucket,
)

from pytest_autoeval.models import CallError, ConfigurationError, LimitReachedError, ModelError, ModelSettings
from pytest_autoeval.models.limiter import Limiter
from pytest_autoeval.models.limits import AttemptEnd, Budget, Grant
from pytest_autoeval.models.window import Ended


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
        pytest.param(token_bucket(8, 8, ceil), 0.2, 6.0, 0.25, id="8 a second, and when to ask again"),
        pytest.param(token_bucket(100, 100), 0.2, 90, 0.05, id="100 a second"),
        pytest.param(token_bucket(100, 100), 2.0, 25, 0.0, id="more than is asked for"),
        pytest.param(lambda _, at_once: ANSWERED if at_once <= 30 else limited(), 1.0, 20, 0.05, id="30 at once"),
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
        assert str(run.problem) == f"{end.message}; it has answered nothing for 1.5 min (--autoeval-patience)"
        assert run.now == pytest.approx(90.0, abs=5.0)
        assert run.ends.total() < 100


def test_a_time_in_which_nobody_asks_is_no_trouble() -> None:
    now = 10.0
    limits = Limiter(ModelSettings(patience=600.0), clock=lambda: now)
    attempt(limits, "failed")
    attempt(limits, "refused")
    now = 700.0
    attempt(limits, "failed")
    for _ in range(8):
        now += 60
        attempt(limits, "failed", retry_after=60.0)
    now += 60
    with pytest.raises(ConfigurationError, match="answered nothing for 10 min"):
        attempt(limits, "failed")


def test_no_pause_is_longer_than_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("random.random", lambda: 0.99)
    limits = Limiter(ModelSettings(), clock=lambda: 0.0)
    attempt(limits, "limited", retry_after=89.0)
    limits.request("remote", "m", lambda _grant: None)
    assert limits.due() == 60.0


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


def test_a_request_that_never_leaves_holds_up_nobody() -> None:
    now, answers = 0.0, list[Grant | ModelError]()
    limits = Limiter(ModelSettings(rpm=60), clock=lambda: now)
    stuck = limits.acquire("remote", "m")
    limits.request("remote", "m", answers.append)
    limits.release("remote", "m", stuck, AttemptEnd(ended="other"))
    now = limits.due()
    limits.serve()
    assert now == 1.0
    assert isinstance(answers.pop(), Grant)


def limiter(**settings: Any) -> Limiter:
    return Limiter(ModelSettings(**settings))


def attempt(limits: Limiter, ended: Ended = "answered", model: str = "m", **more: Any) -> None:
    grant = limits.acquire("remote", model)
    limits.release("remote", model, grant, AttemptEnd(ended=ended, message="mend it", **more))


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
def test_no_more_than_one_call_is_overspent_by_costs_with_a_heavy_tail(at_once: int, limit: float) -> None:
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


def test_who_waits_for_the_rest_of_the_budget_is_served_when_a_call_ends_at_another_server() -> None:
    limits, answers = limiter(max_cost=1.0), list[Grant | ModelError]()
    first = limits.acquire("one", "m")
    limits.request("two", "m", answers.append)
    assert not answers
    assert limits.due() == inf
    limits.release("one", "m", first, AttemptEnd(ended="answered", cost=0.4))
    assert isinstance(answers.pop(), Grant)
    limits.request("two", "m", answers.append)
    assert not answers
    limits.release("two", "m", Grant(0, 0), AttemptEnd(ended="answered", cost=0.6))
    assert isinstance(answers.pop(), LimitReachedError)


def test_every_attempt_counts_whatever_its_end() -> None:
    limits = limiter(max_calls=3)
    for ended in ("answered", "refused", "failed"):
        attempt(limits, ended)
    with pytest.raises(LimitReachedError, match="--autoeval-max-calls=3 is reached"):
        limits.acquire("remote", "m")


def test_those_who_wait_learn_that_a_model_is_useless_and_others_go_on() -> None:
    limits = limiter(concurrency=(1, 1))
    held = limits.acquire("remote", "m")
    answers: list[Grant | ModelError] = []
    for model in ("m", "m", "m", "another"):
        limits.request("remote", model, answers.append)
    with pytest.raises(ConfigurationError, match="mend it"):
        limits.release("remote", "m", held, AttemptEnd(ended="useless", message="mend it"))
    *refused, granted = answers
    assert [str(one) for one in refused] == ["mend it"] * 3
    assert isinstance(granted, Grant)


def test_a_server_that_was_never_reached_is_useless_for_all_models() -> None:
    limits = limiter()
    with pytest.raises(ConfigurationError, match="mend it"):
        attempt(limits, "unreached")
    with pytest.raises(ConfigurationError, match="mend it"):
        limits.acquire("remote", "another")
    limits = limiter()
    attempt(limits)
    attempt(limits, "unreached")  # it will come back


def test_grants_come_in_the_order_of_the_requests() -> None:
    limits, granted = limiter(concurrency=(1, 1)), list[int]()
    held = limits.acquire("remote", "m")
    for number in range(5):
        limits.request("remote", "m", partial(lambda number, _grant: granted.append(number), number))
    for _ in range(5):
        limits.release("remote", "m", held, ANSWERED)
    assert granted == [0, 1, 2, 3, 4]


def test_who_waits_is_told_when_the_run_stops() -> None:
    limits = limiter(concurrency=(1, 1))
    limits.acquire("remote", "m")
    with ThreadPoolExecutor(2) as threads:
        waiting: list[Future[Any]]
        waiting = [threads.submit(limits.acquire, "remote", "m"), threads.submit(limits.pause, 60.0)]
        assert not any(one.done() for one in waiting)
        limits.close()
        for one in waiting:
            with pytest.raises(CallError, match="stopped"):
                one.result(20)
    with pytest.raises(CallError, match="stopped"):
        limits.acquire("remote", "m")


def test_the_end_of_a_pause_wakes_those_who_wait() -> None:
    limits = limiter(concurrency=(1, 1))
    attempt(limits, "limited", retry_after=0.02)
    attempt(limits)
    assert limits.traffic().answered == 1


def test_the_first_value_of_a_name_is_agreed() -> None:
    limits = limiter()
    assert limits.agree("name", None) is None
    assert limits.agree("name", False) is False
    assert limits.agree("name", True) is False
    assert limits.agree("name", None) is False


def test_a_problem_is_one_exception_for_each_caller() -> None:
    limits, problems = limiter(), list[Grant | ModelError]()
    with pytest.raises(ConfigurationError):
        attempt(limits, "useless")
    for _ in range(2):
        limits.request("remote", "m", problems.append)
    assert problems[0] is not problems[1]
