"""Tests of an extension run pytest in their own process, which then forgets the modules that this run imported."""

from __future__ import annotations

import pytest


def test_a_process_may_run_pytest_twice(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("pytest_plugins = ['pytester']")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("run", range(2))
        def test_extension(pytester, run):
            pytester.makepyfile(
                '''
                import pytest

                @pytest.mark.autoeval("propositional", operators=1, samples=2)
                def test_round_trip(sample, llm, assert_equivalent):
                    answer = llm.autoformalize(llm.informalize(sample.formula), like=sample)
                    assert_equivalent(answer, sample.formula)
                '''
            )
            result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "--autoeval-model=offline/faithful")
            result.assert_outcomes(passed=1)
        """
    )
    # A process of its own, since this one has imported all modules before.
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=2)
