"""A service that echoes the key in every field of its replies: it is in no file, log or line of the console."""

import json
import re
import zipfile
from pathlib import Path
from urllib.parse import quote

import pytest

from models.servers import b64, chat_reply, gemini_reply, images_reply, openai_error, png, says, serving
from models.sketch import Sketch
from pixelproof.benches import get_bench
from pixelproof.cli import main
from pixelproof.contract import Source
from pixelproof.harness import Plan, Settings, run
from support import Guess

KEY = "sk-Live/0123456789+abcdefGHIJ"
HOSTILE = f"{KEY} {quote(KEY, safe='')} {b64(('Bearer ' + KEY).encode())} \x1b]8;;http://evil\x07\x9b2J\u202e"


@pytest.fixture(autouse=True)
def own_service(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    for name in ("OPENROUTER", "GEMINI", "OPENAI"):
        monkeypatch.setenv(f"{name}_API_KEY", KEY)


def files_of(path: Path):
    """The content of every file, of every member of an archive, and of every table as text."""
    import pyarrow.parquet as pq
    import zipfile_zstd  # noqa: F401 - lets zipfile read Inspect's logs

    for file in path.rglob("*"):
        if not file.is_file():
            continue
        yield file.read_bytes()
        if file.suffix == ".parquet":
            yield json.dumps(pq.read_table(file).to_pylist(), default=str, ensure_ascii=False).encode()
        if file.suffix == ".eval":
            with zipfile.ZipFile(file) as archive:
                yield from (archive.read(name) for name in archive.namelist())


def assert_clean(path: Path, *texts: str) -> None:
    head = KEY[: len(KEY) // 2]
    for data in (*files_of(path), *(text.encode() for text in texts)):
        for form in (
            KEY,
            head,
            quote(KEY, safe=""),
            KEY.replace("/", "\\/"),
            b64(KEY.encode())[:-4],
            KEY.encode().hex(),
        ):
            assert form.encode() not in data
        assert b64(b"Bearer " + KEY.encode())[12:30].encode() not in data


def echoing_chat(**message):
    reply = chat_reply(HOSTILE, finish=HOSTILE, **message)
    reply["model"] = reply["id"] = HOSTILE
    reply["choices"][0]["native_finish_reason"] = HOSTILE
    reply["choices"][0]["logprobs"] = {
        "content": [{"token": KEY[i : i + 3], "logprob": -0.1, "top_logprobs": []} for i in range(0, len(KEY), 3)]
    }
    return reply


CHATS = {
    "text": echoing_chat(),
    "refusal": echoing_chat(refusal="x" * 280 + HOSTILE),
    "reasoning": echoing_chat(reasoning=HOSTILE, reasoning_details=[{"text": KEY[:9]}, {"text": KEY[9:]}]),
    "calls": echoing_chat(
        tool_calls=[{"id": KEY, "type": "function", "function": {"name": KEY, "arguments": HOSTILE}}]
    ),
    "error": openai_error("x" * 270 + HOSTILE) | {"error": {"message": "x" * 270 + HOSTILE, "code": 502}},
}


@pytest.mark.slow
@pytest.mark.attack("a service that echoes the key in every field")
@pytest.mark.parametrize("reply", CHATS.values(), ids=CHATS.keys())
def test_chat(tmp_path, monkeypatch, capfd, reply):
    good = says(chat_reply("5"), X_Echo=KEY)
    with serving(good, says(reply, X_Echo=KEY)) as server:
        monkeypatch.setenv("OPENROUTER_BASE_URL", server.url)
        monkeypatch.setattr("pixelproof.models.http._endpoint.Endpoint._pause", lambda endpoint, attempt: 0.0)
        plan = Plan(Guess(), Source("digits"), limit=2)
        run(plan, "chat/m?service=openrouter", settings=Settings(out=tmp_path / "run", connections=1, calibrate=0))
    assert_clean(tmp_path / "run", *capfd.readouterr())


@pytest.mark.slow
def test_images_and_gemini(tmp_path, monkeypatch):
    revised = images_reply(png())
    revised["data"][0]["revised_prompt"] = revised["background"] = HOSTILE
    thoughts = [
        {"text": HOSTILE, "thought": True},
        {"text": KEY[:12], "thought": True},
        {"text": KEY[12:], "thought": True},
    ]
    blocked = gemini_reply(*thoughts, finish="SAFETY", modelVersion=HOSTILE)
    blocked["candidates"][0]["finishMessage"] = HOSTILE
    for model, variable, reply in (
        ("images/m", "OPENAI_BASE_URL", revised),
        ("gemini/m", "GOOGLE_GEMINI_BASE_URL", blocked),
    ):
        with serving(says(reply, X_Echo=KEY)) as server:
            monkeypatch.setenv(variable, server.url)
            out = tmp_path / model.partition("/")[0]
            run(Plan(Sketch(), Source("shades"), limit=1), model, settings=Settings(out=out, calibrate=0))
        assert_clean(out)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["text", "exception", "chained", "log"])
def test_inspects_logs(tmp_path, capfd, where):
    import logging

    from harness.inspect_support import BRAINS, brain, output

    def say(call):
        if where == "log":
            logging.getLogger("some.client").warning("sent %s", HOSTILE)
        if where == "exception":
            return RuntimeError(HOSTILE)
        if where == "chained":
            try:
                raise ConnectionError({"authorization": f"Bearer {KEY}"})
            except ConnectionError as error:
                told = ValueError("no reply")
                told.request = {"headers": {"x-api-key": KEY}}
                told.__cause__ = error
                return told
        return output(HOSTILE, model=HOSTILE, error=HOSTILE)

    BRAINS.clear()
    brain("leaky", say=say)
    run(Plan(Guess(), Source("digits"), limit=2), "pptest/leaky", settings=Settings(out=tmp_path / "run", calibrate=0))
    assert list((tmp_path / "run" / "logs").glob("*.eval"))
    assert_clean(tmp_path / "run", *capfd.readouterr())


@pytest.mark.slow
def test_warnings_of_pydantic_quote_no_part_of_a_key(monkeypatch):
    import warnings

    from inspect_ai.model import get_model
    from pydantic import BaseModel

    from harness.inspect_support import BRAINS, brain
    from pixelproof.harness._inspect_guard import guard

    class Reply(BaseModel):
        id: str

    said = []
    monkeypatch.setattr(warnings, "showwarning", lambda message, *rest, **named: said.append(str(message)))
    BRAINS.clear()
    brain("warning")
    for _ in range(2):
        guard(get_model("pptest/warning", memoize=False))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        Reply.model_construct(id=[KEY * 3]).model_dump()
        warnings.warn(f"the key is {KEY}", stacklevel=1)
        warnings.warn("as it was", stacklevel=1)
    assert len(said) == 3 and "input_value=…" in said[0] and KEY[:8] not in "".join(said)
    assert said[1:] == ["the key is [secret]", "as it was"]


OURS = re.compile(r"\x1b\[(?:\?25[lh]|2K|1A|[\d;]*m)|\r(?=\x1b|\n|$)")
"""What colours and the progress bar send."""


def harmless(text: str) -> bool:
    return not any(c in OURS.sub("", text) for c in "\x1b\x07\x08\r\x7f\x9b\x9d\u202e\u2066")


@pytest.mark.slow
@pytest.mark.attack("control characters and links of model text, against the terminal")
@pytest.mark.parametrize("terminal", [False, True])
def test_no_command_lets_model_text_control_the_terminal(tmp_path, monkeypatch, capsys, terminal):
    if terminal:
        monkeypatch.setenv("FORCE_COLOR", "1")
    told = "no digit \x1b]8;;http://evil\x07link\x1b[2J\x9b2J\u202e\x08\r[red]x[/]\nError: forged " + KEY
    out, answers = tmp_path / "run\x1b[2J", tmp_path / "answers"
    answers.mkdir()
    for item in get_bench("pixelart").items(Source("published"), 0, None):
        (answers / f"{item.id.replace('/', '__')}.txt").write_text(told)
    codes = []
    scored = ["--source", "published", "--answers", str(answers), "--calibrate", "0"]
    for words in (
        ["score", "pixelart", *scored, "--out", str(out)],
        ["show", str(out), "--all"],
        ["show", str(out), "--json"],
        ["compare", str(out), str(out)],
        ["runs", "rescore", str(out)],
        ["runs", "list", str(tmp_path)],
        ["show", f"nowhere{told}"],
        ["run", f"no-bench{told}"],
        ["run", "pixelart", "--model", f"folder/{told}"],
    ):
        with pytest.raises(SystemExit) as ended:
            main(words)
        codes.append(ended.value.code)
        shown = capsys.readouterr()
        assert shown.out + shown.err and harmless(shown.out + shown.err) and KEY not in shown.out + shown.err
    assert codes[:3] == [4, 0, 0] and all(codes[-3:])


def test_every_command_prints_through_the_door():
    """Outside of the door, nothing in the commands prints."""
    import pixelproof

    root = Path(pixelproof.__file__).parent
    for file in (*(root / "cli").glob("*.py"), *root.glob("benches/*/_commands.py")):
        if file.name not in ("_echo.py", "_console.py"):
            code = file.read_text()
            assert not any(
                word in code for word in ("click.echo", "click.secho", " print(", " Console(", "stdout.write")
            )
