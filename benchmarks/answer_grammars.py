"""Checks the grammars of `--autoeval-constrained` from both sides, with the matchers of two other programs.

    python benchmarks/answer_grammars.py [--count 10000] [--llama FILE.gguf]

Every formula that the sampler draws must be accepted by the grammar, and every text that is drawn from the grammar must
be a formula for the strict parser. llguidance (from the extra `test`) reads the Lark and the GBNF form. With `--llama`,
llama.cpp reads the GBNF form, by the tokens of that model: its weights are not used. This needs llama-cpp-python.
"""

from __future__ import annotations

import argparse
import ctypes
import random
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.answer_grammars import accepts, drawn, matcher

from pytest_autoeval import Vocabulary, language
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation.samples import sample_formulas, sample_of

#: Grammars with a formula that has no names of its own.
GRAMMARS = {
    "propositional": "p1",
    "first_order": "P(c1)",
    "ltl": "p1",
    "past_ltl": "p1",
    "regex": "0",
}
SMALL = Vocabulary(
    predicates=(("P", 1), ("R", 2)),
    constants=("a",),
    functions=(("f", 1),),
    variables=("x", "y", "z", "w"),
)
SIZES = range(1, 11)

Matcher = tuple[Callable[[str], bool], Callable[[random.Random], str | None]]


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--count", type=int, default=10_000, help="texts from either side")
    options.add_argument("--llama", type=Path, help="a GGUF model")
    given = options.parse_args()
    cases = [(name, sample_of(one, name).vocabulary) for name, one in GRAMMARS.items()]
    for name, vocabulary in [*cases, ("first_order", SMALL)]:
        lang = language(sample_of(GRAMMARS[name], name).language)
        grammar = lang.answer_grammar(vocabulary)
        assert grammar is not None
        texts = [
            str(formula)
            for size in SIZES
            for formula in sample_formulas(
                name, size, given.count // len(SIZES), vocabulary=vocabulary, seed=28, warn=False
            )
        ]
        matchers = {
            "llguidance, Lark": llguidance("lark", grammar.lark),
            "llguidance, GBNF": llguidance("gbnf", grammar.gbnf),
        }
        if given.llama:
            matchers["llama.cpp, GBNF"] = llama(given.llama, grammar.gbnf)
        for program, (accept, draw) in matchers.items():
            refused = sum(not accept(text) for text in texts)
            made = [
                text
                for seed in range(given.count)
                if (text := draw(random.Random(seed))) is not None
            ]
            wrong = [text for text in made if not is_formula(lang.parse, text)]
            print(
                f"{name} ({len(vocabulary.variables)} variables), {program}: "
                f"{refused} of {len(texts):,} formulas refused; "
                f"{len(wrong)} of {len(made):,} texts ({len(set(made)):,} different) are no formulas",
                *wrong[:3],
                flush=True,
            )


def is_formula(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except AutoevalError:
        return False
    return True


def llguidance(notation: str, text: str) -> Matcher:
    made = matcher("lark" if notation == "lark" else "gbnf", text)
    return lambda answer: accepts(made, answer), lambda randomness: drawn(made, randomness, 60)


def llama(file: Path, gbnf: str, most: int = 40) -> Matcher:
    """llama.cpp's sampler with a grammar; a drawn text that becomes too long is None."""
    from llama_cpp import llama_cpp as c  # type: ignore[import-not-found]

    c.llama_backend_init()
    settings = c.llama_model_default_params()
    settings.vocab_only = True
    vocabulary = c.llama_model_get_vocab(c.llama_model_load_from_file(str(file).encode(), settings))
    end = c.llama_vocab_eos(vocabulary)

    def piece(token: int) -> bytes:
        buffer = ctypes.create_string_buffer(64)
        length = c.llama_token_to_piece(vocabulary, token, buffer, 64, 0, False)
        return buffer.raw[: max(0, length)]

    signs = set(gbnf.encode()) - set(b"\n\\")
    pieces = {
        token: text
        for token in range(c.llama_vocab_n_tokens(vocabulary))
        if 0 < len(text := piece(token)) <= 4
    }
    pool = [*(token for token, text in pieces.items() if set(text) <= signs), end]
    short = [
        token
        for token, text in pieces.items()
        if text in (b")", b"0", b"1", b"a", b"x", b"p", b"c", b"P")
    ]

    def allowed(sampler: object, tokens: list[int]) -> list[int]:
        data = (c.llama_token_data * len(tokens))(
            *(c.llama_token_data(token, 1.0, 0.0) for token in tokens)
        )
        array = c.llama_token_data_array(data, len(tokens), -1, False)
        c.llama_sampler_apply(sampler, ctypes.byref(array))
        return [data[at].id for at in range(array.size) if data[at].logit > -1e30]

    def accept(text: str) -> bool:
        sampler = c.llama_sampler_init_grammar(vocabulary, gbnf.encode(), b"root")
        encoded = text.encode()
        tokens = (c.llama_token * (len(encoded) + 8))()
        number = c.llama_tokenize(
            vocabulary, encoded, len(encoded), tokens, len(tokens), False, False
        )
        try:
            for token in tokens[:number]:
                if not allowed(sampler, [token]):
                    return False
                c.llama_sampler_accept(sampler, token)
            return bool(allowed(sampler, [end]))
        finally:
            c.llama_sampler_free(sampler)

    def draw(randomness: random.Random) -> str | None:
        sampler = c.llama_sampler_init_grammar(vocabulary, gbnf.encode(), b"root")
        text = b""
        try:
            while len(text) < 10 * most:
                choices = allowed(sampler, pool)
                if end in choices and (
                    len(text) > most or choices == [end] or randomness.random() < 0.3
                ):
                    return text.decode()
                closing = [token for token in choices if token in short] if len(text) > most else []
                token = randomness.choice(closing or [token for token in choices if token != end])
                c.llama_sampler_accept(sampler, token)
                text += pieces[token]
            return None
        finally:
            c.llama_sampler_free(sampler)

    return accept, draw


if __name__ == "__main__":
    main()
