"""Deterministic models without key and network: one faithful, the others with a fault of real models.

They are served over OpenAI's protocol (:mod:`pytest_autoeval.models.offline.server`), so that they run through the same
code as real models. One of them is an embedding model.
"""
