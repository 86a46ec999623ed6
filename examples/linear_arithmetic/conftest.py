from pathlib import Path

from linear_arithmetic import LinearArithmetic

from pytest_autoeval import Registry


def pytest_autoeval_register(registry: Registry) -> None:
    here = Path(__file__).parent
    registry.add_language(LinearArithmetic())
    registry.add_grammar("arithmetic", here / "linear_arithmetic.lark", vocabulary={"propositions": ["x", "y", "z"]})
    registry.add_prompts(here / "prompts")
