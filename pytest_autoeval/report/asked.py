"""What was asked of the models of a run beside the prompts, so that a published figure can be traced."""

from __future__ import annotations

from typing import Any

from pytest_autoeval.record.lines import SuiteRecord


def asked_data(suite: SuiteRecord) -> dict[str, Any]:
    """What was asked of the model of a suite. ``versions`` and ``fingerprints`` are as its server named them."""
    settings = suite.asked
    # All samples, also those that count in no rate: they were asked with the same settings.
    calls = [call for sample in suite.samples for call in sample.calls]
    return {
        "temperature": settings.temperature,
        "max_tokens": settings.max_tokens,
        "parameters": settings.parameters_sent,
        "prompts": list(settings.prompts),
        "seeds": sorted({sample.seed for sample in suite.samples}),
        "versions": sorted({call.model for call in calls if call.model}),
        "fingerprints": sorted(
            {call.system_fingerprint for call in calls if call.system_fingerprint}
        ),
    }
