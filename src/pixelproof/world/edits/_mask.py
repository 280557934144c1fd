"""Which pixels an edit changes: those of the edited things, and those whose light changed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.world.flat import FlatScene, draw, truth
from pixelproof.world.sheets import Pixels
from pixelproof.world.solid import Scene, Thing, box_corners, rotation_matrix
from pixelproof.world.solid._materials import shows_others
from pixelproof.world.solid._poses import Floats
from pixelproof.world.solid.render import Layers, Quality, render_pair

from ._flat_edit import FlatOutcome
from ._outcome import Outcome

Mask = npt.NDArray[np.bool_]
LEAST = 3
"""Least difference of a component, of 255, from which the colour of a pixel counts as changed."""
_FILLED = 0.03
"""Least share of the hemisphere of a point that a thing fills if its indirect light can be seen to change."""


@dataclass(frozen=True)
class ChangeMask:
    """Pixels that differ between the pictures before and after an edit, by cause; the three masks are disjoint."""

    object: Mask
    """(h, w) pixels whose centre shows an edited thing, before or after the edit."""
    edge: Mask
    """(h, w) other pixels that changed and show it in part, by anti-aliasing: in solid scenes, those beside it."""
    light: Mask
    """(h, w) pixels that show the same surface in another light: shadows, reflections and indirect light."""

    @property
    def changed(self) -> Mask:
        """All pixels of the three masks."""
        return np.asarray(self.object | self.edge | self.light)

    @property
    def rest(self) -> Mask:
        """All other pixels, which an edit must leave alone."""
        return ~self.changed


def change_mask(
    before: Scene | FlatScene,
    after: Scene | FlatScene,
    width: int = 512,
    height: int | None = None,
    *,
    quality: Quality = "draft",
    rendered: tuple[Layers, Layers] | None = None,
) -> ChangeMask:
    """Which pixels an edit changes, from two renders with the same samples in each pixel: what is left alone is equal.

    Args:
        before: The scene before the edit.
        after: The scene after it.
        width: In pixels; flat scenes have their own size.
        height: In pixels; the width unless given.
        quality: Quality of the renders. Reflections are traced in `beauty` alone. In a `draft`, noise is left out:
            indirect light of things that fill less than 3 % of what a point faces.
        rendered: Both scenes as rendered with the layers `rgb`, `ids` and `depth` and with `steady=True`, to be used
            instead of new renders.

    Returns:
        The masks; if the camera or the light of the scene changed, all pixels are in `object`.

    Raises:
        PixelProofError: One scene is flat and the other is not, or the renders differ in size.
    """
    if isinstance(before, FlatScene) or isinstance(after, FlatScene):
        if not isinstance(before, FlatScene) or not isinstance(after, FlatScene):
            raise PixelProofError("A flat scene and a solid scene have no change mask: pass two scenes of one world.")
        return _flat(before, after)
    if rendered is None:
        one, other = render_pair(before, after, width, height, quality, layers=("rgb", "ids", "depth"))
    else:
        one, other = rendered
    shapes = {one.ids.shape, other.ids.shape, one.rgb.shape[:2], other.rgb.shape[:2], one.depth.shape}
    if len(shapes) > 1:
        raise PixelProofError("The renders of a change mask need the layers rgb, ids and depth, in one size.")
    if (before.camera, before.lights, before.environment) != (after.camera, after.lights, after.environment):
        everything = np.ones(one.ids.shape, np.bool_)
        return ChangeMask(everything, ~everything, ~everything)
    edited = changed_things(before, after)
    shown = _shows(before, one.ids, edited) | _shows(after, other.ids, edited)
    mask = _sorted(shown, one.rgb, other.rgb)
    if quality == "draft":
        rows, columns = np.nonzero(mask.light)
        spots, (tall, wide) = np.column_stack([columns, rows]) + 0.5, one.ids.shape
        points = before.camera.unproject(spots, wide, tall, one.depth[rows, columns])
        noise = ~(_reached(before, edited, points) | _reached(after, edited, points))
        # Glass and metal show what is far: their samples are the same in both pictures, so a difference is no noise.
        shown_by = [number for number, thing in enumerate(before.things, 1) if shows_others(thing)]
        noise &= ~np.isin(one.ids[rows, columns], shown_by)
        mask.light[rows[noise], columns[noise]] = False
    return mask


def changed_things(before: Scene, after: Scene) -> set[str]:
    """Ids of the things that differ in anything that a picture shows, or that one of the scenes lacks."""
    old, new = ({thing.id: _look(thing) for thing in scene.things} for scene in (before, after))
    return {id for id in old.keys() | new.keys() if old.get(id) != new.get(id)}


def _look(thing: Thing) -> Thing:
    return replace(thing, support=None)


def _shows(scene: Scene, ids: npt.NDArray[np.uint16], edited: Collection[str]) -> Mask:
    numbers = [number for number, thing in enumerate(scene.things, 1) if thing.id in edited]
    return np.isin(ids, numbers)


def _reached(scene: Scene, edited: Collection[str], points: Floats) -> Mask:
    """Which surface points an edited thing can shade, or fill so much of the view of that their colour depends on it.

    For shadows, a thing is replaced by the sphere around it, so no point is missed; for the share of the view, by its
    box. Where that is below `_FILLED`, indirect light changes by less than can be seen: what a draft shows is noise.
    """
    reached = np.zeros(len(points), np.bool_)
    for thing in (thing for thing in scene.things if thing.id in edited):
        corners = box_corners(thing)
        centre, (x, y, z) = corners.mean(axis=0), thing.size
        radius = float(np.linalg.norm(corners - centre, axis=1).max())
        offset = centre - points
        distance = np.maximum(np.linalg.norm(offset, axis=1), 1e-9)
        seen = np.abs(offset / distance[:, None] @ rotation_matrix(thing.rotation)) @ (y * z, x * z, x * y)
        reached |= (seen >= _FILLED * np.pi * distance**2) | (distance < 1.5 * radius)
        for light in scene.lights:
            sun = light.kind == "sun"
            way = np.broadcast_to(np.multiply(light.position, 100.0), points.shape) if sun else light.position - points
            along = np.clip(np.sum(offset * way, axis=1) / np.sum(way * way, axis=1), 0, 1)
            beside = np.linalg.norm(offset - along[:, None] * way, axis=1)
            width = light.radius * along * (np.linalg.norm(way, axis=1) if sun else 1.0)
            reached |= beside <= radius + width
    return reached


def _sorted(shown: Mask, one: npt.NDArray[np.uint8], other: npt.NDArray[np.uint8]) -> ChangeMask:
    """Sort the pixels that differ by cause, given those that show an edited thing."""
    from scipy.ndimage import binary_dilation

    apart = np.maximum(one, other) - np.minimum(one, other) >= LEAST
    differs = apart[..., 0] | apart[..., 1] | apart[..., 2]
    beside = binary_dilation(shown, np.ones((3, 3), np.bool_)) & ~shown
    return ChangeMask(shown, differs & beside, differs & ~beside & ~shown)


def _flat(before: FlatScene, after: FlatScene) -> ChangeMask:
    """The change mask of flat scenes, in which nothing has a shadow."""
    if (before.width, before.height) != (after.width, after.height):
        raise PixelProofError("The scenes of a change mask differ in size: pass two scenes of one size.")
    if (before.background, before.hue) != (after.background, after.hue):
        everything = np.ones((before.height, before.width), np.bool_)
        return ChangeMask(everything, ~everything, ~everything)
    old, new = ({sprite.id: sprite for sprite in scene.sprites} for scene in (before, after))
    edited = {id for id in old.keys() | new.keys() if old.get(id) != new.get(id)}
    shown = np.zeros((before.height, before.width), np.bool_)
    for scene in (before, after):
        numbers = [number for number, sprite in enumerate(scene.sprites, 1) if sprite.id in edited]
        shown |= np.isin(truth(scene).labels, numbers)
    differs = (draw(before) != draw(after)).any(axis=2)  # tips narrower than a pixel are no pixel's majority
    return ChangeMask(shown, differs & ~shown, np.zeros_like(shown))


_OBJECT, _EDGE, _LIGHT = (232, 98, 30), (250, 200, 70), (46, 110, 220)


def edit_panels(outcome: Outcome | FlatOutcome, size: int = 320, quality: Quality = "draft") -> list[Pixels]:
    """Pictures before and after an edit that was carried out, and its change mask.

    In the mask, edited things are orange, their anti-aliased edges yellow, and changes of light blue.

    Args:
        outcome: The edit; `after` must exist.
        size: Side of the pictures of solid scenes in pixels; flat scenes have their own size.
        quality: Quality of the renders of solid scenes.
    """
    if isinstance(outcome, FlatOutcome):
        assert outcome.after is not None
        one, other = draw(outcome.before), draw(outcome.after)
        return [one, other, shown_mask(one, change_mask(outcome.before, outcome.after))]
    assert outcome.after is not None
    pair = render_pair(outcome.before, outcome.after, size, quality=quality, layers=("rgb", "ids", "depth"))
    mask = change_mask(outcome.before, outcome.after, size, quality=quality, rendered=pair)
    return [pair[0].rgb, pair[1].rgb, shown_mask(pair[0].rgb, mask)]


def shown_mask(picture: Pixels, mask: ChangeMask) -> Pixels:
    """A change mask in colours on a faint grey copy of a picture."""
    grey = picture.mean(axis=2, keepdims=True).repeat(3, axis=2) * 0.35 + 150
    for part, colour in ((mask.object, _OBJECT), (mask.edge, _EDGE), (mask.light, _LIGHT)):
        grey[part] = 0.3 * grey[part] + 0.7 * np.array(colour)
    return np.asarray(np.clip(grey, 0, 255), np.uint8)
