"""Categories: a name, parameter ranges, and a builder of geometry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ._poses import Floats, Vector

Form = Mapping[str, float]


@dataclass(frozen=True)
class Paint:
    """Colour and material of a part, where they differ from those of its thing."""

    colour: str = ""
    """Colour word or `#rrggbb`; empty: the colour of the thing."""
    material: str = ""
    """Material word; empty: the material of the thing."""


@dataclass(frozen=True)
class Part:
    """A closed triangle mesh in the thing's frame, wound anticlockwise as seen from outside."""

    vertices: Floats
    faces: npt.NDArray[np.int32]
    paint: Paint = Paint()
    crease: float = 40.0
    """Crease angle in degrees: faces at a smaller angle are smooth-shaded."""


@dataclass(frozen=True)
class Label:
    """A rectangle on a thing that shows its text, visible from the side that `normal` points to."""

    centre: Vector
    normal: Vector
    up: Vector
    """Direction from the bottom of the letters to their top."""
    width: float
    height: float
    ink: str = "black"
    ground: str = ""
    """Colour word of the rectangle; empty: transparent."""

    @property
    def frame(self) -> Floats:
        """Centre, vectors to the right and top edges, and unit normal, (4, 3), in the frame of the thing."""
        normal = np.array(self.normal) / np.linalg.norm(self.normal)
        up = np.array(self.up) - normal * np.dot(normal, self.up)
        up /= np.linalg.norm(up)
        right = np.cross(up, normal)
        return np.array([self.centre, right * self.width / 2, up * self.height / 2, normal])


@dataclass(frozen=True)
class Surface:
    """A level rectangle on which things can stand, in the frame of its thing."""

    name: str
    centre: Vector
    width: float
    """Extent along x."""
    depth: float
    """Extent along y."""
    clearance: float = 10.0
    """Free height above it, in metres."""


@dataclass(frozen=True)
class Shape:
    """Geometry of a thing: visible parts, convex collision pieces, labels and surfaces."""

    parts: tuple[Part, ...]
    pieces: tuple[Floats, ...] = ()
    """Vertices of the convex collision pieces; empty: the convex hull of each part."""
    labels: tuple[Label, ...] = ()
    surfaces: tuple[Surface, ...] = ()

    @property
    def bounds(self) -> Floats:
        """Bounding box: minimum and maximum coordinates, (2, 3)."""
        vertices = np.concatenate([part.vertices for part in self.parts])
        return np.array([vertices.min(axis=0), vertices.max(axis=0)])


@dataclass(frozen=True)
class Category:
    """A category of things."""

    name: str
    family: str
    """`tableware`, `food`, `tools`, `paper`, `toys`, `furniture` …, or `structure` for floors and walls."""
    ranges: Mapping[str, tuple[float, float]]
    """Parameter → range; lengths in metres."""
    build: Callable[[Form], Shape]
    materials: tuple[str, ...]
    """Possible materials of the main part; the first is the default."""
    colours: tuple[str, ...] = ()
    """Possible colour words of the main part; empty: it has fixed colours and no colour word."""
    symmetry: str | Callable[[Form], str] = "C1"
    front: bool = False
    """Whether it has a front: -y of its frame."""
    density: float = 500.0
    """Density in kg/m³."""
    texts: tuple[str, ...] = ()
    """Possible texts."""
    plural: str = ""
    """Plural; empty: the name with an s."""
    word: str = ""
    """Noun in sentences; empty: the name."""
    tags: tuple[str, ...] = field(default=())

    def sample(self, rng: np.random.Generator) -> dict[str, float]:
        """Sample the parameters, rounded to 0.1 mm so that files are short and exact."""
        return {key: round(float(rng.uniform(*ends)), 4) for key, ends in self.ranges.items()}

    def symmetry_of(self, form: Form) -> str:
        """Name of the symmetry group for given parameters."""
        return self.symmetry if isinstance(self.symmetry, str) else self.symmetry(form)
