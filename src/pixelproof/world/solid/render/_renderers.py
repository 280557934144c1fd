"""Renderers by name."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from pixelproof.contract import unknown_name
from pixelproof.world.solid._scene import Scene

from ._layers import LAYERS, Layers, Quality
from ._render import render


class Renderer(Protocol):
    """A function that renders scenes."""

    def __call__(
        self,
        scene: Scene,
        width: int = 512,
        height: int | None = None,
        quality: Quality = "beauty",
        *,
        layers: Collection[str] = LAYERS,
    ) -> Layers:
        """Render a scene."""
        ...


def get_renderer(name: str = "embree") -> Renderer:
    """A renderer by name: `embree`, which needs wheels alone, or `mujoco`, which needs OpenGL.

    Raises:
        PixelProofError: There is no renderer of that name.
    """
    if name == "embree":
        return render
    if name == "mujoco":
        from ._mujoco import render as render_with_mujoco

        return render_with_mujoco
    raise unknown_name("renderer", name, ("embree", "mujoco"))
