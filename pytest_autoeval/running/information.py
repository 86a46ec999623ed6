"""Options that ask for information instead of a run."""

from __future__ import annotations

import sys

import pytest

from pytest_autoeval.outcomes import UnknownOutcomeError, explain


def show_information(config: pytest.Config) -> int:
    """Prints what was asked for. Returns the exit code."""
    if config.option.autoeval_explain:
        try:
            sys.stdout.write(explain(config.option.autoeval_explain))
        except UnknownOutcomeError as problem:
            raise pytest.UsageError(str(problem)) from None
    if config.option.autoeval_models:
        from pytest_autoeval.models.offline.catalogue import offline_models

        listed = offline_models()
        width = max(len(name) for name, _ in listed)
        sys.stdout.writelines(f"{name:<{width}}  {text}\n" for name, text in listed)
    return 0
