"""What all tests of this repository share."""

from __future__ import annotations

import gc
import os

from hypothesis import settings

# How long an example takes is the machine's business; the benchmarks tell about speed. Continuous integration draws the
# same examples each time, so that a red run is about the change; at a desk they are new ones each time.
settings.register_profile("pytest-autoeval", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("pytest-autoeval")


def pytest_collection_finish() -> None:
    """Keeps the garbage collector from looking again and again at thousands of tests and modules."""
    gc.freeze()
