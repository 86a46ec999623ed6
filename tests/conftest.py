"""What all tests of this repository share."""

from __future__ import annotations

from hypothesis import settings

# How long an example takes is the machine's business; the benchmarks tell about speed.
settings.register_profile("pytest-autoeval", deadline=None)
settings.load_profile("pytest-autoeval")
