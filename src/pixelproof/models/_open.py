"""Opening the model of a name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from difflib import get_close_matches
from importlib.metadata import entry_points
from typing import NamedTuple

from pixelproof.contract import Bench, PixelProofError, unknown_name
from pixelproof.options import Decoding, flags_of
from pixelproof.plugins import plugins

from ._base import Model
from ._callable import name_of
from ._chat import ChatModel
from ._control import ControlModel
from ._diffusers import DiffusersModel
from ._folder import FolderModel
from ._function import FunctionModel
from ._gemini import GeminiModel
from ._gguf import GgufModel
from ._images import ImagesModel
from ._nets import NetsModel
from ._recorded import RecordedModel
from ._transformers import TransformersModel


class Choice(NamedTuple):
    """A kind of model, as `pixelproof run` lists it when no model is given."""

    prefix: str
    example: str
    about: str


CHOICES = (
    Choice("control", "control/floor-blank", "a floor, ceiling or diagnostic control of the bench"),
    Choice("gguf", "gguf/smollm2", "a local language model: smollm2, qwen2.5-coder-1.5b, or the path of any GGUF file"),
    Choice("images", "images/gpt-image-1.5?size=1024x1024", "an OpenAI-compatible images endpoint"),
    Choice("gemini", "gemini/gemini-2.5-flash-image", "a Gemini model: text, images, tools"),
    Choice("chat", "chat/MODEL?service=openrouter", "an OpenAI-compatible chat endpoint: text, images, tools"),
    Choice("diffusers", "diffusers/DIR?steps=30", "a local diffusers pipeline (needs the extra 'diffusers')"),
    Choice(
        "transformers", "transformers/DIR", "a local model of Hugging Face: text, or images and text (extra 'train')"
    ),
    Choice("nets", "nets/kmeans", "a small specialist model on the CPU (nets/ssd-sam2 needs the extra 'nets')"),
    Choice("folder", "folder/answers", "answers in files, one per item, or listed in a manifest.csv"),
    Choice("fn", "fn/my_module:my_function", "a Python function that takes the prompt and returns the answer"),
    Choice("recorded", "recorded", "the answers that the data set contains"),
    Choice("", "openai/gpt-4o-mini", "any other name: a model of Inspect AI (needs the extra 'inspect')"),
)
"""Values of `--model`; the empty prefix stands for every other name."""

_PROVIDERS = {
    "gpt-image": "images", "dall-e": "images", "gpt": "openai", "chatgpt": "openai", "o1": "openai", "o3": "openai",
    "claude": "anthropic", "gemini": "gemini", "grok": "grok", "mistral": "mistral", "smollm": "gguf", "qwen": "gguf",
}  # fmt: skip
"""Beginning of a model's name → the kind that it may be meant as; the first that fits."""
_ALL = {option.name: option for option in flags_of(Decoding)}
_SUPPORTED = {
    "gguf": {*_ALL},
    "gemini": {"temperature", "max_tokens"},
    "chat": {"temperature", "max_tokens"},
    "transformers": {"temperature", "max_tokens", "threads"},
}
"""Decoding settings that each kind of model supports; the other kinds support none."""


def open_model(model: str | Callable[..., object], bench: Bench, decoding: Decoding | None = None) -> Model | None:
    """Open the model of a name, or a Python callable as a model; None if the name belongs to Inspect AI.

    Raises:
        PixelProofError: The name is one of ours, or nearly, but nothing can be opened under it.
    """
    name, decoding = name_of(model), decoding or Decoding()
    if not isinstance(model, str):
        _check_decoding(name, decoding, set())
        return FunctionModel(name, model)
    prefix, _, rest = name.partition("/")
    makers: dict[str, Callable[[], Model]] = {
        "control": lambda: ControlModel(name, rest, bench),
        "gguf": lambda: GgufModel(name, rest, decoding),
        "images": lambda: ImagesModel(name, rest),
        "gemini": lambda: GeminiModel(name, rest, decoding),
        "chat": lambda: ChatModel(name, rest, decoding),
        "diffusers": lambda: DiffusersModel(name, rest),
        "transformers": lambda: TransformersModel(name, rest, decoding),
        "nets": lambda: NetsModel(name, rest),
        "folder": lambda: FolderModel(name, rest, bench),
        "fn": lambda: FunctionModel(name, rest),
        "recorded": lambda: RecordedModel(name, bench),
    }
    if prefix not in makers:
        if not rest:
            raise _without_kind(name, bench)
        _check_spelling(prefix)
        return None
    example = next(choice.example for choice in CHOICES if choice.prefix == prefix)
    if bool(rest) != ("/" in example):
        raise PixelProofError(f"{name!r} is not a model's name: write it like {example}.")
    _check_decoding(name, decoding, _SUPPORTED.get(prefix, set()))
    return makers[prefix]()


def _without_kind(name: str, bench: Bench) -> PixelProofError:
    """The error for a name such as `gpt-4o`, which lacks its kind."""
    begins = (kind for beginning, kind in _PROVIDERS.items() if name.lower().startswith(beginning))
    kinds = {"control": bench.controls(), "nets": plugins("pixelproof.nets")}
    kind = next((kind for kind, known in kinds.items() if name in known), "") or next(begins, "")
    hint = f"did you mean {f'{kind}/{name}'!r}?" if kind else "write KIND/NAME, such as openai/gpt-4o-mini."
    return PixelProofError(f"There is no model {name!r}; {hint} 'pixelproof list' shows the kinds of models.")


def _check_spelling(prefix: str) -> None:
    """Refuse a misspelt kind of ours, such as `ggfu`, unless Inspect AI may have a provider of that name.

    Of its own providers only `transformer_lens` has a name that is so close; ours have no underscore. Others are
    registered by plug-ins, or by a program that has imported Inspect AI.
    """
    kinds = [choice.prefix for choice in CHOICES if choice.prefix]
    plugins = [point.value for point in entry_points(group="inspect_ai") if not point.value.startswith("pixelproof.")]
    if "_" in prefix or plugins or "inspect_ai" in sys.modules:
        return
    if get_close_matches(prefix.lower(), kinds, 1, cutoff=0.75):
        raise unknown_name("kind of model", prefix, kinds)


def _check_decoding(name: str, decoding: Decoding, supported: set[str]) -> None:
    """Refuse settings that would have no effect."""
    changed = {name for name, option in _ALL.items() if getattr(decoding, name) != option.default}
    if changed and not supported:
        raise PixelProofError(f"{name} does not generate token by token: leave out the decoding settings.")
    if changed - supported:
        refused = ", ".join(sorted(_ALL[name].spelling for name in changed - supported))
        raise PixelProofError(f"{name} is decoded by its service: leave out {refused}.")
