"""llama.cpp in this process, through xllamacpp, configured so that equal requests give equal replies."""

from __future__ import annotations

import http.client
import json
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pixelproof.contract import PixelProofError

from ._messages import Message

ERRORS_ONLY = 1
STRAY = "~"
"""A character that no constrained reply begins with."""

Messages = Sequence[Message]


class Llama:
    """A loaded model with a context of `context` tokens.

    It processes one sequence at a time and keeps nothing between requests: with a prompt cache, or with batched
    requests, the same prompt and seed give different replies, and memory grows.

    Raises:
        PixelProofError: llama.cpp is not installed, or cannot load the file.
    """

    def __init__(self, path: Path, threads: int, context: int) -> None:
        xllamacpp = load_runtime()
        self._key = secrets.token_hex()
        settings = xllamacpp.CommonParams()
        settings.model.path = str(path)
        settings.n_ctx = context
        settings.fit_params = False
        settings.n_gpu_layers = 0
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
        settings.n_parallel = 1
        settings.cache_prompt = False
        settings.cache_ram_mib = 0
        settings.cache_idle_slots = False
        settings.n_ctx_checkpoints = 0
        settings.ctx_shift = False
        settings.warmup = False
        settings.verbosity = ERRORS_ONLY
        # The runtime also listens on a local port; a random key keeps other programs out.
        settings.api_keys = [self._key]
        settings.cors_origins = "null"
        settings.ui = False
        settings.n_threads_http = 1
        try:
            self._server = xllamacpp.Server(settings)
        except RuntimeError as error:
            raise PixelProofError(
                f"llama.cpp cannot load {path}: the file is damaged, incomplete or in a format "
                f"that xllamacpp {xllamacpp.__version__} does not support."
            ) from error
        self._request("GET", "/slots")  # its loop answers: a runtime that is unloaded before its loop runs never ends
        self.context = context
        self.trained_context = int(self._request("GET", "/v1/models")["data"][0]["meta"]["n_ctx_train"])

    def chat(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """A chat completion.

        Raises:
            ValueError: llama.cpp refused the request.
        """
        try:
            reply: Mapping[str, Any] = _checked(self._server.handle_chat_completions(dict(request)))
        except RuntimeError as error:
            raise ValueError(str(error)) from error
        return reply

    def count(self, text: str) -> int:
        """Number of tokens of a text."""
        return len(self._request("POST", "/tokenize", {"content": text})["tokens"])

    def count_messages(self, messages: Messages) -> int:
        """Number of tokens of a conversation in the model's own chat template."""
        body = {"messages": messages}
        return int(self._request("POST", "/v1/chat/completions/input_tokens", body)["input_tokens"])

    def accepts(self, grammar: str) -> bool:
        """Whether llama.cpp enforces a grammar.

        llama.cpp generates without a constraint when it cannot parse a Lark grammar, and only logs an error. So this
        generates one token with a bias towards `STRAY`, which only an enforced grammar prevents.
        """
        request = {"prompt": "x", "max_tokens": 1, "temperature": 0.0, "grammar": grammar, "logit_bias": [[STRAY, 100]]}
        reply = _checked(self._server.handle_completions(request))
        return not str(reply["choices"][0]["text"]).startswith(STRAY)

    def _request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        connection = http.client.HTTPConnection(urlsplit(self._server.listening_address).netloc, timeout=60)
        try:
            headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            reply = json.loads(connection.getresponse().read())
        except (OSError, http.client.HTTPException) as error:
            raise PixelProofError(f"llama.cpp no longer responds ({error}): start again.") from error
        finally:
            connection.close()
        return _checked(reply)


def load_runtime() -> Any:
    """The module xllamacpp.

    Raises:
        PixelProofError: It is not installed.
    """
    try:
        import xllamacpp
    except ImportError as error:
        raise PixelProofError("gguf models need llama.cpp: run pip install 'pixelproof[smollm2]'.") from error
    return xllamacpp


def _checked(reply: Any) -> Any:
    if "error" in reply:
        raise ValueError(str(reply["error"].get("message", reply["error"])))
    return reply
