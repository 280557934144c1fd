"""The renderer that needs no OpenGL: rasterised ground truth, ray-traced light."""

from __future__ import annotations

from collections.abc import Callable, Collection

from pixelproof.pixels import is_compiled
from pixelproof.world.solid._category import Shape
from pixelproof.world.solid._scene import Scene, Thing

from ._layers import LAYERS, Box, Layers, Quality, Window, require_possible


def render(
    scene: Scene,
    width: int = 512,
    height: int | None = None,
    quality: Quality = "beauty",
    *,
    layers: Collection[str] = LAYERS,
    shape_of: Callable[[Thing], Shape] | None = None,
    steady: bool = False,
    window: Box | None = None,
    isolated: bool = False,
) -> Layers:
    """Render a scene; the same arguments give the same bytes.

    Triangles and ray-casting structures are kept with the scene object, so further renders of it are faster.

    Args:
        scene: The scene.
        width: In pixels.
        height: In pixels; the width unless given.
        quality: `beauty`, or `draft` in about a quarter of the time.
        layers: Names of the layers to render.
        shape_of: Geometry of a thing; the shape of its category unless given.
        steady: Whether all samples of a pixel depend on the pixel alone, for pairs of pictures that differ only where
            the scenes do. Otherwise, the noise of edges depends on the whole picture.
        window: Left, top, right, bottom in pixels, right and bottom exclusive: only these pixels are returned. They are
            those of the whole steady picture. `visible` is that of the whole picture.
        isolated: Whether to render a window as an image of its own, in a fraction of the time. Light that comes from
            pixels outside of it is estimated, so its pixels differ a little from those of the whole picture.

    Raises:
        PixelProofError: The size, the quality or a layer is not possible, or a library of the world extra is missing.
    """
    height = width if height is None else height
    require_possible(width, height, quality, layers)
    from pixelproof.world.solid.shapes import shape_of as shape_of_category

    from ._embree import render_layers

    part = Window.of(window, width, height)
    steady = steady or window is not None
    shapes = shape_of or shape_of_category
    return render_layers(scene, width, height, quality, layers, shapes, steady, part, isolated=isolated)[0]


def render_pair(
    before: Scene,
    after: Scene,
    width: int = 512,
    height: int | None = None,
    quality: Quality = "beauty",
    *,
    layers: Collection[str] = LAYERS,
) -> tuple[Layers, Layers]:
    """Render two scenes with steady samples, as `render` does, but what both show is painted once.

    The arguments are those of `render`. Two equal scenes are rendered once.
    """
    height = width if height is None else height
    require_possible(width, height, quality, layers)
    from pixelproof.world.solid.shapes import shape_of

    from ._embree import render_layers

    same = width, height, quality, layers, shape_of, True, Window.of(None, width, height)
    first, shared = render_layers(before, *same)
    return first, first if after == before else render_layers(after, *same, shared)[0]


def compiles(layers: Collection[str] = LAYERS) -> bool:
    """Whether the next image waits about half a minute for the renderer to be compiled on this machine.

    Raises:
        PixelProofError: A library of the world extra is missing.
    """
    from ._hits import surfaces
    from ._tone import look_up

    return not is_compiled(look_up if "rgb" in layers else surfaces)  # what is compiled last
