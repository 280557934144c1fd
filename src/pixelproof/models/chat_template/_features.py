"""Image tokens against image features, and cuts by the tokenizer: measured with the model's own processor."""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from pixelproof.tools.doctor import Finding, Status

from ._probes import TOOL, episode, images_in
from ._rendering import Refused
from ._text_checks import STEPS, Subject

SIZES = ((448, 448), (640, 360), (200, 700))
"""Width and height of the images that are tried."""
_TRUNCATED = "truncation-tokens"
_STRATEGY = "vision_feature_select_strategy"
"""Setting that says whether the class token of a vision transformer is left out."""


@dataclass(frozen=True)
class Loaded:
    """A folder as transformers loads it."""

    processor: Any | None = None
    """The processor; a tokenizer where there is no usable one; None if neither can be loaded."""
    version: str = ""
    """Of transformers."""
    reason: str = ""
    """Why there is no processor."""


def load_processor(path: Path) -> Loaded:
    """Load a folder's processor, or its tokenizer. Nothing is downloaded, and no code of the folder is executed."""
    try:
        transformers = importlib.import_module("transformers")
    except ImportError:
        return Loaded(reason="transformers is not installed")
    version, reason = str(transformers.__version__), ""
    for kind in ("AutoProcessor", "AutoTokenizer"):
        try:
            loader = getattr(transformers, kind)
            loaded = loader.from_pretrained(str(path), local_files_only=True, trust_remote_code=False)
        except Exception as error:  # a class, a file or a library that is missing
            reason = reason or f"transformers cannot load the processor: {_one_line(error)[:160]}"
            continue
        if hasattr(loaded, "apply_chat_template") and getattr(loaded, "chat_template", None):
            return Loaded(loaded, version, reason)
    return Loaded(None, version, reason or "transformers finds no chat template in the folder")


def check_features(subject: Subject, loaded: Loaded) -> list[Finding]:
    """Image tokens against features of the same conversation, before and after a cut; unknown without a processor."""
    processor = loaded.processor
    if processor is None or not hasattr(processor, "image_processor"):
        why = loaded.reason or "the folder has no image processor"
        message = f"Image tokens could not be counted against features: {why}."
        return [Finding("features", Status.UNKNOWN, message, "Run this where transformers loads the model.")]
    messages = episode(len(SIZES) - 1, with_system=subject.with_system)
    try:
        rendered = subject.render(messages, [TOOL])
    except Refused as refused:
        return [Finding("features", Status.UNKNOWN, f"The template refuses an episode: {refused}.")]
    images = [Image.fromarray(_noise(size)) for size in SIZES]
    try:
        encoded = processor(text=[rendered], images=images, return_tensors="np")
    except Exception as error:
        return [
            Finding(
                "features",
                Status.PROBLEM,
                f"The processor refuses an episode with {len(images)} images "
                f"({images_in(messages)} in the messages): {_one_line(error)[:200]}.",
                "Image tokens in the text and images must be equal in number: see 'tool-images'.",
            )
        ]
    tokens, features = _tokens(encoded, processor), _features(encoded, processor, subject.folder.config)
    if tokens is None:
        return [Finding("features", Status.UNKNOWN, "The processor names no image token to count.")]
    if features is None:
        return [
            Finding(
                "features",
                Status.UNKNOWN,
                f"{tokens} image tokens; the number of features of this kind of processor is not known here.",
            )
        ]
    if tokens != features:
        return [
            Finding(
                "features",
                Status.PROBLEM,
                f"{len(images)} images have {tokens} image tokens but {features} "
                "features: the model stops with 'image features and image tokens do not match'.",
                "Take template, tokenizer and image processor from the same model and version.",
            )
        ]
    equal = Finding(
        "features",
        Status.OK,
        f"{len(images)} images of sizes {_sizes()} have {tokens} image tokens, and as many features.",
    )
    return [
        equal,
        _check_cut(processor, rendered, images, encoded, subject.folder.config),
        _check_length(subject, encoded, tokens),
    ]


def _check_cut(
    processor: Any,
    rendered: str,
    images: Sequence[Image.Image],
    whole: Mapping[str, Any],
    config: Mapping[str, Any],
) -> Finding:
    """What happens if the tokenizer cuts the conversation to half its length."""
    half = len(whole["input_ids"][0]) // 2
    try:
        cut = processor(text=[rendered], images=list(images), truncation=True, max_length=half, return_tensors="np")
    except Exception as error:
        return Finding(
            _TRUNCATED,
            Status.OK,
            f"The processor refuses to cut tokens of a conversation with images ({_one_line(error)[:120]}).",
        )
    tokens, features = _tokens(cut, processor), _features(cut, processor, config)
    if len(cut["input_ids"][0]) > half or tokens == features:
        return Finding(_TRUNCATED, Status.OK, "A maximum length does not cut image tokens.")
    return Finding(
        _TRUNCATED,
        Status.PROBLEM,
        f"With truncation=True the tokenizer cuts within images: {tokens} image tokens are "
        f"left for {features} features, without an error.",
        "Never pass truncation=True or a maximum prompt length with images; drop whole steps instead.",
    )


def _check_length(subject: Subject, encoded: Mapping[str, Any], tokens: int) -> Finding:
    """Whether an episode of the longest kind fits into the model's input."""
    text_tokens = len(encoded["input_ids"][0]) - tokens
    per_image = math.ceil(tokens / len(SIZES))
    expected = math.ceil(text_tokens * STEPS / (len(SIZES) - 1)) + (STEPS + 1) * per_image
    limit = subject.folder.max_length
    if limit is None:
        return Finding(
            "length",
            Status.UNKNOWN,
            f"An episode of {STEPS} steps needs about {expected:,} tokens; no file states how many the model accepts.",
        )
    if expected > limit:
        return Finding(
            "length",
            Status.WARNING,
            f"An episode of {STEPS} steps with images of about {SIZES[0][0]} pixels "
            f"needs about {expected:,} tokens; the model accepts {limit:,}.",
            "Return smaller images, or allow fewer steps.",
        )
    return Finding("length", Status.OK, f"An episode of {STEPS} steps needs about {expected:,} of {limit:,} tokens.")


def _tokens(encoded: Mapping[str, Any], processor: Any) -> int | None:
    """Number of image tokens among the encoded ones."""
    number = getattr(processor, "image_token_id", None)
    if number is None:
        token = getattr(processor, "image_token", None)
        number = None if token is None else processor.tokenizer.convert_tokens_to_ids(token)
    return None if number is None else int((np.asarray(encoded["input_ids"]) == number).sum())


def _features(encoded: Mapping[str, Any], processor: Any, config: Mapping[str, Any]) -> int | None:
    """Number of feature vectors that the vision part of a model makes of the images; None if that is unknown.

    The settings are those of the model (`config.json`) where it states them: the processor's own may be others.
    """
    vision = config.get("vision_config")
    vision = vision if isinstance(vision, Mapping) else {}
    grid = encoded.get("image_grid_thw")
    if grid is not None:
        merge = int(vision.get("spatial_merge_size", getattr(processor.image_processor, "merge_size", 1)))
        return int(sum(np.prod(row) // merge**2 for row in np.asarray(grid)))
    pixels, patch = encoded.get("pixel_values"), vision.get("patch_size", getattr(processor, "patch_size", None))
    if pixels is None or patch is None or np.asarray(pixels).ndim != 4:
        return None
    count, _, height, width = np.asarray(pixels).shape
    strategy = config.get(_STRATEGY, getattr(processor, _STRATEGY, ""))
    extra = int(getattr(processor, "num_additional_image_tokens", 0) or 0) - (strategy == "default")
    return int(count * ((height // patch) * (width // patch) + extra))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _noise(size: tuple[int, int]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.random.default_rng(0).integers(0, 256, (size[1], size[0], 3)).astype(np.uint8)


def _sizes() -> str:
    return ", ".join(f"{width}×{height}" for width, height in SIZES)
