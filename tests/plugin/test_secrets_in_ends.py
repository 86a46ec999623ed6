"""What a suite's end says of an error of the server holds no key."""

from __future__ import annotations

import pytest


def test_the_end_of_a_suite_quotes_an_error_without_the_key(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-abcdefgh12345678")
    pytester.makepyfile(
        """
        import pytest
        from pytest_autoeval.engine.bodies import FATAL

        @pytest.mark.autoeval("propositional", operators=[2], samples=2)
        def test_it(sample, llm):
            raise FATAL[0]("the key sk-abcdefgh12345678 is refused")
        """
    )
    pytester.runpytest("--autoeval-model=offline/faithful", "--autoeval-results=results.jsonl")
    written = (pytester.path / "results.jsonl").read_text(encoding="utf-8")
    assert '"why":"the key [REDACTED] is refused"' in written
    assert "abcdefgh12345678" not in written
