"""Does the memory of a run grow with its calls? Asks 40,000 questions, no two alike, and prints the resident memory.

    python benchmarks/memory_of_calls.py [CALLS]

The server is a process of its own on the loopback address. Rows are not part of this: a run keeps one for each sample.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from aiohttp import web

from pytest_autoeval.models import Message, ModelPool, ModelSettings
from pytest_autoeval.models.journal import Journal

STEP = 5_000
PROMPT = (
    "Say what the formula means in plain English, in one sentence, and copy no sign of it. " * 16
)
REPLY = {
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "It rains."},
        }
    ],
    "usage": {"prompt_tokens": 150, "completion_tokens": 7},
}


def serve(port: multiprocessing.Queue[int]) -> None:
    """Answers every request at once."""

    async def answer(request: web.Request) -> web.Response:
        await request.read()
        return web.Response(text=json.dumps(REPLY), content_type="application/json")

    async def run() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port.put(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(run())


def resident() -> float:
    """The resident memory of this process, in MB."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096 / 1e6


def main(calls: int) -> None:
    """Asks and measures."""
    port: multiprocessing.Queue[int] = multiprocessing.Queue()
    server = multiprocessing.Process(target=serve, args=(port,), daemon=True)
    server.start()
    settings = ModelSettings(base_url=f"http://127.0.0.1:{port.get()}/v1", concurrency=(64, 64))
    with tempfile.TemporaryDirectory() as folder:
        pool = ModelPool(settings, journal=Journal(Path(folder)))
        with pool, ThreadPoolExecutor(64) as threads:
            model = pool.chat("m")

            def ask(number: int) -> str:
                return model.complete([Message("user", f"{PROMPT}{number}")]).text

            for start in range(0, calls, STEP):
                for _ in threads.map(ask, range(start, start + STEP)):
                    pass
                print(f"{start + STEP:>7,} calls: {resident():7.1f} MB")
    server.terminate()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40_000)
