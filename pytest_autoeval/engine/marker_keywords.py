"""The keywords of the marker. Every run of pytest shows them in its list of markers, and so imports this file."""

from __future__ import annotations

#: The keywords in the order in which they are documented.
KEYWORDS = (
    *("task", "operators", "depth", "samples", "threshold", "agreement", "collisions"),
    *("vocabulary", "language"),
    *("quantifiers", "variable_probability", "vacuous_quantifiers", "measures"),
    *("copies", "trivial", "exclude", "verified", "columns"),
)
