"""What each production adds to a formula's size, found by measuring; nothing here knows any connective.

A language's measure may look at what stands in a hole: a negation directly on an atom counts no operator, on anything
else it counts one. So the trees of productions are sorted into *kinds*: two trees are of one kind if they add the
same wherever they are put. Sizes then add up (``operators``), or the largest counts (``depth``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain

from pytest_autoeval.generation.errors import GrammarError
from pytest_autoeval.generation.grammar_file import ContextFreeGrammar
from pytest_autoeval.generation.templates import Template, compile_templates
from pytest_autoeval.languages import Formula, Language
from pytest_autoeval.languages.base import substitute

#: So deep that what is put in a hole decides the depth of the whole.
_DEEP = 8


@dataclass(frozen=True, slots=True, eq=False)
class SizedTemplate:
    """A template with its sizes: ``base`` by itself, ``added[hole][kind]`` with a subformula of that kind in a hole."""

    template: Template
    kind: int
    base: int
    added: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class SizedGrammar:
    """The sized templates of every rule; ``by_depth`` where the largest part counts and not the sum of all.

    ``alternatives`` has the templates that each of a rule's alternatives leads to, ``rules`` all of them in this order.
    """

    grammar: ContextFreeGrammar
    alternatives: Mapping[str, tuple[tuple[SizedTemplate, ...], ...]]
    rules: Mapping[str, tuple[SizedTemplate, ...]]
    kinds: int
    by_depth: bool
    start: str = "start"


def measure_grammar(grammar: ContextFreeGrammar, language: Language) -> SizedGrammar:
    """The grammar with the size of each production in the language's own measure.

    Raises :class:`GrammarError` for a grammar whose sizes cannot be told apart from single productions.
    """
    compiled = _without_chains(compile_templates(grammar, language), grammar)
    distinct = list(dict.fromkeys(template for groups in compiled.values() for template in chain.from_iterable(groups)))
    by_depth = language.size_measure == "depth"
    added = (_added_to_depth if by_depth else _added_to_sum)(distinct, _measure(language))
    contexts = [(template, place) for template in distinct for place in range(len(template.holes))]
    profiles = {filler: tuple(added(*context, filler) for context in contexts) for filler in distinct}
    kinds = {profile: kind for kind, profile in enumerate(dict.fromkeys(profiles.values()))}
    by_context = {context: tuple(profile[index] for profile in kinds) for index, context in enumerate(contexts)}
    sized: dict[Template, SizedTemplate] = {}
    for template in distinct:
        sums = tuple(by_context[template, place] for place in range(len(template.holes)))
        base = added(template, None, template)
        if base < 0 or any(amount < 0 for hole in sums for amount in hole):
            raise grammar.error("this makes a formula smaller than its parts", template.production)
        sized[template] = SizedTemplate(template, kinds[profiles[template]], base, sums)
    alternatives = {
        rule: tuple(tuple(sized[template] for template in group) for group in groups)
        for rule, groups in compiled.items()
    }
    rules = {rule: tuple(chain.from_iterable(groups)) for rule, groups in alternatives.items()}
    return SizedGrammar(grammar, alternatives, rules, len(kinds), by_depth)


def _without_chains(
    compiled: dict[str, list[Template]], grammar: ContextFreeGrammar
) -> dict[str, list[list[Template]]]:
    """The same derivations with ``a: b`` replaced by what ``b`` becomes, grouped by the alternatives of ``a``."""

    def resolved(rule: str, above: tuple[str, ...]) -> list[list[Template]]:
        groups: list[list[Template]] = []
        for template in compiled[rule]:
            if template.tree not in template.holes:
                groups.append([template])
            elif template.calls[0] in (*above, rule):
                raise grammar.error(_endless((*above, rule, template.calls[0])), template.production)
            else:
                groups.append(list(chain.from_iterable(resolved(template.calls[0], (*above, rule)))))
        return groups

    return {rule: resolved(rule, ()) for rule in compiled}


def _endless(rules: tuple[str, ...]) -> str:
    return f"the rules {' → '.join(rules)} go round without adding anything: one formula has endless derivations"


def endless_size(grammar: SizedGrammar, template: SizedTemplate, size: int) -> GrammarError:
    """The error that a production leads back to its own rule at no cost."""
    problem = f"this can be repeated for ever without reaching another size: endlessly many formulas of size {size}"
    return grammar.grammar.error(problem, template.template.production)


Added = Callable[[Template, int | None, Template], int]


def _measure(language: Language) -> Callable[[Formula], int]:
    known: dict[Formula, int] = {}

    def measured(tree: Formula) -> int:
        if tree not in known:
            known[tree] = int(language.measure(tree)[language.size_measure])
        return known[tree]

    return measured


def _added_to_sum(_templates: list[Template], measure: Callable[[Formula], int]) -> Added:
    def base(template: Template) -> int:
        return measure(template.tree) - sum(measure(hole) for hole in template.holes)

    def added(template: Template, place: int | None, filler: Template) -> int:
        if place is None:
            return base(template)
        hole = template.holes[place]
        filled = substitute(template.tree, {hole: filler.tree})
        return measure(filled) - measure(template.tree) + measure(hole) - measure(filler.tree)

    return added


def _added_to_depth(templates: list[Template], measure: Callable[[Formula], int]) -> Added:
    deep: Formula | None = None
    for template in templates:
        if template.holes:
            deep = template.tree
            for _ in range(_DEEP):
                deep = substitute(template.tree, {template.holes[0]: deep})
            break

    def grown(filler: Template) -> Formula:
        return substitute(filler.tree, dict.fromkeys(filler.holes, deep)) if deep and filler.holes else filler.tree

    def added(template: Template, place: int | None, filler: Template) -> int:
        if place is None:
            return measure(template.tree)
        tree = grown(filler)
        return measure(substitute(template.tree, {template.holes[place]: tree})) - measure(tree)

    return added
