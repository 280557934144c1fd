"""Flat clips: a flat scene with motion. Each frame is a flat scene."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import ClassVar, Literal, get_args

from pixelproof.contract import PixelProofError
from pixelproof.world._limits import require_word
from pixelproof.world._reading import Document

from ._scene import FlatScene, Sprite, sprites_as_json

VERSION = 1
Kind = Literal["linear", "bouncing", "circular"]


@dataclass(frozen=True)
class Motion:
    """Motion of one sprite, and of what it carries."""

    id: str
    kind: Kind
    vx: float = 0.0
    vy: float = 0.0
    """Velocity in pixels per frame; a bouncing sprite is reflected at the image border."""
    radius: float = 0.0
    period: float = 16.0
    """Frames per revolution, clockwise; negative: counter-clockwise."""
    phase: float = 0.0
    """Start angle in degrees around the centre of the circle; 0 is to the right."""
    spin: float = 0.0
    """Rotation of the sprite in degrees per frame."""

    def __post_init__(self) -> None:
        """Validate the fields."""
        require_word("kind of motion", self.kind, get_args(Kind))
        if self.period == 0:
            raise PixelProofError(f"The motion of {self.id} has a period of 0 frames: give another.")

    def position(self, sprite: Sprite, frame: int, width: int, height: int) -> tuple[float, float]:
        """Position of the sprite in a frame, given the sprite of the first frame."""
        if self.kind == "circular":
            start = math.radians(self.phase)
            now = start + math.tau * frame / self.period
            return (
                sprite.x + self.radius * (math.cos(now) - math.cos(start)),
                sprite.y + self.radius * (math.sin(now) - math.sin(start)),
            )
        x, y = sprite.x + self.vx * frame, sprite.y + self.vy * frame
        if self.kind == "bouncing":
            margin = sprite.size / 2
            x, y = _folded(x, margin, width - margin), _folded(y, margin, height - margin)
        return x, y


def _folded(value: float, low: float, high: float) -> float:
    """Reflect a value at both ends of an interval.

    >>> [_folded(value, 0.0, 10.0) for value in (4.0, 12.0, -3.0, 25.0)]
    [4.0, 8.0, 3.0, 5.0]
    """
    if high <= low:
        return (low + high) / 2
    along = (value - low) % (2 * (high - low))
    return low + min(along, 2 * (high - low) - along)


@dataclass(frozen=True)
class Change:
    """A temporary colour or text of a sprite."""

    id: str
    first: int
    stop: int
    """The frame after the last one."""
    colour: str | None = None
    text: str | None = None


@dataclass(frozen=True)
class Clip(Document):
    """A scene with motions, changes and camera shake."""

    what: ClassVar[str] = "clip"
    current: ClassVar[int] = VERSION

    scene: FlatScene
    frames: int
    motions: tuple[Motion, ...] = ()
    changes: tuple[Change, ...] = ()
    camera: tuple[tuple[float, float], ...] = ()
    """Camera offset per frame, right and down; empty: no shake."""
    version: int = VERSION

    def __post_init__(self) -> None:
        """Check that references exist."""
        ids = {sprite.id for sprite in self.scene.sprites}
        for id in [motion.id for motion in self.motions] + [change.id for change in self.changes]:
            if id not in ids:
                raise PixelProofError(f"The clip refers to {id!r}, which is not a sprite of its scene.")
        if len({motion.id for motion in self.motions}) < len(self.motions):
            raise PixelProofError("The clip has two motions of one sprite: keep one of them.")
        if self.frames < 1 or len(self.camera) not in (0, self.frames):
            raise PixelProofError(f"The clip has {self.frames} frames and {len(self.camera)} camera offsets.")

    def to_json(self) -> str:
        """Serialise to JSON; `from_json` reads it back to an equal document."""
        data = asdict(self)
        data["scene"]["sprites"] = sprites_as_json(data["scene"]["sprites"])
        return json.dumps(data, allow_nan=False, ensure_ascii=False)

    def frame(self, number: int) -> FlatScene:
        """A frame as a scene: the same sprites with the same ids, at their positions in that frame."""
        if not 0 <= number < self.frames:
            raise PixelProofError(f"The clip has frames 0 to {self.frames - 1}, not {number}.")
        scene, motions = self.scene, {motion.id: motion for motion in self.motions}
        offset_x, offset_y = self.camera[number] if self.camera else (0.0, 0.0)
        begun = {sprite.id: sprite for sprite in scene.sprites}
        shown: dict[str, Change] = {
            change.id: change for change in self.changes if change.first <= number < change.stop
        }
        sprites = []
        for sprite in scene.sprites:
            x, y, spin = self._moved(sprite, begun, motions, number)
            change = shown.get(sprite.id, Change("", 0, 0))
            sprites.append(
                replace(
                    sprite,
                    x=x - offset_x,
                    y=y - offset_y,
                    angle=sprite.angle + spin * number,
                    colour=sprite.colour if change.colour is None else change.colour,
                    text=sprite.text if change.text is None else change.text,
                    seed=sprite.seed + number if sprite.shape == "noise" else sprite.seed,
                )
            )
        ground = scene.background
        ground = replace(ground, x=ground.x - offset_x, y=ground.y - offset_y)
        return replace(scene, sprites=tuple(sprites), background=ground)

    def _moved(
        self, sprite: Sprite, begun: Mapping[str, Sprite], motions: Mapping[str, Motion], number: int
    ) -> tuple[float, float, float]:
        """Position and spin of a sprite; a carried one keeps its offset to its carrier and stays upright."""
        mover = sprite if sprite.carrier is None else begun[sprite.carrier]
        motion = motions.get(mover.id)
        if motion is None:
            return sprite.x, sprite.y, 0.0
        x, y = motion.position(mover, number, self.scene.width, self.scene.height)
        return x + sprite.x - mover.x, y + sprite.y - mover.y, 0.0 if sprite.upright else motion.spin

    def scenes(self) -> tuple[FlatScene, ...]:
        """All frames."""
        return tuple(self.frame(number) for number in range(self.frames))
