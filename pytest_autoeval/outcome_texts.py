"""The texts of every outcome of a sample, by code, as `pytest --autoeval-explain CODE` explains it.

Names and codes are stable. ``kind`` is how an outcome counts: pass, model failure, undecided or error. ``about`` says
whether it is about the meaning of an answer or its form. ``answer_read`` is false if nothing of the asked form was read
in the answer. ``of_round_trip``: a round trip lost the meaning in this way, in one of its halves.
"""

from __future__ import annotations

from typing import Any, Final

#: Python and not TOML: every run of pytest loads it, and to parse the same texts as TOML took 5 ms.
OUTCOME_TEXTS: Final[tuple[dict[str, Any], ...]] = (
    {
        "code": "AE100",
        "name": "equivalent",
        "kind": "pass",
        "about": "meaning",
        "title": "The meaning survived",
        "meaning": "The verifier proved that the model's formula is equivalent to the original.",
        "causes": (
            "The description keeps the meaning, and so does the formula that was read from it.",
        ),
        "advice": (
            "Nothing. If the sample is also marked `leaked`, the description copies the formula "
            "(`--autoeval-copies=count`)."
        ),
    },
    {
        "code": "AE101",
        "name": "different",
        "kind": "model failure",
        "about": "meaning",
        "of_round_trip": True,
        "title": "The meaning changed",
        "meaning": (
            "The answer is a formula, but it differs from the original. The witness is a case on which the two "
            "differ: an assignment, a finite model, a string or a trace. A second evaluator has checked it."
        ),
        "causes": (
            "The description is wrong or ambiguous, for example in the scope of a negation.",
            (
                "The description was misread: swapped arguments, another order of quantifiers, another connective."
            ),
            "The description omits a part, often of a long formula.",
        ),
        "advice": (
            "Compare the description (or the given sentence) with the formula, in the smallest counterexample "
            "first. If they agree, the model misread the description. Otherwise the description is wrong."
        ),
    },
    {
        "code": "AE102",
        "name": "unparseable",
        "kind": "model failure",
        "about": "form",
        "answer_read": False,
        "of_round_trip": True,
        "title": "No formula was found in the answer",
        "meaning": (
            "The lenient parser, which knows many notations, found no formula of the language in the answer. The "
            "answer is the model's, or a text that your own code gave to `assert_equivalent` as `actual`."
        ),
        "causes": (
            "Unbalanced parentheses, or an unknown notation.",
            "An explanation instead of a formula.",
        ),
        "advice": (
            "Read `answer` in the results file, and correct the prompt. Few-shot examples help most with notation."
        ),
    },
    {
        "code": "AE103",
        "name": "foreign symbol",
        "kind": "model failure",
        "about": "form",
        "of_round_trip": True,
        "title": "The answer uses a symbol that was not given",
        "meaning": (
            "The answer is a formula, but it uses a name outside the vocabulary, a wrong number of arguments, or "
            "an unbound variable."
        ),
        "causes": (
            "The description uses a new name, so the reader had to guess.",
            "A constant was taken for a variable, or a variable for a constant.",
            "A name was changed: p for p1, Tall for tall.",
            "A sentence was translated with other names than the given ones.",
            (
                "In a glossary of first-order logic, alarm is a constant: a name of a statement begins with a "
                "capital, as in Alarm."
            ),
        ),
        "advice": (
            "Compare the names in the answer with those in the description, or with the given ones. Case matters."
        ),
    },
    {
        "code": "AE104",
        "name": "refused or empty",
        "kind": "model failure",
        "about": "form",
        "answer_read": False,
        "of_round_trip": True,
        "title": "The model refused or gave no answer",
        "meaning": (
            "The answer is empty, begins like a refusal, or the server marked it as refused or filtered. Or a "
            "sentence got a formula without names, such as `true`: it says nothing of the sentence."
        ),
        "causes": (
            "A content filter blocked a harmless name.",
            "The model spent all tokens on reasoning.",
        ),
        "advice": (
            "Read `finish_reason` of the `calls` in the results file. Raise the token limit for a model that "
            "reasons."
        ),
    },
    {
        "code": "AE105",
        "name": "truncated",
        "kind": "model failure",
        "about": "form",
        "answer_read": False,
        "of_round_trip": True,
        "title": "The answer was cut off",
        "meaning": "The server ended the answer at the token limit (finish reason `length`).",
        "causes": (
            "The token limit is too low for formulas of this size.",
            "The model repeats itself.",
        ),
        "advice": (
            "Raise the token limit (`--autoeval-max-tokens`); `none` sends none. If answers then grow without end, "
            "the model is at fault."
        ),
    },
    {
        "code": "AE106",
        "name": "undecided",
        "kind": "undecided",
        "title": "The verifier gave up",
        "meaning": (
            "Within its time and memory, the verifier neither proved equivalence nor found a difference. The pass "
            "rate gets a lower and an upper bound. Gates use the lower bound."
        ),
        "causes": (
            (
                "First-order formulas that differ only on infinite models. No procedure decides all of them."
            ),
            "An answer that is much larger or harder than the formula.",
        ),
        "advice": (
            "Raise the verifier's time limit (`--autoeval-verify-timeout`), or draw smaller formulas."
        ),
    },
    {
        "code": "AE107",
        "name": "error",
        "kind": "error",
        "answer_read": False,
        "title": "The sample could not be run",
        "meaning": (
            "Something other than the model failed. The sample does not count in the pass rate, and its suite "
            "cannot pass its gate."
        ),
        "causes": (
            "Network, quota, or a malformed reply of the server.",
            "A request without a recording, in record mode `none`.",
            "An exception in the test's body, other than a failed assertion.",
        ),
        "advice": (
            "Read `error` in the results file, correct the cause, and run again with `--autoeval-resume`."
        ),
    },
    {
        "code": "AE108",
        "name": "assertion failed",
        "kind": "model failure",
        "title": "An assertion of the test failed",
        "meaning": "An assertion in the test's body failed.",
        "causes": ("The answer lacks a property that the test requires.",),
        "advice": "Read the assertion's message under `error` in the results file.",
    },
    {
        "code": "AE109",
        "name": "passed",
        "kind": "pass",
        "title": "The test passed without asking for a verdict",
        "meaning": (
            "The test's body ended without asking the verifier whether two formulas are equivalent."
        ),
        "causes": (
            "The test checks something other than equivalence.",
            "`assert_equivalent` was forgotten.",
        ),
        "advice": "If the test is about meaning, let it end with `assert_equivalent(…)`.",
    },
    {
        "code": "AE110",
        "name": "correct",
        "kind": "pass",
        "about": "meaning",
        "title": "The answer is right",
        "meaning": (
            "The model gave the right answer. The right answer is computed, not judged by a model."
        ),
        "causes": ("The model understood the formula, sentence or trace of the question.",),
        "advice": "Nothing.",
    },
    {
        "code": "AE111",
        "name": "wrong answer",
        "kind": "model failure",
        "about": "meaning",
        "title": "The answer is wrong",
        "meaning": "The answer could be read, but it is not the right one.",
        "causes": (
            "The model misread the nesting or the scope of operators.",
            "The model guesses. Compare the rates of both kinds of question, not only the accuracy.",
        ),
        "advice": (
            "Compare the part `answered` with `expected` (or `propositions`) of the part `given` in the results "
            "file."
        ),
    },
    {
        "code": "AE112",
        "name": "unreadable answer",
        "kind": "model failure",
        "about": "form",
        "answer_read": False,
        "title": "No answer was found",
        "meaning": "The reply has no answer in the required form, or several different ones.",
        "causes": (
            "The model does not decide.",
            "An explanation without an answer at its end.",
        ),
        "advice": (
            "Read `answer` in the results file. The prompt states the form; few-shot examples show it. "
            "`--autoeval-constrained` constrains the answer to its form, where the server can do that."
        ),
    },
    {
        "code": "AE113",
        "name": "malformed trace",
        "kind": "model failure",
        "about": "form",
        "answer_read": False,
        "title": "No valid trace was found",
        "meaning": (
            "The answer has no trace that could be read, or a trace over other propositions."
        ),
        "causes": (
            "A finite trace, without a loop.",
            "States in another notation, or with other propositions.",
        ),
        "advice": "Read `answer` in the results file. Few-shot examples help most with notation.",
    },
    {
        "code": "AE114",
        "name": "invalid answer",
        "kind": "model failure",
        "about": "form",
        "answer_read": False,
        "title": "The answer is not a valid choice or order",
        "meaning": "The answer has no number, a number out of range, or no complete order.",
        "causes": (
            "The model describes its choice instead of naming a number.",
            "The model loses count in a long list.",
        ),
        "advice": (
            "Read `answer`, and `problem` of the part `answered`, in the results file. "
            "`--autoeval-interface=structured` prevents answers that are not a number."
        ),
    },
    {
        "code": "AE115",
        "name": "copied",
        "kind": "model failure",
        "about": "form",
        "of_round_trip": True,
        "title": "The description copies the formula",
        "meaning": (
            "The description is not English. It has a sign of an operator in some notation, repeats a piece of the "
            "formula, reads as a formula itself, or spells each sign as a word of its own. The second call is not "
            "made: a formula that was copied comes back whether the model understood it or not."
        ),
        "causes": (
            "The model repeats the formula, alone or before its description.",
            (
                "The model writes the operators as signs (`&`, `->`) or as words with parentheses (`NOT(AND(p1, "
                "p2))`)."
            ),
        ),
        "advice": (
            "Read the description. If it is English, please report it: the check is wrong. Else show the model an "
            "example of a good description (`--autoeval-prompting=few-shot`), or ask for it in a prompt of your "
            "own (`--autoeval-prompts`). `--autoeval-copies=count` judges copies like other descriptions, and "
            "marks them as `leaked`."
        ),
    },
    {
        "code": "AE116",
        "name": "consistent",
        "kind": "pass",
        "about": "meaning",
        "title": "The model agrees with itself",
        "meaning": (
            "The verifier proved that two formulas are equivalent: the one that the model wrote for the sentence, "
            "and the one that it wrote for its own description of the first. The sentence has no right formula to "
            "compare with."
        ),
        "causes": (
            (
                "The model keeps the meaning of its formula. Whether the formula says what the sentence says is "
                "not shown."
            ),
        ),
        "advice": (
            "Read the first formula beside the sentence where it matters: two errors can cancel, and a misread "
            "sentence stays misread."
        ),
    },
    {
        "code": "AE117",
        "name": "inconsistent",
        "kind": "model failure",
        "about": "meaning",
        "of_round_trip": True,
        "title": "The model disagrees with itself",
        "meaning": (
            "The formula that the model wrote for the sentence differs from the one that it wrote for its own "
            "description of the first. The witness is a case on which the two differ; a second evaluator has "
            "checked it."
        ),
        "causes": (
            "The description of the first formula is wrong or ambiguous.",
            "The description was misread.",
            "The sentence is ambiguous, and the model read it in two ways.",
        ),
        "advice": (
            "Compare the part `formalized`, `description` and `translation` in the results file. "
            "`--autoeval-blame` finds the half that lost the meaning: the description or the reading."
        ),
    },
    {
        "code": "AE118",
        "name": "contradicts an answer",
        "kind": "model failure",
        "about": "meaning",
        "title": "The formula contradicts an answer of the author",
        "meaning": (
            "The author of the sentence has said whether a certain case is allowed. The formula that the model "
            "wrote for the sentence says the opposite of that case. The evaluator of formulas decided this."
        ),
        "causes": (
            (
                "The sentence is ambiguous, and the model reads it in the way that the author does not mean."
            ),
            "The model misread the sentence.",
            "The answer of the author is wrong.",
        ),
        "advice": (
            "Read the answer and its case in `error`, and the formula in the part `formalized`. If the sentence "
            "can be read so, rewrite it. If the answer is wrong, correct it in the file of answers."
        ),
    },
    {
        "code": "AE119",
        "name": "not verified",
        "kind": "error",
        "answer_read": False,
        "title": "Nothing was checked",
        "meaning": (
            "The body of the test ended without a check that could have failed, so every model would pass. A "
            "comparison of the sample's formula with itself, or of what the model read in the formula itself, is "
            "no such check."
        ),
        "causes": (
            "The body calls `assert_equivalent` for some samples only, or returns before it asks.",
            (
                "The body compares `sample.formula` with `sample.text`, or gives `sample.text` to "
                "`llm.autoformalize`."
            ),
            "A thread of the body's own compares, outside of a copy of the context.",
        ),
        "advice": (
            "Call `assert_equivalent` with what the model wrote, in each sample. If a suite only collects answers, "
            "write `verified=False` in its marker."
        ),
    },
)
