"""The renderer: ground truth rasterised in double precision, light by ray casting with Embree."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._scene import Scene

from ._hits import Lens
from ._layers import Layers, Window
from ._lighting import EFFORTS
from ._meshes import ShapeOf
from ._picture import render_rgb
from ._raster import rasterise
from ._shared import Shared
from ._smooth import TILE
from ._structure import structure_of
from ._vectors import transform


def render_layers(
    scene: Scene,
    width: int,
    height: int,
    quality: str,
    layers: Collection[str],
    shape_of: ShapeOf,
    steady: bool,
    window: Window,
    first: Shared | None = None,
    isolated: bool = False,
) -> tuple[Layers, Shared]:
    """Render the given layers of a window of a scene; the others are empty arrays.

    What a first picture with the same camera, size and quality has in common with it is not computed again, if its
    shared part is given; that of this picture is returned.
    """
    kept, lens, count = structure_of(scene, shape_of), Lens.of(scene.camera, width, height), len(scene.things)
    effort = EFFORTS[quality]
    spacing = effort.spacing(min(width, height))
    if isolated:
        block = window.block(TILE * spacing)
        window, lens = window.within(block), lens.cropped(block.left, block.top, block.right, block.bottom)
        width, height = lens.width, lens.height
    mesh = kept.mesh
    # Visibility needs the amodal mask of each thing; fixed things have none.
    masked = np.array([not thing.fixed for thing in scene.things], np.bool_) & bool({"amodal", "visible"} & set(layers))
    depth = np.full((height, width), np.inf)
    triangle = np.full((height, width), -1, np.int32)
    amodal = np.zeros((count, height, width), np.bool_)
    owner = np.where(masked[mesh.thing], mesh.thing, -1)[mesh.surface].astype(np.int32)
    pixels = transform(mesh.vertices, lens.matrix @ lens.turn.T, (0.0, 0.0, 0.0))
    rasterise(pixels, mesh.faces, owner, depth, triangle, amodal)

    shared = Shared.of(scene, mesh, lens.centres(), triangle.reshape(-1), first)
    hits = shared.hits
    ids = np.append(mesh.thing + 1, 0).astype(np.uint16)[hits.surface].reshape(height, width)
    seen = np.bincount(ids.reshape(-1), minlength=count + 1)[1:]
    whole = np.array([np.count_nonzero(mask) for mask in amodal], np.int64)
    wanted, cut = set(layers), window.crop
    rendered = Layers(
        cut(render_rgb(scene, kept, lens, shared, effort, spacing, steady, window))
        if "rgb" in wanted
        else np.empty(0, np.uint8),
        cut(depth.astype(np.float32)) if "depth" in wanted else np.empty(0, np.float32),
        cut(lens.to_camera(hits.normals).reshape(height, width, 3)) if "normals" in wanted else np.empty(0, np.float32),
        cut(ids) if "ids" in wanted else np.empty(0, np.uint16),
        amodal[:, window.top : window.bottom, window.left : window.right]
        if "amodal" in wanted
        else np.empty(0, np.bool_),
        _share(seen, whole) if "visible" in wanted else np.empty(0, np.float32),
    )
    return rendered, shared


def _share(part: npt.NDArray[np.int64], whole: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0).astype(np.float32)
