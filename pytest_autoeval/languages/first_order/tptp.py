"""Clauses as TPTP text, and the proofs that a prover prints in the format TSTP.

Users' names never reach the text: symbols and variables are numbered. The reader takes only what a proof of clauses
consists of, and refuses everything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.base import LimitError
from pytest_autoeval.languages.first_order.clauses import Literals
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence, Term
from pytest_autoeval.lazy_pattern import lazy_pattern

Role = Literal["axiom", "negated_conjecture"]

#: Nesting of terms and of inferences in one line of a proof.
_MAX_NESTING = 100


class ProofRefusedError(AutoevalError):
    """A proof that cannot be read, or that does not prove what it should."""


@dataclass
class Numbering:
    """Names for symbols and variables that mean nothing: ``p1``, ``f1``, ``X1``."""

    _predicates: dict[tuple[str, int], str] = field(default_factory=dict)
    _functions: dict[tuple[str, int], str] = field(default_factory=dict)
    _variables: dict[str, str] = field(default_factory=dict)

    def clause(self, clause: Literals, variables: frozenset[str]) -> Literals:
        """The clause with numbered names; its free names in ``variables`` are variables."""
        return tuple([self._literal(literal, variables) for literal in clause])

    def _literal(self, node: Sentence, variables: frozenset[str]) -> Sentence:
        match node:
            case fol.Not(operand):
                return fol.Not(self._literal(operand, variables))
            case fol.Atom(predicate, arguments):
                symbol = (predicate, len(arguments))
                name = self._predicates.setdefault(symbol, f"p{len(self._predicates) + 1}")
                terms = [self._term(argument, variables) for argument in arguments]
                return fol.Atom(name, tuple(terms))
            case fol.Equal(left, right):
                return fol.Equal(self._term(left, variables), self._term(right, variables))
        raise TypeError(f"no literal: {type(node).__name__}")

    def _term(self, term: Term, variables: frozenset[str]) -> Term:
        if not term.arguments and term.name in variables:
            new_variable = f"X{len(self._variables) + 1}"
            return Term(self._variables.setdefault(term.name, new_variable))
        symbol = (term.name, len(term.arguments))
        name = self._functions.setdefault(symbol, f"f{len(self._functions) + 1}")
        arguments = [self._term(argument, variables) for argument in term.arguments]
        return Term(name, tuple(arguments))


def clause_text(name: str, role: Role, clause: Literals) -> str:
    """A line of TPTP for a clause with numbered names."""
    literals = "|".join(map(_literal_text, clause)) or "$false"
    return f"cnf({name},{role},({literals})).\n"


def _literal_text(literal: Sentence) -> str:
    match literal:
        case fol.Not(fol.Equal(left, right)):
            return f"{left} != {right}"
        case fol.Not(atom):
            return f"~{atom}"
    return str(literal)


class ProofStep(NamedTuple):
    """A line of a proof: a clause, and the names of the lines that it follows from.

    ``leaf`` is the name of a given clause, which the line repeats; such a line has no premises.
    """

    name: str
    clause: Literals
    premises: tuple[str, ...] = ()
    leaf: str | None = None


_TOKEN = lazy_pattern(
    r"\s*(?:(?P<word>[A-Za-z0-9_]+|\$(?:false|true))|(?P<quoted>'[^'\n]*')|(?P<sign>!=|[()\[\],.|~=]))"
)


def read_proof(text: str) -> list[ProofStep]:
    """The lines of a proof. Raises :class:`ProofRefusedError` for a line that is no clause or no inference."""
    lines = []
    for line in text.splitlines():
        is_comment = line.lstrip().startswith(("%", "#"))
        if not is_comment:
            lines.append(line)
    reader = _Reader(_tokens("\n".join(lines)))
    try:
        return list(reader.steps())
    except LimitError:
        raise ProofRefusedError("the proof has terms that are nested too deeply") from None


def _tokens(text: str) -> list[str]:
    tokens, offset = [], 0
    text = text.rstrip()
    while offset < len(text):
        match = _TOKEN.match(text, offset)
        if match is None:
            raise ProofRefusedError("the proof has signs that no clause has")
        tokens.append(match[0].strip())
        offset = match.end()
    return tokens


class _Reader:
    """Reads tokens from left to right."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens
        self._at = 0

    def steps(self) -> Iterator[ProofStep]:
        while self._at < len(self._tokens):
            yield self._step()

    def _next(self) -> str:
        token = self._ahead()
        self._at += 1
        return token

    def _ahead(self) -> str:
        if self._at >= len(self._tokens):
            raise ProofRefusedError("the proof ends too early")
        return self._tokens[self._at]

    def _expect(self, *tokens: str) -> None:
        for token in tokens:
            if self._next() != token:
                raise ProofRefusedError("the proof has a line that is no inference")

    def _takes(self, token: str) -> bool:
        """Whether this token comes next; if so, goes past it."""
        taken = self._ahead() == token
        self._at += taken
        return taken

    def _word(self) -> str:
        word = self._next()
        if not word.isidentifier() and not word.isdecimal():
            raise ProofRefusedError("the proof has a sign in the place of a name")
        return word

    def _step(self) -> ProofStep:
        self._expect("cnf", "(")
        name = self._word()
        self._expect(",")
        self._word()  # the role, which says nothing about what follows from what
        self._expect(",", "(")
        clause = self._clause()
        self._expect(")", ",")
        sources = self._source(0)
        if self._takes(","):  # E's mark of the last step
            self._expect("[", "'proof'", "]")
        self._expect(")", ".")
        if sources[0].startswith("file:"):
            return ProofStep(name, clause, leaf=sources[0].removeprefix("file:"))
        return ProofStep(name, clause, sources)

    def _clause(self) -> Literals:
        literals = [*self._literal()]
        while self._takes("|"):
            literals += self._literal()
        return tuple(literals)

    def _literal(self) -> Iterator[Sentence]:
        """The literal that comes next; nothing for ``$false``."""
        negated = self._takes("~")
        if self._ahead() == "$false" and not negated:
            self._next()
            return
        term = self._term(0)
        atom: Sentence = fol.Atom(term.name, term.arguments)
        if self._ahead() in {"=", "!="}:
            negated = negated is not (self._next() == "!=")
            atom = fol.Equal(term, self._term(0))
        elif term.name[0].isupper():  # in TPTP, names of variables begin with a capital
            raise ProofRefusedError("the proof has a variable in the place of an atom")
        yield fol.Not(atom) if negated else atom

    def _term(self, nesting: int) -> Term:
        name = self._word()
        if nesting > _MAX_NESTING:
            raise ProofRefusedError("the proof has terms that are nested too deeply")
        if name[0].isupper() or not self._takes("("):
            return Term(name)
        arguments = [self._term(nesting + 1)]
        while self._takes(","):
            arguments.append(self._term(nesting + 1))
        self._expect(")")
        return Term(name, tuple(arguments))

    def _source(self, nesting: int) -> tuple[str, ...]:
        """The names of the lines from which a line follows; ``file:`` and a name for a given clause.

        Only inferences of the status ``thm`` are read: their conclusion follows from the premises.
        """
        if nesting > _MAX_NESTING:
            raise ProofRefusedError("the proof has inferences that are nested too deeply")
        kind = self._word()
        if kind == "file" and nesting == 0 and self._takes("("):
            self._next()
            self._expect(",")
            clause_name = self._word()
            self._expect(")")
            return (f"file:{clause_name}",)
        if kind != "inference":
            return (kind,)
        self._expect("(")
        rule = self._word()
        self._expect(",", "[", "status", "(")
        status = self._word()
        if status != "thm":
            raise ProofRefusedError(f"the proof has a step {rule} of the status {status}")
        self._expect(")", "]", ",", "[")
        names = list(self._source(nesting + 1))
        while self._takes(","):
            names += self._source(nesting + 1)
        self._expect("]", ")")
        return tuple(names)
