"""The scripted agent as a net."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from pixelproof.benches.agent._chains import play_chain
from pixelproof.benches.agent._reply import with_confidence
from pixelproof.benches.agent.tasks import Chain
from pixelproof.contract import Answer, Artefact, PixelProofError, Prompt
from pixelproof.pixels import read_image

from ._plans import Plan, Scene, plan_for

_SIZE = re.compile(r"of (\d+) × (\d+) pixels")
_FRAMES = re.compile(r"A clip of (\d+) frames")


class ScriptedAgent:
    """Answers the questions of the bench by a fixed program: real tools, no truth, nothing but the prompt.

    It finds things in pictures by colour and outline, reads plates by OCR, and measures by SEG, PROP, TRK and TEMP.
    Where the evidence does not tell, it guesses, with a confidence of 0.
    """

    def answer(self, prompt: Prompt, rng: np.random.Generator) -> Answer:
        """The next call, or the answer.

        Raises:
            PixelProofError: The prompt asks none of the questions that it knows.
        """
        parts = prompt.history[0].parts if prompt.history else prompt.parts
        texts = [part for part in parts if isinstance(part, str)]
        view = next((part for part in parts if isinstance(part, Artefact)), None)
        size = _SIZE.search(texts[0]) if texts else None
        if size is None:
            raise PixelProofError(
                "The scripted agent answers questions of the bench 'agent' alone: choose another model."
            )
        frames = _FRAMES.search(texts[0])
        picture = None if view is None else read_image(view)
        scene = Scene(picture, int(size[1]), int(frames[1]) if frames else 1, rng)
        return play_chain(_worded(plan_for(texts[-1], scene)), prompt)

    def card(self) -> Mapping[str, Any]:
        """Its revision."""
        return {"revision": 1}


def _worded(plan: Plan) -> Chain:
    """A plan whose answer is the text of a reply."""
    guess = yield from plan
    return with_confidence(guess.answer, guess.confidence)
