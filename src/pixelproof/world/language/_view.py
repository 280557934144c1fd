"""What language needs to know of a scene, whatever world made it; and what a sentence is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pixelproof.contract import PixelProofError, unknown_name

Vector = tuple[float, float, float]

MARGIN = 0.05
"""Metres by which things differ in place before a sentence may depend on it."""
PICTURE = 15 / 512
"""Share of the picture's side by which things differ in it before a sentence may depend on it."""
TALLER = (1.2, 0.02)
"""Ratio and metres by which heights differ before a sentence may depend on it."""
LARGER = (1.25, 1.5)
"""Ratios of longest sides, and of volumes, by which sizes differ before a sentence may depend on it."""
SEEN = 0.3
"""Share of a thing that must be seen before a sentence may depend on it."""
ROUNDING = 0.005
"""Share by which a number in a text may differ from the value that it stands for."""
AMOUNTS = {
    "move": (0.01, 3.0),
    "place": (0.01, 5.0),
    "turn": (5.0, 355.0),
    "scale": (0.4, 2.5),
    "move camera": (0.01, 3.0),
    "turn camera": (1.0, 90.0),
}
"""From and to which amounts a person asks for edits, in metres, degrees and times; other actions have none."""
COMPARABLE = 3.0
"""Times by which the longest sides of two things may differ that are brought together or exchanged."""
FRAME = 0.05
"""Share of the picture's side from its edge, within which no centre of a thing may be after a move or a place."""
TOUCH = 0.005
"""Metres of height, or half of the lower thing's, that two may share without being in each other: what has settled
sinks in a little."""
LEVEL = 0.03
"""Metres of height by which the foot of a thing may differ from the level on which it stands."""

Outline = tuple[tuple[float, float], ...]
"""Corners of a convex patch, in turn, in metres from the centre of a thing to the viewer's right and away from him."""


@dataclass(frozen=True)
class Level:
    """A level patch of a thing on which others stand, such as a board of a bookcase."""

    outline: Outline
    height: float
    """Metres above the centre of the thing."""
    clearance: float = math.inf
    """Metres of free height above it."""


@dataclass(frozen=True)
class Entity:
    """A thing that sentences speak of.

    Places are in the viewer's frame, in metres from the camera: x to the right, y away along the ground, z up.
    """

    id: str
    noun: str
    centre: Vector
    extent: Vector
    """Of its box along the axes of the viewer's frame."""
    size: Vector
    """Along its own axes, however it is turned."""
    pixel: tuple[float, float]
    """Of its centre in the picture: shares of the picture's side, from the left and from the top."""
    colour: str = ""
    """Empty: no word is said for its colour."""
    material: str = ""
    """Empty: no word is said for its material."""
    visible: float = 1.0
    """Share of it that is seen; what is not seen at all is not there for language."""
    support: str | None = None
    """Id of the thing that it stands on."""
    fixed: bool = False
    """Whether it belongs to the surroundings."""
    turn: float = 360.0
    """Smallest turn about the vertical, in degrees, after which it looks the same; 0: any."""
    reach: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """How far its box goes from `pixel` to the left, to the right, up and down: shares of the picture's side."""
    outline: Outline = ()
    """Of the ground that it covers; empty: that of `extent`."""
    levels: tuple[Level, ...] = ()
    """Where others stand on it; empty: on all of the ground that it covers."""


@dataclass(frozen=True)
class View:
    """The things of a scene as one viewer has them before him."""

    entities: tuple[Entity, ...]
    nouns: tuple[str, ...] = ()
    """What scenes of this kind may have in them; what is not there is chosen from these."""
    right: tuple[float, float] = (1.0, 0.0)
    """The viewer's right in the horizontal plane of the world, for who carries out an edit."""
    away: tuple[float, float] = (0.0, 1.0)
    picture: tuple[Vector, Vector, Vector] | None = None
    """Matrix that turns a place into its depth times (`pixel`, 1); None: the camera is not known."""

    def __post_init__(self) -> None:
        """Refuse things that cannot be told apart, or that stand on what is not there or on themselves."""
        if len(self._by_id) < len(self.entities):
            raise PixelProofError(
                f"Two things of a view have one id among {', '.join(self._by_id)}: give each its own."
            )
        for entity in self.entities:
            if any(number > len(self.entities) for number, _ in enumerate(self.supports(entity.id))):
                raise PixelProofError(f"{entity.id} stands on itself: give it another support, or none.")

    @cached_property
    def _by_id(self) -> dict[str, Entity]:
        return {entity.id: entity for entity in self.entities}

    def __getitem__(self, id: str) -> Entity:
        """The thing of an id.

        Raises:
            PixelProofError: There is none.
        """
        if id not in self._by_id:
            raise unknown_name("thing", id, self._by_id)
        return self._by_id[id]

    @cached_property
    def things(self) -> tuple[Entity, ...]:
        """What is not part of the surroundings."""
        return tuple(entity for entity in self.entities if not entity.fixed)

    def supports(self, id: str) -> Iterator[str]:
        """What a thing stands on, what that stands on, and so on."""
        holder = self[id].support
        while holder is not None:
            yield holder
            holder = self[holder].support

    def stacked(self, first: str, second: str) -> bool:
        """Whether one of two things carries the other, directly or by what is between them."""
        return second in self.supports(first) or first in self.supports(second)


Action = Literal["move", "place", "put", "turn", "scale", "remove", "swap", "move camera", "turn camera"]


@dataclass(frozen=True)
class Edit:
    """A change of a scene, with the exact values that are carried out.

    | action | target | way | amount | anchor |
    | --- | --- | --- | --- | --- |
    | move | thing | left, right, closer, away | metres | |
    | place | thing | left, right, front, behind | metres between the centres, level | thing beside which |
    | put | thing | middle, left, right, front, back; empty: anywhere | | thing on which |
    | turn | thing | clockwise, anticlockwise as seen from above | degrees | |
    | scale | thing | | factor for every length | |
    | remove | thing | | | |
    | swap | thing | | | thing with which |
    | move camera | | left, right, forward, back, up, down | metres | |
    | turn camera | | left, right, up, down | degrees | |
    """

    action: Action
    target: str = ""
    way: str = ""
    amount: float = 0.0
    anchor: str = ""


Kind = Literal["expression", "fact", "caption", "yes-no", "choice", "open", "edit"]


@dataclass(frozen=True)
class Sentence:
    """A text that holds of a view, and what it claims beyond its words."""

    kind: Kind
    form: str
    """Which of the forms of its kind, such as `count`."""
    text: str
    answer: str = ""
    """Of a question; a number of centimetres for a distance."""
    choices: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    """Ids of the things that it refers to."""
    edit: Edit | None = None
    language: str = "en"
