"""Descriptions of the codes, for prompts."""

from __future__ import annotations

import numpy as np

from ._depth import DEPTH_CODES, DepthCode

_MARKS = (0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0)
_NAMES = {
    (0, 0, 0): "black",
    (0, 0, 255): "blue",
    (0, 255, 255): "cyan",
    (0, 255, 0): "green",
    (255, 255, 0): "yellow",
    (255, 0, 0): "red",
    (255, 0, 255): "magenta",
    (255, 255, 255): "white",
}


def _depth_text(code: DepthCode) -> str:
    corners = [f"{_NAMES[corner]} {list(corner)}" for corner in code.corners]
    colours = code.encode(np.array([_MARKS]))[0].tolist()
    marks = "\n".join(f"{mark:g} m: {colour}" for mark, colour in zip(_MARKS, colours, strict=True))
    return (
        "The colour of each pixel says how far its surface is from the camera, measured in metres along the viewing "
        f"axis. With distance the colour moves on straight lines {' → '.join(corners)}; the first colour is 0 m, the "
        f"last is endlessly far (sky). A distance d lies at the share 1 − (1 + d/10)^−2 of the whole way"
        + (f", all {len(corners) - 1} lines being equally long" if len(corners) > 2 else "")
        + f". Some distances with their [r, g, b]:\n{marks}\nColours change smoothly where the distance does and at "
        "once where one thing ends and another begins. No shading, no texture, no outlines, no text."
    )


def _normals_text() -> str:
    return (
        "The colour of each pixel says which way its surface faces, seen from the camera: red for right, green for up, "
        "blue for towards the viewer. A direction with the parts (right, up, towards), each from −1 to 1 and of length "
        "1 together, has the colour [r, g, b] = (part + 1) × 127.5. So a surface that faces\n"
        "the viewer: [128, 128, 255]\nright: [255, 128, 128]\nleft: [0, 128, 128]\nup: [128, 255, 128]\n"
        "down: [128, 0, 128]\nRight and left are those of the picture. Flat surfaces have one flat colour. No shading, "
        "no texture, no outlines, no text."
    )


CODES = {**{f"depth-{code.name}": _depth_text(code) for code in DEPTH_CODES.values()}, "normals": _normals_text()}
"""Name of a code → its description in prompts."""
