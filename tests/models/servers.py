"""Real HTTP servers for the tests: they speak the documented formats, and fail on demand."""

from __future__ import annotations

import base64
import email
import io
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
from PIL import Image

from pixelproof.contract import Answer, Artefact, Call
from pixelproof.models.http import Limits

KEY = "sk-very/secret+0123456789=abcdef"
QUICK = Limits(seconds=5.0, attempts=4, first_pause=0.01, longest_pause=0.05, max_bytes=1 << 20)


def png(shade: int = 0, size: tuple[int, int] = (4, 3), kind: str = "PNG") -> bytes:
    """A small image in one shade of grey."""
    buffer = io.BytesIO()
    Image.fromarray(np.full((size[1], size[0], 3), shade, np.uint8)).save(buffer, kind)
    return buffer.getvalue()


def picture(shade: int = 0) -> Artefact:
    return Artefact(png(shade))


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


@dataclass
class Seen:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        assert self.headers["content-type"] == "application/json"
        return json.loads(self.body)

    @property
    def form(self) -> list[tuple[str, str | None, str, bytes]]:
        """Name, file name, type and content of each part, as the standard library's mail parser sees them."""
        head = f"Content-Type: {self.headers['content-type']}\r\n\r\n".encode()
        message = email.message_from_bytes(head + self.body, policy=HTTP)
        assert message.is_multipart() and not message.defects
        return [
            (
                part.get_param("name", header="content-disposition"),
                part.get_filename(),
                part.get_content_type(),
                part.get_payload(decode=True),
            )
            for part in message.iter_parts()
        ]


Act = Callable[["Handler"], None]


@dataclass
class Server:
    """Requests that a server received, and the acts with which it replies; the last act is repeated."""

    url: str = ""
    acts: list[Act] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    lock: Any = field(default_factory=threading.Lock)

    def next_act(self, request: Seen) -> Act:
        with self.lock:
            self.seen.append(request)
            return self.acts.pop(0) if len(self.acts) > 1 else self.acts[0]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: Server
    seen: Seen

    def do_POST(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = b""
        if not getattr(self.script.acts[0], "deaf", False):
            body = self.rfile.read(int(headers.get("content-length", 0)))
        self.seen = Seen(self.command, self.path, headers, body)
        act = self.script.next_act(self.seen)
        try:
            act(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_POST

    def log_message(self, *args: Any) -> None:
        """Quiet."""


@contextmanager
def serving(*acts: Act, tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    script = Server(acts=list(acts))
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("ScriptedHandler", (Handler,), {"script": script}))
    server.daemon_threads = True
    server.handle_error = lambda *arguments: None  # type: ignore[method-assign]
    script.url = f"http://127.0.0.1:{server.server_address[1]}"
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        script.url = f"https://localhost:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def says(content: Any, status: int = 200, content_type: str = "application/json", **headers: str) -> Act:
    """Answer with JSON, or with bytes as they are."""
    data = content if isinstance(content, bytes) else json.dumps(content).encode()

    def act(handler: Handler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", content_type)
        handler.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return act


def in_chunks(content: Any, size: int = 7) -> Act:
    """Answer with chunked transfer coding."""
    data = json.dumps(content).encode()

    def act(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for at in range(0, len(data), size):
            piece = data[at : at + size]
            handler.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        handler.wfile.write(b"0\r\n\r\n")

    return act


def until_the_end(content: Any) -> Act:
    """Answer without saying how long the answer is: it ends with the connection."""
    data = json.dumps(content).encode()

    def act(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(data)
        handler.close_connection = True

    return act


def breaks_off(content: Any, share: float = 0.5, chunked: bool = False) -> Act:
    """Announce a whole answer, send a part of it, and hang up."""
    data = json.dumps(content).encode()
    part = data[: int(len(data) * share)]

    def act(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        if chunked:
            handler.send_header("Transfer-Encoding", "chunked")
            part_sent = f"{len(data):x}\r\n".encode() + part
        else:
            handler.send_header("Content-Length", str(len(data)))
            part_sent = part
        handler.end_headers()
        handler.wfile.write(part_sent)
        handler.close_connection = True

    return act


def hangs_up(handler: Handler) -> None:
    """Close the connection without a word."""
    handler.close_connection = True


def is_silent(released: threading.Event) -> Act:
    """Say nothing until the test is over."""

    def act(handler: Handler) -> None:
        released.wait(60)
        handler.close_connection = True

    return act


def _drips(start: bytes, piece: bytes) -> Callable[[threading.Event], Act]:
    """Send a piece now and then until the test is over, so that the line is never quite silent."""

    def made(released: threading.Event) -> Act:
        def act(handler: Handler) -> None:
            handler.wfile.write(start)
            for _ in range(3000):
                handler.wfile.write(piece)
                handler.wfile.flush()
                if released.wait(0.02):
                    break
            handler.close_connection = True

        return act

    return made


_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
DRIPS = {
    "status line": _drips(b"HTTP/1.1 200 ", b"O"),
    "header": _drips(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x"),
    "headers": _drips(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
    "100 Continue": _drips(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "100 Continue with headers": _drips(b"", b"HTTP/1.1 100 Continue\r\nX: y\r\n\r\n"),
    "body": _drips(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b" "),
    "body without a length": _drips(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", b" "),
    "chunk size": _drips(_CHUNKED, b"0"),
    "chunk extension": _drips(_CHUNKED + b"1;", b"x"),
    "chunks": _drips(_CHUNKED, b"1\r\n \r\n"),
    "trailer": _drips(_CHUNKED + b"0\r\nX: ", b"x"),
}
"""Where a server can be slow → an act that is, until it is released."""


def refuses_unread(status: int, content: Any) -> Act:
    """Answer before the request has been read, and hang up."""
    reply = says(content, status)

    def act(handler: Handler) -> None:
        reply(handler)
        handler.close_connection = True

    act.deaf = True  # type: ignore[attr-defined]
    return act


def endless(handler: Handler) -> None:
    """Never stop sending."""
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    while True:
        handler.wfile.write(b" " * 65536)


# What the documented services reply.


def images_reply(*pictures: bytes, **more: Any) -> dict[str, Any]:
    """OpenAI's ImagesResponse."""
    return {
        "created": 1_760_000_000,
        "data": [{"b64_json": b64(data)} for data in pictures],
        "usage": {
            "input_tokens": 11,
            "output_tokens": 272,
            "total_tokens": 283,
            "input_tokens_details": {"image_tokens": 0, "text_tokens": 11},
        },
        **more,
    }


def openai_error(message: str, code: str | None = None, type: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": type, "param": None, "code": code}}


def gemini_reply(*parts: dict[str, Any], finish: str = "STOP", **more: Any) -> dict[str, Any]:
    """Google's GenerateContentResponse."""
    candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": finish, "index": 0}
    usage = {
        "promptTokenCount": 9,
        "candidatesTokenCount": 1290,
        "thoughtsTokenCount": 100,
        "totalTokenCount": 1399,
    }
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-x-001", **more}


def inline(data: bytes, mime_type: str = "image/png", **more: Any) -> dict[str, Any]:
    return {"inlineData": {"mimeType": mime_type, "data": b64(data)}, **more}


def google_error(code: int, status: str, message: str, *details: dict[str, Any]) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


def chat_reply(content: Any, *pictures: bytes, finish: str = "stop", **message: Any) -> dict[str, Any]:
    """OpenRouter's chat completion with images beside the text."""
    images = [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{b64(data)}"}, "index": index}
        for index, data in enumerate(pictures)
    ]
    reply = {"role": "assistant", "content": content, **({"images": images} if images else {}), **message}
    return {
        "id": "gen-1",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": "vendor/model-0925",
        "choices": [{"index": 0, "finish_reason": finish, "native_finish_reason": finish, "message": reply}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 1303, "total_tokens": 1315, "cost": 0.0387},
    }


# Agents behind a service: one scripted replier, in each of the formats that services speak.

Replier = Callable[[list[dict[str, Any]], list[dict[str, Any]]], Answer]
"""A function of the messages and the tools, both in OpenAI's format. Calls without an id are sent without one."""


def speaks_chat(replier: Replier) -> Act:
    """Answer chat completions, with tool calls, as the replier says."""

    def act(handler: Handler) -> None:
        asked = handler.seen.json
        answer = replier(asked["messages"], asked.get("tools", []))
        calls = [_chat_call(call) for call in answer.calls]
        more = {"tool_calls": calls} if calls else {}
        reply = chat_reply(
            answer.text or None,
            *(image.data for image in answer.images),
            finish="tool_calls" if calls else "stop",
            **more,
        )
        says(reply)(handler)

    return act


def _chat_call(call: Call) -> dict[str, Any]:
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    identity = {"id": call.id} if call.id else {}
    return {**identity, "type": "function", "function": {"name": call.tool, "arguments": arguments}}


def speaks_gemini(replier: Replier) -> Act:
    """Answer generateContent as the replier says; messages and tools reach it in OpenAI's format."""

    def act(handler: Handler) -> None:
        asked = handler.seen.json
        declared = [one for group in asked.get("tools", []) for one in group["functionDeclarations"]]
        tools = [
            {
                "type": "function",
                "function": {
                    "name": one["name"],
                    "description": one["description"],
                    "parameters": one["parametersJsonSchema"],
                },
            }
            for one in declared
        ]
        answer = replier(list(_chat_messages(asked)), tools)
        parts: list[dict[str, Any]] = [{"text": answer.text}] if answer.text else []
        parts += [inline(image.data) for image in answer.images]
        for call in answer.calls:
            identity = {"id": call.id} if call.id else {}
            parts.append({"functionCall": {**identity, "name": call.tool, "args": call.arguments}})
        says(gemini_reply(*parts))(handler)

    return act


def _chat_messages(asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The contents of a generateContent request as messages; refuses what Google refuses."""
    if "systemInstruction" in asked:
        yield {"role": "system", "content": asked["systemInstruction"]["parts"][0]["text"]}
    open_calls: list[str] = []
    for content in asked["contents"]:
        answered = [part["functionResponse"]["name"] for part in content["parts"] if "functionResponse" in part]
        assert answered == open_calls, "as many function responses as calls, directly after them"
        open_calls = [part["functionCall"]["name"] for part in content["parts"] if "functionCall" in part]
        assert content["parts"] and (content["role"] == "model" or not open_calls)
        texts = [part["text"] for part in content["parts"] if "text" in part]
        if answered:
            assert len(answered) == len(content["parts"])
            for part in content["parts"]:
                yield {"role": "tool", "content": part["functionResponse"]["response"]["result"]}
        else:
            yield {"role": {"model": "assistant"}.get(content["role"], content["role"]), "content": "\n".join(texts)}
