"""What each run of these tests works out again, worked out once: the fork server imports this module.

Every fork then has the shipped grammars, prompts and tables, and knows which packages are installed.
"""

from __future__ import annotations

from pytest_autoeval import pass_rate_test, run_suites
from support.installed import remember_packages

_SIZES = [1, 2]

for _event in run_suites(
    [
        pass_rate_test("propositional", name="propositional", samples=2, operators=_SIZES),
        pass_rate_test("first_order", name="first_order", samples=2, operators=_SIZES),
        pass_rate_test("ltl", name="ltl", samples=2, operators=_SIZES),
        pass_rate_test("regex", name="regex", samples=2, depth=_SIZES),
    ],
    ["offline/or-for-and"],
    shrink_budget=4,
):
    pass

remember_packages()
