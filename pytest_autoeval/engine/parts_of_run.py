"""Which part of a run a sample belongs to (`--autoeval-shard`), and which parts belong to one run."""

from __future__ import annotations

import json
from hashlib import sha256

from pytest_autoeval.engine.settings import Settings, names_of
from pytest_autoeval.generation.samples import Sample

#: The parts of an item's question besides its formula. None of it depends on the item's place in the data set.
_ITEM_KEYS = ("item", "sentence", "text", "trace", "other", "premises")
#: Keys that came later: they count only where they are, so that the parts of other samples stay what they were.
_LATER_ITEM_KEYS = ("context", "question")


def part_of(sample: Sample, total: int) -> int:
    """The part of a suite that a sample belongs to, from 1 to ``total``. It depends only on what the sample asks."""
    facts = getattr(sample, "facts", {})
    # Parts run on machines that know nothing of each other, so what they hash may not change between releases:
    # a missing key counts as None, and the order is that of the keys.
    values = [facts.get(key) for key in _ITEM_KEYS]
    later_values = [facts[key] for key in _LATER_ITEM_KEYS if key in facts]
    question = json.dumps([sample.text, *values, *later_values])
    return int.from_bytes(sha256(question.encode()).digest()) % total + 1


def settings_digest(settings: Settings) -> str:
    """A digest of the settings that decide which samples a run has. All parts of one run have the same digest."""
    names = [*names_of(lambda option: option.asks == "what"), "threshold"]
    decisive = [getattr(settings, name) for name in names]
    # Typed values win over those of markers, so that equal values may draw other samples.
    decisive.append([name for name in ("samples", "operators") if name in settings.typed])
    # Each part may run in another folder.
    text = json.dumps(decisive, default=lambda path: path.name)
    return sha256(text.encode()).hexdigest()[:16]
