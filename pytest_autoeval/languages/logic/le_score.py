"""The LE score of an earlier study, for comparison with verdicts: the agreement of two formulas as truth tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_autoeval.languages.logic.syntax import Atom, Equal, Quantified, Sentence
from pytest_autoeval.languages.propositional.programs import (
    MAX_PROPOSITIONS,
    postfix,
    run,
    truth_table,
)
from pytest_autoeval.languages.size_limits import check_size

#: No predicate can have this name, so that equality is matched with nothing else.
_EQUALITY = "="


def le_score(reference: Sentence, answer: Sentence) -> float | None:
    """The share of rows of a propositional truth table in which two formulas agree, from 0 to 1.

    The propositions of the table are the predicate symbols, without their arguments, and equality. Quantifiers are
    dropped. The symbols of the two formulas are matched one to one, the pair with the most similar names first
    (Levenshtein distance over the longer name's length; ties in the order of the texts). Equality is matched only with
    equality. A symbol that is left over is matched with a new proposition.

    The score does not measure meaning; users can compare it with the verdicts on their data. It does not distinguish ∀
    from ∃, or P(a) from P(b). It counts rows that no model has. A wrong formula over many symbols scores high, since
    most rows make both formulas true.

    Returns None if the table would have more than 16 propositions. Raises :class:`LimitError` if a tree is too large.

    Source: the logical equivalence score of Yang et al., "Harnessing the power of large language models for natural
    language to first-order logic translation" (ACL 2024), as Brunello et al. (AAAI 2026) describe it.
    """
    for formula in (reference, answer):
        # Before anything recurs over it.
        check_size(formula)
    reference_symbols = _symbols(reference)
    answer_symbols = _symbols(answer)
    # Before the matching, which compares every symbol with every other one.
    if max(len(reference_symbols), len(answer_symbols)) > MAX_PROPOSITIONS:
        return None
    partners = _matched(reference_symbols, answer_symbols)
    dummies = [name for name in answer_symbols if name not in partners]
    count = len(reference_symbols) + len(dummies)
    if count > MAX_PROPOSITIONS:
        return None
    names = [f"p{index}" for index in range(count)]
    propositions = dict(zip(reference_symbols, names, strict=False))
    answer_propositions = {name: propositions[partner] for name, partner in partners.items()}
    # A symbol without a partner gets a proposition of its own, which the reference does not have.
    new_names = names[len(reference_symbols) :]
    answer_propositions |= dict(zip(dummies, new_names, strict=True))
    skeleton = _skeleton(reference, propositions)
    answer_skeleton = _skeleton(answer, answer_propositions)
    steps, _ = postfix(skeleton, answer_skeleton)
    values, full = truth_table(count)
    left, right = run(steps, dict(zip(names, values, strict=True)), full)
    # A bit for each row of the table, set where both formulas have the same value.
    agreement = full ^ left ^ right
    return agreement.bit_count() / full.bit_length()


def _symbols(formula: Sentence) -> list[str]:
    nodes = (node for node in formula.subformulas() if isinstance(node, Atom | Equal))
    return list(dict.fromkeys(_symbol(node) for node in nodes))


def _symbol(node: Atom | Equal) -> str:
    return node.predicate if isinstance(node, Atom) else _EQUALITY


def _matched(reference_symbols: Sequence[str], answer_symbols: Sequence[str]) -> dict[str, str]:
    """Maps symbols of the answer to symbols of the reference."""
    # Only this score needs the library, and most runs do not ask for it.
    from rapidfuzz.distance.Levenshtein import normalized_similarity

    pairs = [
        (name, answer_name)
        for name in reference_symbols
        for answer_name in answer_symbols
        if (name == _EQUALITY) is (answer_name == _EQUALITY)
    ]
    # The sort is stable: of equally similar pairs, the first in the order of the texts counts.
    pairs.sort(key=lambda pair: -normalized_similarity(*pair))
    partners: dict[str, str] = {}
    for name, answer_name in pairs:
        if answer_name not in partners and name not in partners.values():
            partners[answer_name] = name
    return partners


def _skeleton(formula: Sentence, propositions: Mapping[str, str]) -> Sentence:
    """The formula without quantifiers, with a proposition in place of each atom."""
    match formula:
        case Quantified():
            return _skeleton(formula.body, propositions)
        case Atom() | Equal():
            return Atom(propositions[_symbol(formula)])
    return formula.map_children(lambda operand: _skeleton(operand, propositions))
