"""Prompts drawn from scenes of the world, so that every fact in them and a true image of them are known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pixelproof.benches.evalmi._facts import Content, Fact, text_fact
from pixelproof.benches.evalmi._scenes import SceneRef, captions_of, content_of
from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world.language import Claim, claims, statements

_FLAT = ("single_class", "two_class", "counting", "colors", "position", "ocr", "complex")
TASKS = {"world": (*_FLAT, "texture"), "flat": _FLAT}
"""Source → tasks of its prompts, by the names of EvalMi-50K; about as many of each."""
_WORLDS = {"world": "solid", "flat": "flat"}
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
    other: DrawnPrompt | None = None
    for attempt in range(_ATTEMPTS):
        scene = SceneRef(_WORLDS[source], seed, _ATTEMPTS * index + attempt)
        said = _said(scene, content_of(scene))
        for wanted in (task, *(() if other else tasks)):
            fitting = [(text, claimed) for text, claimed in said if task_of(claimed) == wanted]
            if not fitting:
                continue
            text, claimed = fitting[int(rng.integers(len(fitting)))]
            facts = tuple(Fact(one.kind, one.question, one.claim) for one in statements(claimed))
            prompt = DrawnPrompt(text, wanted, facts, scene)
            if wanted == task:
                return prompt
            other = other or prompt
    if other is None:
        raise PixelProofError(f"No scene of {source} has a caption at item {index}: use another --seed.")
    return other


def _said(scene: SceneRef, content: Content) -> list[tuple[str, tuple[Claim, ...]]]:
    nouns = {entity.noun for entity in content.view.entities}
    return [(caption.text, claims(caption, nouns)) for caption in captions_of(scene)]


def _sign_prompt(scene: SceneRef) -> DrawnPrompt:
    content = content_of(scene)
    (sign,), (text,) = content.view.entities, content.texts
    made = statements((Claim(sign.noun, colour=sign.colour),))
    facts = (text_fact(text), *(Fact(one.kind, one.question, one.claim) for one in made))
    return DrawnPrompt(f'A photo of a {sign.colour} sign with the text "{text}".', "ocr", facts, scene)


def task_of(said: tuple[Claim, ...]) -> str:
    """The task of a caption by what it claims, as EvalMi-50K divides its prompts; empty: of none.

    >>> task_of((Claim("mug"),)), task_of((Claim("mug", 2),))
    ('single_class', 'counting')
    >>> task_of((Claim("mug", relation="on", others=(Claim("box"),)),))
    'position'
    """
    things = [thing for claim in said for thing in (claim, *claim.others)]
    coloured, made = any(thing.colour for thing in things), any(thing.material for thing in things)
    if any(claim.relation for claim in said):
        if any(claim.relation == "empty" for claim in said):
            return ""
        return "complex" if len(said) > 1 else "position"
    if any(thing.count > 1 for thing in things):
        return "counting" if not (coloured or made) and len(things) <= 2 else "complex"
    if len(things) > 2:
        return "complex" if coloured else ""
    if made:
        return "" if coloured else "texture"
    if coloured:
        return "colors"
    return ("single_class", "two_class")[len(things) - 1]
