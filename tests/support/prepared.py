"""What each run of these tests works out again, worked out once: the fork server imports this module.

Every fork then has the shipped grammars, prompts and tables, and knows which packages are installed.
"""

from __future__ import annotations

from pytest_autoeval import pass_rate_test, run_suites
from support.installed import remember_packages

_SMALL = {"propositional": "operators", "regex": "depth", "ltl": "operators", "first_order": "operators"}

for _event in run_suites(
    [pass_rate_test(grammar, name=grammar, samples=2, **{sizes: [1, 2]}) for grammar, sizes in _SMALL.items()],
    ["offline/or-for-and"],
    shrink_budget=4,
):
    pass
remember_packages()
