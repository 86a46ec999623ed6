"""The size that each production of a grammar adds to a formula, in the measure of the language.

Sizes are measured; this module knows no connective. A language's measure may depend on what stands in a hole: a
negation counts as no operator on an atom, and as one operator elsewhere. So the trees of productions are sorted into
*kinds*: two trees are of one kind if they add the same size in every place. Sizes are then added (``operators``), or
their maximum is taken (``depth``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import chain

from msgspec import Struct

from pytest_autoeval.generation.grammar_file import ContextFreeGrammar
from pytest_autoeval.generation.templates import Template, template_of
from pytest_autoeval.languages import Formula, Language
from pytest_autoeval.languages.base import substitute

#: The depth of a filler that is deeper than any template around it.
_DEEP = 8
#: Rules that only lead to another rule, one after the other; and the alternatives that a rule leads to in this way.
_LONGEST_CHAIN, _MOST_TEMPLATES = 100, 2000
#: Each alternative is measured in each place of every other one.
_MAX_MEASUREMENTS = 100_000


class SizedTemplate(Struct, frozen=True, eq=False):
    """A template of size ``base``. ``added[hole][kind]`` is added to the size of a subformula of a kind in a hole."""

    template: Template
    kind: int
    base: int
    added: tuple[tuple[int, ...], ...]


class SizedGrammar(Struct, frozen=True, eq=False):
    """The sized templates of every rule. ``by_depth``: the largest part counts, not the sum.

    ``alternatives`` has the templates of each alternative of a rule, ``rules`` all of them in this order.
    """

    grammar: ContextFreeGrammar
    alternatives: Mapping[str, tuple[tuple[SizedTemplate, ...], ...]]
    rules: Mapping[str, tuple[SizedTemplate, ...]]
    kinds: int
    by_depth: bool
    start: str = "start"

    @property
    def slots(self) -> frozenset[str]:
        """The kinds of slots; a quantifier has a slot for its variable."""
        slots: set[str] = set()
        for sized in chain.from_iterable(self.rules.values()):
            slots.update(sized.template.slots)
            if sized.template.binder_count:
                slots.add("VARIABLE")
        return frozenset(slots)


def measure_grammar(grammar: ContextFreeGrammar, language: Language) -> SizedGrammar:
    """The grammar with the size of each production in the language's measure; raises :class:`GrammarError`."""
    templates: dict[str, list[Template]] = {}
    for rule, productions in grammar.productions.items():
        templates[rule] = [template_of(production, grammar, language) for production in productions]
    grouped = _without_chains(templates, grammar)
    # The rule `a: b` has the templates of `b`, which are measured once.
    all_groups = chain.from_iterable(grouped.values())
    distinct = list(dict.fromkeys(chain.from_iterable(all_groups)))
    by_depth = language.size_measure == "depth"
    measure_added = _added_to_depth if by_depth else _added_to_sum

    # The same trees are measured again and again: each template in each hole of every other one.
    @cache
    def measure(tree: Formula) -> int:
        return int(language.measure(tree)[language.size_measure])

    added = measure_added(distinct, measure)
    contexts = [(template, hole) for template in distinct for hole in range(len(template.holes))]
    if len(contexts) * len(distinct) > _MAX_MEASUREMENTS:
        many = f"{len(distinct):,} alternatives with {len(contexts):,} places for formulas in them"
        raise grammar.source.error(f"too many to be measured: {many}; write fewer", "start")
    # What each template adds in each hole of each template. Templates of one profile are of one kind.
    profiles = {}
    for filler in distinct:
        profiles[filler] = tuple(added(*context, filler) for context in contexts)
    distinct_profiles = dict.fromkeys(profiles.values())
    kinds = {profile: kind for kind, profile in enumerate(distinct_profiles)}
    by_context = {}
    for index, context in enumerate(contexts):
        by_context[context] = tuple(profile[index] for profile in kinds)
    sized: dict[Template, SizedTemplate] = {}
    for template in distinct:
        added_in_holes = tuple(by_context[template, hole] for hole in range(len(template.holes)))
        base = added(template, None, template)
        # Counting goes from small sizes to large ones: no part may be larger than the whole.
        if base < 0 or any(amount < 0 for amount in chain.from_iterable(added_in_holes)):
            raise grammar.error("this makes a formula smaller than its parts", template.production)
        sized[template] = SizedTemplate(template, kinds[profiles[template]], base, added_in_holes)
    alternatives: dict[str, tuple[tuple[SizedTemplate, ...], ...]] = {}
    for rule, groups in grouped.items():
        sized_groups = [tuple(sized[template] for template in group) for group in groups]
        alternatives[rule] = tuple(sized_groups)
    rules = {rule: tuple(chain.from_iterable(groups)) for rule, groups in alternatives.items()}
    return SizedGrammar(grammar, alternatives, rules, len(kinds), by_depth)


def _without_chains(
    templates: dict[str, list[Template]], grammar: ContextFreeGrammar
) -> dict[str, list[list[Template]]]:
    """The templates of each rule, grouped by its alternatives. An alternative ``a: b`` has the templates of ``b``.

    An alternative ``a: a`` or ``a: "(" a ")"`` is left out: it adds nothing, so each formula is derived without it. As
    a step it could be repeated without end.
    """

    done: dict[str, list[list[Template]]] = {}

    def resolved(rule: str, above: tuple[str, ...]) -> list[list[Template]]:
        if rule in done:
            return done[rule]
        groups: list[list[Template]] = []
        for template in templates[rule]:
            if template.tree not in template.holes:
                groups.append([template])
            elif template.calls[0] == rule:
                continue
            elif template.calls[0] in (*above, rule):
                around = " → ".join((*above, rule, template.calls[0]))
                problem = (
                    f"the rules {around} form a cycle that adds nothing: infinitely many "
                    f"derivations; remove a step"
                )
                raise grammar.error(problem, template.production)
            elif len(above) == _LONGEST_CHAIN:
                problem = f"more than {_LONGEST_CHAIN} rules lead from one to the next without adding anything"
                raise grammar.error(problem, template.production)
            else:
                groups.append(
                    list(chain.from_iterable(resolved(template.calls[0], (*above, rule))))
                )
            if sum(map(len, groups)) > _MOST_TEMPLATES:
                raise grammar.error(
                    f"the rule leads to more than {_MOST_TEMPLATES:,} alternatives",
                    template.production,
                )
        done[rule] = groups
        return groups

    return {rule: resolved(rule, ()) for rule in templates}


#: What a template adds to the size of a filler in one of its holes; without a hole, its own size.
Added = Callable[[Template, int | None, Template], int]


def _added_to_sum(_templates: list[Template], measure: Callable[[Formula], int]) -> Added:
    def added(template: Template, hole: int | None, filler: Template) -> int:
        if hole is None:
            return measure(template.tree) - sum(map(measure, template.holes))
        placeholder = template.holes[hole]
        filled = substitute(template.tree, {placeholder: filler.tree})
        # A placeholder has a size too, which is not that of what stands there.
        of_template = measure(template.tree) - measure(placeholder)
        return measure(filled) - of_template - measure(filler.tree)

    return added


def _added_to_depth(templates: list[Template], measure: Callable[[Formula], int]) -> Added:
    # A filler must be the deepest part of the whole, or the template's other holes would decide its depth.
    deep_filler: Formula | None = None
    with_holes = next((template for template in templates if template.holes), None)
    if with_holes is not None:
        deep_filler = with_holes.tree
        for _ in range(_DEEP):
            deep_filler = substitute(with_holes.tree, {with_holes.holes[0]: deep_filler})

    def added(template: Template, hole: int | None, filler: Template) -> int:
        if hole is None:
            return measure(template.tree)
        tree = filler.tree
        if deep_filler and filler.holes:
            tree = substitute(tree, dict.fromkeys(filler.holes, deep_filler))
        filled = substitute(template.tree, {template.holes[hole]: tree})
        return measure(filled) - measure(tree)

    return added
