"""Equivalence and inclusion of regular expressions, by automata."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from itertools import repeat

from pytest_autoeval.languages.base import Relation, Verdict
from pytest_autoeval.languages.deciding import decided
from pytest_autoeval.languages.isolation import GaveUpError
from pytest_autoeval.languages.regex import remainders, unary
from pytest_autoeval.languages.regex.automaton import END, Automaton, State
from pytest_autoeval.languages.regex.boundaries import automaton_of
from pytest_autoeval.languages.regex.decision_budget import MAX_MEMORY, DecisionBudget
from pytest_autoeval.languages.regex.evaluate import accepts
from pytest_autoeval.languages.regex.measures import DistinguishingString, symbols
from pytest_autoeval.languages.regex.syntax import (
    CharacterClass,
    Complement,
    Expression,
    Intersection,
    Star,
)
from pytest_autoeval.languages.regex.unary import TooLongError, are_unary
from pytest_autoeval.languages.size_limits import PATIENCE

#: A symbol of words and another, for expressions that name none: an alphabet has at least one symbol.
_SOME_SYMBOLS = ("0", "-")
#: Pairs from which on the laws of union are used to skip pairs; below, they cost more than they save.
_LAWS_FROM = 64
#: Pairs that the laws of union are applied to; with more, each step would become slower and slower.
_LAWS_UP_TO = 256
#: Pairs in a row of which none follows from the laws, after which no other is tried. States of few positions, as
#: counting and complements make them, never follow.
_MOST_TRIES_IN_VAIN = 1024
#: Strings of a fingerprint.
_BEGINNINGS = 64
#: Bytes for them: a fingerprint is cheap.
_BEGINNINGS_MEMORY = 1 << 24

#: Two states reached by the same string, the number of the previous pair, and the symbol between them.
_Pair = tuple[State, State, int, str]


def decide(
    relation: Relation,
    left: Expression,
    right: Expression,
    timeout: float,
    memory: int = MAX_MEMORY,
) -> Verdict:
    """Whether the same strings match two expressions, or whether all strings that match ``left`` match ``right``.

    The witness is a shortest counterexample. ``timeout`` is in seconds of processor time, ``memory`` in bytes. If the
    alphabet of a wildcard or negated class is unknown, it has at least the symbols named. A verdict that depends on
    further symbols is ``undecided``.
    """

    def search() -> tuple[str, DistinguishingString | None]:
        # Two texts of one tree need no automaton, however large it would be.
        if left == right:
            return "same tree", None
        budget = DecisionBudget(timeout, memory)
        method, text = _counterexample(left, right, relation, budget)
        if text is None:
            return method, None
        # The evaluator shares no code with automata: it checks the string that they found.
        by_left = accepts(left, text, budget.time)
        by_right = accepts(right, text, budget.time)
        return method, DistinguishingString(text, by_left, by_right, (left, right))

    return decided(relation, "automata", search)


def _counterexample(
    left: Expression, right: Expression, relation: Relation, budget: DecisionBudget
) -> tuple[str, str | None]:
    """The method, and a shortest counterexample, None if there is none in any alphabet."""
    left, right = _without_complements(left, right, relation)
    # Sets of lengths go first: they decide counting that needs thousands of states one by one.
    if are_unary(left, right):
        symbol = (symbols(left) or symbols(right))[0]
        # Many periods can be too long for sets, and still short enough for remainders or automata.
        for search in (unary.shortest_counterexample, remainders.shortest_counterexample):
            with suppress(TooLongError):
                length = search(left, right, relation, budget)
                return "lengths", None if length is None else symbol * length
    return "automata", distinguishing_text(left, right, relation, budget)


def _without_complements(
    left: Expression, right: Expression, relation: Relation
) -> tuple[Expression, Expression]:
    """Two expressions with the same counterexamples, without the complements that both are.

    An operand of a complement needs no automaton with all its states, and the same strings tell the operands apart.
    """
    while True:
        alphabet, left_operand = _complemented(left)
        right_alphabet, right_operand = _complemented(right)
        if left_operand is None or right_operand is None or alphabet != right_alphabet:
            return left, right
        operands = (left_operand, right_operand)
        # Beyond the alphabet, the operands may differ, and their complements do not.
        if alphabet and not all(_is_within(operand, alphabet) for operand in operands):
            return left, right
        # An inclusion turns round.
        left, right = operands if relation == "equivalence" else operands[::-1]


def _complemented(node: Expression) -> tuple[Expression | None, Expression | None]:
    """The strings that a complement is taken of, as ``[01]*`` or None for all, and its operand or None."""
    match node:
        case Complement(inner):
            return None, inner
        case Intersection((Star(CharacterClass(_, False)) as strings, Complement(inner))):
            return strings, inner
    return None, None


def _is_within(expression: Expression, strings: Expression) -> bool:
    """Whether an expression surely matches only strings of the symbols of another."""
    return unary.is_closed(expression) and set(symbols(expression)) <= set(symbols(strings))


def distinguishing_text(
    left: Expression, right: Expression, relation: Relation, budget: DecisionBudget
) -> str | None:
    """The first shortest counterexample, None if there is none in any alphabet.

    Raises :class:`GaveUpError` if the budget is used up, or if the answer depends on the alphabet.
    """
    automaton = automaton_of([left, right], budget)
    left_start, right_start = automaton.starts
    if relation == "entailment":  # it holds if the union of both is the second
        left_start |= right_start
    alphabet = automaton.alphabet
    if not alphabet and automaton.is_open:
        alphabet = _SOME_SYMBOLS[: len(automaton.others)]
    if automaton.alphabet or len(alphabet) < 2:
        automaton.use(alphabet)
        text = distinguishing_string(automaton, left_start, right_start, budget)
    else:  # the least alphabet has one symbol, of either kind
        texts = []
        for symbol in alphabet:
            automaton.use((symbol,))
            texts.append(distinguishing_string(automaton, left_start, right_start, budget))
        text = None if None in texts else texts[0]
    if text is None and automaton.is_open:
        # All symbols of a kind that are not named behave alike, so one of them represents all.
        automaton.use((*alphabet, *automaton.others))
        if distinguishing_string(automaton, left_start, right_start, budget) is not None:
            raise GaveUpError(
                "it depends on the alphabet what '.', '~' or a negated class stands for; "
                "read the text with a vocabulary"
            )
    return text


def fingerprint(expression: Expression) -> Hashable:
    """The first strings that begin a match, each with whether it matches."""
    try:
        automaton = automaton_of([expression], DecisionBudget(PATIENCE, _BEGINNINGS_MEMORY))
        # By symbol, so that the order of the classes of symbols does not matter.
        classes = sorted(
            (symbol, number) for number, alike in enumerate(automaton.alike) for symbol in alike
        )
        begun = [("", automaton.starts[0])]
        for text, state in begun:
            following = automaton.successors(state)
            for symbol, number in classes:
                after = following[number]
                if after:  # state 0 accepts nothing
                    begun.append((text + symbol, after))
            if len(begun) >= _BEGINNINGS:
                break
    except GaveUpError:
        return None
    return tuple((text, bool(state & END)) for text, state in begun[:_BEGINNINGS])


def distinguishing_string(
    automaton: Automaton, left: State, right: State, budget: DecisionBudget
) -> str | None:
    """A shortest string that one of two states accepts and the other does not, None if there is none.

    In a small search, it is the first of the shortest strings in the order of the alphabet. Raises :class:`GaveUpError`
    if the budget is used up.

    The search visits the pairs of states that the same string leads to, by the length of the string. Each visited pair
    claims that its states are equivalent. A pair is skipped if its equivalence follows from the claims: by transitivity
    (Hopcroft and Karp, "A linear algorithm for testing equivalence of finite automata", 1971) and, if there are many,
    by the laws of union (Bonchi and Pous, "Checking NFA equivalence with bisimulations up to congruence", 2013), which
    can save exponentially many pairs. This loses no shortest string: if one leads through a skipped pair, its rest
    distinguishes the states of some visited pair, and the string to that pair is no longer.
    """
    visited: list[_Pair] = [(left, right, -1, "")]
    if (left ^ right) & END:
        return ""
    claims = _Claims()
    claims.add(left, right)
    done = 0
    while done < len(visited):
        level: list[_Pair] = []
        for number in range(done, len(visited)):
            x, y, _, _ = visited[number]
            after_x = automaton.successors(x)
            after_y = automaton.successors(y)
            level.extend(zip(after_x, after_y, repeat(number), automaton.symbols))
        done = len(visited)
        if claims.are_many:  # small states first: the laws build the large ones from them
            level.sort(key=lambda pair: (pair[0] | pair[1]).bit_count())
        for pair in level:
            budget.spend()
            if claims.cover(pair[0], pair[1]):
                continue
            claims.add(pair[0], pair[1])
            visited.append(pair)
            if (pair[0] ^ pair[1]) & END:
                return _spelled(visited)
    return None


def _spelled(visited: list[_Pair]) -> str:
    symbols = []
    number = len(visited) - 1
    while number > 0:
        _, _, number, symbol = visited[number]
        symbols.append(symbol)
    return "".join(reversed(symbols))


class _Claims:
    """Pairs of states claimed to be equivalent, and the pairs that follow from them."""

    def __init__(self) -> None:
        #: Union-find: each state's parent. States that are claimed to be equivalent have one root.
        self._parents: dict[State, State] = {}
        #: The claims with the union of both states: by congruence, each may grow into it.
        self._laws: list[tuple[State, State, State]] = []
        #: Pairs that were tried with the laws until one followed from them.
        self._tries_in_vain = 0

    @property
    def are_many(self) -> bool:
        return len(self._laws) >= _LAWS_FROM

    def add(self, state: State, partner: State) -> None:
        self._parents[self._root(state)] = self._root(partner)
        if len(self._laws) < _LAWS_UP_TO:
            self._laws.append((state, partner, state | partner))

    def cover(self, state: State, partner: State) -> bool:
        """Whether the equivalence of two states follows from the claims."""
        if state == partner or self._root(state) == self._root(partner):
            return True
        # Two states are equivalent by the laws if each is contained in the other after both have grown.
        if not self.are_many or self._tries_in_vain >= _MOST_TRIES_IN_VAIN:
            return False
        follows = not partner & ~self._grown(state) and not state & ~self._grown(partner)
        self._tries_in_vain = 0 if follows else self._tries_in_vain + 1
        return follows

    def _root(self, state: State) -> State:
        parents = self._parents
        root = state
        while (parent := parents.get(root, root)) != root:
            root = parent
        # Shortens the way for later calls: all on it point to the root.
        while state != root:
            parents[state], state = root, parents[state]
        return root

    def _grown(self, state: State) -> State:
        """The largest state equivalent to ``state`` by the claims and the laws of union."""
        laws = self._laws
        while True:
            # A law that was used is not tried again: its union is in the state.
            waiting = []
            before = state
            for law in laws:
                x, y, joined = law
                if not x & ~state or not y & ~state:
                    state |= joined
                else:
                    waiting.append(law)
            if state == before:
                return state
            laws = waiting
