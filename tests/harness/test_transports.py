"""One scripted agent behind three transports receives the same messages and leaves the same trace."""

import json
import os
import signal
import subprocess
import sys
import textwrap

import pytest
from pixelproof_toy.hunt import OPEN, Hunt

from harness.agents import PLAN, RECEIVED, agent, from_chat, from_inspect
from harness.inspect_support import BRAINS, brain, output
from models.servers import serving, speaks_chat
from pixelproof.contract import Source
from pixelproof.harness import Plan, Run, Settings, run

pytestmark = pytest.mark.slow
TOOLS = [(OPEN.name, OPEN.about, ["box"])]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    BRAINS.clear()
    RECEIVED.clear()


def traces(done: Run):
    return [json.dumps(answer.trace, sort_keys=True) for _, _, answer, _ in done.answers()]


def through_function(path):
    return run(PLAN, "fn/harness.agents:hunter", settings=Settings(out=path))


def through_chat(path, monkeypatch):
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-anything")
    replier = speaks_chat(lambda messages, tools: agent(*from_chat(messages, tools)))
    with serving(replier) as server:
        monkeypatch.setenv("OPENROUTER_BASE_URL", server.url)
        return run(PLAN, "chat/hunter?service=openrouter", settings=Settings(out=path, connections=1))


def through_inspect(path):
    from inspect_ai.tool import ToolCall

    def say(call):
        answer = agent(*from_inspect(call.messages, call.tools))
        reply = output(answer.text)
        if answer.calls:
            reply.choices[0].message.tool_calls = [ToolCall(c.id, c.tool, dict(c.arguments)) for c in answer.calls]
        return reply

    brain("hunter", say=say)
    return run(PLAN, "pptest/hunter", settings=Settings(out=path, connections=1))


def test_one_agent_behind_three_transports(tmp_path, monkeypatch):
    received, left = {}, {}
    for name, transport in {
        "function": lambda: through_function(tmp_path / "function"),
        "chat": lambda: through_chat(tmp_path / "chat", monkeypatch),
        "inspect": lambda: through_inspect(tmp_path / "inspect"),
    }.items():
        done = transport()
        assert done.summary["metrics"]["right"]["value"] == 1, name
        received[name], left[name] = sorted(RECEIVED, key=repr), traces(done)
        RECEIVED.clear()
    assert received["function"] == received["chat"] == received["inspect"]
    assert left["function"] == left["chat"] == left["inspect"]
    messages, tools = received["function"][-1]
    assert tools == TOOLS and messages[0][0] == "system" and messages[1][2], "the picture of the first prompt is there"
    assert max(len(messages) for messages, _ in received["function"]) > 4


def test_a_function_leaves_the_same_trace_natively_and_as_a_provider(tmp_path):
    native = through_function(tmp_path / "native")
    first = sorted(RECEIVED, key=repr)
    RECEIVED.clear()
    settings = Settings(out=tmp_path / "inspect", connections=1)
    behind = run(PLAN, "pp-fn/harness.agents:hunter", settings=settings)
    assert traces(native) == traces(behind) and len(first) > 4 and first == sorted(RECEIVED, key=repr)
    artefacts = [part for _, _, answer, _ in behind.answers() for part in answer.trace[0]["parts"][1:]]
    assert len(artefacts) == 4 and all(behind.blob(part["$artefact"]).startswith(b"\x89PNG") for part in artefacts)
    assert native.summary["metrics"] == behind.summary["metrics"]


def test_a_local_model_is_held_to_the_protocol(tmp_path):
    settings = Settings(out=tmp_path / "run")
    done = run(Plan(Hunt(picture=False), Source("boxes"), limit=2), "gguf/smollm2", settings=settings)
    assert done.summary["counts"]["completed"] == 2
    for _, _, answer, _ in done.answers():
        replies = [entry for entry in answer.trace if entry["role"] == "model"]
        assert replies
        for reply in replies[:-1]:  # all but the last are legal calls of the tool
            assert [call["tool"] for call in reply["calls"]] == ["open_box"]
            assert isinstance(reply["calls"][0]["arguments"]["box"], int)


KILLED = textwrap.dedent(
    """
    import os, signal, sys
    from pathlib import Path
    from harness.agents import PLAN, hunter
    from pixelproof.harness import Settings, run

    calls = 0

    def dying(prompt):
        global calls
        calls += 1
        if calls == 7 and not Path(sys.argv[2]).exists():
            Path(sys.argv[2]).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return hunter(prompt)

    done = run(PLAN, dying, settings=Settings(out=Path(sys.argv[1]), resume=Path(sys.argv[1]).exists()))
    print(done.summary["counts"]["completed"], calls)
    """
)


def test_an_episode_in_flight_starts_again_after_a_kill(tmp_path):
    script = tmp_path / "play.py"
    script.write_text(KILLED)
    path = os.pathsep.join(sys.path)
    words = [sys.executable, str(script), str(tmp_path / "run"), str(tmp_path / "killed")]
    first = subprocess.run(words, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert first.returncode == -signal.SIGKILL, first.stderr
    second = subprocess.run(words, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert second.returncode == 0, second.stderr
    assert second.stdout.startswith("4 ")
    whole = through_function(tmp_path / "whole")
    assert traces(Run.open(tmp_path / "run")) == traces(whole)
