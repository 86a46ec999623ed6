"""The root of every error that pytest-autoeval raises; each room derives its own from it."""


class AutoevalError(Exception):
    """Something the caller can mend: the message says what was wrong, where, and what to do."""
