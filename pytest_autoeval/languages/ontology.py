"""The meanings of the symbols of a first-order signature: a glossary with an English gloss for each symbol.

Source of the notion: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026): an ontology is a
signature and a glossary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from pytest_autoeval.languages.vocabulary import Vocabulary


class Symbol(Struct, frozen=True):
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
        if not self.parameters:
            return self.name
        return f"{self.name}({', '.join(self.parameters)})"


def is_term_by_form(name: str, parameters: tuple[str, ...], gloss: str) -> bool:
    """Whether a symbol is a constant or a function, where no formula shows it.

    Its name begins with a small letter, and its gloss does not begin with a parameter, as that of a relation does.
    """
    # "x is larger than y" is a sentence about x; "the mother of x" is a thing.
    return name[:1].islower() and not gloss.startswith(parameters)


class Ontology(Struct, frozen=True):
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
    symbols = []
    for symbol_text, kind, gloss, negative in facts:
        name, parameters = _name_of(symbol_text)
        symbols.append(Symbol(name, parameters, gloss, negative, is_term=kind == "term"))
    return Ontology(tuple(symbols), derived)


def ontology_of_glossary(glossary: Mapping[str, str], *, terms: bool) -> Ontology:
    """The ontology of names with phrases: ``{"Larger(x, y)": "x is larger than y", "a": "the block a"}``.

    Without ``terms`` every name is a proposition or predicate; otherwise `is_term_by_form` decides.
    """
    return Ontology(
        tuple(symbol_of(symbol_text, gloss, terms=terms) for symbol_text, gloss in glossary.items())
    )


def ontology_of_listing(listing: str) -> Ontology:
    """The ontology of the lines of :meth:`Ontology.listed`.

    They do not distinguish constants from propositions: `is_term_by_form` decides.
    """
    symbols = []
    for line in listing.splitlines():
        if line.strip():
            symbol_text, _, gloss = line.partition(":")
            symbols.append(symbol_of(symbol_text, gloss.strip()))
    return Ontology(tuple(symbols))


def symbol_of(symbol_text: str, gloss: str, *, terms: bool = True) -> Symbol:
    """The symbol of an entry of a glossary; see :func:`ontology_of_glossary`."""
    name, parameters = _name_of(symbol_text)
    is_term = terms and is_term_by_form(name, parameters, gloss)
    return Symbol(name, parameters, gloss, is_term=is_term)


def _name_of(symbol_text: str) -> tuple[str, tuple[str, ...]]:
    """The name and the parameters of a symbol as it is shown."""
    name, _, parameter_list = symbol_text.strip().partition("(")
    parameters = [parameter.strip() for parameter in parameter_list.rstrip(") ").split(",")]
    without_empty = tuple(filter(None, parameters))
    return name.strip(), without_empty
