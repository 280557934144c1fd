"""Frames: where they come from, which are sharp; and lifters from a photograph to oriented boxes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from pixelproof.benches.sources import IMAGE_SUFFIXES
from pixelproof.benches.spatial.real._boxes import LiftedBox, RealEdit, as_matrix
from pixelproof.contract import Artefact, PixelProofError, unknown_name
from pixelproof.pixels import read_image
from pixelproof.plugins import import_callable
from pixelproof.store import require_inside

if TYPE_CHECKING:
    from pixelproof.world.solid import Scene

Pixels = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
CAMERA = "camera.json"
USUAL_VIEW = 60.0
"""Horizontal field of view in degrees of a photograph without a camera file."""
LEAST_VISIBLE = 0.5
"""Least visible share of a thing whose true box is given."""
LOW_FREQUENCIES = 0.1
"""Radius of the disc of low frequencies, as a share of the shorter side of the image."""


@dataclass(frozen=True)
class Frame:
    """A photograph with what is known of its camera."""

    name: str
    rgb: Pixels = field(repr=False)
    intrinsics: Floats = field(repr=False)
    """Camera matrix in pixels."""
    down: tuple[float, float, float] = (0.0, 1.0, 0.0)
    """Direction of gravity in the camera's frame."""
    labels: tuple[str, ...] = ()
    """Names of things to look for; empty: those that the detector knows."""
    boxes: tuple[LiftedBox, ...] | None = field(default=None, repr=False)
    """The true boxes, where they are known: for the lifter `oracle` alone."""
    execute: Callable[[RealEdit], Pixels | None] | None = field(default=None, repr=False, compare=False)
    """The photograph after an edit, where it is known; None for edits that it cannot show."""
    assumed: bool = False
    """Whether the camera is assumed, not known."""


def sample_places(count: int, every: int, rng: np.random.Generator) -> list[int]:
    """Places of the frames that are taken: one at random of every so many.

    >>> sample_places(5, 5, np.random.default_rng(0)) in ([0], [1], [2], [3], [4])
    True
    """
    if every < 1:
        raise PixelProofError(f"One frame in {every} is not possible: choose 1 or more.")
    return [start + int(rng.integers(min(every, count - start))) for start in range(0, count, every)]


def sharpness(rgb: Pixels) -> float:
    """Share of the spectrum's magnitude outside of the low frequencies, of the luma; low for blurry images.

    The mean is left out, so that brightness does not matter.
    """
    luma = rgb.astype(np.float64) @ (0.299, 0.587, 0.114)
    spectrum = np.abs(np.fft.fftshift(np.fft.fft2(luma - luma.mean())))
    total = float(spectrum.sum())
    if total <= 0:
        return 0.0
    height, width = luma.shape
    y, x = np.ogrid[:height, :width]
    radius = LOW_FREQUENCIES * min(height, width)
    low = (x - width // 2) ** 2 + (y - height // 2) ** 2 <= radius**2
    return 1 - float(spectrum[low].sum()) / total


def photo_frames(folder: Path) -> Iterator[Frame]:
    """The photographs of a folder, sorted by name, with the cameras of `camera.json` if there is one.

    The file has `fx`, `fy`, `cx` and `cy` in pixels, and may have `down` (direction of gravity in the camera's frame)
    and `labels`; or an object of such for each file name.

    Raises:
        PixelProofError: There are no photographs, one cannot be read, two have one name, or the file cannot be used.
    """
    if not folder.is_dir():
        raise PixelProofError(f"{folder} is not a folder: give one with photographs.")
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in IMAGE_SUFFIXES)
    if not paths:
        raise PixelProofError(f"{folder} has no photographs: put PNG, JPEG or WebP files there.")
    for path, other in pairwise(sorted(paths, key=lambda path: path.stem)):
        if path.stem == other.stem:
            raise PixelProofError(f"{path} and {other.name} have one name: rename one of them.")
    cameras = _read_cameras(folder / CAMERA)
    for path in paths:
        try:
            rgb = read_image(Artefact(require_inside(path, folder).read_bytes(), "", str(path)))
        except (PixelProofError, OSError) as error:
            raise PixelProofError(f"{path} cannot be read ({error}): remove it.") from error
        given = cameras.get(path.name, cameras.get("", {}))
        matrix = _intrinsics(given, rgb.shape[1], rgb.shape[0])
        down = tuple(float(value) for value in given.get("down", (0.0, 1.0, 0.0)))
        yield Frame(path.stem, rgb, matrix, down, tuple(given.get("labels", ())), assumed=not given)  # type: ignore[arg-type]


def _read_cameras(path: Path) -> Mapping[str, Mapping[str, Any]]:
    """File name → camera; the name is empty for one camera of all files."""
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text("utf-8"))
        cameras = {"": content} if "fx" in content else dict(content)
        for name, camera in cameras.items():
            if not all(float(camera[part]) > 0 for part in ("fx", "fy", "cx", "cy")):
                raise ValueError(f"{name or 'the camera'} has a value that is not positive")
            down = camera.get("down", (0.0, 1.0, 0.0))
            if len(down) != 3 or not 0.9 < float(np.linalg.norm(down)) < 1.1:
                raise ValueError(f"'down' of {name or 'the camera'} is not a direction")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise PixelProofError(f"{path} cannot be used ({error}): give fx, fy, cx and cy in pixels.") from error
    return cameras


def _intrinsics(given: Mapping[str, Any], width: int, height: int) -> Floats:
    if not given:
        focal = width / 2 / np.tan(np.radians(USUAL_VIEW / 2))
        return np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]])
    fx, fy, cx, cy = (float(given[part]) for part in ("fx", "fy", "cx", "cy"))
    return np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]])


def clip_frames(kind: str, seed: int, index: int, places: Sequence[int], frames: int, size: int) -> Iterator[Frame]:
    """Rendered frames of a generated clip with a moving camera, as a stand-in for a video with exact truth.

    Args:
        kind: Kind of scene, such as `tabletop`.
        seed: Seed of the clip.
        index: Index of the clip.
        places: Which frames.
        frames: Number of frames of the clip.
        size: Side of the frames in pixels.
    """
    from pixelproof.world.solid.clips import make_clip
    from pixelproof.world.solid.render import render

    clip = make_clip(kind, seed, index, frames=frames, motion="camera")
    for place in places:
        scene = clip.frame(place)
        rgb = render(scene, size, quality="draft", layers=("rgb",)).rgb
        yield scene_frame(f"{kind}-{seed}-{index:04d}-{place:04d}", scene, rgb)


def scene_frame(name: str, scene: Scene, rgb: Pixels) -> Frame:
    """A rendered frame of a scene, with the true boxes of all things that are clearly visible."""
    from pixelproof.world.solid import rotation_matrix

    height, width = rgb.shape[:2]
    x, y, z = (rotation_matrix(scene.camera.rotation).T @ (0.0, 0.0, -1.0)).tolist()
    return Frame(name, rgb, scene.camera.intrinsics(width, height), (x, y, z), (), _scene_boxes(scene))


def _scene_boxes(scene: Scene) -> tuple[LiftedBox, ...]:
    from pixelproof.benches.spatial._gsi_export import camera_axes, camera_point, thing_name
    from pixelproof.world.pairs import look_at

    here, boxes = look_at(scene), []
    for thing in scene.things:
        if not thing.fixed and here.view[thing.id].visible >= LEAST_VISIBLE and here.shares[thing.id] > 0:
            x, y, z = camera_point(thing.centre, scene.camera).tolist()
            width, length, height = thing.size
            axes = as_matrix(camera_axes(thing, scene.camera))
            boxes.append(LiftedBox(thing_name(thing), (x, y, z), (width, height, length), axes))
    return tuple(boxes)


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
