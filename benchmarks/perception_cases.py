"""Answers whose scene is known, for benchmarks/perception.py: edits carried out by a share, faults, channels."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.world.edits import Edit, apply
from pixelproof.world.language import propose_outcome, view_of
from pixelproof.world.pairs import sample_pair
from pixelproof.world.solid import COLOURS, Scene, Thing, make_scene
from pixelproof.world.solid.render import render

SHARES = (-1.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5)
OPERATIONS = ("receptacle", "swap", "stacking", "multi-step", "placement", "insertion", "removal", "viewpoint")
SUITES = ("accuracy", "shares", "channels", "faults", "operations")
_ALMOST = 1 - 1e-9
_SIZE = 512


@dataclass(frozen=True)
class Case:
    """An answer whose scene is known."""

    name: str
    before: Scene
    picture: np.ndarray
    steps: tuple[Edit, ...]
    asked: Scene
    """The scene after the whole edit."""
    after: Scene
    """The scene that the answer shows."""
    answer: np.ndarray
    culprit: str = ""
    """Thing that another fault concerns."""

    @property
    def named(self) -> list[str]:
        """Ids of the things that the edits are about."""
        return list(
            dict.fromkeys(
                id for step in self.steps for id in (step.target, step.anchor * (step.action == "swap")) if id
            )
        )

    @property
    def visible(self) -> int:
        """Pixels of the answer that show the named thing that is seen least, of those that are in its scene."""
        ids = render(self.after, _SIZE, quality="draft", layers=("ids",), steady=True).ids
        numbers = [number for number, thing in enumerate(self.after.things, 1) if thing.id in self.named]
        return min((int((ids == number).sum()) for number in numbers), default=_SIZE**2)


def beauty(scene: Scene) -> np.ndarray:
    """The picture of a scene."""
    return render(scene, _SIZE, quality="beauty", layers=("rgb",), steady=True).rgb


def encoded(rgb: np.ndarray, size: int = _SIZE, kind: str = "JPEG", quality: int = 90) -> np.ndarray:
    """A picture after a change of size and compression."""
    image, file = Image.fromarray(rgb), io.BytesIO()
    if size != image.width:
        image = image.resize((size, size), Image.Resampling.LANCZOS)
    image.save(file, kind, quality=quality)
    return np.asarray(Image.open(file).convert("RGB"))


def cases(suite: str, kind: str, seed: int, index: int) -> Iterator[Case]:
    """The answers of a suite in one scene."""
    if suite == "operations":
        yield from _operations(kind, seed, index)
        return
    scene, rng = make_scene(kind, seed=seed, index=index), np.random.default_rng([seed, index])
    yield from {"accuracy": _accuracy, "shares": _shares, "channels": _channels, "faults": _faults}[suite](scene, rng)


def _accuracy(scene: Scene, rng: np.random.Generator) -> Iterator[Case]:
    """A move, a turn, a scale, a share of a move, and a copy."""
    picture, view, last = beauty(scene), view_of(scene), None
    for action, share in (("move", 1.0), ("turn", 1.0), ("scale", 1.0), ("move", float(rng.choice(SHARES)))):
        outcome = propose_outcome(scene, view, rng, actions=(action,))
        after = None if outcome is None else apply(scene, outcome.edit, share).after
        if outcome is not None and outcome.after is not None and after is not None:
            last = outcome
            answer = encoded(beauty(after))
            yield Case(f"{action} × {share:g}", scene, picture, (outcome.edit,), outcome.after, after, answer)
    if last is not None and last.after is not None:
        yield Case("copy", scene, picture, (last.edit,), last.after, scene, encoded(picture))


def _move(scene: Scene, rng: np.random.Generator) -> tuple[Edit, Scene] | None:
    outcome = propose_outcome(scene, view_of(scene), rng, actions=("move",))
    return None if outcome is None or outcome.after is None else (outcome.edit, outcome.after)


def _shares(scene: Scene, rng: np.random.Generator) -> Iterator[Case]:
    """One move, carried out by each share."""
    if (move := _move(scene, rng)) is None:
        return
    edit, asked = move
    picture = beauty(scene)
    for share in SHARES:
        after = apply(scene, edit, share).after
        if after is not None:
            yield Case(f"{share:g}", scene, picture, (edit,), asked, after, encoded(beauty(after)))


def _channels(scene: Scene, rng: np.random.Generator) -> Iterator[Case]:
    """One move through other channels, and a copy."""
    if (move := _move(scene, rng)) is None:
        return
    edit, asked = move
    picture = beauty(scene)
    for after, name in ((asked, "move"), (scene, "copy")):
        shown = beauty(after)
        tinted = np.clip(0.9 * shown + 8.0, 0, 255).astype(np.uint8)
        same = scene, picture, (edit,), asked, after
        yield Case(f"{name}, 384 px, WebP 90, gain 0.9, offset 8", *same, encoded(tinted, 384, "WEBP"))
        yield Case(f"{name}, 256 px, JPEG 75", *same, encoded(shown, 256, quality=75))
        lossy = scene, encoded(picture, quality=75), (edit,), asked, after
        yield Case(f"{name}, JPEG 75 before and after", *lossy, encoded(shown, quality=75))


def _faults(scene: Scene, rng: np.random.Generator) -> Iterator[Case]:
    """Answers that do something else than what was asked for."""
    if (move := _move(scene, rng)) is None:
        return
    edit, asked = move
    picture, thing = beauty(scene), scene.thing(edit.target)
    carriers = {other.support for other in scene.things}
    free = [one for one in scene.movable if one.id != edit.target and one.id not in carriers]

    def case(name: str, after: Scene, culprit: str = "") -> Case:
        return Case(name, scene, picture, (edit,), asked, after, encoded(beauty(after)), culprit)

    twins = [one for one in free if one.category == thing.category]
    for twin in twins[:1]:
        moved = apply(scene, replace(edit, target=twin.id), _ALMOST).after
        if moved is not None:
            yield case("wrong instance", moved, twin.id)
    yield case("camera nudged", _nudged(scene))
    for other in free[:1]:
        x, y, z = other.position
        yield case("bystander moved", asked.with_thing(replace(other, position=(x + 0.03, y, z))), other.id)
    if thing.id not in carriers:
        yield case("removed", scene.without(thing.id))
        copy = replace(asked.thing(thing.id), id="copy", support=None)
        yield case("duplicated", replace(scene, things=(*scene.things, copy)))
        if thing.colour:
            yield case("repainted", scene.with_thing(replace(thing, colour=_other_colour(thing))))


def _nudged(scene: Scene) -> Scene:
    after = apply(scene, Edit("move camera", way="left", amount=0.02), _ALMOST).after
    assert after is not None
    return after


def _other_colour(thing: Thing) -> str:
    own = np.array(COLOURS.get(thing.colour, (128, 128, 128)), np.float64)
    return max(COLOURS, key=lambda name: float(np.linalg.norm(np.array(COLOURS[name], np.float64) - own)))


def _operations(kind: str, seed: int, index: int) -> Iterator[Case]:
    """The target of an edit of each operation, as JPEG."""
    for place, operation in enumerate(OPERATIONS):
        try:
            pair = sample_pair(operation, seed, 10 * index + place, kind=kind)
        except PixelProofError:
            continue
        answer = encoded(beauty(pair.after))
        yield Case(operation, pair.before, beauty(pair.before), tuple(pair.steps), pair.after, pair.after, answer)
