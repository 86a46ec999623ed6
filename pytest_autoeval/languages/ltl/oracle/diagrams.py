"""Binary decision diagrams: those of CUDD where the library ``dd`` carries it, else ``dd``'s own in Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

Backend = Literal["cudd", "autoref"]
#: Takes ``~``, ``&``, ``|``, ``.equiv()``, and ``==``, which is equality of meaning.
Diagram = Any

#: What CUDD makes ready for, at a millisecond for half a gigabyte, and what its cache starts with; both may grow.
_MEMORY = 1 << 26
_CACHE = 1 << 12
#: NamedDiagrams smaller than this are done with before a better order of variables would pay.
_REORDER_FROM = 5_000


class NamedDiagrams:
    """NamedDiagrams over named variables, all of one manager.

    ``backend`` is ``"cudd"`` or ``"autoref"``; None takes the faster one that is there.
    """

    def __init__(self, backend: Backend | None = None) -> None:
        self._manager, self._and_exists = _manager(backend)
        self._manager.configure(reordering=False)
        self._reorders = False
        self.true: Diagram = self._manager.true
        self.false: Diagram = self._manager.false

    def variable(self, name: str) -> Diagram:
        """A variable's diagram; a new variable comes last in the order."""
        self._manager.declare(name)
        return self._manager.var(name)

    def differ(self, left: Diagram, right: Diagram) -> Diagram:
        """Exclusive disjunction."""
        return self._manager.apply("xor", left, right)

    def exists(self, names: Iterable[str], left: Diagram, right: Diagram) -> Diagram:
        """The conjunction of two diagrams, with variables quantified away."""
        found = self._and_exists(left, right, names)
        if not self._reorders and found.dag_size > _REORDER_FROM:
            self._manager.configure(reordering=True)
            self._reorders = True
        return found

    def substituted(self, diagram: Diagram, replacements: Mapping[str, Diagram | bool]) -> Diagram:
        """The diagram with variables replaced all at once, either all by diagrams or all by truth values."""
        return self._manager.let(dict(replacements), diagram) if replacements else diagram

    def support(self, diagram: Diagram) -> set[str]:
        """The variables that a diagram depends on."""
        return set(self._manager.support(diagram))


def _manager(backend: Backend | None) -> tuple[Any, Any]:
    """A manager, and its conjunction with quantification."""
    if backend != "autoref":
        try:
            from dd import cudd
        except ImportError:
            if backend == "cudd":
                raise
        else:
            return cudd.BDD(memory_estimate=_MEMORY, initial_cache_size=_CACHE), cudd.and_exists
    from dd import autoref

    manager = autoref.BDD()
    return manager, lambda left, right, names: manager.exist(names, left & right)
