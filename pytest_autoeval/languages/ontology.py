"""The meanings of the symbols of a first-order signature: a glossary with an English gloss for each symbol.

Source of the notion: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026): an ontology is a
signature and a glossary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_autoeval.languages.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Symbol:
    """A predicate, function or constant with its meaning.

    ``parameters`` are the names of its arguments (``("x", "y")``), empty for constants and propositions; ``is_term``
    distinguishes functions and constants from predicates. ``gloss`` is English with the parameters as words of their
    own ("x is larger than y"), for a constant a name or noun phrase; ``negative`` is the gloss of the negation ("x is
    not larger than y"), or empty.
    """

    name: str
    parameters: tuple[str, ...]
    gloss: str
    negative: str = ""
    is_term: bool = False

    @property
    def arity(self) -> int:
        return len(self.parameters)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.parameters)})" if self.parameters else self.name


def is_term_by_form(name: str, parameters: tuple[str, ...], gloss: str) -> bool:
    """Whether a symbol is a constant or a function, where no formula shows it.

    Its name begins with a small letter, and its gloss does not begin with a parameter, as that of a relation does.
    """
    return name[:1].islower() and not gloss.startswith(parameters)


@dataclass(frozen=True, slots=True)
class Ontology:
    """A signature and its glossary; ``derived`` if the glosses were made from the names alone."""

    symbols: tuple[Symbol, ...]
    derived: bool = False

    @property
    def vocabulary(self) -> Vocabulary:
        predicates = [symbol for symbol in self.symbols if not symbol.is_term]
        terms = [symbol for symbol in self.symbols if symbol.is_term]
        return Vocabulary(
            propositions=tuple(symbol.name for symbol in predicates if not symbol.arity),
            predicates=tuple((symbol.name, symbol.arity) for symbol in predicates if symbol.arity),
            functions=tuple((symbol.name, symbol.arity) for symbol in terms if symbol.arity),
            constants=tuple(symbol.name for symbol in terms if not symbol.arity),
        )

    def listed(self) -> str:
        """The glossary for a prompt, one line for each symbol: ``Larger(x, y): x is larger than y``."""
        return "\n".join(f"{symbol}: {symbol.gloss}" for symbol in self.symbols)

    def to_facts(self) -> list[list[str]]:
        """Plain basic types for an item's facts: the symbol with its parameters, its kind, gloss and negative."""
        return [
            [str(symbol), "term" if symbol.is_term else "predicate", symbol.gloss, symbol.negative]
            for symbol in self.symbols
        ]


def ontology_of_facts(facts: Sequence[Sequence[str]], *, derived: bool = False) -> Ontology:
    """The ontology from the result of :meth:`Ontology.to_facts`."""
    symbols = (
        Symbol(*_name_of(shown), gloss, negative, kind == "term")
        for shown, kind, gloss, negative in facts
    )
    return Ontology(tuple(symbols), derived)


def ontology_of_glossary(glossary: Mapping[str, str], *, terms: bool) -> Ontology:
    """The ontology of names with phrases: ``{"Larger(x, y)": "x is larger than y", "a": "the block a"}``.

    Without ``terms`` every name is a proposition or predicate; otherwise `is_term_by_form` decides.
    """
    return Ontology(
        tuple(symbol_of(shown, gloss, terms=terms) for shown, gloss in glossary.items())
    )


def ontology_of_listing(listing: str) -> Ontology:
    """The ontology of the lines of :meth:`Ontology.listed`.

    They do not distinguish constants from propositions: `is_term_by_form` decides.
    """
    lines = [line.partition(":") for line in listing.splitlines() if line.strip()]
    return Ontology(tuple(symbol_of(shown, gloss.strip()) for shown, _, gloss in lines))


def symbol_of(shown: str, gloss: str, *, terms: bool = True) -> Symbol:
    """The symbol of an entry of a glossary; see :func:`ontology_of_glossary`."""
    name, parameters = _name_of(shown)
    return Symbol(
        name, parameters, gloss, is_term=terms and is_term_by_form(name, parameters, gloss)
    )


def _name_of(shown: str) -> tuple[str, tuple[str, ...]]:
    """The name and the parameters of a symbol as it is shown."""
    name, _, places = shown.strip().partition("(")
    return name.strip(), tuple(
        place.strip() for place in places.rstrip(") ").split(",") if place.strip()
    )
