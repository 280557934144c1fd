"""The models of this package as Inspect providers: `pp-control`, `pp-folder`, `pp-fn`, `pp-gguf` and so on.

Inspect's provider names are global, hence the prefix. The prompt and the item reach a model through a context variable
that is set around each call, so it receives the same prompt as from the native runner.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import anyio
import anyio.to_thread
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.model import Model as InspectModel
from inspect_ai.tool import ToolChoice, ToolInfo

from pixelproof.contract import Bench, PixelProofError, Prompt
from pixelproof.harness._inspect_messages import output_of, setup_errors
from pixelproof.harness._inspect_session import SESSION
from pixelproof.harness._ledger import reply_limit
from pixelproof.harness._plan import Ask
from pixelproof.models import CHOICES, Model, allow_failures, open_model
from pixelproof.options import Arm, Decoding

KINDS = tuple(choice.prefix for choice in CHOICES if choice.prefix)
"""Prefixes of the model names of this package."""
PREFIX = "pp-"


@dataclass(frozen=True)
class Asking:
    """The prompt that is being answered, and the ask that it belongs to."""

    bench: Bench
    prompt: Prompt
    ask: Ask


ASKING: ContextVar[Asking] = ContextVar("pixelproof_asking")


def inspect_name(name: str) -> str:
    """The name of a model within Inspect.

    >>> inspect_name("gguf/smollm2"), inspect_name("recorded"), inspect_name("openai/gpt-4o")
    ('pp-gguf/smollm2', 'pp-recorded/answers', 'openai/gpt-4o')
    """
    kind, _, rest = name.partition("/")
    return f"{PREFIX}{kind}/{rest or 'answers'}" if kind in KINDS else name


def config_for(model: InspectModel, prompt: Prompt, seed: int) -> GenerateConfig:
    """Generation settings: the sample's seed, and the user's token limit or else the prompt's plus reasoning tokens."""
    return GenerateConfig(
        seed=seed,
        max_tokens=reply_limit(prompt, model.config.max_tokens, thinks=not isinstance(model.api, NativeAPI)),
        modalities=["image"] if prompt.wants == "image" else None,
        logprobs=True if prompt.logprobs else None,
        top_logprobs=prompt.logprobs or None,
    )


class NativeAPI(ModelAPI):
    """A model of this package behind Inspect's interface."""

    kind: str

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - the signature that Inspect prescribes
        arm: Arm = "free",
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        with setup_errors():
            if model_args:
                raise PixelProofError(f"{PREFIX}{self.kind} has no argument {', '.join(model_args)}: leave it out.")
            self._decoding = Decoding(decoding=arm, temperature=config.temperature, max_tokens=config.max_tokens)
        self._opened: dict[Bench, Model] = {}
        self._limiter: anyio.CapacityLimiter | None = None

    def open(self, bench: Bench) -> Model:
        """The model; it may depend on the bench."""
        if bench not in self._opened:
            name = "recorded" if self.kind == "recorded" else f"{self.kind}/{self.model_name}"
            model = open_model(name, bench, self._decoding)
            assert model is not None, "the name starts with a prefix of this package"
            if SESSION.get().reached:
                allow_failures(model, None)
            self._opened[bench] = model
        return self._opened[bench]

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """Answer the current prompt; one at a time for models that compute on this machine."""
        asking = ASKING.get(None)
        if asking is None:
            raise PixelProofError(
                f"{PREFIX}{self.kind} answers only tasks of PixelProof: choose a task named pixelproof/BENCH."
            )
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(1 if self.kind == "gguf" else 8)
        ask, model = asking.ask, self.open(asking.bench)
        answer = await anyio.to_thread.run_sync(
            model.answer, asking.prompt, ask.item, ask.sample, ask.seed, limiter=self._limiter
        )
        return output_of(answer, f"{PREFIX}{self.kind}/{self.model_name}")

    async def count_text_tokens(self, text: str) -> int:
        """A rough count; Inspect's own downloads a vocabulary."""
        return len(text) // 4 + 1

    def max_connections(self) -> int:
        """One for a model that computes on this machine."""
        return 1 if self.kind == "gguf" else super().max_connections()

    async def aclose(self) -> None:
        """Close the models."""
        while self._opened:
            self._opened.popitem()[1].close()


def _register(kind: str) -> None:
    provider = type(f"{kind.title()}API", (NativeAPI,), {"kind": kind, "__doc__": NativeAPI.__doc__})

    def get() -> type[ModelAPI]:
        return provider

    register: Callable[..., Any] = modelapi(name=f"{PREFIX}{kind}")
    register(get)


for _kind in KINDS:
    _register(_kind)
