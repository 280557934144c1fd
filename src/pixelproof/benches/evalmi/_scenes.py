"""Scenes of the world that prompts are drawn from: solid, flat, and signs with a text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from pixelproof.benches.evalmi._facts import Content
from pixelproof.benches.sources import SolidScenes
from pixelproof.stats import derive_seed, generator
from pixelproof.world.flat import Background, FlatScene, Sprite, draw, make_flat
from pixelproof.world.language import Entity, Sentence, View, captions, item_view, view_of
from pixelproof.world.sets import recipe_class

Pixels = npt.NDArray[np.uint8]

SIDE = 512
_STREAM = "evalmi/world"
_CAPTIONS = 40
"""Captions to choose from, per scene."""
_FORMS = {"solid": ("short", "compositional", "together", "between"), "flat": ("short", "compositional")}
"""World → forms of captions that state only what an image can show."""
_WORDS = (
    "PAPER", "SUGAR", "GRAPES", "DRESS", "SHARE", "SPEED", "HEDGE", "PARK", "PEAS", "READ", "EARS", "HAWK", "SHARK",
    "SHED", "SEEDS", "WEEKS", "PURSE", "SPARE", "GRADE", "SHADE", "DESK", "PEAK", "RADAR", "WEDGE", "SUPER", "GUARD",
    "SUPPER", "SPARK", "DRUG", "WEAR", "HARP", "PASS", "SAUSAGE", "DEER", "GEESE", "ZEE", "SHEEP", "REEDS", "PRESS",
)  # fmt: skip
"""Words in the characters that the fonts of the flat world have."""
_SIGNS = (("yellow", "black"), ("white", "black"), ("beige", "navy"), ("black", "white"), ("navy", "white"))
_GROUNDS = (((208, 214, 222), (190, 198, 210)), ((214, 222, 208), (196, 207, 190)), ((70, 60, 56), (86, 74, 68)))


@dataclass(frozen=True)
class SceneRef:
    """A scene, by the numbers that generate it."""

    content_name: ClassVar[str] = "SceneRef"

    world: str
    """`solid`, `flat` or `sign`."""
    seed: int
    index: int


def _solid() -> SolidScenes:
    return SolidScenes(_STREAM, SIDE)


def _flat(ref: SceneRef) -> FlatScene:
    """Shapes without plates, noise and distractors, which a prompt would have to count."""
    things = int(generator(ref.seed, "evalmi/flat/things", ref.index).integers(5, 9))
    seed = derive_seed(ref.seed, "evalmi/flat")
    return make_flat(seed, ref.index, side=SIDE, things=things, plates=0, pair=False, hop=False, noise=0, distractors=0)


@lru_cache(maxsize=256)
def content_of(ref: SceneRef) -> Content:
    """What the image of a scene shows."""
    if ref.world == "sign":
        text, colour, _ = _sign_look(ref)
        sign = Entity("sign-1", "sign", (0.0, 1.0, 0.0), (0.4, 0.0, 0.2), (0.4, 0.1, 0.2), (0.5, 0.5), colour)
        return Content(View((sign,)), (text,))
    if ref.world == "flat":
        scene = _flat(ref)
        return Content(item_view(recipe_class("flat")("flat", scene.seed), ref.index, scene))
    from pixelproof.world.solid import Scene

    facts = _solid().facts(ref.seed, ref.index)
    solid = Scene.from_json(facts.json)
    shares = dict(zip((thing.id for thing in solid.things), facts.visible, strict=True))
    return Content(view_of(solid, shares))


def captions_of(ref: SceneRef) -> list[Sentence]:
    """True captions of a scene, of one sentence each; of a sign none."""
    if ref.world == "sign":
        return []
    rng = generator(ref.seed, f"evalmi/{ref.world}/captions", ref.index)
    made = captions(content_of(ref).view, rng, _CAPTIONS, _FORMS[ref.world])
    return [caption for caption in made if ref.world != "flat" or "photo" not in caption.text]


@lru_cache(maxsize=48)
def render_scene(ref: SceneRef) -> Pixels:
    """The image of a scene, SIDE × SIDE."""
    if ref.world == "sign":
        rgb: Pixels = np.array(draw(_sign(ref)), np.uint8)
    elif ref.world == "flat":
        rgb = np.array(draw(_flat(ref)), np.uint8)
    else:
        rgb = np.array(_solid().layers(ref.seed, ref.index, ["rgb"])["rgb"], np.uint8)
    rgb.setflags(write=False)  # shared by all who ask
    return rgb


def _sign_look(ref: SceneRef) -> tuple[str, str, str]:
    """Text, colour of the sign, and colour of the letters."""
    rng = generator(ref.seed, f"{_STREAM}/sign", ref.index)
    colour, ink = _SIGNS[int(rng.integers(len(_SIGNS)))]
    return _WORDS[int(rng.integers(len(_WORDS)))], colour, ink


def _sign(ref: SceneRef) -> FlatScene:
    text, colour, ink = _sign_look(ref)
    rng = generator(ref.seed, f"{_STREAM}/sign place", ref.index)
    cell = 8 * int(rng.integers(5, 8))
    x, y = (SIDE / 2 + float(rng.uniform(-20, 20)), SIDE / 2 + float(rng.uniform(-120, 120)))
    plate = Sprite("sign-1", "plate", colour, x, y, cell, text=text, cells=len(text), font="sans", ink=ink)
    first, second = _GROUNDS[int(rng.integers(len(_GROUNDS)))]
    ground = Background("checks", first, second, float(rng.uniform(40, 90)), float(rng.uniform(0, 360)))
    return FlatScene(ref.seed, ref.index, SIDE, SIDE, (plate,), ground)
