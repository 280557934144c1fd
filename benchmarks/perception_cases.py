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
SUITES = ("faults", "shares", "accuracy", "channels", "operations")
KINDS = ("tabletop", "room", "shelf")
_CHANNELS = 3
_OPERATIONS_EACH = 2
"""Operations of each scene; all of them come in turn."""
_TWIN_SCENES = 12
"""Scenes that are searched for two things of one category."""
_ALMOST = 1 - 1e-9
_WAYS = ("left", "right", "closer", "away")
_COPY_MOVES = (0.1, 0.15, 0.2, 0.3)
"""Metres of further moves whose end may be the place of a copy."""
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
        side = self.picture.shape[0]
        ids = render(self.after, side, quality="draft", layers=("ids",), steady=True).ids
        numbers = [number for number, thing in enumerate(self.after.things, 1) if thing.id in self.named]
        return min((int((ids == number).sum()) for number in numbers), default=side**2)


def beauty(scene: Scene) -> np.ndarray:
    """The picture of a scene."""
    return render(scene, _SIZE, quality="beauty", layers=("rgb",), steady=True).rgb


def encoded(rgb: np.ndarray, size: int = 0, kind: str = "JPEG", quality: int = 90) -> np.ndarray:
    """A picture after a change of size and compression."""
    image, file = Image.fromarray(rgb), io.BytesIO()
    if size not in (0, image.width):
        image = image.resize((size, size), Image.Resampling.LANCZOS)
    image.save(file, kind, quality=quality)
    return np.asarray(Image.open(file).convert("RGB"))


def cases(suite: str, kind: str, seed: int, index: int) -> Iterator[Case]:
    """The answers of a suite in one scene; every prefix of the scenes has about as many of each kind of answer."""
    turn = index + KINDS.index(kind)
    if suite == "operations":
        yield from _operations(kind, seed, index, turn)
        return
    scene, rng = make_scene(kind, seed=seed, index=index), np.random.default_rng([seed, index])
    if suite == "channels":
        yield from _channels(scene, rng, turn % _CHANNELS)
        return
    yield from {"accuracy": _accuracy, "shares": _shares, "faults": _faults}[suite](scene, rng)
    if suite == "faults":
        yield from _wrong_instance(kind, seed, index, rng)


def _accuracy(scene: Scene, rng: np.random.Generator) -> Iterator[Case]:
    """A turn, a scale, and a copy; moves are in the suite of shares."""
    picture, view, last = beauty(scene), view_of(scene), None
    for action in ("turn", "scale"):
        outcome = propose_outcome(scene, view, rng, actions=(action,))
        if outcome is not None and outcome.after is not None:
            last, after = outcome, outcome.after
            yield Case(action, scene, picture, (outcome.edit,), after, after, encoded(beauty(after)))
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


def _channels(scene: Scene, rng: np.random.Generator, channel: int) -> Iterator[Case]:
    """One move and a copy through another channel."""
    if (move := _move(scene, rng)) is None:
        return
    edit, asked = move
    picture = beauty(scene)
    for after, name in ((asked, "move"), (scene, "copy")):
        shown, same = beauty(after), (scene, picture, (edit,), asked, after)
        if channel == 0:
            tinted = np.clip(0.9 * shown + 8.0, 0, 255).astype(np.uint8)
            yield Case(f"{name}, 384 px, WebP 90, gain 0.9, offset 8", *same, encoded(tinted, 384, "WEBP"))
        elif channel == 1:
            yield Case(f"{name}, 256 px, JPEG 75", *same, encoded(shown, 256, quality=75))
        else:
            lossy = scene, encoded(picture, quality=75), (edit,), asked, after
            yield Case(f"{name}, JPEG 75 before and after", *lossy, encoded(shown, quality=75))


def _faults(scene: Scene, rng: np.random.Generator) -> Iterator[Case]:
    """Answers that do something else than what was asked for; the wrong instance is apart."""
    if (move := _move(scene, rng)) is None:
        return
    edit, asked = move
    picture, thing = beauty(scene), scene.thing(edit.target)
    carriers = {other.support for other in scene.things}
    free = [one for one in scene.movable if one.id != edit.target and one.id not in carriers]

    def case(name: str, after: Scene, culprit: str = "") -> Case:
        return Case(name, scene, picture, (edit,), asked, after, encoded(beauty(after)), culprit)

    yield case("camera nudged", _nudged(scene))
    for other in free[:1]:
        x, y, z = other.position
        yield case("bystander moved", asked.with_thing(replace(other, position=(x + 0.03, y, z))), other.id)
    if thing.id not in carriers:
        yield case("removed", scene.without(thing.id))
        if (twice := _duplicated(scene, edit, rng)) is not None:
            yield case("duplicated", twice)
        if thing.colour:
            yield case("repainted", scene.with_thing(replace(thing, colour=_other_colour(thing))))


def _duplicated(scene: Scene, edit: Edit, rng: np.random.Generator) -> Scene | None:
    """The scene with a second copy of the thing of a move: where it should be, or else at the end of another move.

    A copy that merges with the original, or is hidden by it, looks like another shape or like nothing: at least half of
    its silhouette must be visible, and not cover the original. None if there is no such place.
    """
    thing = scene.thing(edit.target)
    moves = [edit, *(Edit("move", thing.id, way, amount) for amount in _COPY_MOVES for way in rng.permutation(_WAYS))]
    own = _pixels_of(scene, thing.id)
    for move in moves:
        if (after := apply(scene, move, _ALMOST).after) is None:
            continue
        copy = replace(after.thing(thing.id), id="copy", support=None)
        twice = replace(scene, things=(*scene.things, copy))
        alone = _pixels_of(replace(scene, things=(copy,)), "copy")
        if _pixels_of(twice, "copy") >= alone / 2 and _pixels_of(twice, thing.id) >= own / 2:
            return twice
    return None


def _pixels_of(scene: Scene, id: str) -> int:
    """Visible pixels of a thing."""
    ids = render(scene, _SIZE, quality="draft", layers=("ids",), steady=True).ids
    return int((ids == 1 + [thing.id for thing in scene.things].index(id)).sum())


def _wrong_instance(kind: str, seed: int, index: int, rng: np.random.Generator) -> Iterator[Case]:
    """A correct move of another thing of the same category, in the next scene that has two of them."""
    for attempt in range(_TWIN_SCENES):
        scene = make_scene(kind, seed=seed, index=1000 * (index + 1) + attempt)
        carriers = {other.support for other in scene.things}
        free = [one for one in scene.movable if one.id not in carriers]
        pairs = [(one, two) for one in free for two in free if one.id != two.id and one.category == two.category]
        for thing, twin in pairs:
            for way in rng.permutation(_WAYS).tolist():
                edit = Edit("move", thing.id, way, round(float(rng.uniform(0.06, 0.15)), 2))
                asked, moved = (apply(scene, replace(edit, target=one.id), _ALMOST).after for one in (thing, twin))
                if asked is None or moved is None:
                    continue
                answer = encoded(beauty(moved))
                yield Case("wrong instance", scene, beauty(scene), (edit,), asked, moved, answer, twin.id)
                return


def _nudged(scene: Scene) -> Scene:
    after = apply(scene, Edit("move camera", way="left", amount=0.02), _ALMOST).after
    assert after is not None
    return after


def _other_colour(thing: Thing) -> str:
    own = np.array(COLOURS.get(thing.colour, (128, 128, 128)), np.float64)
    return max(COLOURS, key=lambda name: float(np.linalg.norm(np.array(COLOURS[name], np.float64) - own)))


def _operations(kind: str, seed: int, index: int, turn: int) -> Iterator[Case]:
    """The targets of edits of two operations, as JPEG."""
    for place in range(_OPERATIONS_EACH):
        operation = OPERATIONS[(_OPERATIONS_EACH * turn + place) % len(OPERATIONS)]
        try:
            pair = sample_pair(operation, seed, 10 * index + place, kind=kind)
        except PixelProofError:
            continue
        answer = encoded(beauty(pair.after))
        yield Case(operation, pair.before, beauty(pair.before), tuple(pair.steps), pair.after, pair.after, answer)
