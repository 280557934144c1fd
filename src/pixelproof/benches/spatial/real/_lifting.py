"""Lifters: from a photograph to oriented boxes. Networks come by the entry point `pixelproof.lifters`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pixelproof.benches.spatial.real._boxes import LiftedBox, as_matrix
from pixelproof.benches.spatial.real._frames import Frame
from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.plugins import load_plugin, plugins

GROUP = "pixelproof.lifters"
ORACLE = "oracle"
LEAST_VISIBLE = 0.5
"""Least visible share of a thing that the oracle lifts."""


class Lifter(Protocol):
    """Finds things in a photograph, and where they are."""

    def lift(self, frame: Frame) -> list[LiftedBox]:
        """Oriented boxes of the things in a frame, in the camera's frame and in metres."""


class OracleLifter:
    """The true boxes of a rendered frame."""

    def lift(self, frame: Frame) -> list[LiftedBox]:
        """Boxes of all things that are not part of the surroundings and clearly visible.

        Raises:
            PixelProofError: The frame is not rendered from a scene.
        """
        from pixelproof.benches.spatial._gsi_export import camera_axes, camera_point, thing_name
        from pixelproof.world.pairs import look_at

        if frame.scene is None:
            raise PixelProofError(
                f"The lifter 'oracle' knows generated scenes alone: choose another one with --lifter for {frame.name}."
            )
        here, camera = look_at(frame.scene), frame.scene.camera
        boxes = []
        for thing in frame.scene.things:
            if not thing.fixed and here.view[thing.id].visible >= LEAST_VISIBLE and here.shares[thing.id] > 0:
                x, y, z = camera_point(thing.centre, camera).tolist()
                width, length, height = thing.size
                axes = as_matrix(camera_axes(thing, camera))
                boxes.append(LiftedBox(thing_name(thing), (x, y, z), (width, height, length), axes))
        return boxes


def open_lifter(name: str) -> Lifter:
    """The lifter of a name: `oracle`, or `NAME:ARGUMENT` for one of an entry point, such as `transformers:DIR`.

    Raises:
        PixelProofError: There is none of that name, or it cannot be opened.
    """
    kind, _, argument = name.partition(":")
    if kind == ORACLE:
        return OracleLifter()
    known = plugins(GROUP)
    if kind not in known:
        raise unknown_name("lifter", kind, [ORACLE, *known])
    make: Callable[[str], Lifter] = load_plugin(known[kind], "lifter")
    return make(argument)
