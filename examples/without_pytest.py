"""Draw formulas, ask a model for round trips, judge them and plot the result, without pytest.

    python examples/without_pytest.py                 # an offline model with faults: no key, no network
    python examples/without_pytest.py gpt-5-mini      # any model of OPENAI_BASE_URL, with OPENAI_API_KEY

The cells (# %%) also run one by one in an editor or a notebook.
"""

# %% Draw: 8 formulas of each size, from one seed.
import sys
from concurrent.futures import ThreadPoolExecutor

from pytest_autoeval import Formula, MeaningLostError, language, open_llm, sample_formulas

lang = language("propositional")
sizes = range(0, 13, 2)
drawn = [formula for size in sizes for formula in sample_formulas("propositional", size, 8, seed=1)]

# %% Ask: the model describes each formula, and reads its own description in a fresh conversation.
model = sys.argv[1] if len(sys.argv) > 1 else "offline/student?strength=0.97"


def outcome(formula: Formula) -> tuple[Formula, str, str]:
    """The formula, how its round trip ends, and what the model made of it."""
    try:
        description = llm.informalize(formula)
        answer = llm.autoformalize(description, like=formula)
    except MeaningLostError as lost:  # for example a refusal, or an answer without a formula
        return formula, lost.outcome, str(lost)
    verdict = lang.equivalent(formula, answer)
    return formula, verdict.outcome, f"{description}\nread as: {answer}\nthey differ on: {verdict.witness}"


with open_llm(model) as llm, ThreadPoolExecutor(8) as threads:
    outcomes = list(threads.map(outcome, drawn))

# %% Judge: the share of formulas that kept their meaning, by size, and the smallest one that did not.
rates = []
for size in sizes:
    kept = [how == "equivalent" for formula, how, _ in outcomes if lang.measure(formula)["operators"] == size]
    rates.append(sum(kept) / len(kept))
    print(f"{size:2} operators: {sum(kept)} of {len(kept)} kept their meaning")
for formula, how, reason in outcomes:  # small ones first
    if how != "equivalent":
        print(f"the smallest that did not ({how}): {formula}\n{reason}")
        break

# %% Plot, if matplotlib is installed.
try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit()
plt.plot(sizes, rates, marker="o")
plt.xlabel("operators")
plt.ylabel("share that kept its meaning")
plt.title(model)
plt.savefig("round_trips.png")
