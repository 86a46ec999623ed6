"""Run suites from a program: events as they happen, a report at the end, a plot. No test file, no pytest command.

    python examples/without_pytest.py                 # an offline model with faults: no key, no network
    python examples/without_pytest.py gpt-5-mini      # any model of OPENAI_BASE_URL, with OPENAI_API_KEY

The cells (# %%) also run one by one in an editor or a notebook.
"""

# %% What to run: a round trip for formulas of 0 to 12 operators, and a task without a body of its own.
import sys

from pytest_autoeval import Report, SampleEnded, SuiteJudged, pass_rate_test, run_suites

models = sys.argv[1:] or ["offline/student?strength=0.97"]
tests = [
    pass_rate_test(
        "propositional", name="round trip", operators=range(0, 13, 2), samples=8, threshold=0.8
    ),
    pass_rate_test("judge_propositional", name="judge", task="judge", samples=4),
]

# %% Run: each event comes the moment it happens.
events = []
for event in run_suites(tests, models, seed=1, max_calls=2000):
    events.append(event)
    match event:
        # What keeps every sample from an answer, such as a missing key, is raised after the events.
        case SampleEnded(sample=sample) if not sample.passed and sample.outcome != "error":
            print(f"{sample.suite.name}: {sample.outcome}: {sample.formula}")
        case SuiteJudged(judgement=judgement):
            print(f"{judgement.gate.name}: {judgement.verdict}: {judgement.reason}")

# %% Report: the summary of a run, a page to open in a browser, and the results as JSON lines.
report = Report(events)
print(report)
report.write_html("round_trips.html")
report.write_results("round_trips.jsonl")

# %% Plot the pass rate by size with its 95 % interval, if matplotlib is installed.
try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit()
by_size = [
    row for row in report.figures() if row["figure"] == "pass rate" and row["size"] is not None
]
for model in models:
    curve = [row for row in by_size if row["model"] == model and row["suite"] == "round trip"]
    below = [row["value"] - row["low"] for row in curve]
    above = [row["high"] - row["value"] for row in curve]
    sizes, rates = [row["size"] for row in curve], [row["value"] for row in curve]
    plt.errorbar(sizes, rates, yerr=[below, above], marker="o", capsize=3, label=model)
plt.xlabel("operators")
plt.ylabel("pass rate, with 95 % intervals")
plt.legend()
plt.savefig("round_trips.png")
