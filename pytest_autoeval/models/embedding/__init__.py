"""Models that place texts in a vector space: behind a server, offline, or in this process.

Importing this loads nothing heavy.
"""

from __future__ import annotations

from pytest_autoeval.models.embedding.names import EmbedderName, UnknownEmbedderOptionError, is_embedder, is_local

__all__ = ["EmbedderName", "UnknownEmbedderOptionError", "is_embedder", "is_local"]
