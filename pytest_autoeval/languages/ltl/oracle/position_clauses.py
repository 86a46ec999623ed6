"""What a temporal formula needs at one position of a word, as clauses for a SAT solver.

A formula that must hold from a position on is an obligation. It is fulfilled at the position, or passed on to the next
one: ``a U b`` needs b now, or else a now and itself at the next position. This is the next normal form of Li, Zhu,
Pu, Zhang, Vardi, "SAT-based explicit LTL reasoning and its application to satisfiability checking", Formal Methods in
System Design 54 (2019). Past operators are memories: variables for what held at the previous position.
"""

from __future__ import annotations

from pytest_autoeval.languages.ltl.oracle.normal import Kind, Literal, Node, NormalForm, negated
from pytest_autoeval.languages.ltl.oracle.tableau import conjuncts

#: A literal of the SAT solver: a variable, an integer ≥ 1, or a negated one.
SatLiteral = int
#: What must hold from a position on.
Obligations = frozenset[SatLiteral]
Clause = tuple[SatLiteral, ...]
#: The first variable, which is always true.
_TRUE: SatLiteral = 1


class PositionClauses:
    """Rules over literals of a SAT solver, one for each sign of a node that matters.

    The rule of a literal is a list of clauses: if the literal is true, one literal of each clause must be. A false
    literal needs nothing. So the true literals that explain a model are few, and say what must be passed on.
    """

    def __init__(self, form: NormalForm) -> None:
        self._form = form
        #: The number of variables so far.
        self.count = _TRUE
        self.rules: dict[SatLiteral, list[Clause]] = {}
        #: Clauses that are no rules.
        self._facts: list[Clause] = [(_TRUE,)]
        #: By variable of an atom: its bit in a letter.
        self.bits: dict[SatLiteral, int] = {}
        #: By obligation, the variable that passes it on to the next position; and the other way round.
        self.passing: dict[SatLiteral, SatLiteral] = {}
        self.passed: dict[SatLiteral, SatLiteral] = {}
        #: By variable that puts off an "until": the "until".
        self.put_off: dict[SatLiteral, SatLiteral] = {}
        #: Variables that say what held at the previous position.
        self._memories: set[SatLiteral] = set()
        self._needed_memories: dict[SatLiteral, frozenset[SatLiteral]] = {}
        self._literals: dict[Literal, SatLiteral] = {0: _TRUE, 1: -_TRUE}
        starting, always = conjuncts(form)
        needed = _needed(form, [*starting, *always])
        for number, node in enumerate(form.nodes):
            signs = [literal for literal in (2 * number, 2 * number + 1) if literal in needed]
            if signs:
                self._define(node, number, signs)
        #: What holds at every position.
        self.always = [self._literals[literal] for literal in always]
        forgotten = [-memory for memory in sorted(self._memories)]
        #: The obligations of the first position, where nothing held before.
        self.start: Obligations = frozenset(
            [*(self._literals[literal] for literal in starting), *forgotten]
        )

    def clauses(self) -> list[Clause]:
        """What the solver must know: the rules, and what holds at every position."""
        clauses = [*self._facts, *((literal,) for literal in self.always)]
        for literal, rule in self.rules.items():
            clauses += [(-literal, *clause) for clause in rule]
        return clauses

    def new(self) -> SatLiteral:
        self.count += 1
        return self.count

    def needed_memories(self, literal: SatLiteral) -> frozenset[SatLiteral]:
        """The memories on which it depends, now or later, whether a literal can be true."""
        if not self._memories:
            return frozenset()
        if literal not in self._needed_memories:
            seen: set[SatLiteral] = set()
            pending = [literal]
            while pending:
                needed = pending.pop()
                if needed in seen:
                    continue
                seen.add(needed)
                if needed in self.passed:
                    pending.append(self.passed[needed])
                if abs(needed) in self._memories:
                    pending += (self.passing[needed], self.passing[-needed])
                for clause in self.rules.get(needed, ()):
                    pending += clause
            self._needed_memories[literal] = frozenset(self._memories.intersection(map(abs, seen)))
        return self._needed_memories[literal]

    def _define(self, node: Node, number: int, signs: list[Literal]) -> None:
        match node.kind:
            case Kind.ATOM:
                variable = self.new()
                self.bits[variable] = node.left
                self._literals.update({2 * number: variable, 2 * number + 1: -variable})
            case Kind.NEXT:
                for literal in signs:
                    operand = self._literals[node.left ^ literal & 1]
                    self._literals[literal] = self._passing(operand)
            case Kind.YESTERDAY:
                memory = self._memory(node.left)
                self._literals.update({2 * number: memory, 2 * number + 1: -memory})
            case Kind.AND | Kind.XOR | Kind.UNTIL | Kind.SINCE:
                for literal in signs:
                    self._literals[literal] = self.new()
                memory = self._memory(2 * number) if node.kind is Kind.SINCE else 0
                for literal in signs:
                    self.rules[self._literals[literal]] = self._rule(node, literal, memory)
                if len(signs) == 2:
                    self._facts.append(tuple(-self._literals[literal] for literal in signs))

    def _rule(self, node: Node, literal: Literal, memory: SatLiteral) -> list[Clause]:
        sign = literal & 1
        # Of the operands as they are, or negated ones for a negated node.
        left, right = (
            self._literals.get(node.left ^ sign, 0),
            self._literals.get(node.right ^ sign, 0),
        )
        match node.kind:
            case Kind.AND:
                return [(left, right)] if sign else [(left,), (right,)]
            case Kind.XOR:
                left, not_left = self._both_signs(node.left)
                right, not_right = self._both_signs(node.right ^ sign)
                return [(left, right), (not_left, not_right)]
            case Kind.SINCE:
                later = -memory if sign else memory
            case _ if sign:
                later = self._passing(self._literals[literal])
            case _:
                later = self._postponing(self._literals[literal])
        if sign:
            return [(right,), (left, later)]
        # The goal comes first: an "until" is put off only if it must be.
        return [(right, left), (right, later)]

    def _both_signs(self, literal: Literal) -> tuple[SatLiteral, SatLiteral]:
        return self._literals[literal], self._literals[negated(literal)]

    def _passing(self, obligation: SatLiteral) -> SatLiteral:
        if obligation not in self.passing:
            self.passing[obligation] = self.new()
            self.passed[self.passing[obligation]] = obligation
        return self.passing[obligation]

    def _postponing(self, until: SatLiteral) -> SatLiteral:
        """A variable of its own: ``X (a U b)`` passes the "until" on and does not put it off."""
        postponing = self.new()
        self.put_off[postponing] = until
        self.rules[postponing] = [(self._passing(until),)]
        return postponing

    def _memory(self, literal: Literal) -> SatLiteral:
        """A variable for the value of a literal at the previous position. One of its values is always passed on."""
        memory = self.new()
        self._memories.add(memory)
        passing, passing_not = self._passing(memory), self._passing(-memory)
        holds, fails = self._both_signs(literal)
        self.rules.update({passing: [(holds,)], passing_not: [(fails,)]})
        self._facts += [(passing, passing_not), (-passing, -passing_not)]
        return memory


def _needed(form: NormalForm, literals: list[Literal]) -> set[Literal]:
    """The literals that others are made of, with the signs in which they matter."""
    needed: set[Literal] = set()
    pending = list(literals)
    while pending:
        literal = pending.pop()
        if literal in needed:
            continue
        needed.add(literal)
        node, sign = form.nodes[literal >> 1], literal & 1
        if node.kind in (Kind.TRUE, Kind.ATOM):
            continue
        operands = (node.left ^ sign, node.right ^ sign)
        pending += operands
        # What held earlier must be known with either value, and "either … or" needs both values of its operands.
        if node.kind in (Kind.XOR, Kind.YESTERDAY, Kind.SINCE):
            pending += map(negated, operands)
        if node.kind is Kind.SINCE:
            pending.append(negated(literal))
    return needed
