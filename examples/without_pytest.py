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
        case SampleEnded(sample=sample) if not sample.passed:
            print(f"{sample.suite.name}: {sample.outcome}: {sample.formula}")
        case SuiteJudged(judgement=judgement):
            print(f"{judgement.gate.name}: {judgement.verdict}: {judgement.reason}")

# %% Report: the summary of a run, a page to open in a browser, and the results as JSON lines.
report = Report(events)
print(report)
report.write_html("round_trips.html")
report.write_results("round_trips.jsonl")

# %% Plot the share of round trips that kept their meaning, if matplotlib is installed.
try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit()
for model in models:
    samples = [
        one for one in report.samples if one.model == model and one.suite.name == "round trip"
    ]
    sizes = sorted({sample.size for sample in samples})
    kept = [[sample.passed for sample in samples if sample.size == size] for size in sizes]
    plt.plot(sizes, [sum(some) / len(some) for some in kept], marker="o", label=model)
plt.xlabel("operators")
plt.ylabel("share that kept its meaning")
plt.legend()
plt.savefig("round_trips.png")
