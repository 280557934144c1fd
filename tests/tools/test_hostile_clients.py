"""The MCP server with clients, files and back ends that misbehave: messages and results, and the server goes on."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from pixelproof.apps.tools import McpServer
from pixelproof.cli import main
from pixelproof.contract import Call
from pixelproof.tools import Toolbox
from tools.agents import INJECTION, backends, media

pytestmark = pytest.mark.slow
SERVER = """
import sys, time
from pathlib import Path
from pixelproof.apps.tools import serve_http
from pixelproof.tools import Backends, Budget
from tools.agents import INJECTION, Plate

class Slow:
    name, version = "slow", "1"

    def segment(self, picture, point, box, frame):
        time.sleep(3)

budget = Budget(calls=None, errors=None, timeout=0.2)
serve_http(Path(sys.argv[1]), Backends(seg=Slow(), ocr=Plate(INJECTION)), budget)
"""
WHOLE = [0, 0, 1000, 1000]


@pytest.fixture(scope="module")
def live(file):
    """Address and authorisation of a server whose SEG takes too long, and whose OCR reads an instruction."""
    pytest.importorskip("mcp")
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    words = [sys.executable, "-u", "-c", SERVER, str(file)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=env)
    try:
        url, header = process.stdout.readline().strip(), process.stdout.readline().strip()
        yield url, re.fullmatch(r"Authorization: (Bearer \S+)", header)[1]
    finally:
        process.terminate()
        assert process.wait(20) == 0


def post(live, content, **headers):
    import httpx2

    if not isinstance(content, str | bytes):
        content = json.dumps(content)
    given = {"Authorization": live[1], "Content-Type": "application/json", **headers}
    return httpx2.post(live[0], content=content, headers=given, timeout=30)


def message(method, **params):
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def test_other_hosts_and_origins_are_refused(live):
    host = live[0].split("/")[2]
    assert post(live, message("ping"), Origin=f"http://{host}").json()["result"] == {}
    for headers, status in (
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "null"}, 403),
        ({"Authorization": "Bearer guess"}, 401),
        ({"Mcp-Session-Id": "guess"}, 404),
    ):
        assert post(live, message("ping"), **headers).status_code == status, headers


def test_messages_that_are_too_large_are_refused(live):
    assert post(live, b"x" * (2 << 20)).status_code == 413

    def pieces():
        for _ in range(40):
            yield b"x" * (1 << 16)

    import httpx2

    streamed = httpx2.post(live[0], content=pieces(), headers={"Authorization": live[1]}, timeout=30)
    assert streamed.status_code == 413
    assert post(live, message("ping")).status_code == 200


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-1e999", "1" + "0" * 4000, "true", '"5"', "null"])
def test_numbers_that_are_none_are_errors_in_valid_json(live, number):
    text = json.dumps(message("tools/call", name="ZOOM", arguments={"box": [0, 0, "@", 1]})).replace('"@"', number)
    reply = json.loads(post(live, text).text, parse_constant=lambda name: pytest.fail(name))
    assert reply["result"]["isError"] and reply["result"]["structuredContent"]["error"] in ("BAD_ARGS", "OUT_OF_BOUNDS")


def test_the_official_client_gets_results_whatever_it_calls(live, file):
    """Wrong calls, a time-out and a plate with an instruction, in one session that goes on."""
    import httpx2
    import mcp
    from mcp.client.streamable_http import streamable_http_client

    async def play():
        async with (
            httpx2.AsyncClient(headers={"Authorization": live[1]}, timeout=60) as client,
            streamable_http_client(live[0], http_client=client) as streams,
            mcp.ClientSession(*streams[:2]) as session,
        ):
            await session.initialize()
            results = []
            for name, arguments in (
                ("FLY", {}),
                ("ZOOM", {"box": [0, 0, float("nan"), 1]}),
                ("ZOOM", {"box": [0, 0, 10**30, 1]}),
                ("SEG", {"point": [290, 330]}),
                ("OCR", {"box": WHOLE}),
                ("ZOOM", {"box": WHOLE}),
            ):
                result = await session.call_tool(name, arguments)
                envelope = getattr(result, "structured_content", None) or result.structuredContent
                results.append((json.loads(result.content[0].text), envelope))
            return results

    *wrong, plate, zoom = anyio.run(play)
    errors = [envelope["error"] for _, envelope in wrong]
    assert errors == ["UNKNOWN_TOOL", "BAD_ARGS", "OUT_OF_BOUNDS", "BACKEND"]
    assert "longer than 0.2 s" in wrong[3][0]["message"]
    assert plate[0]["text"] == INJECTION and plate[1]["ok"]
    for tool, (_, envelope) in (("OCR", plate), ("ZOOM", zoom)):
        native = Toolbox(media(), backends(INJECTION)).call(Call("1", tool, {"box": WHOLE}))
        assert (envelope["call_digest"], envelope["result_digest"]) == (native.call_digest, native.result_digest)


def test_what_a_plate_reads_changes_nothing_else_over_mcp():
    """The replies to a whole session differ in the text of the plate, its digests and nothing else."""

    def session(text):
        server = McpServer(media(), backends(text))
        messages = [message("initialize"), message("tools/list"), message("tools/call", name="OCR",
                    arguments={"box": WHOLE}), message("tools/call", name="ZOOM", arguments={"box": WHOLE}),
                    message("tools/list")]  # fmt: skip
        return [json.loads(server.handle_text(json.dumps(one))) for one in messages]

    replies, others = session(INJECTION), session("K7")
    for place in (0, 1, 4):
        assert replies[place] == others[place]
    without_cost = [{**reply[3]["result"]["structuredContent"], "cost": 0} for reply in (replies, others)]
    assert without_cost[0] == without_cost[1]
    assert INJECTION not in json.dumps([replies[place] for place in (0, 1, 3, 4)])
    assert "never an instruction" in replies[0]["result"]["instructions"]


@pytest.mark.parametrize("transport", [[], ["--http"]])
@pytest.mark.parametrize("cut", [0, 300, 0.5])
def test_a_damaged_clip_is_refused_before_anything_is_served(tmp_path, transport, cut, capsys):
    cv2 = pytest.importorskip("cv2")
    import numpy as np

    path = tmp_path / "clip.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"MJPG"), 10.0, (64, 48))
    for number in range(20):
        writer.write(np.full((48, 64, 3), 8 * number, np.uint8))
    writer.release()
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * cut) if isinstance(cut, float) else cut])
    with pytest.raises(SystemExit) as ended:
        main(["tools", "serve", str(path), *transport])
    printed = capsys.readouterr()
    assert ended.value.code == 3 and "Traceback" not in printed.err and not printed.out
    assert any(word in printed.err for word in ("empty", "neither a picture nor a video", "damaged"))


LONG = """
import json, resource, sys, time
from pathlib import Path
from pixelproof import ask
from pixelproof.contract import Answer, Call

CALLS = [("TEMP", {"t0": 0, "t1": 9999}), ("ZOOM", {"box": [0, 0, 500, 500], "frame": 9999}),
         ("TRK", {"box": [0, 0, 500, 500], "t0": 0, "t1": 9999})]

def agent(prompt):
    done = sum(turn.role == "tool" for turn in prompt.history)
    return "done" if done == 3 else Answer(calls=(Call("", *CALLS[done]),))

def used():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

def play(name):
    file = Path(sys.argv[1]) / name
    return [step.result.error for step in ask(file, "What?", agent, out=file.with_suffix(".run")).trace.steps]

play("short.avi")  # libraries are loaded
before, start = used(), time.process_time()
errors = play("long.avi")
print(json.dumps({"seconds": time.process_time() - start, "bytes": used() - before, "errors": errors}))
"""


def test_a_clip_of_10_000_frames_needs_the_memory_of_its_frames(tmp_path):
    cv2 = pytest.importorskip("cv2")
    import numpy as np

    for name, count in (("short", 10), ("long", 10_000)):
        writer = cv2.VideoWriter(str(tmp_path / f"{name}.avi"), cv2.VideoWriter_fourcc(*"MJPG"), 25.0, (48, 32))
        for number in range(count):
            writer.write(np.full((32, 48, 3), number % 251, np.uint8))
        writer.release()
    done = subprocess.run([sys.executable, "-c", LONG, tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    assert measured["errors"] == [None, None, "BUDGET"]  # TRK follows through 1,024 frames at most
    frames = 10_000 * 48 * 32 * 3
    assert measured["bytes"] < 1.5 * frames + (20 << 20), measured
    assert measured["seconds"] < 15, measured
