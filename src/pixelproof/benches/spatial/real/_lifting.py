"""Lifters: from a photograph to oriented boxes. Networks are named by module and class."""

from __future__ import annotations

from typing import Protocol

from pixelproof.benches.spatial.real._boxes import LiftedBox
from pixelproof.benches.spatial.real._frames import Frame
from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.plugins import import_callable

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
    """A lifter by name.

    Args:
        name: `oracle`; or `MODULE:CLASS` or `MODULE:CLASS:ARGUMENT`, a class that is called with the argument, or with
            an empty one.

    Raises:
        PixelProofError: There is none of that name, or it cannot be opened.
    """
    if name == ORACLE:
        return OracleLifter()
    if ":" not in name:
        raise unknown_name("lifter", name, [ORACLE, "MODULE:CLASS", "MODULE:CLASS:ARGUMENT"])
    module, path, argument = (*name.split(":", 2), "")[:3]
    lifter: Lifter = import_callable(f"{module}:{path}", "class", "--lifter ")(argument)
    if not callable(getattr(lifter, "lift", None)):
        raise PixelProofError(f"--lifter {name}: {path} has no method lift(frame).")
    return lifter
