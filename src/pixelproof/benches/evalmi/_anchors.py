"""Anchors: fixed images with prompts, on which every judged run asks its judge too.

A judge behind an API may change under the same name. If its scores of the anchors have moved between two runs, or since
floors and ceilings were measured, scores of the two are not comparable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pixelproof.benches.evalmi._drawn import DrawnPrompt, drawn_prompt
from pixelproof.benches.evalmi._prompts import CORRESPONDENCE, PERCEPTION
from pixelproof.benches.evalmi._scenes import Pixels, render_scene
from pixelproof.benches.judging import judge_image, read_level
from pixelproof.contract import Answer, Artefact, Question
from pixelproof.pixels import blur
from pixelproof.stats import generator

_SEED = 2504
_PREFIX = "anchor-"
_READ = {"anchor.perception": PERCEPTION, "anchor.correspondence": CORRESPONDENCE}


@dataclass(frozen=True)
class Anchor:
    """An image of known quality, and the prompt that it is shown with."""

    name: str
    shown: int
    """Place of the scene that is shown."""
    asked: int
    """Place of the prompt; another one than `shown`: the image is of another prompt."""
    blur: float = 0.0
    """Standard deviation in pixels."""
    noise: float = 0.0
    """Standard deviation in grey levels."""


ANCHORS = (
    Anchor("faithful", 0, 0),
    Anchor("blurred", 1, 1, blur=6.0),
    Anchor("other prompt", 2, 3),
    Anchor("noisy", 3, 3, noise=60.0),
    Anchor("faithful, with text", 5, 5),
    Anchor("slightly blurred", 4, 4, blur=1.5),
    Anchor("other prompt, blurred", 1, 0, blur=6.0),
    Anchor("slightly noisy", 2, 2, noise=15.0),
)
"""In the order in which the first items of a run ask for them."""


def anchor_source(anchor: Anchor) -> tuple[DrawnPrompt, DrawnPrompt]:
    """The prompt whose scene is shown, and the prompt that is asked for."""
    return drawn_prompt("flat", _SEED, anchor.shown), drawn_prompt("flat", _SEED, anchor.asked)


def _degraded(anchor: Anchor) -> Pixels:
    rgb = render_scene(anchor_source(anchor)[0].scene)
    if anchor.blur:
        rgb = blur(rgb, anchor.blur)
    if anchor.noise:
        noise = generator(_SEED, "evalmi/anchor noise", anchor.shown).normal(0, anchor.noise, rgb.shape)
        rgb = np.clip(np.rint(rgb + noise), 0, 255).astype(np.uint8)
    return rgb


@lru_cache(maxsize=len(ANCHORS))
def anchor_picture(anchor: Anchor) -> Artefact:
    """The image of an anchor as a judge gets it."""
    return judge_image(_degraded(anchor))


def anchor_questions(place: int) -> list[Question]:
    """The questions about the anchor that the item at a place of the run asks for; none beyond the anchors."""
    if place >= len(ANCHORS):
        return []
    anchor = ANCHORS[place]
    asked = anchor_source(anchor)[1].text
    picture = anchor_picture(anchor)
    questions = [PERCEPTION.question(picture), CORRESPONDENCE.question(picture, prompt=asked)]
    return [Question(f"{_PREFIX}{question.name}", question.prompt) for question in questions]


def read_anchors(judgements: Mapping[str, Answer]) -> dict[str, float]:
    """The judge's scores of an anchor."""
    scores = {
        metric: read_level(judgements[f"{_PREFIX}{prompt.key}"])
        for metric, prompt in _READ.items()
        if f"{_PREFIX}{prompt.key}" in judgements
    }
    return {metric: score for metric, score in scores.items() if isinstance(score, float)}
