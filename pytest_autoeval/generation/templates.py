"""A production as a piece of syntax tree with holes: parsed once, filled thousands of times.

The text of a production, with a different name for each slot and each rule, must be a formula of the language. Its
tree is stored with these placeholders. Formulas are then built from trees, and no text is parsed again.

The size that each production adds is measured; this module knows no connective. A language's measure may depend on what
stands in a hole: a negation counts as no operator on an atom, and as one operator elsewhere. So the trees of
productions are sorted into *kinds*: two trees are of one kind if they add the same size in every place. Sizes are then
added (``operators``), or their maximum is taken (``depth``).
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import Any

from pytest_autoeval.generation.grammar_file import ContextFreeGrammar, GrammarSymbol, Production
from pytest_autoeval.languages import Formula, FormulaSyntaxError, Language, Vocabulary
from pytest_autoeval.languages.base import substitute
from pytest_autoeval.languages.logic.syntax import Quantified, Term

Values = Sequence[Any]
_PART = "; a rule that is not a formula by itself needs a name that begins with _"
#: English for operators, which our notation writes as signs.
_WORDS = {"not", "and", "or", "implies", "iff", "always", "eventually", "next", "until"}
#: The depth of a filler that is deeper than any template around it.
_DEEP = 8
_LONGEST_CHAIN, _MOST_TEMPLATES = 100, 2000
#: Each alternative is measured in each place of every other one.
_MAX_MEASUREMENTS = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """A tree with holes.

    ``calls`` names the rule of each hole for a subformula, ``slots`` the kind of each hole for a name or an atom.
    ``binder_count`` is the number of variables that are bound at the root, with everything in their scope. ``build``
    takes the subformulas, the fillings of the slots, and the variables' names, in this order. ``tree`` has placeholders
    in its holes. ``holes`` are the placeholders of the calls; ``placeholders`` are the names of all placeholders.
    """

    production: Production
    tree: Formula
    calls: tuple[str, ...]
    holes: tuple[Formula, ...]
    slots: tuple[str, ...]
    binder_count: int
    placeholders: frozenset[str]
    build: Callable[[Values], Formula] = field(repr=False)


def own_names(template: Template, language: Language) -> Vocabulary:
    """The names in the grammar itself."""
    used = language.symbols(template.tree)

    def is_own(name: str | tuple[str, int]) -> bool:
        return (name if isinstance(name, str) else name[0]) not in template.placeholders

    return Vocabulary(
        **{kind: tuple(filter(is_own, names)) for kind, names in asdict(used).items()}
    )


@dataclass(slots=True)
class _Parsed:
    """A production's tree, and which placeholder stands for which symbol."""

    production: Production
    tree: Formula
    formulas: dict[Formula, GrammarSymbol]
    names: dict[str, GrammarSymbol]

    def binds(self, node: object) -> bool:
        return isinstance(node, Quantified) and node.variable in self.names

    def symbol(self, hole: Formula | str) -> GrammarSymbol:
        return self.names[hole] if isinstance(hole, str) else self.formulas[hole]


def _parse(production: Production, grammar: ContextFreeGrammar, language: Language) -> _Parsed:
    """The tree of a production. Raises :class:`GrammarError`, at a rule in it that is only a part of a formula."""
    parsed = _tree_or_problem(production, grammar, language)
    if isinstance(parsed, _Parsed):
        return parsed
    rules = [
        symbol.value
        for symbol in production.symbols
        if symbol.kind == "rule" and symbol.value != "start"
    ]
    for part in chain.from_iterable(grammar.productions[rule] for rule in rules):
        if isinstance(problem := _tree_or_problem(part, grammar, language), str):
            raise grammar.error(problem, part)
    raise grammar.error(parsed, production)


def _tree_or_problem(
    production: Production, grammar: ContextFreeGrammar, language: Language
) -> _Parsed | str:
    places = [symbol for symbol in production.symbols if symbol.kind != "sign"]
    signs = "".join(symbol.value for symbol in production.symbols if symbol.kind == "sign")
    placeholders = _placeholders(language, signs)
    named = dict(zip((name for name, _ in placeholders), places, strict=False))
    if len(named) < len(places):
        raise grammar.error(f"too many places in one alternative: {production}", production)
    remaining = iter(named)
    parts = [
        symbol.value if symbol.kind == "sign" else next(remaining) for symbol in production.symbols
    ]
    formulas = {
        language.parse_part(name): symbol for name, symbol in named.items() if not symbol.is_name
    }
    names = {name: symbol for name, symbol in named.items() if symbol.is_name}
    problems: list[str] = []
    # Words need spaces between them; regular expressions have none.
    for text in (" ".join(parts), "".join(parts)):
        try:
            parsed = _Parsed(production, language.parse_part(text), formulas, names)
        except FormulaSyntaxError as error:
            # What a user reads names the rule or slot, not the placeholder.
            told = re.sub(r"\bhole\d+\b", lambda match: named[match[0]].value, error.problem)
            rules = {production.rule, *(symbol.value for symbol in places if symbol.kind == "rule")}
            written = (symbol.value for symbol in production.symbols if symbol.kind == "sign")
            word = next((sign for sign in written if sign.lower() in _WORDS), "")
            hint = (
                _part(production.rule)
                if production.rule != "start"
                else _PART
                if rules != {"start"}
                else ""
            )
            hint = f'; "{word}" is a word: write the sign of the operator' if word else hint
            problems.append(
                f"`{production}` is not a formula of the language {language.name}: {told}{hint}"
            )
        else:
            problem = _misplaced(parsed)
            if problem is None:
                return parsed
            problems.append(problem)
    return problems[0]


def _part(rule: str) -> str:
    """The advice about a rule that may be a part of a formula."""
    return f"{_PART}: write _{rule} for {rule}" if rule != "start" else _PART


def _placeholders(language: Language, signs: str) -> Iterator[tuple[str, Formula]]:
    """Names that are atomic formulas and occur in no sign of the production, with their trees."""
    words = (f"hole{number}" for number in range(1, 10_000))
    letters = iter(string.ascii_lowercase + string.ascii_uppercase + string.digits)
    for names in (words, letters):
        for name in names:
            try:
                formula = language.parse_part(name)
            except FormulaSyntaxError:
                break
            if formula.children():
                break
            if name not in signs:
                yield name, formula


def _misplaced(parsed: _Parsed) -> str | None:
    """The problem if a placeholder is not in the tree exactly once and in a suitable place."""
    counts = Counter(map(parsed.symbol, _holes(parsed.tree, parsed)))
    wanted = Counter([*parsed.formulas.values(), *parsed.names.values()])
    for symbol in wanted:
        if counts[symbol] != wanted[symbol]:
            place = "a name" if symbol.is_name else "a formula"
            problem = f"{symbol.value} stands where {place} cannot: `{parsed.production}`"
            return problem + _part(symbol.value) if symbol.kind == "rule" else problem
    return None


def _holes(node: object, parsed: _Parsed) -> Iterator[Formula | str]:
    """The placeholders in suitable places, in the order of the tree."""
    if isinstance(node, Formula) and node in parsed.formulas:
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from _holes(part, parsed)
    elif is_dataclass(node):
        if isinstance(node, Term) and node.name in parsed.names:
            yield node.name
        if (
            isinstance(node, Quantified)
            and parsed.binds(node)
            and parsed.symbol(node.variable).value == "VARIABLE"
        ):
            yield node.variable
        for part in fields(node):
            yield from _holes(getattr(node, part.name), parsed)


def _template(parsed: _Parsed, grammar: ContextFreeGrammar) -> Template:
    binders: list[str] = []
    node = parsed.tree
    while isinstance(node, Quantified) and parsed.binds(node):
        binders.append(node.variable)
        node = node.body
    if any(map(parsed.binds, node.subformulas())):
        raise grammar.error(
            "a quantifier inside the alternative needs a rule of its own", parsed.production
        )
    inner = list(_holes(node, parsed))
    calls = [
        hole for hole in inner if isinstance(hole, Formula) and parsed.formulas[hole].kind == "rule"
    ]
    slots = [hole for hole in inner if hole not in calls]
    places: dict[Formula | str, int] = {
        hole: place for place, hole in enumerate([*calls, *slots, *binders])
    }
    return Template(
        production=parsed.production,
        tree=parsed.tree,
        calls=tuple(parsed.formulas[hole].value for hole in calls),
        holes=tuple(calls),
        slots=tuple(parsed.symbol(hole).value for hole in slots),
        binder_count=len(binders),
        placeholders=frozenset((*parsed.names, *map(str, parsed.formulas))),
        build=_builder(parsed.tree, places) or (lambda _values: parsed.tree),
    )


def _builder(node: Any, places: dict[Formula | str, int]) -> Callable[[Values], Any] | None:
    """A function that makes the node from the values of its holes; None for a node without holes."""
    if isinstance(node, (Formula, str)) and node in places:
        return itemgetter(places[node])
    make: Any
    if isinstance(node, tuple):
        make, parts = (lambda *made: made), list(node)
    elif is_dataclass(node):
        make, parts = type(node), [getattr(node, part.name) for part in fields(node)]
    else:
        return None
    builders = [_builder(part, places) for part in parts]
    if not any(builders):
        return None
    makers = list(zip(parts, builders, strict=True))
    return lambda values: make(*[builder(values) if builder else part for part, builder in makers])


@dataclass(frozen=True, slots=True, eq=False)
class SizedTemplate:
    """A template of size ``base``. ``added[hole][kind]`` is added to the size of a subformula of a kind in a hole."""

    template: Template
    kind: int
    base: int
    added: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class SizedGrammar:
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
        templates = [sized.template for rule in self.rules.values() for sized in rule]
        bound = ("VARIABLE",) if any(template.binder_count for template in templates) else ()
        return frozenset(chain(bound, *(template.slots for template in templates)))


def measure_grammar(grammar: ContextFreeGrammar, language: Language) -> SizedGrammar:
    """The grammar with the size of each production in the language's measure; raises :class:`GrammarError`."""
    templates = {
        rule: [
            _template(_parse(production, grammar, language), grammar) for production in productions
        ]
        for rule, productions in grammar.productions.items()
    }
    grouped = _without_chains(templates, grammar)
    distinct = list(
        dict.fromkeys(
            template for groups in grouped.values() for template in chain.from_iterable(groups)
        )
    )
    by_depth = language.size_measure == "depth"

    @cache
    def measure(tree: Formula) -> int:
        return int(language.measure(tree)[language.size_measure])

    added = (_added_to_depth if by_depth else _added_to_sum)(distinct, measure)
    contexts = [(template, place) for template in distinct for place in range(len(template.holes))]
    if len(contexts) * len(distinct) > _MAX_MEASUREMENTS:
        many = f"{len(distinct):,} alternatives with {len(contexts):,} places for formulas in them"
        raise grammar.source.error(f"too many to be measured: {many}; write fewer", "start")
    profiles = {
        filler: tuple(added(*context, filler) for context in contexts) for filler in distinct
    }
    kinds = {profile: kind for kind, profile in enumerate(dict.fromkeys(profiles.values()))}
    by_context = {
        context: tuple(profile[index] for profile in kinds)
        for index, context in enumerate(contexts)
    }
    sized: dict[Template, SizedTemplate] = {}
    for template in distinct:
        sums = tuple(by_context[template, place] for place in range(len(template.holes)))
        base = added(template, None, template)
        if base < 0 or any(amount < 0 for hole in sums for amount in hole):
            raise grammar.error("this makes a formula smaller than its parts", template.production)
        sized[template] = SizedTemplate(template, kinds[profiles[template]], base, sums)
    alternatives = {
        rule: tuple(tuple(sized[template] for template in group) for group in groups)
        for rule, groups in grouped.items()
    }
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


Added = Callable[[Template, int | None, Template], int]


def _added_to_sum(_templates: list[Template], measure: Callable[[Formula], int]) -> Added:
    def added(template: Template, place: int | None, filler: Template) -> int:
        if place is None:
            return measure(template.tree) - sum(map(measure, template.holes))
        hole = template.holes[place]
        filled = substitute(template.tree, {hole: filler.tree})
        return measure(filled) - measure(template.tree) + measure(hole) - measure(filler.tree)

    return added


def _added_to_depth(templates: list[Template], measure: Callable[[Formula], int]) -> Added:
    deep_filler: Formula | None = None
    if first := next((template for template in templates if template.holes), None):
        deep_filler = first.tree
        for _ in range(_DEEP):
            deep_filler = substitute(first.tree, {first.holes[0]: deep_filler})

    def added(template: Template, place: int | None, filler: Template) -> int:
        if place is None:
            return measure(template.tree)
        tree = (
            substitute(filler.tree, dict.fromkeys(filler.holes, deep_filler))
            if deep_filler and filler.holes
            else filler.tree
        )
        return measure(substitute(template.tree, {template.holes[place]: tree})) - measure(tree)

    return added
