"""The same tools natively, through Inspect AI, as tools of Inspect AI, and over MCP: the same digests."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest

from pixelproof import ask
from pixelproof.apps.tools import PROTOCOLS, McpServer
from pixelproof.cli import main
from pixelproof.contract import Answer, Call, PixelProofError
from pixelproof.tools import Toolbox
from tools.agents import CHAIN, backends, clip, digests, looker, media, next_move, webp

pytestmark = pytest.mark.slow
SEG = "components"


@pytest.fixture(scope="module")
def native(file, tmp_path_factory):
    """Digests of the scripted agent as `fn/`."""
    out = tmp_path_factory.mktemp("native") / "run"
    return digests(ask(file, "Which colour?", "fn/tools.agents:looker", out=out, seg=SEG).trace.steps)


def test_ask_answers_with_evidence(file, tmp_path):
    asked = ask(file, "Which colour?", looker, out=tmp_path / "run", seg=SEG)
    assert asked.answer == "red" and len(asked.trace.steps) == len(CHAIN)
    assert "red" in repr(asked) and "data:image" in asked._repr_html_()
    assert "<script" not in asked._repr_html_()
    with pytest.raises(PixelProofError, match="--resume"):
        ask(file, "Which colour?", looker, out=tmp_path / "run", seg=SEG)
    again = ask(file, "Which colour?", looker, out=tmp_path / "run", seg=SEG, resume=True)
    assert again.trace == asked.trace


def test_a_question_opens_in_show_report_and_rescore(file, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ask(file, "Which colour?", looker, out="run", seg=SEG)
    for command in ("show run", "report run --out page.html", "runs rescore run", "tools trace replay run"):
        with pytest.raises(SystemExit) as ended:
            main(command.split())
        assert ended.value.code == 0, (command, capsys.readouterr())
    assert "Which colour?" in Path("page.html").read_text()
    (tmp_path / "traces").mkdir()
    for name in ("trace.jsonl", "trace.blobs"):
        (tmp_path / "run" / name).rename(tmp_path / "traces" / name)
    for words in (["show", "traces"], ["report", "traces"], ["report", "traces/trace.jsonl"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 3 and "pixelproof tools trace show traces/trace.jsonl" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main(["tools", "trace", "show", "."])
    assert ended.value.code == 3 and "has no traces" in capsys.readouterr().err


def test_the_text_protocol_gives_the_same_digests(file, tmp_path, native):
    assert (
        digests(ask(file, "Which colour?", "fn/tools.agents:written", out=tmp_path / "run", seg=SEG).trace.steps)
        == native
    )


def test_through_inspect(file, tmp_path, native):
    pytest.importorskip("inspect_ai")
    asked = ask(file, "Which colour?", "pp-fn/tools.agents:looker", out=tmp_path / "run", seg=SEG)
    assert asked.answer == "red" and digests(asked.trace.steps) == native
    assert next(iter(asked.file)) == asked.trace and (tmp_path / "run" / "logs").is_dir()


def test_as_tools_of_inspect(native):
    inspect_tool = pytest.importorskip("inspect_ai.tool")
    from pixelproof.harness.inspect_tools import inspect_tools

    toolbox = Toolbox(media(), backends())
    tools = {inspect_tool.ToolDef(tool).name: tool for tool in inspect_tools(toolbox)}
    assert list(tools) == ["ZOOM", "SEG", "PROP", "OCR", "TRK", "TEMP"]

    async def play():
        texts = []
        while (call := next_move(texts)[1]) is not None:
            content = await tools[call.tool](**call.arguments)
            texts.append(content[0].text)
            assert len(content) == 1 or content[1].image.startswith("data:image/png;base64,")

    anyio.run(play)
    assert [(r.call_digest, r.result_digest) for r in toolbox.results] == native


async def play_over(session):
    """The scripted agent as a client of MCP; the digests of its results."""
    await session.initialize()
    listed = await session.list_tools()
    assert [tool.name for tool in listed.tools] == ["ZOOM", "SEG", "PROP", "OCR", "TRK", "TEMP"]
    texts, found = [], []
    while (call := next_move(texts)[1]) is not None:
        result = await session.call_tool(call.tool, call.arguments)
        texts.append(result.content[0].text)
        envelope = getattr(result, "structured_content", None) or getattr(result, "structuredContent", None)
        found.append((envelope["call_digest"], envelope["result_digest"]))
    assert next_move(texts)[0] == "red"
    return found


def test_over_mcp_on_stdio(file, native):
    mcp = pytest.importorskip("mcp")
    server = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "pixelproof", "tools", "serve", str(file), "--seg", SEG],
        env=dict(os.environ),
    )

    async def play():
        async with mcp.stdio_client(server) as (read, write), mcp.ClientSession(read, write) as session:
            return await play_over(session)

    assert anyio.run(play) == native


def test_over_mcp_on_http(file, native):
    mcp = pytest.importorskip("mcp")
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    words = [sys.executable, "-u", "-m", "pixelproof", "tools", "serve", str(file), "--http", "--seg", SEG]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        url, header = process.stdout.readline().strip(), process.stdout.readline().strip()
        token = re.fullmatch(r"Authorization: (Bearer \S+)", header)[1]

        async def play(**headers):
            async with (
                httpx2.AsyncClient(headers=headers, timeout=60) as client,
                streamable_http_client(url, http_client=client) as streams,
                mcp.ClientSession(*streams[:2]) as session,
            ):
                return await play_over(session)

        assert anyio.run(lambda: play(Authorization=token)) == native
        assert httpx2.post(url, json={}).status_code == 401
        old = {"Authorization": token, "MCP-Protocol-Version": "1999-01-01"}
        refused = httpx2.post(url, json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers=old)
        assert refused.status_code == 400 and PROTOCOLS[0] in refused.json()["error"]
    finally:
        process.terminate()
        assert process.wait(20) == 0


@pytest.fixture
def server():
    return McpServer(media(), backends())


def request(server, method, **params):
    return server.handle({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def test_the_handshake_agrees_on_a_version(server):
    assert request(server, "initialize", protocolVersion="2024-11-05")["result"]["protocolVersion"] == "2024-11-05"
    assert request(server, "initialize", protocolVersion="1999")["result"]["protocolVersion"] == PROTOCOLS[0]
    assert server.handle({"jsonrpc": "2.0", "method": "notifications/initialized"}) is None


def test_batches_are_answered_where_the_protocol_has_them(server):
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    call = {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "FLY"}}
    notice = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    batch = json.dumps([ping, notice, 3, call, ping | {"method": "initialize"}])
    refused = json.loads(server.handle_text(batch))
    assert refused["error"]["code"] == -32600 and "send single messages" in refused["error"]["message"]
    request(server, "initialize", protocolVersion="2025-03-26")
    replies = json.loads(server.handle_text(batch))
    assert [reply["id"] for reply in replies] == [1, None, "a", 1]
    assert replies[2]["result"]["isError"] and replies[3]["error"]["code"] == -32600
    assert server.handle_text(json.dumps([notice, notice])) is None
    for wrong in ([], [ping] * 101):
        assert "1 to 100 messages" in json.loads(server.handle_text(json.dumps(wrong)))["error"]["message"]
    request(server, "initialize", protocolVersion="2025-06-18")
    assert json.loads(server.handle_text(json.dumps([ping])))["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", -32700), (b"\xff\xfe", -32700), ("[]", -32600), ("1", -32600), ('{"jsonrpc": "2.0"}', -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": "nothing"}', -32601),
        ('{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": 3}', -32602),
        ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 3}}', -32602),
        ("[" * 100_000, -32700), ("x" * (1 << 21), -32600),
    ],
)  # fmt: skip
def test_messages_that_are_no_requests(server, text, code):
    assert json.loads(server.handle_text(text))["error"]["code"] == code


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("FLY", {}), ("ZOOM", {"box": [0, 0, 1e308, float("nan")]}), ("ZOOM", {"box": "all"}), ("SEG", {}),
        ("TEMP", {"t0": 0, "t1": 1}), ("PROP", {"ref": "../../etc/passwd"}), ("OCR", {"box": [0, 0, 10**30, 1]}),
    ],
)  # fmt: skip
def test_wrong_calls_are_results_that_the_model_reads(server, name, arguments):
    result = request(server, "tools/call", name=name, arguments=arguments)["result"]
    assert result["isError"] and json.loads(result["content"][0]["text"])["message"]


AGENT = """
import os, time
from pixelproof.contract import Answer, Call

def slow(prompt):
    number = sum(turn.role == "tool" for turn in prompt.history)
    with open(os.environ["ASKED"], "a") as log:
        log.write(f"{number}\\n")
    if number == 3:
        return "done"
    if number == 2 and not os.path.exists(os.environ["GO"]):
        time.sleep(60)
    return Answer(calls=(Call("", "ZOOM", {"box": [0, 0, 500 + number, 500]}),))
"""


def test_a_killed_episode_leaves_nothing_half_stored(file, tmp_path):
    (tmp_path / "agent.py").write_text(AGENT)
    asked, go, out = tmp_path / "asked", tmp_path / "go", tmp_path / "run"
    env = {**os.environ, "ASKED": str(asked), "GO": str(go)}
    words = [
        sys.executable,
        "-m",
        "pixelproof",
        "ask",
        str(file),
        "What?",
        "--model",
        "fn/agent:slow",
        "--out",
        str(out),
    ]
    process = subprocess.Popen(words, cwd=tmp_path, env=env, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while (not asked.exists() or "2\n" not in asked.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.kill()
    process.wait()
    assert not list(out.glob("trace*")) and asked.read_text() == "0\n1\n2\n"
    go.touch()
    done = subprocess.run(
        [*words, "--resume", "--json"], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    trace = json.loads(done.stdout)
    assert trace["answer"]["value"] == "done" and len(trace["steps"]) == 3
    assert asked.read_text() == "0\n1\n2\n0\n1\n2\n3\n"  # the episode began anew: no step of the first one is in it
    assert len((out / "trace.jsonl").read_text().splitlines()) == 1


def test_the_command_prints_the_chain(file, tmp_path, capsys):
    words = [
        "ask",
        str(file),
        "Which colour?",
        "--model",
        "fn/tools.agents:looker",
        "--seg",
        SEG,
        "--out",
        str(tmp_path / "r"),
    ]
    with pytest.raises(SystemExit) as ended:
        main(words)
    text = capsys.readouterr().out
    assert ended.value.code == 0 and "3. PROP" in text and "Answer: red" in text and "WRONG_MODALITY" in text
    assert Path(tmp_path / "r" / "trace.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.png", "Which?", "--model", "fn/tools.agents:looker"], "Cannot read"),
        (["disc.png", " ", "--model", "fn/tools.agents:looker"], "empty"),
        (["disc.png", "Which?", "--model", "fn/tools.agents:looker", "--seg", "sma"], "There is no back end of SEG"),
        (["text.png", "Which?", "--model", "fn/tools.agents:looker"], "text.png"),
    ],
)
def test_what_cannot_be_asked(file, words, message, capsys, monkeypatch):
    monkeypatch.chdir(file.parent)
    Path("text.png").write_text("no picture")
    with pytest.raises(SystemExit) as ended:
        main(["ask", *words])
    assert ended.value.code == 3 and message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value", "least"), [("calls", -1, 1), ("calls", 0, 1), ("frames", 0, 1), ("view", -1, 0)]
)
def test_numbers_out_of_range_are_refused(file, option, value, least, capsys):
    with pytest.raises(PixelProofError, match=f"{option} must be {least} or more, not {value}"):
        ask(file, "Which?", looker, **{option: value})
    with pytest.raises(SystemExit) as ended:
        main(["ask", str(file), "Which?", "--model", "fn/tools.agents:looker", f"--{option}", str(value)])
    said = capsys.readouterr().err
    assert ended.value.code == 2 and f"--{option}" in said and f"{value} is not in the range" in said


@pytest.mark.parametrize(
    "command", ["tools trace replay none.jsonl", "tools serve none.png", "ask none.png q --model fn/x:y"]
)
def test_an_unknown_back_end_is_refused_before_anything_is_done(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), "--seg", "nosuch"])
    assert ended.value.code == 3 and "There is no back end of SEG 'nosuch'" in capsys.readouterr().err


def test_a_clip_can_be_asked_about(tmp_path):
    (tmp_path / "clip.webp").write_bytes(webp(clip()))

    def watch(prompt):
        done = [turn for turn in prompt.history if turn.role == "tool"]
        return "right" if done else Answer(calls=(Call("", "TEMP", {"t0": 0, "t1": 5}),))

    asked = ask(tmp_path / "clip.webp", "Which way?", watch, out=tmp_path / "run")
    assert asked.answer == "right" and asked.trace.media[0]["kind"] == "clip" and asked.trace.steps[0].result.ok
