"""Scores of an answer's picture: is all else as it was, does the edited thing look like itself, does its light fit?

The answer is compared with the *expected picture*: the scene before the edit, with the named things where the answer
shows them (and from where the answer shows them, if the camera is to move). So these scores do not depend on whether
the edit was carried out well, which compliance and accuracy measure. All pictures are compared at `SIDE` pixels, so the
size of an answer does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.benches.spatial.rendering import SceneRenderer
from pixelproof.benches.spatial.scores import turn_error
from pixelproof.pixels import fit_size
from pixelproof.world.edits import change_mask
from pixelproof.world.solid import Scene, Thing, rotation_matrix

Pixels = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

SIDE = 256
"""Longer side in pixels at which pictures are compared."""
BLUR = 0.8
"""Standard deviation in pixels of the blur before they are compared: it takes off most of the noise of JPEG."""
VISIBLE = 0.05
"""Least root mean square difference of the components, of 1, that counts as visible."""
LEAST_PIXELS = 20
"""Number of pixels from which a region is measured."""
LEFT_ALONE = 0.85
"""Least share of the pixels of a region without a visible difference if it counts as left alone."""
ADDED_PIXELS = 100
"""Size of a group of different pixels, of 256 × 256, from which on something was added where nothing should change."""
SURROUNDINGS = "surroundings"
DISPLACED, DISPLACED_DEG, DISPLACED_SCALE = 0.015, 8.0, 0.08
"""Metres, degrees and share from which a thing that is not named counts as moved, turned or scaled."""
_MARGIN = 3
"""Pixels around those that the edit changes which belong to neither score: the blur mixes them."""


@dataclass(frozen=True)
class PictureScore:
    """Scores from 0 to 1; None where there is nothing to measure them on."""

    appearance: float | None
    """Share of the pixels of the named things, and of those that they uncover, without a visible difference."""
    locality: float | None
    """Mean of the share for the surroundings and the mean share of the other things."""
    shadow: float | None
    """1 minus the squared error of the light that the edit changes, relative to light that does not change at all."""
    regions: Mapping[str, float]
    """Thing that is not named, or `SURROUNDINGS` → share of its pixels without a visible difference; 0 for a thing that
    was moved, turned or scaled, or is gone."""
    different: Mask
    """(h, w) pixels with a visible difference where nothing should have changed."""

    @property
    def is_local(self) -> bool:
        """Whether every region was left alone, and nothing was added anywhere."""
        return all(share >= LEFT_ALONE for share in self.regions.values()) and self.added < ADDED_PIXELS

    @property
    def added(self) -> int:
        """Pixels of the largest group with a visible difference, without lines: edges of things that are shifted."""
        from scipy.ndimage import binary_opening, label

        groups, _ = label(binary_opening(self.different))
        return int(np.bincount(groups.ravel())[1:].max(initial=0))


def comparison_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    """Height and width at which a picture is compared.

    >>> comparison_shape((512, 1024, 3))
    (128, 256)
    """
    longer = max(shape[:2])
    return max(1, round(shape[0] * SIDE / longer)), max(1, round(shape[1] * SIDE / longer))


def comparable(rgb: Pixels, shape: tuple[int, int]) -> Floats:
    """A picture in the size of the comparison, resampled by a triangle filter and blurred, from 0 to 1."""
    from scipy.ndimage import gaussian_filter1d  # takes a while to import

    soft = np.asarray(Image.fromarray(rgb).resize(shape[::-1], Image.Resampling.BILINEAR), np.float32) / 255
    for axis in (0, 1):
        soft = gaussian_filter1d(soft, BLUR, axis=axis, mode="nearest")
    return np.asarray(soft, np.float32)


def visible_difference(one: Floats, other: Floats) -> Mask:
    """(h, w) pixels of a comparable picture that look like no pixel of another within a step of one pixel.

    The step keeps edges from counting that a different size, or a pose that was read almost exactly, shifts a little.
    """
    padded = np.pad(other, ((1, 1), (1, 1), (0, 0)), mode="edge")
    height, width = one.shape[:2]
    nearest = np.full((height, width), np.inf, np.float32)
    for y in range(3):
        for x in range(3):
            apart = one - padded[y : y + height, x : x + width]
            np.minimum(nearest, np.einsum("ijk,ijk->ij", apart, apart), out=nearest)
    return np.asarray(nearest > 3 * VISIBLE**2)


def named_things(before: Scene, target: Scene) -> frozenset[str]:
    """Ids of the things that an edit changes, with what stands on them."""
    old, new = ({thing.id: replace(thing, support=None) for thing in scene.things} for scene in (before, target))
    return frozenset(id for id in old.keys() | new.keys() if old.get(id) != new.get(id))


def expected_scene(before: Scene, target: Scene, perceived: Scene) -> Scene:
    """The scene before an edit with the named things as perceived, in their own colours, and nothing else changed.

    Args:
        before: The scene before the edit.
        target: The scene that is asked for: it tells which things are named, and whether the camera may move.
        perceived: The scene in the answer.
    """
    named = named_things(before, target)
    there = {thing.id: thing for thing in perceived.things}
    own = {thing.id: thing for thing in (*target.things, *before.things)}
    kept = [thing for thing in before.things if thing.id not in named or thing.id in there]
    kept += [
        thing for thing in target.things if thing.id not in {one.id for one in before.things} and thing.id in there
    ]
    things = [_posed(own[thing.id], there[thing.id]) if thing.id in named else thing for thing in kept]
    ids = {thing.id for thing in things}
    things = [thing if thing.support in ids else replace(thing, support=None) for thing in things]
    camera = before.camera if target.camera == before.camera else perceived.camera
    expected = replace(before, things=tuple(things), camera=camera)
    return next((scene for scene in (before, target) if scene == expected), expected)


def _posed(thing: Thing, pose: Thing) -> Thing:
    """A thing with the pose and the scale of another."""
    width, depth, height = (side * pose.scale / thing.scale for side in thing.size)
    size = thing.size if pose.scale == thing.scale else (width, depth, height)
    return replace(
        thing, position=pose.position, rotation=pose.rotation, scale=pose.scale, size=size, support=pose.support
    )


def score_picture(
    answer: Pixels, before: Scene, target: Scene, perceived: Scene, renderer: SceneRenderer
) -> PictureScore:
    """Compare an answer's picture with the expected one.

    Args:
        answer: RGB, in any size of the aspect ratio of the renders.
        before: The scene before the edit.
        target: The scene that is asked for.
        perceived: The scene in the answer.
        renderer: Renders scenes; all in one size.
    """
    expected = expected_scene(before, target, perceived)
    start, end = renderer.render(before), renderer.render(expected)
    shape = comparison_shape(end.rgb.shape)
    given, wanted = comparable(answer, shape), comparable(end.rgb, shape)
    differs = visible_difference(given, wanted)
    named = named_things(before, target)
    if target.camera != before.camera:
        regions = _regions(expected, _fit(end.ids, shape), differs, frozenset(), np.zeros(shape, np.bool_))
        regions |= dict.fromkeys(displaced_things(before, perceived), 0.0)
        return PictureScore(None, _locality(regions), None, regions, differs)
    mask = change_mask(before, expected, quality=renderer.quality, rendered=(start, end))
    own = _shows(before, _fit(start.ids, shape), named) | _shows(expected, _fit(end.ids, shape), named)
    touched = _grown(_any(mask.changed, shape) | own)
    regions = _regions(expected, _fit(end.ids, shape), differs, named, touched)
    regions |= dict.fromkeys(displaced_things(before, perceived) - named, 0.0)
    fixed = frozenset(thing.id for thing in expected.things if thing.fixed)  # what else changed is not about light
    light = _any(mask.light, shape) & ~_grown(own) & _shows(expected, _fit(end.ids, shape), fixed)
    return PictureScore(
        float(1 - differs[own].mean()) if own.sum() >= LEAST_PIXELS else None,
        _locality(regions),
        _shadow(given, wanted, comparable(start.rgb, shape), light),
        regions,
        differs & ~touched,
    )


def displaced_things(before: Scene, perceived: Scene) -> frozenset[str]:
    """Ids of the things of a scene that are gone from another, or have clearly another pose or scale there."""
    there = {thing.id: thing for thing in perceived.things}
    movable = (thing for thing in before.things if not thing.fixed)
    return frozenset(thing.id for thing in movable if _is_displaced(thing, there.get(thing.id)))


def _is_displaced(thing: Thing, there: Thing | None) -> bool:
    if there is None:
        return True
    shift = float(np.linalg.norm(np.subtract(thing.centre, there.centre)))
    turn = turn_error(rotation_matrix(thing.rotation), rotation_matrix(there.rotation), thing.symmetry)
    return shift > DISPLACED or turn > DISPLACED_DEG or abs(there.scale / thing.scale - 1) > DISPLACED_SCALE


def _locality(regions: Mapping[str, float]) -> float | None:
    things = [share for name, share in regions.items() if name != SURROUNDINGS]
    parts = [float(np.mean(things))] if things else []
    parts += [regions[SURROUNDINGS]] if SURROUNDINGS in regions else []
    return float(np.mean(parts)) if parts else None


def _regions(
    scene: Scene, ids: npt.NDArray[np.uint16], differs: Mask, named: frozenset[str], touched: Mask
) -> dict[str, float]:
    """Share of the pixels without a visible difference, of each thing that is not named and of all that is fixed."""
    shown = np.where(touched, -1, ids.astype(np.int64))
    fixed = [0, *(number for number, thing in enumerate(scene.things, 1) if thing.fixed)]
    parts = {SURROUNDINGS: np.isin(shown, fixed)}
    for number, thing in enumerate(scene.things, 1):
        if not thing.fixed and thing.id not in named:
            parts[thing.id] = shown == number
    return {name: float(1 - differs[part].mean()) for name, part in parts.items() if part.sum() >= LEAST_PIXELS}


def _shadow(given: Floats, wanted: Floats, start: Floats, light: Mask) -> float | None:
    """Share of the change of light that the answer shows."""
    if light.sum() < LEAST_PIXELS:
        return None
    asked = np.sum((wanted - start)[light] ** 2, axis=1)
    left = np.minimum(np.sum((wanted - given)[light] ** 2, axis=1), asked)  # other changes must not outweigh it
    return float(1 - left.sum() / asked.sum()) if asked.sum() > 0 else None


def _shows(scene: Scene, ids: npt.NDArray[np.uint16], named: frozenset[str]) -> Mask:
    return np.isin(ids, [number for number, thing in enumerate(scene.things, 1) if thing.id in named])


def _fit(ids: npt.NDArray[np.uint16], shape: tuple[int, int]) -> npt.NDArray[np.uint16]:
    fitted = fit_size(ids, shape, "nearest")
    assert isinstance(fitted, tuple), "the policy refuses nothing"
    return np.asarray(fitted[0])


def _any(mask: Mask, shape: tuple[int, int]) -> Mask:
    """A mask in the size of the comparison: pixels that any pixel of it falls into."""
    how = Image.Resampling.BOX if mask.shape[0] >= shape[0] else Image.Resampling.NEAREST
    shares = Image.fromarray(np.where(mask, np.float32(1), np.float32(0))).resize(shape[::-1], how)
    return np.asarray(shares) > 0


def _grown(mask: Mask) -> Mask:
    from scipy.ndimage import binary_dilation

    return np.asarray(binary_dilation(mask, iterations=_MARGIN))
