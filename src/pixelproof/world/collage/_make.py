"""Generation of collages: pieces of comparable size on a ground, each complete, large enough and visible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world._limits import require_kind, require_number, require_seed, require_share, require_whole
from pixelproof.world.solid._rules import least_visible

from ._collage import OUTDOORS, Background, Collage, Light, Piece
from ._library import Cutout, Library, Photographs
from ._render import HALF, place, shares
from ._sampling import pasted

Rng = np.random.Generator
Mask = npt.NDArray[np.bool_]

_SKETCH = 192
"""Image width in pixels at which positions are tried."""
_MOST = 24
_ALIKE = 3.5
"""Maximum ratio of the lengths of two things in one image."""
_RATIO = 0.7
"""Exponent of true size ratios: small things are shown a little larger."""
_MARGIN = 0.015
"""Free margin around everything, in image widths."""
_TINY = 0.002
"""Minimum share of the image that a piece covers."""
_TRIES, _ROUNDS = 40, 12
_LARGE = 0.7
"""Length in metres from which things are shown outdoors."""

_INSIDE = (
    ("sweep", "#b9b4aa", "#d6d2c8"), ("sweep", "#9fb0b8", "#c4d0d4"), ("sweep", "#c3a995", "#ddcbb9"),
    ("wood", "#a9774a", "#d5ccbf"), ("wood", "#7c5636", "#c2c9c6"), ("wood", "#c9a877", "#b7c2c6"),
    ("tiles", "#bdb9ae", "#d9cdbd"), ("tiles", "#8d999c", "#cfd3d0"),
)  # fmt: skip
_OUTSIDE = (
    ("stone", "#8f8b84", "#b4c4d2"), ("stone", "#a39a8c", "#c8d2d6"), ("sand", "#c8ad80", "#a9c6dc"),
    ("sand", "#b49468", "#cfd8da"), ("lawn", "#5d7a34", "#a8c4dc"), ("lawn", "#6f8440", "#c6d3dc"),
)  # fmt: skip


@dataclass(frozen=True)
class _Request:
    pieces: int | None
    clutter: float
    occlusion: float
    aspect: float


def make_collage(
    library: Library,
    seed: int,
    index: int = 0,
    *,
    photographs: Photographs | None = None,
    pieces: int | None = None,
    clutter: float = 0.5,
    occlusion: float = 0.5,
    aspect: float = 1.0,
) -> Collage:
    """Generate a collage; the same arguments and libraries give the same collage.

    Args:
        library: Source of the cut-outs.
        seed: Seed of the set.
        index: Index in the set.
        photographs: Backgrounds; None: procedural grounds.
        pieces: Number of pieces; None: three to seven.
        clutter: From 0, small and far apart, to 1, large and packed.
        occlusion: How much pieces may occlude each other, from 0, not at all, to 1.
        aspect: Image width divided by height.

    Raises:
        PixelProofError: An argument is invalid, a cut-out cannot be used, or the pieces do not fit.
    """
    if not hasattr(library, "cutouts") or not hasattr(library, "pixels") or not library.cutouts:
        raise PixelProofError("A collage needs a library with cut-outs: pass a Folder or SolidCutouts.")
    if photographs is not None:
        require_kind("photographs", photographs, Photographs, "pass the Photographs of a folder, or None")
    require_seed(seed, index)
    require_share("clutter of a collage", clutter)
    require_share("occlusion of a collage", occlusion)
    require_number("width of a collage over its height", aspect, 0.1, 10)
    if pieces is not None:
        require_whole("pieces of a collage", pieces, 1, _MOST)
    request = _Request(pieces, clutter, occlusion, aspect)
    rng = generator(seed, "collage", index)
    count = pieces or int(rng.integers(3, 8))
    for attempt in range(_ROUNDS):
        chosen = _chosen(rng, list(library.cutouts.values()), count)
        if pieces is not None and len(chosen) < count:
            raise PixelProofError(
                f"The library has no {count} cut-outs of different nouns that go together: ask for {len(chosen)} "
                "pieces, or give it more."
            )
        around = _background(rng, chosen, photographs, aspect)
        placed = _Table(rng, library, request, around.horizon, len(chosen), 0.92**attempt).put_all(chosen)
        if placed is not None:
            light = Light(round(float(rng.uniform(-60, 60)), 1), round(float(rng.uniform(42, 66)), 1))
            return Collage(seed, index, placed, around, light, aspect)
    raise PixelProofError(
        f"No place was found for {count} pieces at clutter {clutter} and occlusion {occlusion}: ask for fewer pieces "
        "or more occlusion."
    )


def _chosen(rng: Rng, cutouts: Sequence[Cutout], count: int) -> list[Cutout]:
    """Cut-outs with different nouns and comparable sizes; groups are sampled uniformly."""
    first = _drawn(rng, cutouts)
    fitting = [other for other in cutouts if _go_together(first, other)]
    chosen = [first]
    while len(chosen) < count:
        nouns = {cutout.noun for cutout in chosen}
        rest = [other for other in fitting if other.noun not in nouns and all(_go_together(other, c) for c in chosen)]
        if not rest:
            break
        chosen.append(_drawn(rng, rest))
    return chosen


def _drawn(rng: Rng, cutouts: Sequence[Cutout]) -> Cutout:
    groups: dict[str, list[Cutout]] = {}
    for cutout in cutouts:
        groups.setdefault(cutout.group, []).append(cutout)
    group = list(groups.values())[int(rng.integers(len(groups)))]
    return group[int(rng.integers(len(group)))]


def _go_together(one: Cutout, other: Cutout) -> bool:
    if one.size is None or other.size is None:
        return True
    return max(one.size, other.size) <= _ALIKE * min(one.size, other.size)


def _background(rng: Rng, chosen: Sequence[Cutout], photographs: Photographs | None, aspect: float) -> Background:
    horizon = round(float(rng.uniform(0.26, 0.42)), 3)
    if photographs is not None:
        photo = photographs.ids[int(rng.integers(len(photographs.ids)))]
        height, width = photographs.pixels(photo).shape[:2]
        share = float(rng.uniform(0.75, 1.0))
        wide = share * min(1.0, aspect * height / width)
        high = wide * width / (aspect * height)
        left, top = float(rng.uniform(0, 1 - wide)), float(rng.uniform(0, 1 - high))
        crop = (round(left, 5), round(top, 5), round(min(left + wide, 1.0), 5), round(min(top + high, 1.0), 5))
        return Background("photo", photo, crop, horizon=horizon)
    sizes = [cutout.size for cutout in chosen if cutout.size is not None]
    looks = _INSIDE + _OUTSIDE if not sizes else _OUTSIDE if float(np.median(sizes)) > _LARGE else _INSIDE
    ground, colour, wall = looks[int(rng.integers(len(looks)))]
    horizon = round(horizon * 0.8, 3) if ground in OUTDOORS else horizon
    return Background(
        "studio", ground=ground, colour=colour, wall=wall, horizon=horizon, seed=int(rng.integers(1 << 24))
    )


class _Table:
    """Places pieces on the ground; lower in the image means nearer, larger and in front."""

    def __init__(
        self, rng: Rng, library: Library, request: _Request, horizon: float, count: int, shrink: float
    ) -> None:
        self._rng, self._library, self._request, self._horizon = rng, library, request, horizon
        self._width, self._height = _SKETCH, round(_SKETCH / request.aspect)
        room = min(1.0, 1 / request.aspect)
        self._base = shrink * room * (0.6 + 0.4 * request.clutter) / count**0.42
        self._least = 1.0 if request.occlusion == 0 else least_visible(request.occlusion) + 0.05
        self._standing: list[tuple[float, Piece, Mask]] = []

    def put_all(self, chosen: Sequence[Cutout]) -> tuple[Piece, ...] | None:
        """Place all cut-outs; returns them from the farthest to the nearest, or None if one does not fit."""
        largest = max(cutout.size or 1.0 for cutout in chosen)
        for number, cutout in enumerate(chosen):
            ratio = ((cutout.size or 1.0) / largest) ** _RATIO
            if cutout.size is None:
                ratio *= float(self._rng.uniform(0.75, 1.0))
            name = cutout.noun.replace(" ", "-")
            if not any(
                self._put(Piece(f"{name}-{number + 1}", cutout.id, 0, 0, 1.0), cutout, ratio) for _ in range(_TRIES)
            ):
                return None
        return tuple(piece for _, piece, _ in self._standing)

    def _put(self, piece: Piece, cutout: Cutout, ratio: float) -> bool:
        """Try one position."""
        near = float(self._rng.uniform(0.15, 0.97))
        foot = self._height * (self._horizon + (1 - self._horizon) * near)
        x = self._across()
        flip, turn = cutout.mirror and bool(self._rng.random() < 0.5), float(self._rng.normal(0, 2.0))
        size = round(self._base * ratio * (0.62 + 0.5 * near), 5)
        trial = replace(piece, x=x / self._width, y=0.5, size=size, rotation=round(turn, 2), flip=flip)
        box, cover = place(trial, self._library, self._width).drawn()
        rows, columns = (np.flatnonzero((cover[..., 3] >= HALF).any(axis=axis)) for axis in (1, 0))
        if not len(rows):
            return False
        down = round(foot) - (box[1] + int(rows[-1]) + 1)  # whole pixels, so that the mask does not change
        box = (box[0], box[1] + down, box[2], box[3] + down)
        edge = _MARGIN * self._width
        whole = (box[0] + columns[0], box[1] + rows[0], box[0] + columns[-1] + 1, box[1] + rows[-1] + 1)
        if min(whole[0], whole[1]) < edge or whole[2] > self._width - edge or whole[3] > self._height - edge:
            return False
        mask = pasted(box, cover[..., 3], self._width, self._height) >= HALF
        y = round((0.5 * self._width + down) / self._width, 6)
        return self._stands(foot, replace(trial, x=round(trial.x, 6), y=y), mask)

    def _across(self) -> float:
        """Horizontal position: the higher the occlusion, the more often near another piece."""
        if self._standing and self._rng.random() < 0.7 * self._request.occlusion:
            other = self._standing[int(self._rng.integers(len(self._standing)))][1]
            return float((other.x + self._rng.uniform(-0.6, 0.6) * other.size) * self._width)
        spread = 0.5 - 0.12 * self._request.clutter
        return float(self._width * (0.5 + self._rng.uniform(-spread, spread)))

    def _stands(self, foot: float, piece: Piece, mask: Mask) -> bool:
        """Keep a piece if it and all others are visible enough."""
        both = sorted([*self._standing, (foot, piece, mask)], key=lambda each: each[0])
        masks = np.array([each[2] for each in both])
        ids = np.zeros(mask.shape, np.uint16)
        for number, each in enumerate(masks, 1):
            ids[each] = number
        if mask.mean() < _TINY or shares(ids, masks).min() < self._least:
            return False
        self._standing = both
        return True
