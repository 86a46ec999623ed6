"""Grammars of answers, as llguidance reads them: another program than the servers that follow them."""

from __future__ import annotations

import random
from typing import Literal

from llguidance import LLMatcher, LLTokenizer, grammar_from

BYTES = LLTokenizer("byte")
END = BYTES.eos_token
#: What leads to the end of a text soonest.
_CLOSING = b')"acp1x0dX]}'


def matcher(notation: Literal["lark", "gbnf"], text: str) -> LLMatcher:
    """A matcher of a grammar; fails if llguidance does not accept the grammar."""
    made = LLMatcher(BYTES, grammar_from(notation, text))
    assert not made.is_error(), made.get_error()
    return made


def accepts(made: LLMatcher, text: str) -> bool:
    """Whether a grammar accepts a text."""
    tokens = BYTES.tokenize_str(text)
    accepted = made.validate_tokens([*tokens, END]) == len(tokens) + 1
    made.reset()
    return bool(accepted)


def drawn(made: LLMatcher, randomness: random.Random, most: int) -> str:
    """A text that a grammar accepts, drawn byte by byte; after ``most`` bytes by a short way to its end."""
    text: list[int] = []
    while True:
        mask = made.compute_bitmask()
        allowed = [token for token in range(BYTES.vocab_size) if mask[token // 8] >> token % 8 & 1]
        closing = [token for token in (END, *_CLOSING) if token in allowed]
        token = closing[0] if closing and len(text) > most else randomness.choice(allowed)
        if token == END:
            made.reset()
            return bytes(text).decode()
        made.consume_token(token)
        text.append(token)
