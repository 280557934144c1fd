"""Servers that pass tool calls on as text, because they have no tool parser."""

import pytest

import pixelproof
from harness.inspect_support import brain
from models.servers import chat_reply, says, serving
from pixelproof.contract import PixelProofError, Prompt, Tool
from pixelproof.models import check_parsed

CALL = '{"name": "ZOOM", "arguments": {"box": [0, 0, 500, 500]}}'
WRITTEN = {
    "Hermes, Qwen": f"<tool_call>\n{CALL}\n</tool_call>",
    "Hermes, after thoughts": f"<think>I should look.</think>\n<tool_call>{CALL}</tool_call>",
    "Hermes, after words": f"Let me look closer.\n<tool_call>{CALL}</tool_call>",
    "Hermes, two": f"<tool_call>{CALL}</tool_call>\n<tool_call>{CALL}</tool_call>",
    "Qwen3-Coder": "<tool_call>\n<function=ZOOM>\n<parameter=box>[0,0,500,500]</parameter>\n</function>\n</tool_call>",
    "Llama, JSON": '<|python_tag|>{"name": "ZOOM", "parameters": {"box": [0, 0, 500, 500]}}',
    "Llama, function": '<function=ZOOM>{"box": [0, 0, 500, 500]}</function>',
    "Mistral": f"[TOOL_CALLS] [{CALL}]",
    "Mistral, version 11": '[TOOL_CALLS]ZOOM{"box": [0, 0, 500, 500]}',
    "Granite": f"<|tool_call|>[{CALL}]",
    "Kimi, GLM": f"<tool_calls>{CALL}</tool_calls>",
    "DeepSeek": '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>ZOOM\n```json\n{"box": [0]}\n```',
}
FAULTS = {
    "broken JSON": '<tool_call>{"name": "ZOOM", "arguments": </tool_call>',
    "no such tool": '<tool_call>{"name": "PAINT", "arguments": {}}</tool_call>',
    "in thoughts": f"<think><tool_call>{CALL}</tool_call></think>red",
    "no mark": CALL,
    "words about calls": "I made a <tool_call> before, so: red.",
    "an answer": "<answer>red</answer>",
}
"""The model's own replies."""


@pytest.mark.slow
@pytest.mark.attack(
    "tool calls in the text of replies, in twelve formats, from servers without a tool parser",
    before="scored as wrong answers, without a word",
    lost="diagnosed before the second item, with the option of the server; the model's own errors stay its faults",
)
def test_trust4_servers_without_a_tool_parser_are_diagnosed(tmp_path, monkeypatch, record_property):
    prompt = Prompt(("Which?",), tools=(Tool("ZOOM", "enlarges", {}),))
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-anything-0123456789")
    settings = {"task": "largest-colour", "limit": 2, "calibrate": 0, "connections": 1}
    for number, text in enumerate(WRITTEN.values()):
        assert check_parsed(text, prompt).name == "no-tool-parser"
        assert check_parsed(text, Prompt(("Which?",))) is None
        with serving(says(chat_reply(text))) as server:
            monkeypatch.setenv("OPENROUTER_BASE_URL", server.url)
            with pytest.raises(PixelProofError, match="tool call as text.*--tool-call-parser"):
                pixelproof.run("agent", f"chat/m{number}?service=openrouter", out=tmp_path / str(number), **settings)
            assert len(server.seen) == 1
    puppet = brain("unparsed", say=lambda call: WRITTEN["Hermes, Qwen"])
    done = pixelproof.run("agent", "pptest/unparsed", out=tmp_path / "inspect", **settings)
    assert puppet.n and done.summary["counts"]["errored"] == 2 and "accuracy" not in done.summary["metrics"]
    assert "--tool-call-parser" in done.failure_examples()["no-tool-parser"]
    assert not any(check_parsed(text, prompt) for text in FAULTS.values())
    record_property("tries", len(WRITTEN) + 1 + len(FAULTS))
