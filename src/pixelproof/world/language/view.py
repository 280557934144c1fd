"""The data model of language: entities, views, edits and sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.world.edits import Edit

Vector = tuple[float, float, float]

MARGIN = 0.05
"""Margin of positions in metres: sentences never depend on smaller differences."""
PICTURE = 15 / 512
"""Margin of image coordinates, as a share of the image side."""
TALLER = (1.2, 0.02)
"""Margins of heights: ratio, and metres."""
LARGER = (1.25, 1.5)
"""Margins of sizes: ratio of longest sides, and of volumes."""
SEEN = 0.3
"""Visible share from which a thing certainly counts."""
ROUNDING = 0.005
"""Relative tolerance of numbers in a text."""
AMOUNTS = {
    "move": (0.01, 3.0),
    "place": (0.01, 5.0),
    "turn": (5.0, 355.0),
    "scale": (0.4, 2.5),
    "insert": (0.01, 5.0),
    "move camera": (0.01, 3.0),
    "turn camera": (1.0, 90.0),
    "zoom camera": (1.05, 4.0),
}
"""Action → smallest and largest plausible amount, in metres, degrees or as a factor; other actions have no amount."""
COMPARABLE = 3.0
"""Maximum ratio of the longest sides of two things that are brought together or swapped."""
FRAME = 0.05
"""Image margin, as a share of the side, that the centre of a thing must keep after a move or a place."""
TOUCH = 0.005
"""Tolerance of vertical overlap in metres, at most half the lower thing's height: settled things sink in a little."""
LEVEL = 0.03
"""Tolerance in metres between the foot of a thing and the level it stands on."""

CLEAR_DEPTH = 0.08
"""Margin of depth in questions, as a share of the distance from the viewer: people cannot judge less."""
CLEAR_DEPTH_APART = 0.2
"""The same for things whose feet are at different heights: where they stand in the image does not tell."""
SAME_FLOOR = 0.1
"""Largest difference between the feet of two things that stand at one height, in metres."""
CLEAR_HEIGHT = 0.05
"""Margin of the heights of feet and tops in questions, as a share of the distance from the viewer."""
OVERHEAD = 0.5
"""Largest offset sideways of a thing above another, as a share of the way up, in questions, facts and captions."""
CLEAR_SIZE = (1.3, 0.02)
"""Margins of sizes in questions: ratio of heights or longest sides, and difference as a share of the distance."""
CLEAR_WAY = (1.5, 0.1)
"""Margins of which of two things is nearer to a third: ratio of the distances, and metres."""
STEPS_CM = (10, 20, 30, 40, 50, 75, 100, 125, 150, 200, 250, 300, 400, 500)
"""Distances that are asked for, in centimetres: steps of 10 when near, of 25 to 100 when far."""
ROUGHLY = 1.3
"""Largest ratio between a distance and its step, for the distance between centres and for the gap alike."""
DOUBLE = 2.0
"""Least ratio between two distances that are offered as choices."""
BETWEEN = (0.3, 0.2)
"""A thing is between two others: least share of the way from either, and largest offset as a share of the way."""
NOT_BETWEEN = (-0.1, 0.6)
"""It is not: share of the way from one of them below this, or offset above this."""
OWN_FRAME = 0.08
"""Least side of the image box of a thing whose left and right are asked for, as a share of the image side."""
APART = 0.15
"""Least distance of two things that another is said to be between, in metres."""

Outline = tuple[tuple[float, float], ...]
"""Corners of a convex polygon, in order: metres to the viewer's right and away, from the centre of a thing."""


@dataclass(frozen=True)
class Level:
    """A level surface of a thing on which others stand, such as a board of a bookcase."""

    outline: Outline
    height: float
    """Metres above the centre of the thing."""
    clearance: float = math.inf
    """Free height above it, in metres."""


@dataclass(frozen=True)
class Entity:
    """A thing that sentences refer to.

    Coordinates are in the viewer's frame, in metres from the camera: x to the right, y away along the ground, z up.
    """

    id: str
    noun: str
    centre: Vector
    extent: Vector
    """Size of its bounding box along the axes of the viewer's frame."""
    size: Vector
    """Size along its own axes."""
    pixel: tuple[float, float]
    """Image coordinates of its centre, as shares of the image side."""
    colour: str = ""
    """Colour word; empty: not mentioned."""
    material: str = ""
    """Material word; empty: not mentioned."""
    visible: float = 1.0
    """Visible share; a thing with 0 is ignored."""
    support: str | None = None
    """Id of the thing that it stands on."""
    fixed: bool = False
    """Whether it is part of the surroundings."""
    turn: float = 360.0
    """Period of its rotational symmetry about the vertical, in degrees; 0: any rotation."""
    reach: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Extent of its image box from `pixel`: left, right, up, down, as shares of the image side."""
    outline: Outline = ()
    """Outline of the ground that it covers; empty: the rectangle of `extent`."""
    levels: tuple[Level, ...] = ()
    """Surfaces on which others stand; empty: its whole outline."""
    front: tuple[float, float] | None = None
    """Direction of its front along the ground, to the viewer's right and away; None: it has none, or lies."""


@dataclass(frozen=True)
class View:
    """The entities of a scene from one viewpoint."""

    entities: tuple[Entity, ...]
    nouns: tuple[str, ...] = ()
    """All nouns that scenes of this kind may contain; questions about absent things use them."""
    right: tuple[float, float] = (1.0, 0.0)
    """The viewer's right in the horizontal plane of the world, to execute an edit."""
    away: tuple[float, float] = (0.0, 1.0)
    picture: tuple[Vector, Vector, Vector] | None = None
    """Projection matrix: position → depth × (`pixel`, 1); None: the camera is unknown."""

    def __post_init__(self) -> None:
        """Check that ids are unique and supports exist."""
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

    @cached_property
    def _hash(self) -> int:
        return hash((self.entities, self.nouns, self.right, self.away, self.picture))

    def __hash__(self) -> int:
        """Hash of all fields, computed once: truths are cached by view."""
        return self._hash

    def __getitem__(self, id: str) -> Entity:
        """The entity with an id.

        Raises:
            PixelProofError: There is none.
        """
        if id not in self._by_id:
            raise unknown_name("thing", id, self._by_id)
        return self._by_id[id]

    @cached_property
    def things(self) -> tuple[Entity, ...]:
        """The entities that are not part of the surroundings."""
        return tuple(entity for entity in self.entities if not entity.fixed)

    def supports(self, id: str) -> Iterator[str]:
        """The chain of supports below a thing."""
        holder = self[id].support
        while holder is not None:
            yield holder
            holder = self[holder].support

    def stacked(self, first: str, second: str) -> bool:
        """Whether one of two things supports the other, directly or indirectly."""
        return (first, second) in self._stacks or (second, first) in self._stacks

    @cached_property
    def _stacks(self) -> frozenset[tuple[str, str]]:
        """Things, each with everything below it."""
        return frozenset((entity.id, holder) for entity in self.entities for holder in self.supports(entity.id))


Kind = Literal["expression", "fact", "caption", "yes-no", "choice", "open", "number", "edit"]


@dataclass(frozen=True)
class Sentence:
    """A true text about a view, with its annotations."""

    kind: Kind
    form: str
    """The form within its kind, such as `count`."""
    text: str
    answer: str = ""
    """Answer of a question."""
    choices: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    """Ids of the things that it refers to."""
    edit: Edit | None = None
    language: str = "en"
