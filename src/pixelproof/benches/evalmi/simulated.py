"""Judges that are programs, to test the instrument: what floors, ceilings and errors of a judge do to the scores.

`judge` and `exact` know the scenes that generated prompts come from, and recognise their images. They say nothing about
images of models: for those, name a model that reads images. On the command line:
`--judge fn/pixelproof.benches.evalmi.simulated:judge`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pixelproof.benches.evalmi._anchors import ANCHORS, anchor_picture, anchor_source
from pixelproof.benches.evalmi._bench import EvalMi
from pixelproof.benches.evalmi._controls import caption_image, collage_image, collage_scenes, other_scene
from pixelproof.benches.evalmi._facts import Content, Fact, holds, holds_in_collage
from pixelproof.benches.evalmi._prompts import CORRESPONDENCE, PERCEPTION
from pixelproof.benches.evalmi._scenes import Pixels, content_of, render_scene
from pixelproof.benches.judging import LEVELS
from pixelproof.contract import Artefact, Item, PixelProofError, Prompt
from pixelproof.pixels import read_image
from pixelproof.stats import generator
from pixelproof.world.language import View

FLIPPED = 0.1
"""Share of yes/no questions that `judge` answers wrongly."""
SLIPPED = 0.2
"""Share of levels of which `judge` names a neighbour."""
_SAME = 12.0
"""Mean absolute difference in grey levels up to which two images show the same."""
_LEVELS = tuple(LEVELS)


def judge(prompt: Prompt, item_id: str) -> str:
    """Answer as `exact`, with errors of known frequency; the same question has always the same answer."""
    picture = prompt.parts[0]
    assert isinstance(picture, Artefact), "questions begin with the image"
    rng = generator(0, f"evalmi/simulated/{picture.sha256}/{prompt.text}")
    right = exact(prompt, item_id)
    if right in _LEVELS:
        if rng.random() >= SLIPPED:
            return right
        place = _LEVELS.index(right) + (1 if rng.random() < 0.5 else -1)
        return _LEVELS[min(max(place, 1), 3)] if place not in range(5) else _LEVELS[place]
    return right if rng.random() >= FLIPPED else {"yes": "no", "no": "yes"}[right]


def always_excellent(prompt: Prompt) -> str:
    """Say excellent and yes to everything, without a look at the image."""
    return "excellent" if prompt.logprobs else "yes"


def exact(prompt: Prompt, item_id: str) -> str:
    """Answer rightly about the controls of generated prompts; other images are bad and show nothing.

    Raises:
        PixelProofError: The item is not of a generated source.
    """
    picture = prompt.parts[0]
    assert isinstance(picture, Artefact), "questions begin with the image"
    item = _item(item_id)
    contents, distance = _recognise(picture, item_id)
    if prompt.text == PERCEPTION.text:
        return _LEVELS[_quality(distance)]
    facts: tuple[Fact, ...] = item.inputs["facts"]
    if prompt.logprobs:  # how well the text is shown; that of an anchor has facts of its own
        asked = [anchor_source(anchor)[1] for anchor in ANCHORS]
        texts = {CORRESPONDENCE.text.format(prompt=drawn.text): drawn.facts for drawn in asked}
        facts = texts.get(prompt.text, facts)
    if len(contents) == 1:
        truths = {fact.question: holds(fact, contents[0]) for fact in facts}
    else:
        truths = {fact.question: holds_in_collage(fact, contents) for fact in facts}
    if prompt.logprobs:
        return _LEVELS[round(4 * sum(truths.values()) / len(truths))]
    return "yes" if truths[prompt.text.splitlines()[0]] else "no"


def _quality(distance: float) -> int:
    """Place of the level for a mean difference from the sharp image, in grey levels."""
    return 4 - sum(distance > limit for limit in (1.0, 3.0, 6.0, _SAME))


@lru_cache(maxsize=256)
def _recognise(picture: Artefact, item_id: str) -> tuple[tuple[Content, ...], float]:
    """What an image shows, empty if it is not known, several for a collage; and its distance from the sharp image."""
    item, rgb = _item(item_id), read_image(picture)
    anchored = next((anchor for anchor in ANCHORS if anchor_picture(anchor).sha256 == picture.sha256), None)
    scenes = [item.truth, other_scene(item)] if anchored is None else [anchor_source(anchored)[0].scene]
    distances = [_distance(rgb, render_scene(scene)) for scene in scenes]
    nearest = int(np.argmin(distances))
    if anchored is not None or distances[nearest] <= _SAME:
        return (content_of(scenes[nearest]),), distances[nearest]
    if np.array_equal(rgb, caption_image(item)):
        return (Content(View(()), tuple(fact.text for fact in item.inputs["facts"] if fact.text)),), distances[nearest]
    if rgb.std() > 0 and np.array_equal(rgb, collage_image(item)):
        return tuple(content_of(scene) for scene in collage_scenes(item)), 0.0
    return (), distances[nearest]


def _item(item_id: str) -> Item:
    _, source, _, seed, index = (item_id.split("/") + [""] * 5)[:5]
    if not index:
        raise PixelProofError("A simulated judge knows the generated sources only: use --source world or flat.")
    return EvalMi().drawn_item(source, int(seed), int(index))


def _distance(a: Pixels, b: Pixels) -> float:
    """Mean absolute difference in grey levels; 255 for different sizes."""
    if a.shape != b.shape:
        return 255.0
    return float(np.abs(a.astype(np.int16) - b).mean())
