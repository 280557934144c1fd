"""llama.cpp inside this process, by way of xllamacpp, set up so that equal requests get equal replies."""

from __future__ import annotations

import http.client
import json
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pixelproof.contract import PixelProofError

ERRORS_ONLY = 1
STRAY = "~"
"""A character with which no legal reply is expected to begin."""

Messages = Sequence[Mapping[str, str]]


class Llama:
    """A loaded model with room for `context` tokens.

    One sequence at a time, and nothing kept from one request to the next: with a prompt cache, or with requests
    batched together, the same prompt and seed give different replies, and memory grows.

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
        # The runtime also listens on a port of this machine; nobody but us is to use it.
        settings.api_keys = [self._key]
        settings.cors_origins = "null"
        settings.ui = False
        settings.n_threads_http = 1
        try:
            self._server = xllamacpp.Server(settings)
        except RuntimeError as error:
            raise PixelProofError(
                f"llama.cpp cannot load {path}: the file is damaged, incomplete or of a kind "
                f"that xllamacpp {xllamacpp.__version__} does not know."
            ) from error
        self.context = context
        self.trained_context = int(self._ask("GET", "/v1/models")["data"][0]["meta"]["n_ctx_train"])

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
        return len(self._ask("POST", "/tokenize", {"content": text})["tokens"])

    def count_messages(self, messages: Messages) -> int:
        """Number of tokens of a conversation in the model's own chat template."""
        body = {"messages": messages}
        return int(self._ask("POST", "/v1/chat/completions/input_tokens", body)["input_tokens"])

    def accepts(self, grammar: str) -> bool:
        """Whether a grammar really constrains.

        llama.cpp generates without any constraint when it cannot parse a Lark grammar, and only logs an error. So one
        token is asked for, with a bias that makes it a stray one unless a grammar forbids that.
        """
        request = {"prompt": "x", "max_tokens": 1, "temperature": 0.0, "grammar": grammar, "logit_bias": [[STRAY, 100]]}
        reply = _checked(self._server.handle_completions(request))
        return not str(reply["choices"][0]["text"]).startswith(STRAY)

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        connection = http.client.HTTPConnection(urlsplit(self._server.listening_address).netloc, timeout=60)
        try:
            headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            reply = json.loads(connection.getresponse().read())
        except (OSError, http.client.HTTPException) as error:
            raise PixelProofError(f"llama.cpp does not respond any more ({error}): start again.") from error
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
