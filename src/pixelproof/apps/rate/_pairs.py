"""Pairs of images of the same prompt by different models."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator

from ._study import StudyImage, StudyItem

RESERVED = ("left", "right", "tie", "both", "neither")
"""What a model cannot be called: a table of pairwise votes would be ambiguous."""


def make_pairs(images: Iterable[StudyImage], per_prompt: int | None, seed: int) -> list[StudyItem]:
    """All pairs of images with the same prompt and different models, or some of them.

    Args:
        images: The images.
        per_prompt: Number of pairs of each prompt, drawn from the seed; None: all.
        seed: Seed.

    Raises:
        PixelProofError: An image has no model, a model has a reserved name, or no prompt has two images.
    """
    groups: dict[str, list[StudyImage]] = {}
    for image in images:
        if not image.model:
            raise PixelProofError(
                f"Pairs compare models, and {image.id!r} has none: add a column model, or put the images of each "
                "model into a folder with its name."
            )
        if image.model.lower() in RESERVED:
            raise PixelProofError(f"A model cannot be called {image.model!r} in a study of pairs: rename it.")
        groups.setdefault(image.group, []).append(image)
    chosen = []
    for index, group in enumerate(groups.values()):
        pairs = [StudyItem((a, b)) for a, b in combinations(group, 2) if a.model != b.model]
        if per_prompt is not None and len(pairs) > per_prompt:
            drawn = generator(seed, "rate pairs", index).permutation(len(pairs))[:per_prompt]
            pairs = [pairs[k] for k in sorted(drawn.tolist())]
        chosen += pairs
    if not chosen:
        raise PixelProofError(
            "No prompt has images of two models, so there is nothing to compare. Pairs have the same prompt_id or "
            "prompt in the table, or, without a table, the same file name in the folders of two models."
        )
    return chosen
