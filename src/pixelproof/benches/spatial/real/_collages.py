"""Collages as a stand-in for photographs: photographic cut-outs and backgrounds, with true boxes and exact targets.

A collage is read as the picture of a level camera at eye height: its horizon is that of the picture, pieces stand on
the ground at their feet, and a piece that moves away shrinks as perspective has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pixelproof.benches.spatial.real._boxes import LiftedBox, RealEdit, as_matrix, project
from pixelproof.benches.spatial.real._frames import LEAST_VISIBLE, Floats, Frame, Pixels
from pixelproof.contract import PixelProofError

if TYPE_CHECKING:
    from pixelproof.world.collage import Collage, Library, Photographs, Piece

EYE_HEIGHT = 1.5
"""Height of the camera above the ground in metres."""
FOCAL = 1.2
"""Focal length in widths of the picture."""
THICKNESS = 0.5
"""Length of a box as a share of the shorter of its other sides: cut-outs are flat."""
_CUTOUTS = 60
"""Number of rendered things, where there is no folder of cut-outs."""
_ON_GROUND = 0.005
"""Largest height above the ground, in metres, of a foot that stands on it."""


def collage_frames(
    seed: int, count: int, size: int, cutouts: Path | None = None, backgrounds: Path | None = None
) -> Iterator[Frame]:
    """Collages with their true boxes, and what they look like after an edit.

    Args:
        seed: Seed of the collages.
        count: Number of collages.
        size: Side in pixels.
        cutouts: Folder of cut-outs with alpha; None: rendered things.
        backgrounds: Folder of photographs; None: drawn grounds.
    """
    from pixelproof.world.collage import Folder, Photographs, SolidCutouts, make_collage

    library: Library = SolidCutouts(seed, _CUTOUTS) if cutouts is None else Folder(cutouts)
    photographs = None if backgrounds is None else Photographs(backgrounds)
    for index in range(count):
        collage = make_collage(library, seed, index, photographs=photographs, occlusion=0.2)
        yield _Shown(collage, library, photographs, size).frame(f"collage-{seed}-{index:04d}")


@dataclass(frozen=True)
class _Shown:
    """A collage at a size."""

    collage: Collage
    library: Library
    photographs: Photographs | None
    size: int

    def render(self, pieces: Sequence[Piece]) -> Pixels:
        """The picture with these pieces."""
        from pixelproof.world.collage import render_collage

        changed = replace(self.collage, pieces=tuple(pieces))
        return render_collage(changed, self.library, self.size, photographs=self.photographs).rgb

    @property
    def intrinsics(self) -> Floats:
        focal, height = FOCAL * self.size, self.size / self.collage.aspect
        return np.array([[focal, 0, self.size / 2], [0, focal, self.collage.background.horizon * height], [0, 0, 1]])

    def frame(self, name: str) -> Frame:
        """The collage as a frame."""
        from pixelproof.world.collage import entities, render_collage

        layers = render_collage(self.collage, self.library, self.size, photographs=self.photographs)
        boxes = []
        for entity in entities(self.collage, self.library, layers):
            if entity.amodal_box is not None and entity.visible >= LEAST_VISIBLE:
                boxes.append(self._lifted(entity.noun, entity.amodal_box))
        return Frame(name, layers.rgb, self.intrinsics, boxes=tuple(boxes), execute=partial(self.execute, boxes))

    def _lifted(self, label: str, box: Sequence[int]) -> LiftedBox:
        """The box of a piece that stands at the lower edge of its bounding box in pixels."""
        left, top, right, bottom = (float(edge) for edge in box)
        focal, horizon = self.intrinsics[1, 1], self.intrinsics[1, 2]
        depth = focal * EYE_HEIGHT / max(bottom - horizon, 1.0)
        width, height = (right - left) * depth / focal, (bottom - top) * depth / focal
        x = ((left + right) / 2 - self.size / 2) * depth / focal
        size = (width, height, THICKNESS * min(width, height))
        return LiftedBox(label, (x, EYE_HEIGHT - height / 2, depth), size, as_matrix(np.eye(3)))

    def execute(self, boxes: Sequence[LiftedBox], edit: RealEdit) -> Pixels | None:
        """The collage after an edit; None for turns, and for moves that leave the ground."""
        pieces = list(self.collage.pieces)
        place = self._place(edit.before.label)
        if edit.after is None:
            return self.render([*pieces[:place], *pieces[place + 1 :]])
        foot = edit.after.centre[1] + edit.after.size[1] / 2
        if edit.after.rotation != edit.before.rotation or abs(foot - EYE_HEIGHT) > _ON_GROUND:
            return None
        pieces[place] = self._moved(pieces[place], edit.before, edit.after)
        order = {piece.id: self._foot(box)[1] for piece, box in self._placed(pieces, boxes, edit)}
        return self.render(sorted(pieces, key=lambda piece: order.get(piece.id, 0.0)))

    def _place(self, label: str) -> int:
        """Place of the piece with a noun; collages have each noun once."""
        nouns = [self.library.cutouts[piece.cutout].noun for piece in self.collage.pieces]
        if nouns.count(label) != 1:
            raise PixelProofError(f"The collage has {nouns.count(label)} pieces that are called {label}.")
        return nouns.index(label)

    def _placed(
        self, pieces: Sequence[Piece], boxes: Sequence[LiftedBox], edit: RealEdit
    ) -> Iterator[tuple[Piece, LiftedBox]]:
        """Pieces with their boxes after an edit."""
        assert edit.after is not None
        for box in boxes:
            yield pieces[self._place(box.label)], edit.after if box.label == edit.before.label else box

    def _foot(self, box: LiftedBox) -> tuple[float, float]:
        """Image of the foot of a box, in widths of the picture."""
        x, y, z = box.centre
        shown = project(np.array([[x, y + box.size[1] / 2, z]]), self.intrinsics)[0] / self.size
        return float(shown[0]), float(shown[1])

    def _moved(self, piece: Piece, before: LiftedBox, after: LiftedBox) -> Piece:
        """A piece whose foot moves with its box; its size follows the distance."""
        nearer = before.centre[2] / after.centre[2]
        (x0, y0), (x1, y1) = self._foot(before), self._foot(after)
        x, y = x1 + nearer * (piece.x - x0), y1 + nearer * (piece.y - y0)
        return replace(piece, x=x, y=y, size=piece.size * nearer)
