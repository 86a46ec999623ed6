"""Systems of linear equations over GF(2): exclusive disjunctions with a known value.

Solvers of clauses need exponential time for them, and elimination needs cubic time (M. Soos et al., "Extending SAT
solvers to cryptographic problems", 2009). A row is a Python integer: bit *v* is the coefficient of variable *v*, and
bit 0 is the right side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

Clause = tuple[int, ...]
#: The variables of a clause in order, and which of them are negated.
_Variables = tuple[int, ...]
_Signs = tuple[bool, ...]
#: The rows of equations that contradict each other: 0 = 1.
CONTRADICTION = {0: 1}
#: A clause of more literals is not read as a share of an equation: an equation of n variables needs 2^(n - 1) clauses.
_MOST_LITERALS = 4
#: Bits that elimination may change: about a thousand equations of a thousand variables, and a quarter of a second.
_MOST_BITS = 1 << 30


def row_of(variables: Iterable[int], value: bool) -> int:
    """The equation that an odd number of the variables is true, or with ``value`` false that an even number is."""
    row = int(value)
    for variable in variables:
        row ^= 1 << variable
    return row


def equations(clauses: Iterable[Clause]) -> list[int]:
    """The equations that clauses state: each allows half of the values of its variables.

    ``(a ∨ b) ∧ (¬a ∨ ¬b)`` says that ``a ⊕ b`` is true.
    """
    signs_of: dict[_Variables, set[_Signs]] = defaultdict(set)
    for clause in clauses:
        literals = sorted(clause, key=abs)
        variables = tuple(map(abs, literals))
        has_repeats = len({*variables}) < len(variables)
        if len(variables) <= _MOST_LITERALS and not has_repeats:
            signs = tuple([literal < 0 for literal in literals])
            signs_of[variables].add(signs)
    rows: list[int] = []
    for variables, patterns in signs_of.items():
        # A clause forbids one row of values: the one where exactly its negated variables are true.
        for forbidden in (False, True):
            clause_count = sum(1 for negated in patterns if sum(negated) % 2 == forbidden)
            # Only if all rows of one parity are forbidden, the clauses together are an equation.
            if clause_count == 1 << len(variables) - 1:
                rows.append(row_of(variables, not forbidden))
    return rows


def eliminated(rows: Sequence[int]) -> dict[int, int] | None:
    """The rows in reduced echelon form by their leading variables, or ``CONTRADICTION``.

    None if that is too much work.
    """
    # Each pair of rows may be added once, and an addition touches all bits of a row.
    width = max((row.bit_length() for row in rows), default=0)
    if len(rows) * len(rows) * width > _MOST_BITS:
        return None
    leading: dict[int, int] = {}
    for row in rows:
        reduced = row
        # Bit 0 is the right side and leads no row. So 1 is left over for 0 = 1, and 0 for a row that follows.
        while reduced > 1 and (variable := reduced.bit_length() - 1) in leading:
            reduced ^= leading[variable]
        if reduced == 1:
            return CONTRADICTION
        if reduced:
            leading[reduced.bit_length() - 1] = reduced
    # The rows so far may still mention leading variables of lower rows, which are fully reduced when their turn comes.
    lower_leading = 0
    for variable in sorted(leading):
        row = leading[variable]
        while mentioned := row & lower_leading:
            row ^= leading[mentioned.bit_length() - 1]
        leading[variable] = row
        lower_leading |= 1 << variable
    return leading


def solution(leading: dict[int, int]) -> frozenset[int]:
    """The true variables of the solution in which all that the others do not determine are false."""
    return frozenset(variable for variable, row in leading.items() if row & 1)


def short_clauses(leading: dict[int, int]) -> Iterator[Clause]:
    """Clauses for the rows of one or two variables: values, and pairs that are equal or unequal."""
    for row in leading.values():
        # Three are enough to see that a row is too long.
        variables = list(bits(row >> 1 << 1, most=3))
        if len(variables) == 1:
            yield (variables[0] if row & 1 else -variables[0],)
        elif len(variables) == 2:
            variable, partner = variables
            if not row & 1:
                partner = -partner  # they are equal: one of them is true, or the other is false
            yield (variable, partner)
            yield (-variable, -partner)


def bits(row: int, most: int) -> Iterator[int]:
    """The first ``most`` variables of a row."""
    for _ in range(most):
        if not row:
            return
        lowest = row & -row
        yield lowest.bit_length() - 1
        row ^= lowest


def satisfies(true: Collection[int], clauses: Iterable[Clause]) -> bool:
    """Whether each clause has a true literal."""

    def is_true(literal: int) -> bool:
        return (abs(literal) in true) is (literal > 0)

    return all(any(map(is_true, clause)) for clause in clauses)
