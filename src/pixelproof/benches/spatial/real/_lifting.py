"""Lifters: from a photograph to oriented boxes. Networks come by the entry point `pixelproof.lifters`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pixelproof.benches.spatial.real._boxes import LiftedBox
from pixelproof.benches.spatial.real._frames import Frame
from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.plugins import load_plugin, plugins

GROUP = "pixelproof.lifters"
ORACLE = "oracle"


class Lifter(Protocol):
    """Finds things in a photograph, and where they are."""

    def lift(self, frame: Frame) -> list[LiftedBox]:
        """Oriented boxes of the things in a frame, in the camera's frame and in metres."""


class OracleLifter:
    """The true boxes of a generated frame."""

    def lift(self, frame: Frame) -> list[LiftedBox]:
        """Boxes of all things that are clearly visible.

        Raises:
            PixelProofError: The frame is a photograph, whose boxes nobody knows.
        """
        if frame.boxes is None:
            raise PixelProofError(
                f"The lifter 'oracle' knows generated frames alone: choose another one with --lifter for {frame.name}."
            )
        return list(frame.boxes)


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
