"""Equivalence and inclusion of regular expressions, by automata."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import repeat

from pytest_autoeval.languages.base import Relation, Verdict
from pytest_autoeval.languages.deciding import decided
from pytest_autoeval.languages.isolation import GaveUpError
from pytest_autoeval.languages.limits import PATIENCE
from pytest_autoeval.languages.regex.automaton import END, MAX_MEMORY, OTHER, Automaton, DecisionBudget, State
from pytest_autoeval.languages.regex.evaluate import accepts
from pytest_autoeval.languages.regex.measures import DistinguishingString
from pytest_autoeval.languages.regex.syntax import Expression

#: What stands for "any symbol" where no expression names a symbol: an alphabet has at least one.
_SOME_SYMBOL = "0"
#: From this many pairs on, the laws of union are used to leave pairs out: below, they cost more than they save.
_LAWS_FROM = 64
#: How many pairs the laws of union are applied to; more would make each step slower without end.
_LAWS_UP_TO = 256
#: The strings that a fingerprint is taken of.
_BEGINNINGS = 64

#: Two states that one string leads to, with the number of the pair before and the symbol that leads here from there.
_Pair = tuple[State, State, int, str]


def decide(
    relation: Relation, left: Expression, right: Expression, timeout: float, memory: int = MAX_MEMORY
) -> Verdict:
    """Whether the same strings match two expressions, or all that match ``left`` match ``right``.

    The witness is a shortest string against that. ``timeout`` is in seconds of processor time, ``memory`` in bytes. A
    wildcard or a negated class whose alphabet is not known is taken for any alphabet that has the symbols named: a
    verdict that would depend on further symbols is ``undecided``.
    """

    def search() -> tuple[str, DistinguishingString | None]:
        if left == right:
            return "same tree", None
        budget = DecisionBudget(timeout, memory)
        text = _counterexample(left, right, relation, budget)
        if text is None:
            return "automata", None
        by_left, by_right = accepts(left, text, budget.time), accepts(right, text, budget.time)
        return "automata", DistinguishingString(text, by_left, by_right, (left, right))

    return decided(relation, "automata", search)


def _counterexample(left: Expression, right: Expression, relation: Relation, budget: DecisionBudget) -> str | None:
    """The first shortest string against the relation, None if there is none, in whatever alphabet.

    Raises :class:`GaveUpError` if the budget does not suffice, or if the answer depends on the alphabet.
    """
    automaton = Automaton([left, right], budget)
    first, second = automaton.starts
    if relation == "entailment":  # it holds if the union of both is the second
        first |= second
    alphabet = automaton.alphabet or ((_SOME_SYMBOL,) if automaton.is_open else ())
    automaton.use(alphabet)
    found = distinguishing_string(automaton, first, second, budget)
    if found is None and automaton.is_open:
        # All symbols that are not named behave alike, so one more shows what any number of them would.
        automaton.use((*alphabet, OTHER))
        if distinguishing_string(automaton, first, second, budget) is not None:
            raise GaveUpError(
                "it depends on the alphabet what '.' or a negated class stands for; read the text with a vocabulary"
            )
    return found


def fingerprint(expression: Expression) -> Hashable:
    """The first strings that a match may begin with, and whether each is a match."""
    try:
        automaton = Automaton([expression], DecisionBudget(PATIENCE))
        begun = [("", automaton.starts[0])]
        for text, state in begun:
            following = zip(automaton.alike, automaton.successors(state), strict=True)
            begun += sorted((text + symbol, after) for symbols, after in following if after for symbol in symbols)
            if len(begun) >= _BEGINNINGS:
                break
    except GaveUpError:
        return None
    return tuple((text, bool(state & END)) for text, state in begun[:_BEGINNINGS])


def distinguishing_string(automaton: Automaton, left: State, right: State, budget: DecisionBudget) -> str | None:
    """A shortest string that one of two states accepts and the other does not, None if there is none.

    Of several shortest ones it is the first in the order of the alphabet as long as the search is small. Raises
    :class:`GaveUpError` when the budget is used up.

    The pairs of states that the same string leads to are visited by the length of the string. A pair is left out if it
    is equivalent by what the pairs visited before claim: by transitivity (Hopcroft and Karp, "A linear algorithm for
    testing equivalence of finite automata", 1971) and, where there are many, by the laws of union (Bonchi and Pous,
    "Checking NFA equivalence with bisimulations up to congruence", 2013), which can save an exponential number.
    Neither loses a shortest string: if one leads through a pair that was left out, its rest tells one of the pairs
    visited before apart, and no longer a string leads to that.
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
            level.extend(zip(automaton.successors(x), automaton.successors(y), repeat(number), automaton.symbols))
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
    """The string that leads to the last pair."""
    symbols = []
    number = len(visited) - 1
    while number > 0:
        _, _, number, symbol = visited[number]
        symbols.append(symbol)
    return "".join(reversed(symbols))


class _Claims:
    """Pairs of states that are taken to be equivalent, and what follows from them."""

    def __init__(self) -> None:
        self._parents: dict[State, State] = {}
        self._laws: list[tuple[State, State, State]] = []

    @property
    def are_many(self) -> bool:
        return len(self._laws) >= _LAWS_FROM

    def add(self, x: State, y: State) -> None:
        self._parents[self._root(x)] = self._root(y)
        if len(self._laws) < _LAWS_UP_TO:
            self._laws.append((x, y, x | y))

    def cover(self, x: State, y: State) -> bool:
        """Whether the equivalence of two states follows from what was claimed."""
        if x == y or self._root(x) == self._root(y):
            return True
        return self.are_many and not y & ~self._grown(x) and not x & ~self._grown(y)

    def _root(self, state: State) -> State:
        parents = self._parents
        root = state
        while (parent := parents.get(root, root)) != root:
            root = parent
        while state != root:
            parents[state], state = root, parents[state]
        return root

    def _grown(self, state: State) -> State:
        """The largest state that is equivalent to one by the claims and the laws of union."""
        laws = self._laws
        while True:
            waiting = []
            before = state
            for law in laws:
                x, y, both = law
                if not x & ~state or not y & ~state:
                    state |= both
                else:
                    waiting.append(law)
            if state == before:
                return state
            laws = waiting
