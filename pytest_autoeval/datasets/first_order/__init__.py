"""Sentences and stories in first-order logic: read as people wrote them, made into choices and rankings."""
