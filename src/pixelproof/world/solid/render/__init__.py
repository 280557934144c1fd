"""Taking pictures of scenes, with the truth of every pixel."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Literal, Protocol

from pixelproof.contract import PixelProofError
from pixelproof.world.solid._category import Shape
from pixelproof.world.solid._scene import Scene, Thing

from ._layers import NAMES, Layers, require_possible

__all__ = ["LAYERS", "Layers", "Renderer", "compiles", "get_renderer", "render"]

LAYERS = NAMES
Quality = Literal["beauty", "draft"]


class Renderer(Protocol):
    """Whoever takes pictures of scenes."""

    def __call__(
        self,
        scene: Scene,
        width: int = 512,
        height: int | None = None,
        quality: Quality = "beauty",
        *,
        layers: Collection[str] = LAYERS,
    ) -> Layers:
        """Take the picture of a scene."""
        ...


def render(
    scene: Scene,
    width: int = 512,
    height: int | None = None,
    quality: Quality = "beauty",
    *,
    layers: Collection[str] = LAYERS,
    shape_of: Callable[[Thing], Shape] | None = None,
) -> Layers:
    """Take the picture of a scene; the same scene and size give the same bytes.

    Args:
        scene: What to look at.
        width: In pixels.
        height: In pixels; as many as the width if not given.
        quality: `beauty`, or `draft` in about a quarter of the time.
        layers: Names of those to make.
        shape_of: What a thing is built of, where that is not its category's shape.

    Raises:
        PixelProofError: The size, the quality or a layer is not possible, or a library of the world extra is missing.
    """
    height = width if height is None else height
    require_possible(width, height, quality, layers)
    from pixelproof.world.solid.shapes import shape_of as built

    from ._embree import take

    return take(scene, width, height, quality, layers, shape_of or built)


def compiles(layers: Collection[str] = LAYERS) -> bool:
    """Whether the next picture has to wait, for about half a minute, until the renderer is compiled on this machine.

    Raises:
        PixelProofError: A library of the world extra is missing.
    """
    from ._compiled import is_kept
    from ._surfaces import surfaces
    from ._tone import looked_up

    return not is_kept(looked_up if "rgb" in layers else surfaces)  # what is compiled last


def get_renderer(name: str = "embree") -> Renderer:
    """A renderer by name: `embree`, which needs wheels alone, or `mujoco`, which needs OpenGL.

    Raises:
        PixelProofError: There is none of that name.
    """
    if name == "embree":
        return render
    if name == "mujoco":
        from pixelproof.world.solid._mujoco_view import render as mujoco_render

        return mujoco_render
    raise PixelProofError(f"There is no renderer {name!r}: choose embree or mujoco.")
