"""The files of a model folder that decide how a conversation becomes text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pixelproof.contract import PixelProofError

_MAX_BYTES = 64 << 20
"""Of one file; the largest, `tokenizer.json`, has about 20 MB."""
_TEXT_TOKENS = ("bos_token", "eos_token", "pad_token", "unk_token", "sep_token", "cls_token")
_ENDLESS = 10**15
"""Where transformers knows no maximum length it writes a number above this."""


@dataclass(frozen=True)
class ModelFolder:
    """Template, special tokens and limits of a model."""

    path: Path
    template: str
    source: str
    """File that the template comes from."""
    tokens: Mapping[str, str]
    """Variables that a template may use: `bos_token` → its text, …"""
    image_token: str
    """Token that stands for image features; empty if no file names it."""
    special: frozenset[str]
    """Texts that the tokenizer encodes as one token; empty if unknown."""
    max_length: int | None
    """Tokens of the longest input; None if no file states it."""
    config: Mapping[str, Any]
    """The model's settings, `config.json`."""


def read_folder(path: str | Path) -> ModelFolder:
    """Read a model folder in the format of Hugging Face.

    Raises:
        PixelProofError: It is no folder, a file is damaged, or there is no chat template.
    """
    path = Path(path)
    if not path.is_dir():
        raise PixelProofError(f"{path} is no folder: give the folder of a model, with its tokenizer_config.json.")
    config = _read_json(path / "tokenizer_config.json")
    processor = _read_json(path / "processor_config.json")
    model = _read_json(path / "config.json")
    template, source = _template(path, config, processor)
    added = list(_added_tokens(path, config))
    return ModelFolder(
        path,
        template,
        source,
        {name: text for name in _TEXT_TOKENS if (text := _text(config.get(name)))},
        _image_token(config, processor, model, added),
        frozenset(text for _, text in added),
        _max_length(config, model),
        model,
    )


def _template(path: Path, config: Mapping[str, Any], processor: Mapping[str, Any]) -> tuple[str, str]:
    """The template and its file, in the order in which transformers looks."""
    candidates: list[tuple[str, Any]] = [
        ("chat_template.jinja", _read(path / "chat_template.jinja")),
        ("chat_template.json", _read_json(path / "chat_template.json").get("chat_template")),
        ("processor_config.json", processor.get("chat_template")),
        ("tokenizer_config.json", config.get("chat_template")),
    ]
    for name, value in candidates:
        if isinstance(value, list):  # several templates by name: with tools, transformers takes `tool_use`
            named = {one.get("name"): one.get("template") for one in value if isinstance(one, Mapping)}
            value = named.get("tool_use") or named.get("default")
        if isinstance(value, str) and value:
            return value, name
    raise PixelProofError(
        f"{path} has no chat template (chat_template.jinja, chat_template.json, or 'chat_template' in "
        "tokenizer_config.json or processor_config.json): take the folder of an instruction-tuned model."
    )


def _added_tokens(path: Path, config: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Number and text of the tokens beyond the vocabulary that merges form, such as markers of images."""
    listed = _read_json(path / "tokenizer.json").get("added_tokens")
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, Mapping) and isinstance(entry.get("content"), str):
            yield int(entry.get("id", -1)), entry["content"]
    decoder = config.get("added_tokens_decoder")
    for number, entry in decoder.items() if isinstance(decoder, Mapping) else ():
        if isinstance(entry, Mapping) and isinstance(entry.get("content"), str):
            yield int(number) if str(number).isdecimal() else -1, entry["content"]


def _image_token(
    config: Mapping[str, Any], processor: Mapping[str, Any], model: Mapping[str, Any], added: list[tuple[int, str]]
) -> str:
    extra = config.get("extra_special_tokens")
    named = [config.get("image_token"), extra.get("image_token") if isinstance(extra, Mapping) else None]
    named.append(processor.get("image_token"))
    number = model.get("image_token_id", model.get("image_token_index"))
    named += [text for identity, text in added if number is not None and identity == number]
    return next(filter(None, map(_text, named)), "")


def _max_length(config: Mapping[str, Any], model: Mapping[str, Any]) -> int | None:
    inner = model.get("text_config")
    values = [
        config.get("model_max_length"),
        model.get("max_position_embeddings"),
        inner.get("max_position_embeddings") if isinstance(inner, Mapping) else None,
    ]
    known = [int(value) for value in values if isinstance(value, int | float) and 0 < value < _ENDLESS]
    return min(known, default=None)


def _text(value: object) -> str:
    """The text of a token, which files give as a string or as an object with `content`."""
    value = value.get("content") if isinstance(value, Mapping) else value
    return value if isinstance(value, str) else ""


def _read(path: Path) -> str | None:
    if not path.is_file():
        return None
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise PixelProofError(f"{path} has more than {_MAX_BYTES >> 20} MB: it is no file of a tokenizer.")
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PixelProofError(f"{path} cannot be read ({error}): download it again.") from error


def _read_json(path: Path) -> Mapping[str, Any]:
    """The object in a file; empty if there is no such file."""
    text = _read(path)
    if text is None:
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PixelProofError(f"{path} is no JSON ({error}): download it again.") from error
    if not isinstance(value, dict):
        raise PixelProofError(f"{path} holds no JSON object: download it again.")
    return value
