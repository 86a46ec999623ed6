"""What is removed from a reply before its answer is read or sent on: thoughts, control tokens, invented turns."""

from __future__ import annotations

from random import Random

import pytest

from pytest_autoeval.languages.thought_marks import without_marked
from pytest_autoeval.languages.thoughts import without_thoughts

FORMULA = "The formula is p1 ∨ p2."
ENGLISH = "p1 holds, or p2 does."
#: Tags of real models and servers, and names that nobody has used yet.
NAMES = (
    "think",
    "thinking",
    "thought",
    "reasoning",
    "reflection",
    "analysis",
    "seed:think",
    "mm:think",
    "longcat_think",
    *("antThinking", "inner_monologue", "plan", "notes", "Draft-1"),
)


@pytest.mark.parametrize("name", NAMES)
def test_a_block_of_any_name_before_the_answer_is_a_thought(name: str) -> None:
    assert without_thoughts(f"<{name}>{FORMULA}</{name}>\n{ENGLISH}") == ENGLISH
    assert (
        without_thoughts(f'\n<{name} time="3">\n{FORMULA}\n</{name.upper()}>{ENGLISH}') == ENGLISH
    )
    assert (
        without_thoughts(f"<think>{FORMULA}</think><{name}>{FORMULA}</{name}>{ENGLISH}") == ENGLISH
    )


@pytest.mark.parametrize("name", NAMES)
def test_text_up_to_a_stray_end_mark_is_a_thought(name: str) -> None:
    assert without_thoughts(f"{FORMULA}</{name}>\n{ENGLISH}") == ENGLISH


@pytest.mark.parametrize(
    "reply",
    [
        "◁think▷THOUGHT◁/think▷ANSWER",
        "THOUGHT◁/think▷ANSWER",
        "[THINK]THOUGHT[/THINK]ANSWER",
        "<|begin_of_thought|>THOUGHT<|end_of_thought|>\n\n<|begin_of_solution|>ANSWER<|end_of_solution|>",
        "<|begin_of_plan|>THOUGHT<|end_of_plan|>ANSWER",
        "<|START_THINKING|>THOUGHT<|END_THINKING|><|START_RESPONSE|>ANSWER<|END_RESPONSE|>",
        "THOUGHT<|END_THINKING|>ANSWER",
        "<unused94>thought\nTHOUGHT<unused95>ANSWER",
        "<|channel|>analysis<|message|>THOUGHT<|end|><|start|>assistant<|channel|>final<|message|>ANSWER<|return|>",
        "<|channel|>commentary to=user<|message|>THOUGHT<|end|><|channel|>final<|message|>ANSWER",
        "assistantanalysisTHOUGHTassistantfinalANSWER",
        "analysisTHOUGHTassistantcommentaryTHOUGHTassistantfinalANSWER",
        '<details type="reasoning"><summary>Thought for 3 s</summary>THOUGHT</details>ANSWER',
        "<Think >THOUGHT</ think >ANSWER",
        "&lt;think&gt;THOUGHT&lt;/think&gt;ANSWER",
        "<|think_start|>THOUGHT<|think_end|>ANSWER",
        "<start_of_thought>THOUGHT<end_of_thought>ANSWER",
        "[begin_thought]THOUGHT[end_thought]ANSWER",
        "<｜begin▁of▁thought｜>THOUGHT<｜end▁of▁thought｜>ANSWER",
        "<|inner_prefix|>THOUGHT<|inner_suffix|>ANSWER",
        "<|channel>thought\nTHOUGHT<channel|>ANSWER<turn|>",
        "<|im_start|>think\nTHOUGHT\n<|im_start|>answer\nANSWER<|im_end|>",
        "<|im_start|>think\nTHOUGHT<|im_end|>\n<|im_start|>assistant\nANSWER<|im_end|>",
        "Here is my thought process: THOUGHT Here is my response: ANSWER",
        "<|channel|>analysis<|message|>THOUGHT<|end|><|channel|>final <|constrain|>json<|message|>ANSWER",
        "<思考>THOUGHT</思考>ANSWER",
        "<plan>THOUGHT<plan>THOUGHT</plan>THOUGHT</plan>ANSWER",
        "<thinking>THOUGHT<reflection>THOUGHT</reflection>THOUGHT</thinking>ANSWER",
    ],
)
def test_marks_of_other_forms_enclose_thoughts_too(reply: str) -> None:
    assert without_thoughts(reply.replace("THOUGHT", FORMULA).replace("ANSWER", ENGLISH)) == ENGLISH


@pytest.mark.parametrize(
    "opening", ["<think>", "◁think▷", "<|START_THINKING|>", "<unused94>", "assistantanalysis"]
)
def test_a_thought_without_an_end_never_came_to_an_answer(opening: str) -> None:
    assert without_thoughts(f"{opening}{FORMULA}") == ""


@pytest.mark.parametrize(
    "end",
    [
        "<|eot_id|>",
        "<|im_end|>",
        "<|endoftext|>",
        "<|end_of_text|>",
        "<|END_OF_TURN_TOKEN|>",
        "<end_of_turn>",
        *("<|EOT|>", "<|eom|>", "<|call|>", "<|end▁of▁sentence|>", "<turn|>"),
        "</s>",
        "<eos>",
        "<｜end▁of▁sentence｜>",
        "<|im_start|>user",
        "<start_of_turn>user",
        "[INST]",
    ],
)
def test_text_after_the_end_of_a_turn_is_dropped(end: str) -> None:
    assert without_thoughts(f"{ENGLISH}{end}\nDescribe {FORMULA} <think>{FORMULA}") == ENGLISH
    assert (
        without_thoughts(f"<think>{FORMULA}</think>{ENGLISH}{end}{FORMULA}</think>{FORMULA}")
        == ENGLISH
    )


@pytest.mark.parametrize(
    "reply",
    [
        "<|im_start|>assistant\nANSWER<|im_end|>",
        "<|start_header_id|>assistant<|end_header_id|>\n\nANSWER<|eot_id|>",
        "<start_of_turn>model\nANSWER",
        "<s> ANSWER</s>",
        "<|end|>ANSWER",
    ],
)
def test_control_tokens_are_removed(reply: str) -> None:
    assert without_thoughts(reply.replace("ANSWER", ENGLISH)) == ENGLISH


@pytest.mark.parametrize(
    "reply",
    [
        " x \n",
        "p1 <-> p2",
        "<>p1 -> []<>p2",
        "a < b and c > d",
        "[p1] and [/p2]",
        "<b>p1</b> or p2",
        "<p>p1 holds.</p><p>Or p2 does.</p>",
        "<answer>p1</answer> because p2",
        "<formula>p1</formula> says it",
        "<final_answer>p1</final_answer>\nI am sure.",
        "p1 or p2</answer> and more",
        "<description>p1 holds</description>\nThat is all.",
        "<foo>the whole reply</foo>",
        "<foo>never closed, p1",
        "analysis of the formula: p1 holds",
        "p1 < think > p2 is no formula",
        "the trend_end is p1",
        "p1 and <foo>p2</foo> or <foo>p3</foo>",
    ],
)
def test_a_reply_without_thoughts_is_not_changed(reply: str) -> None:
    assert without_thoughts(reply) == reply


#: Pieces of marks, and words that marks have.
PIECES = (
    *(
        "<",
        ">",
        "[",
        "]",
        "|",
        "/",
        "◁",
        "▷",
        "&lt;",
        "&gt;",
        "think",
        "THOUGHT",
        "Analysis",
        "_",
        "end",
        "s",
        "\n",
        " ",
    ),
    *(
        "assistant",
        "final",
        "here",
        "Here's my response:",
        "here’s my",
        "is my thought process:",
        "answer",
        "INST",
        "eos",
    ),
)


def test_a_reply_that_is_returned_at_once_has_no_mark() -> None:
    random = Random(7)
    replies = ["".join(random.choices(PIECES, k=random.randint(1, 7))) for _ in range(20_000)]
    assert [without_thoughts(reply) for reply in replies] == [
        without_marked(reply) for reply in replies
    ]
