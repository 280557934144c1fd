"""Images that explain a score: outlines of the edited things, arrows with lengths, and what else has changed."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from pixelproof.benches.spatial.pictures import Mask, PictureScore, named_things
from pixelproof.benches.spatial.rendering import SceneRenderer
from pixelproof.benches.spatial.scores import turn_error
from pixelproof.contract import Artefact
from pixelproof.pixels import thumbnail
from pixelproof.world.edits import pivot
from pixelproof.world.pairs import Pair
from pixelproof.world.solid import Scene, Thing, rotation_matrix

Pixels = npt.NDArray[np.uint8]
Colour = tuple[int, int, int]
ASKED: Colour = (30, 170, 70)
"""Outlines and arrows of what is asked for."""
DONE: Colour = (240, 110, 20)
"""Of what the answer shows."""
_CHANGED: Colour = (220, 30, 40)


def given_images(pair: Pair, renderer: SceneRenderer) -> dict[str, Artefact]:
    """The photograph, and the target with an arrow from where a thing was to where it should be."""
    before = renderer.render(pair.before, keep=True)
    if not pair.possible:
        return {"before": thumbnail(before.rgb)}
    after = renderer.render(pair.after, keep=True)
    image = Image.fromarray(after.rgb)
    _draw(image, pair, pair.after, after.ids, ASKED)
    return {"before": thumbnail(before.rgb), "target": thumbnail(np.asarray(image))}


def answer_images(
    pair: Pair, picture: Pixels, perceived: Scene, score: PictureScore, renderer: SceneRenderer
) -> dict[str, Artefact]:
    """The answer with outlines of what is asked for and of what was done, and the pixels that changed besides."""
    image = Image.fromarray(picture).resize((renderer.size, renderer.size), Image.Resampling.BILINEAR)
    named = named_things(pair.before, pair.after)
    if pair.after.camera == pair.before.camera == perceived.camera:
        after = renderer.render(pair.after, keep=True)
        _outline(image, _silhouette(pair.after, after.ids, named), ASKED)
        _draw(image, pair, perceived, renderer.render(perceived).ids, DONE)
    return {"read": thumbnail(np.asarray(image)), "changed besides": thumbnail(_marked(picture, score.different))}


def describe_changes(pair: Pair, scene: Scene) -> str:
    """How the named things of a pair, and the camera, differ in a scene from the scene before, in words."""
    words = [f"{_name(id, pair)}: {text}" for id, text in _changes(pair, scene)]
    camera = _camera_words(pair.before, scene)
    return "; ".join([*words, *([f"camera: {camera}"] if camera else [])]) or "nothing changed"


def _name(id: str, pair: Pair) -> str:
    scenes = (pair.before, pair.after)
    thing = next((one for scene in scenes for one in scene.things if one.id == id), None)
    return " ".join(filter(None, (thing.colour, thing.category))) if thing else id


def _targets(pair: Pair) -> list[str]:
    """Ids of the things that the instruction changes, in its order."""
    named = named_things(pair.before, pair.after)
    ids = [id for edit in pair.steps for id in (edit.target, edit.anchor if edit.action == "swap" else "")]
    return [id for id in dict.fromkeys(ids) if id in named]


def _changes(pair: Pair, scene: Scene) -> Iterable[tuple[str, str]]:
    old, new = ({thing.id: thing for thing in one.things} for one in (pair.before, scene))
    for id in _targets(pair):
        yield id, _change_words(old.get(id), new.get(id))


def _change_words(start: Thing | None, end: Thing | None) -> str:
    if start is None or end is None:
        return "new" if end else "gone" if start else "missing"
    shift = float(np.linalg.norm(pivot(end) - pivot(start)))
    turn = turn_error(rotation_matrix(start.rotation), rotation_matrix(end.rotation), start.symmetry)
    words = [f"{100 * shift:.1f} cm"] if shift > 5e-4 else []
    words += [f"{turn:.0f}°"] if turn > 0.5 else []
    words += [f"scale {end.scale / start.scale:.2f}"] if abs(math.log(end.scale / start.scale)) > 0.005 else []
    return ", ".join(words) or "as it was"


def _camera_words(before: Scene, scene: Scene) -> str:
    one, other = before.camera, scene.camera
    shift = float(np.linalg.norm(np.subtract(other.position, one.position)))
    turn = turn_error(rotation_matrix(one.rotation), rotation_matrix(other.rotation), "C1")
    words = [f"{100 * shift:.1f} cm"] if shift > 5e-4 else []
    words += [f"{turn:.1f}°"] if turn > 0.05 else []
    words += [f"zoom {other.focal / one.focal:.2f}"] if abs(math.log(other.focal / one.focal)) > 0.005 else []
    return ", ".join(words)


def _silhouette(scene: Scene, ids: npt.NDArray[np.uint16], named: Iterable[str]) -> Mask:
    wanted = set(named)
    return np.isin(ids, [number for number, thing in enumerate(scene.things, 1) if thing.id in wanted])


def _draw(image: Image.Image, pair: Pair, scene: Scene, ids: npt.NDArray[np.uint16], colour: Colour) -> None:
    """Outline the named things of a scene, with an arrow from the place before and the size of the change."""
    if scene.camera != pair.before.camera:
        _write(image, (8, 8), f"camera {_camera_words(pair.before, scene)}", colour)
        return
    _outline(image, _silhouette(scene, ids, _targets(pair)), colour)
    old, new = ({thing.id: thing for thing in one.things} for one in (pair.before, scene))
    for id, words in _changes(pair, scene):
        ends = [_pixel(scene, thing, image.width) for thing in (old.get(id), new.get(id)) if thing is not None]
        if len(ends) == 2 and math.dist(*ends) >= 4:
            _arrow(image, ends[0], ends[1], colour)
        if ends:
            _write(image, (ends[-1][0] + 6, ends[-1][1] + 6), words, colour)


def _pixel(scene: Scene, thing: Thing, size: int) -> tuple[float, float]:
    x, y, depth = scene.camera.project([thing.centre], size, size)[0]
    return (float(np.clip(x, 0, size)), float(np.clip(y, 0, size))) if depth > 0 else (0.0, 0.0)


def _outline(image: Image.Image, mask: Mask, colour: Colour) -> None:
    from scipy.ndimage import binary_dilation, binary_erosion

    width = max(1, image.width // 400)
    edge = binary_dilation(mask, iterations=width) & ~binary_erosion(mask, iterations=width)
    image.paste(colour, mask=Image.fromarray(edge))


def _arrow(image: Image.Image, start: tuple[float, float], end: tuple[float, float], colour: Colour) -> None:
    draw, width = ImageDraw.Draw(image), max(2, image.width // 200)
    draw.line([start, end], "white", width + 2)
    draw.line([start, end], colour, width)
    angle, size = math.atan2(end[1] - start[1], end[0] - start[0]), 4.0 * width
    wings = [(end[0] - size * math.cos(angle + w), end[1] - size * math.sin(angle + w)) for w in (-0.45, 0.45)]
    draw.polygon([end, *wings], colour, "white")


def _write(image: Image.Image, place: tuple[float, float], text: str, colour: Colour) -> None:
    font = ImageFont.load_default(size=max(11, image.width // 28))
    draw = ImageDraw.Draw(image)
    left, top, right, bottom = draw.textbbox(place, text, font)
    dx, dy = min(0, image.width - 4 - right), min(0, image.height - 4 - bottom)
    draw.rectangle((left + dx - 3, top + dy - 2, right + dx + 3, bottom + dy + 2), "white")
    draw.text((place[0] + dx, place[1] + dy), text, colour, font)


def _marked(picture: Pixels, different: Mask) -> Pixels:
    """A faint grey copy of a picture with pixels marked in red."""
    shape = different.shape
    small = np.asarray(Image.fromarray(picture).resize(shape[::-1], Image.Resampling.BOX), np.float64)
    grey = small.mean(axis=2, keepdims=True).repeat(3, axis=2) * 0.5 + 120
    grey[different] = _CHANGED
    return np.asarray(np.clip(grey, 0, 255), np.uint8)
