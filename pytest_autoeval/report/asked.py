"""What was asked of the models of a run beside the prompts, so that a published figure can be traced."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pytest_autoeval.record.lines import SuiteRecord


def asked_data(suite: SuiteRecord) -> dict[str, Any]:
    """What was asked of the model of a suite. ``versions`` and ``fingerprints`` are as its server named them."""
    asked = suite.asked
    calls = [call for sample in suite.samples for call in sample.calls]
    return {
        "temperature": asked.temperature,
        "max_tokens": asked.max_tokens,
        "parameters": asked.parameters_sent,
        "prompts": list(asked.prompts),
        "seeds": sorted({sample.seed for sample in suite.samples}),
        "versions": sorted({call.model for call in calls if call.model}),
        "fingerprints": sorted({call.system_fingerprint for call in calls if call.system_fingerprint}),
    }


def asked_lines(suites: Iterable[SuiteRecord]) -> list[str]:
    """What was asked of each model, one line each: ``gpt-5-mini: temperature 0.7, at most 300 tokens``."""
    return list(dict.fromkeys(f"{suite.model}: {words}" for suite in suites if (words := _in_words(asked_data(suite)))))


def _in_words(asked: dict[str, Any]) -> str:
    temperature, limit, parameters = asked["temperature"], asked["max_tokens"], asked["parameters"]
    parts = [
        "" if temperature is None else f"temperature {temperature}",
        "" if limit is None else "no limit of tokens" if limit == "none" else f"at most {limit} tokens",
        f"parameters {json.dumps(parameters, ensure_ascii=False, sort_keys=True)}" if parameters else "",
        f"prompts of {', '.join(asked['prompts'])}" if asked["prompts"] else "",
        f"answered by {', '.join(asked['versions'])}" if asked["versions"] else "",
        f"fingerprint {', '.join(asked['fingerprints'])}" if asked["fingerprints"] else "",
    ]
    return ", ".join(filter(None, parts))
