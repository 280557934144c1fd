"""Prompts drawn from scenes of the world, so that every fact in them and a true image of them are known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from pixelproof.benches.evalmi._facts import Fact, text_fact
from pixelproof.benches.evalmi._scenes import SceneRef, captions_of, content_of
from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world.language import Claim, Entity, claims, statements

_FLAT = ("single_class", "two_class", "counting", "colors", "position", "ocr", "complex")
TASKS = {"world": (*_FLAT, "texture"), "flat": _FLAT}
"""Source → tasks of its prompts, by the names of EvalMi-50K; about as many of each."""
_WORLDS = {"world": "solid", "flat": "flat"}
_SMALLEST = 0.05
"""Size in the image, as a share of its side, of things that prompts may name."""
_ATTEMPTS = 12
"""Scenes that are tried for a prompt of the wanted task."""


@dataclass(frozen=True)
class DrawnPrompt:
    """A prompt with its facts, and the scene that is a true image of it."""

    text: str
    task: str
    facts: tuple[Fact, ...]
    scene: SceneRef


@lru_cache(maxsize=512)
def drawn_prompt(source: str, seed: int, index: int) -> DrawnPrompt:
    """The prompt at a place of a generated source; of another task if no scene has a caption of the wanted one.

    Raises:
        PixelProofError: No scene has a caption.
    """
    tasks = TASKS[source]
    block, place = divmod(index, len(tasks))
    task = tasks[int(generator(seed, f"evalmi/{source}/tasks", block).permutation(len(tasks))[place])]
    if task == "ocr":
        return _sign_prompt(SceneRef("sign", seed, index))
    rng = generator(seed, f"evalmi/{source}/prompt", index)
    fallback: DrawnPrompt | None = None
    for attempt in range(_ATTEMPTS):
        scene = SceneRef(_WORLDS[source], seed, _ATTEMPTS * index + attempt)
        captions = _captions_with_claims(scene)
        for wanted in (task, *(() if fallback else tasks)):
            fitting = [(text, claimed) for text, claimed in captions if task_of(claimed) == wanted]
            if not fitting:
                continue
            text, claimed = fitting[int(rng.integers(len(fitting)))]
            prompt = DrawnPrompt(text, wanted, _facts_of(claimed), scene)
            if wanted == task:
                return prompt
            fallback = fallback or prompt
    if fallback is None:
        raise PixelProofError(f"No scene of {source} has a caption at item {index}: use another --seed.")
    return fallback


def _captions_with_claims(scene: SceneRef) -> list[tuple[str, tuple[Claim, ...]]]:
    """Captions of a scene with what they claim; none about things that are too small in the image to be recognised."""
    entities = content_of(scene).view.entities
    nouns = {entity.noun for entity in entities}
    small = {entity.noun for entity in entities if not entity.fixed and _image_size(entity) < _SMALLEST}
    captions = [(caption.text, claims(caption, nouns)) for caption in captions_of(scene)]
    return [(text, claimed) for text, claimed in captions if not small & _nouns(claimed)]


def _nouns(claimed: tuple[Claim, ...]) -> set[str]:
    return {thing.noun for claim in claimed for thing in (claim, *claim.others)}


def _image_size(entity: Entity) -> float:
    """Geometric mean of width and height of an entity's bounding box, as a share of the image side."""
    left, right, up, down = entity.reach
    return math.sqrt((left + right) * (up + down))


def _facts_of(claimed: tuple[Claim, ...]) -> tuple[Fact, ...]:
    return tuple(Fact(statement.kind, statement.question, statement.claim) for statement in statements(claimed))


def _sign_prompt(scene: SceneRef) -> DrawnPrompt:
    content = content_of(scene)
    (sign,), (text,) = content.view.entities, content.texts
    facts = (text_fact(text), *_facts_of((Claim(sign.noun, colour=sign.colour),)))
    return DrawnPrompt(f'A photo of a {sign.colour} sign with the text "{text}".', "ocr", facts, scene)


def task_of(claimed: tuple[Claim, ...]) -> str:
    """The task of a caption by what it claims, as EvalMi-50K divides its prompts; empty: of none.

    >>> task_of((Claim("mug"),)), task_of((Claim("mug", 2),))
    ('single_class', 'counting')
    >>> task_of((Claim("mug", relation="on", others=(Claim("box"),)),))
    'position'
    """
    things = [thing for claim in claimed for thing in (claim, *claim.others)]
    coloured, made = any(thing.colour for thing in things), any(thing.material for thing in things)
    if any(claim.relation for claim in claimed):
        if any(claim.relation == "empty" for claim in claimed):
            return ""
        return "complex" if len(claimed) > 1 else "position"
    if any(thing.count > 1 for thing in things):
        return "counting" if not (coloured or made) and len(things) <= 2 else "complex"
    if len(things) > 2:
        return "complex" if coloured else ""
    if made:
        return "" if coloured else "texture"
    if coloured:
        return "colors"
    return ("single_class", "two_class")[len(things) - 1]
