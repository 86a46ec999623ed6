"""Asks cvc5 for instances of quantified formulas that contradict each other, inside a worker. Only this module imports
cvc5.
"""

from __future__ import annotations

import cvc5

#: Characters of the instances of a script. Most have some thousands.
_MAX_LENGTH = 2_000_000
_OPTIONS = {
    # Of the ways to choose instances, the two together decide most, and fastest.
    "enum-inst": "true",
    "enum-inst-interleave": "true",
    # Only the instances that the proof needs, often a tenth.
    "produce-proofs": "true",
    # Each formula and each counter-example is printed whole, instead of a number for it.
    "print-inst-full": "true",
    "print-skolem-definitions": "true",
    "dag-thresh": "0",
    # The check knows order, names and scopes of quantifiers, but no equations that were solved.
    "simplification": "none",
    "var-elim-quant": "false",
}


def instances(script: str, work: int) -> tuple[str, str | None]:
    """The version of cvc5, and the instances with which it refutes a script, as text; None if it does not.

    ``work`` is cvc5's own measure, which does not depend on the machine.
    """
    solver = cvc5.Solver(cvc5.TermManager())
    for name, value in _OPTIONS.items():
        solver.setOption(name, value)
    solver.setOption("rlimit-per", str(work))
    parser = cvc5.InputParser(solver)
    text = f"(set-logic UF)\n{script}\n(check-sat)\n"
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "script")
    outcome = ""
    while not (command := parser.nextCommand()).isNull():
        outcome = command.invoke(solver, parser.getSymbolManager()).strip() or outcome
    # Such as "1.4.2-modified".
    version = _text(solver.getVersion()).partition("-")[0]
    if outcome != "unsat":
        return version, None
    printed = _text(solver.getInstantiations()).strip()
    if printed == "none":
        printed = ""
    return version, printed if len(printed) <= _MAX_LENGTH else None


def _text(printed: str | bytes) -> str:
    return printed.decode("utf-8") if isinstance(printed, bytes) else printed
