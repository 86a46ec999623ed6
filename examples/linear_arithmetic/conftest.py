from pathlib import Path

from linear_arithmetic import LinearArithmetic


def pytest_autoeval_register(registry):
    here = Path(__file__).parent
    registry.add_language(LinearArithmetic())
    registry.add_grammar(
        "arithmetic", here / "linear_arithmetic.lark", vocabulary={"propositions": ["x", "y", "z"]}
    )
    registry.add_prompts(here / "prompts")
