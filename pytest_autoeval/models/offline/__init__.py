"""Deterministic models that need no key and no network: one faithful, the others with a fault that real models show.

They stand behind OpenAI's protocol (:mod:`pytest_autoeval.models.offline.server`), so that all that is true of a real
model's way through the house is true of theirs. One of them holds no conversation, and embeds texts instead.
"""
