"""`gguf/PATH`, or `gguf/NAME` of an asset: local language models, decoded freely, by a schema or by a grammar."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pixelproof.contract import Answer, Artefact, Failure, Fault, Item, PixelProofError, Prompt, Usage, unknown_name
from pixelproof.options import Decoding
from pixelproof.stats import derive_seed
from pixelproof.store import asset_path, assets, find_asset, trusted_asset

from ._base import MACHINE
from ._conversation import turns_of
from ._llama import Llama, Messages, load_runtime
from ._logprobs import openai_logprobs
from ._messages import chat_messages
from ._text_protocol import as_text, read_reply, reply_schema, uses_tools

FIRST_CONTEXT = 2048
MAX_TOKENS = 4096
"""Token limit of a reply where neither the settings nor the prompt have one."""
SAMPLERS = {"top_k": 40, "top_p": 0.95, "min_p": 0.05, "repeat_penalty": 1.0}
"""llama.cpp's defaults, sent with every request so that no file and no version can change them."""
_UNSEEN = "[an image, which you cannot see; tools describe in words what they find]"
COMPACT = {"whitespace_flexible": False, "item_separator": ",", "key_separator": ":"}
"""No optional white space: it costs tokens, and a weak model may never stop writing it."""


class GgufModel:
    """A GGUF file, run by llama.cpp on the CPU. Reads and writes text only."""

    answers_items = False
    spreads = False
    connections = 1

    def __init__(self, name: str, file: str, decoding: Decoding) -> None:
        self.name = name
        self._decoding = decoding
        self._path = trusted_asset(file) if file in gguf_assets() else _gguf_file(file)
        self._llama = Llama(self._path, decoding.threads, FIRST_CONTEXT)
        self._accepted: set[str] = set()
        self._lock = threading.Lock()
        self._abandoned = False

    def answer(self, prompt: Prompt, item: Item, sample: int, seed: int) -> Answer:
        """Generate a reply; requests of several threads are processed one at a time."""
        messages = self._messages(prompt, item)
        grammar = self._grammar(prompt)
        limit = self._decoding.max_tokens or prompt.max_tokens or MAX_TOKENS
        with self._lock:
            budget = self._fit_context(messages, limit)
            if budget < 1:
                too_long = Failure(Fault.MODEL, "prompt-too-long", f"the prompt has {1 - budget} tokens too many")
                return Answer(failure=too_long, usage=Usage(cost=0.0))
            self._check(grammar)
            request = {
                "messages": messages,
                "max_tokens": budget,
                "temperature": self._temperature,
                "seed": derive_seed(seed, f"gguf/{item.id}", sample),
                "cache_prompt": False,
                **SAMPLERS,
                **({"grammar": grammar} if grammar else {}),
                **({"logprobs": True, "top_logprobs": prompt.logprobs} if prompt.logprobs else {}),
            }
            began = time.perf_counter()
            try:
                reply = _interruptibly(self._llama.chat, request)
            except ValueError as error:
                return Answer(failure=Failure(Fault.INFRASTRUCTURE, "runtime-error", str(error)[:500]))
            except KeyboardInterrupt:
                self._abandoned = True
                raise
            return read_reply(_answer(reply, time.perf_counter() - began), prompt)

    def count_tokens(self, text: str) -> int:
        """Number of tokens of a text, without the chat template."""
        with self._lock:
            return self._llama.count(text)

    def card(self) -> Mapping[str, Any]:
        """The file, the runtime and all settings that affect a reply."""
        runtime = load_runtime()
        return {
            "kind": "gguf",
            "file": self._path.name,
            "sha256": self._sha256,
            "runtime": f"xllamacpp {runtime.__version__}",
            MACHINE: {"instructions": runtime.get_system_info().strip(" |")},
            "arm": self._decoding.decoding,
            "temperature": self._temperature,
            "max_tokens": self._decoding.max_tokens,
            **SAMPLERS,
            "threads": self._decoding.threads,
            "prompt_cache": False,
        }

    def close(self) -> None:
        """Unload the model; further calls have no effect."""
        with self._lock:
            if not self._abandoned:  # a runtime that is generating cannot be stopped; it ends with the process
                vars(self).pop("_llama", None)

    @cached_property
    def _sha256(self) -> str:
        with self._path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @property
    def _temperature(self) -> float:
        return self._decoding.temperature or 0.0

    def _fit_context(self, messages: Messages, limit: int) -> int:
        """Enlarge the context to fit prompt and reply, if the model allows; returns the tokens left for the reply."""
        try:
            length = self._llama.count_messages(messages)
        except ValueError as error:
            raise PixelProofError(f"The chat template of {self._path} does not accept this prompt: {error}.") from error
        trained, context = self._llama.trained_context, self._llama.context
        wanted = min(length + limit, trained)
        if wanted > context and length < trained:
            while context < wanted:
                context *= 2
            del self._llama  # before the next one is loaded, so that only one is in memory
            self._llama = Llama(self._path, self._decoding.threads, min(context, trained))
        return wanted - length

    def _messages(self, prompt: Prompt, item: Item) -> Messages:
        """The conversation in the text protocol; calls and results are text too."""
        if uses_tools(prompt):  # tools also describe in words what they show
            prompt = _without_images(prompt)
        turns = turns_of(prompt)
        if prompt.wants != "text" or any(isinstance(part, Artefact) for turn in turns for part in turn.parts):
            raise PixelProofError(
                f"gguf models read and write text only, so {self.name} cannot answer {item.id}: "
                "choose a model that reads and writes images, or another bench."
            )
        return chat_messages(as_text(prompt))

    def _grammar(self, prompt: Prompt) -> str | None:
        """What holds the reply: the text protocol where there are tools, otherwise what `--decoding` says."""
        arm = self._decoding.decoding
        if uses_tools(prompt):
            return _json_grammar(reply_schema(prompt))
        if arm == "free":
            return None
        if arm == "grammar" and prompt.grammar is not None:
            return f"%llguidance {{}}\n{prompt.grammar}\n"
        if arm == "schema" and prompt.schema is not None:
            return _json_grammar(prompt.schema)
        raise PixelProofError(f"This bench has no {arm} for its replies: leave out --decoding {arm}.")

    def _check(self, grammar: str | None) -> None:
        if grammar is None or grammar in self._accepted:
            return
        if not self._llama.accepts(grammar):
            raise PixelProofError(
                f"llama.cpp does not accept the grammar of this prompt (decoding {self._decoding.decoding}), for "
                "the reason that it printed: correct the bench's grammar, schema or tools, or decode freely."
            )
        self._accepted.add(grammar)


def _without_images(prompt: Prompt) -> Prompt:
    """A prompt with a remark in place of every image."""

    def described(parts: Sequence[str | Artefact]) -> tuple[str | Artefact, ...]:
        return tuple(_UNSEEN if isinstance(part, Artefact) else part for part in parts)

    history = tuple(replace(turn, parts=described(turn.parts)) for turn in prompt.history)
    return replace(prompt, parts=described(prompt.parts), history=history)


def _json_grammar(schema: Mapping[str, Any]) -> str:
    return f"%llguidance {{}}\nstart: %json {json.dumps({**schema, 'x-guidance': COMPACT})}\n"


Chat = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def _interruptibly(chat: Chat, request: Mapping[str, Any]) -> Mapping[str, Any]:
    """Call in a thread, so that Ctrl-C works while llama.cpp generates."""
    outcome: list[Mapping[str, Any] | Exception] = []

    def call() -> None:
        try:
            outcome.append(chat(request))
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.2)
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return outcome[0]


def smollm2_weights() -> Path:
    """The file of the SmolLM2-135M-Instruct weights: an asset, or in an installed package, which is not imported.

    Raises:
        PixelProofError: They are not installed; the message says how to get them.
    """
    return asset_path("smollm2")


def gguf_assets() -> list[str]:
    """Names of the language models in the catalogue of assets.

    >>> gguf_assets()
    ['smollm2', 'qwen2.5-coder-1.5b']
    """
    return [name for name in assets() if find_asset(name).file.endswith(".gguf")]


def _gguf_file(file: str) -> Path:
    path = Path(file).expanduser()
    if not path.exists() and path.name == file and not file.endswith(".gguf"):
        raise unknown_name("language model", file, [*gguf_assets(), "or the path of a GGUF file"])
    try:
        with path.open("rb") as opened:
            if opened.read(4) == b"GGUF":
                return path
    except OSError as error:
        raise PixelProofError(f"The model file {path} cannot be read: {error.strerror}.") from error
    raise PixelProofError(f"{path} is not a GGUF file: give a language model in that format.")


def _answer(reply: Mapping[str, Any], seconds: float) -> Answer:
    choice, tokens = reply["choices"][0], reply["usage"]
    usage = Usage(tokens["prompt_tokens"], tokens["completion_tokens"], cost=0.0, seconds=seconds)
    text = choice["message"].get("content") or ""
    return Answer(text, usage=usage, stop=choice["finish_reason"], logprobs=openai_logprobs(choice))
