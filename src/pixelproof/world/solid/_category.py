"""What a category is: a name, ranges of shapes, and a builder of solid parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ._poses import Floats, Vector

Form = Mapping[str, float]


@dataclass(frozen=True)
class Paint:
    """What a part looks like where that differs from its thing: own words for colour or material."""

    colour: str = ""
    """Empty: the colour of the thing. Also `#rrggbb` for colours of nature that have no word here."""
    material: str = ""
    """Empty: the material of the thing."""


@dataclass(frozen=True)
class Part:
    """A closed surface of triangles in its thing's own frame, wound anticlockwise as seen from outside."""

    vertices: Floats
    faces: npt.NDArray[np.int32]
    paint: Paint = Paint()
    crease: float = 40.0
    """Faces that meet at a smaller angle, in degrees, are shaded as one smooth surface."""


@dataclass(frozen=True)
class Label:
    """A rectangle on a thing that its text is written on, seen from the side that `normal` points to."""

    centre: Vector
    normal: Vector
    up: Vector
    """Direction from the foot of the letters to their top."""
    width: float
    height: float
    ink: str = "black"
    ground: str = ""
    """Colour word of the rectangle; empty: letters alone."""


@dataclass(frozen=True)
class Surface:
    """A level rectangle on which things may stand, in the frame of the thing that offers it."""

    name: str
    centre: Vector
    width: float
    """Along x."""
    depth: float
    """Along y."""
    clearance: float = 10.0
    """Free height above it."""


@dataclass(frozen=True)
class Shape:
    """What a category builds: parts to see, convex pieces to collide, where text goes and where things may stand."""

    parts: tuple[Part, ...]
    pieces: tuple[Floats, ...] = ()
    """Corners of convex pieces that together enclose all parts; empty: the convex hull of each part."""
    labels: tuple[Label, ...] = ()
    surfaces: tuple[Surface, ...] = ()

    @property
    def bounds(self) -> Floats:
        """Lowest and highest coordinates, of shape (2, 3)."""
        vertices = np.concatenate([part.vertices for part in self.parts])
        return np.array([vertices.min(axis=0), vertices.max(axis=0)])


@dataclass(frozen=True)
class Category:
    """A kind of thing that people have a word for."""

    name: str
    family: str
    """`tableware`, `food`, `tools`, `paper`, `toys`, `furniture` …, or `structure` for floors and walls."""
    ranges: Mapping[str, tuple[float, float]]
    """Of the numbers that a shape is built from; lengths in metres."""
    build: Callable[[Form], Shape]
    materials: tuple[str, ...]
    """That its main part may be made of; the first is the usual one."""
    colours: tuple[str, ...] = ()
    """Colour words that its main part may have; empty: it has its own colours and no colour word."""
    symmetry: str | Callable[[Form], str] = "C1"
    front: bool = False
    """Whether one side is the front: -y of its own frame."""
    density: float = 500.0
    """kg/m³, for the physics."""
    texts: tuple[str, ...] = ()
    """What may be written on it."""
    plural: str = ""
    """Empty: the name and an s."""
    word: str = ""
    """How it is called in a sentence; empty: its name."""
    tags: tuple[str, ...] = field(default=())

    def sample(self, rng: np.random.Generator) -> dict[str, float]:
        """Draw a shape's numbers, rounded to a tenth of a millimetre so that files are short and exact."""
        return {key: round(float(rng.uniform(*ends)), 4) for key, ends in self.ranges.items()}

    def symmetry_of(self, form: Form) -> str:
        """The name of the rotations that leave a shape of this form as it is."""
        return self.symmetry if isinstance(self.symmetry, str) else self.symmetry(form)
