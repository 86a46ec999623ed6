"""The table of faults: the fault of a server or machine, and how a run of twelve samples must end."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from support.chat_server import Answer, Behaviour, always
from support.formula_server import sensible
from support.misbehaving import (
    DRIPPING_BODY,
    DRIPPING_HEADER,
    Flood,
    at,
    bombed,
    bucket,
    changed,
    cut,
    ever,
    for_one,
    in_a_second,
    outage,
    quota,
    refusal,
    reset,
    stall,
)

SAMPLES = 12
#: Two calls a sample.
CALLS = 2 * SAMPLES
#: The first calls of all samples start at once; the next call starts after an answer.
MIDWAY = SAMPLES + 4
#: A reply of 100 MB, which must not be read whole.
FLOOD = Flood()

_TWO = ("-n", "2")
#: A file in place of a folder: even root cannot write there.
_NO_FOLDER = "test_suite.py"
_RESUME = "--autoeval-resume continues this run"
_SOON = "--autoeval-timeout=1"
_IMPATIENT = "--autoeval-patience=1s"
_ALL = {"equivalent": SAMPLES}
_ONE_LOST = {"equivalent": SAMPLES - 1, "error": 1}
_HTML = b"<html><body>Welcome to nginx!</body></html>"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A fault, and the required end of the run.

    ``name`` is the fault in the document, ``server`` makes the server's behaviour. The run ends with one of ``codes``,
    its rows with ``outcomes`` (None: it was interrupted, and their number depends on the moment); ``says`` is in a line
    of its output. The server receives at most ``requests``.
    """

    name: str
    server: Callable[[], Behaviour] = lambda: sensible
    options: tuple[str, ...] = ()
    codes: tuple[int, ...] = (0,)
    outcomes: dict[str, int] | None = None
    says: str = ""
    requests: int = CALLS
    #: The largest size of a file in bytes, to simulate a full disk.
    largest_file: int | None = None
    #: The signals sent while the server keeps the run waiting, and their receivers.
    signals: tuple[signal.Signals, ...] = ()
    victim: Literal["controller", "worker"] = "controller"


def waited_out(name: str, server: Callable[[], Behaviour], *options: str, more: int = 0) -> Fault:
    """A fault that only costs time, with at most this number of additional requests."""
    return Fault(name=name, server=server, options=options, outcomes=_ALL, requests=CALLS + more)


def one_lost(name: str, answer: Answer, says: str, *options: str, requests: int = CALLS) -> Fault:
    """A fault in mid-run that makes an error of its sample only."""
    server = at([MIDWAY], answer)
    return Fault(
        name=name,
        server=server,
        options=options,
        codes=(1,),
        outcomes=_ONE_LOST,
        says=says,
        requests=requests,
    )


def stops(
    name: str, server: Callable[[], Behaviour], says: str, *options: str, requests: int = SAMPLES
) -> Fault:
    """A fault after which no call can succeed: the run stops with one line."""
    return Fault(
        name=name, server=server, options=options, codes=(2,), says=says, requests=requests
    )


def _outages(*statuses: int) -> list[Fault]:
    return [
        waited_out(
            f"{status} for {_LONG:g} seconds {when}",
            outage(_LONG, refusal(status), after),
            more=4 * SAMPLES,
        )
        for status in statuses
        for when, after in (("from the start", 0), ("mid-run", MIDWAY))
    ]


#: Longer than two retries.
_LONG = 3.0

FAULTS: dict[str, list[Fault]] = {
    "Rate limits": [
        *(
            waited_out(
                f"429 for {_LONG:g} seconds mid-run, {how}",
                outage(_LONG, answer, MIDWAY),
                more=2 * SAMPLES,
            )
            for how, answer in (
                ("`Retry-After` in seconds", refusal(429, retry_after="1")),
                ("`Retry-After` as a date", in_a_second),
                ("`retry-after-ms`", refusal(429, retry_after_ms="400")),
                ("without a time", refusal(429)),
                (
                    '"try again in 0.99s" in the message',
                    refusal(
                        429, "Rate limit reached. Please try again in 0.99s.", "rate_limit_exceeded"
                    ),
                ),
            )
        ),
        waited_out(
            f"429 for {_LONG:g} seconds from the start",
            outage(_LONG, refusal(429)),
            more=2 * SAMPLES,
        ),
        waited_out(
            "only 8 requests a second, `Retry-After: 1` for the rest",
            bucket(8, 8, refusal(429, retry_after="1")),
            more=CALLS,
        ),
        waited_out(
            "only 8 requests a second, 429 without a time for the rest",
            bucket(8, 8, refusal(429)),
            more=2 * CALLS,
        ),
        waited_out(
            "only 8 requests a second, two workers (`-n 2`)",
            bucket(8, 8, refusal(429)),
            "-n",
            "2",
            more=2 * CALLS,
        ),
        stops(
            "429 to every request",
            ever(refusal(429, "slow down")),
            "limits the rate (429: slow down",
            _IMPATIENT,
            requests=CALLS,
        ),
        stops(
            '429 to every request, "come back in an hour"',
            ever(refusal(429, "slow down", retry_after="3600")),
            "limits the rate (429: slow down",
            _IMPATIENT,
            requests=CALLS,
        ),
    ],
    "Servers that fail": [
        *_outages(500, 502, 503, 529),
        waited_out("408, 3 requests mid-run", at(range(MIDWAY, MIDWAY + 3), refusal(408)), more=3),
        waited_out("408, the first 3 requests", at(range(1, 4), refusal(408)), more=3),
        waited_out("409, 3 requests mid-run", at(range(MIDWAY, MIDWAY + 3), refusal(409)), more=3),
        stops(
            "500 to every request",
            ever(refusal(500, "oops")),
            "failed (500: oops)",
            _IMPATIENT,
            requests=4 * SAMPLES,
        ),
        stops(
            "answers 15 requests, then 500 to every request",
            at(range(1, MIDWAY), sensible, then=always(refusal(500, "oops"))),
            "failed (500: oops)",
            _IMPATIENT,
            requests=4 * SAMPLES,
        ),
    ],
    "Connections": [
        stops(
            "refuses connections",
            lambda: sensible,
            "cannot be reached",
            "--autoeval-base-url=http://127.0.0.1:1/v1",
            requests=0,
        ),
        waited_out(
            "closes the connection without a reply, the first 3 requests",
            at(range(1, 4), Answer(drop=True)),
            more=3,
        ),
        waited_out(
            "resets the connection in the middle of a reply, 3 requests",
            at(range(9, 12), Answer(wire=reset)),
            more=3,
        ),
        waited_out(
            "sends fewer bytes than announced, 3 requests",
            at(range(9, 12), Answer(wire=cut)),
            more=3,
        ),
        waited_out("stalls, 3 requests", at(range(9, 12), Answer(wire=stall)), _SOON, more=SAMPLES),
        waited_out(
            "sends the body byte by byte, 3 requests",
            at(range(9, 12), Answer(wire=DRIPPING_BODY)),
            _SOON,
            more=SAMPLES,
        ),
        waited_out(
            "sends the header byte by byte, 3 requests",
            at(range(9, 12), Answer(wire=DRIPPING_HEADER)),
            _SOON,
            more=SAMPLES,
        ),
        Fault(
            name="stalls at every request of one sample",
            server=for_one(Answer(wire=stall)),
            options=(_SOON, "--autoeval-concurrency=2"),
            codes=(1,),
            outcomes=_ONE_LOST,
            says="in time",
            requests=CALLS + SAMPLES,
        ),
        stops(
            "stalls at every request",
            ever(Answer(wire=stall)),
            "in time",
            _SOON,
            _IMPATIENT,
            requests=4 * SAMPLES,
        ),
        stops(
            "closes the connection without a reply at every request",
            ever(Answer(drop=True)),
            "broke the connection",
            _IMPATIENT,
            requests=4 * SAMPLES,
        ),
    ],
    "Unusable replies": [
        *(
            waited_out(f"{what}, 3 requests mid-run", at(range(MIDWAY, MIDWAY + 3), answer), more=3)
            for what, answer in (
                ("malformed JSON", Answer(body=b'{"choices": [}')),
                ("truncated JSON", Answer(body=b'{"choices": [{"mess')),
                ("no choices", Answer(body={"choices": []})),
                ("HTML with status 200", Answer(body=_HTML, headers={"content-type": "text/html"})),
                ("an empty body with status 200", Answer(body=b"")),
                (
                    "429 in the body of a reply of status 200",
                    Answer(body={"error": {"code": 429, "message": "no"}}),
                ),
                ("half an answer with `finish_reason: error`", changed(finish_reason="error")),
            )
        ),
        stops(
            "401 in the body of a reply of status 200, one request mid-run",
            at([MIDWAY], Answer(body={"error": {"code": 401, "message": "no"}})),
            "(401: no)",
            requests=CALLS,
        ),
        Fault(
            name="HTML with status 200 to every request",
            server=ever(Answer(body=_HTML, headers={"content-type": "text/html"})),
            codes=(1,),
            outcomes={"error": SAMPLES},
            says="is the base URL right?",
            requests=3 * SAMPLES,
        ),
        one_lost("a reply of 100 MB", Answer(wire=FLOOD), "10 MB"),
        one_lost("a reply of 100 MB, compressed to 100 kB by gzip", bombed(), "10 MB"),
        Fault(
            name="a reply withheld by a content filter (`finish_reason: content_filter`)",
            server=at([MIDWAY], changed(finish_reason="content_filter")),
            outcomes={"equivalent": SAMPLES - 1, "refused or empty": 1},
            says="refused or empty",
        ),
        Fault(
            name="a truncated reply (`finish_reason: length`)",
            server=at(
                [MIDWAY],
                changed(message={"role": "assistant", "content": "p1 ∧"}, finish_reason="length"),
            ),
            outcomes={"equivalent": SAMPLES - 1, "truncated": 1},
            says="truncated",
        ),
    ],
    "Refusals": [
        *(
            waited_out(
                f"{status}, one request mid-run",
                at([MIDWAY], refusal(status, "not this one")),
                more=1,
            )
            for status in (400, 403, 404, 422)
        ),
        one_lost("413, one request mid-run", refusal(413, "not this one"), "(413: not this one)"),
        one_lost(
            "400 by a content filter, one request mid-run",
            refusal(400, "filtered by the content policy", "content_filter"),
            "filtered by the content policy",
        ),
        *(
            stops(f"{status} to every request", ever(refusal(status, "no")), f"({status}: no)")
            for status in (400, 401, 402, 403, 404, 413, 422)
        ),
        Fault(
            name="400 to the first 3 requests",
            server=at(range(1, 4), refusal(400, "not this one")),
            codes=(1,),
            outcomes={"equivalent": SAMPLES - 3, "error": 3},
            says="(400: not this one)",
        ),
        *(
            stops(
                f"{status}, one request mid-run",
                at([MIDWAY], refusal(status, "no")),
                f"({status}: no)",
                requests=CALLS,
            )
            for status in (401, 402)
        ),
        *(
            stops(
                f"429 with `insufficient_quota` in `{key}`, one request mid-run",
                at([MIDWAY], quota(key)),
                "reports that the quota is used up",
                requests=CALLS,
            )
            for key in ("code", "type")
        ),
        stops(
            "401 to every request, two workers (`-n 2`)",
            ever(refusal(401, "no")),
            "(401: no)",
            "-n",
            "2",
        ),
    ],
    "Budgets": [
        Fault(
            name="`--autoeval-max-calls=10`, and every second reply is a 500",
            server=at(range(1, 1000, 2), refusal(500, "oops")),
            # One call after the other, so that the first samples end before the calls are used up.
            options=("--autoeval-max-calls=10", "--autoeval-concurrency=1"),
            codes=(10,),
            outcomes=None,
            says="--autoeval-max-calls=10 is reached",
            requests=10,
        )
    ],
    "The machine": [
        Fault(
            name="the disk is full after some lines",
            largest_file=12_000,
            codes=(2,),
            says="cannot be written",
        ),
        Fault(
            name="the results file cannot be written",
            options=(f"--autoeval-results={_NO_FOLDER}/out.jsonl",),
            codes=(4,),
            outcomes={},
            says="--autoeval-results",
            requests=0,
        ),
        Fault(
            name="the folder of recordings cannot be written",
            options=(f"--autoeval-cassettes={_NO_FOLDER}/recordings", "--autoeval-record-mode=all"),
            codes=(2,),
            outcomes=None,
            says="--autoeval-cassettes",
            requests=0,
        ),
        Fault(
            name="pytest's cache folder cannot be written",
            options=("-o", f"cache_dir={_NO_FOLDER}/cache"),
            outcomes=_ALL,
            says="answers are not kept",
        ),
    ],
    "Signals": [
        Fault(name="SIGINT (Ctrl-C)", signals=(signal.SIGINT,), codes=(2,), says=_RESUME),
        Fault(
            name="SIGINT, two workers (`-n 2`)",
            options=_TWO,
            signals=(signal.SIGINT,),
            codes=(2,),
            says=_RESUME,
        ),
        Fault(
            name="SIGINT twice",
            signals=(signal.SIGINT, signal.SIGINT),
            codes=(1, 2),
            says="KeyboardInterrupt",
        ),
        Fault(name="SIGTERM", signals=(signal.SIGTERM,), codes=(2,), says=_RESUME),
        Fault(
            name="SIGTERM, two workers (`-n 2`)",
            options=_TWO,
            signals=(signal.SIGTERM,),
            codes=(2,),
            says=_RESUME,
        ),
        Fault(name="`kill -9`", signals=(signal.SIGKILL,), codes=(-9,)),
        Fault(
            name="`kill -9` of the controller, two workers (`-n 2`)",
            options=_TWO,
            signals=(signal.SIGKILL,),
            codes=(-9,),
        ),
        Fault(
            name="`kill -9` of a worker (`-n 2`)",
            options=_TWO,
            signals=(signal.SIGKILL,),
            victim="worker",
            codes=(1,),
            says="crashed while running",
        ),
    ],
}
