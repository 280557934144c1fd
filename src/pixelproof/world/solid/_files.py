"""Files of solid scenes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pixelproof.world.sets import PRECISION, Arrays

from ._scene import Scene

if TYPE_CHECKING:
    from .render import Layers

_NAMES = ("rgb", "depth", "normals", "ids", "amodal", "visible")


def layers_of(arrays: Mapping[str, npt.NDArray[Any]]) -> Layers:
    """Stored arrays as `Layers`; layers that were not stored are empty."""
    from .render import Layers

    empty: Arrays = {name: np.zeros(0, PRECISION[name]) for name in _NAMES}
    layers = empty | dict(arrays)
    return Layers(**{name: layers[name] for name in _NAMES} | {"normals": layers["normals"].astype(np.float32)})


def read_scene(path: Path) -> Scene:
    """Read the JSON file of a scene.

    Raises:
        PixelProofError: It cannot be read, or is not a scene; the message says where it is wrong.
    """
    return Scene.load(path)


def write_scene(path: Path, scene: Scene) -> None:
    """Write a scene to a JSON file that `read_scene` reads back to an equal one."""
    scene.save(path)
