"""Questions to a judge with a name and a version: another wording is another version."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.contract import Artefact, Prompt, Question
from pixelproof.pixels import encode_png

LEVELS = {"bad": 0.0, "poor": 0.25, "fair": 0.5, "good": 0.75, "excellent": 1.0}
"""Level words of ITU-R BT.500, and the scores that they stand for."""
LEVELS_ASKED = "Answer with one word: bad, poor, fair, good or excellent."
"""How a level is asked for."""
CANNOT_TELL = "cannot tell"
_CANDIDATES = 20
"""Candidates per token whose log probabilities are asked for."""
_LARGEST = 1024
"""Longest side of the image that a judge gets, in pixels."""


@dataclass(frozen=True)
class JudgePrompt:
    """A text for the judge."""

    name: str
    version: int
    text: str
    levels: bool = False
    """Whether the reply is a level word; otherwise it is yes or no."""

    @property
    def key(self) -> str:
        """Name and version, as stored with the reply."""
        return f"{self.name}-v{self.version}"

    def question(self, *pictures: Artefact, suffix: str = "", **words: str) -> Question:
        """The question about pictures; the suffix distinguishes several of the same name."""
        tokens = _CANDIDATES if self.levels else 0
        prompt = Prompt((*pictures, self.text.format(**words)), max_tokens=20, logprobs=tokens)
        return Question(f"{self.key}{suffix}", prompt)


def judge_image(rgb: npt.NDArray[np.uint8]) -> Artefact:
    """The image as a judge gets it: PNG, scaled down to at most 1024 pixels a side."""
    if max(rgb.shape[:2]) <= _LARGEST:
        return encode_png(rgb)
    image = Image.fromarray(rgb)
    image.thumbnail((_LARGEST, _LARGEST), Image.Resampling.BOX)
    return encode_png(np.asarray(image))
