"""What tools work on: a picture or a clip, decoded once, each frame identified by its content."""

from __future__ import annotations

import hashlib
import io
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageSequence

from pixelproof.contract import Artefact, PixelProofError
from pixelproof.pixels import media_type_of, read_image, shown_pixels
from pixelproof.store import digest, import_extra

Pixels = npt.NDArray[np.uint8]
MOST_FRAMES = 20_000
MOST_PIXELS = 256 * 2**20
"""Pixels of all frames together: 0.8 GB in memory."""
MOST_FRAME_PIXELS = 64_000_000
_MAX_BYTES = 512 * 2**20
_ANIMATED = ("image/webp", "image/gif", "image/png")
_URL = re.compile(r"(?:^|/)(?:https?|ftp|file|s3|gs|az):/")
"""An address that became a path, and lost its second slash."""
_SLACK = 2
"""Frames that a video may lack against its header, which is often an estimate."""


class Media:
    """A picture, or the frames of a clip: uint8 RGB, all of one size. Frames must not be changed afterwards.

    Args:
        frames: One picture, shape (height, width, 3), or the frames of a clip, in order.
        fps: Frame rate of a clip; 0 if unknown.
        uri: Where it comes from, for records.

    Raises:
        PixelProofError: These are no pictures of one size, or they are too large.
    """

    def __init__(self, frames: Pixels | Sequence[Pixels], fps: float = 0.0, uri: str = "") -> None:
        single = isinstance(frames, np.ndarray) and frames.ndim == 3
        listed: list[Pixels] = [np.asarray(frames)] if single else list(frames)
        _require_frames(listed)
        if not (0 <= fps < 1e6):
            raise PixelProofError(f"A clip of {fps} frames per second cannot be shown: give a rate from 0 to 1e6.")
        self.frames: tuple[Pixels, ...] = tuple(np.ascontiguousarray(frame) for frame in listed)
        self.kind: Literal["picture", "clip"] = "picture" if single else "clip"
        self.fps = float(fps)
        self.uri = uri
        self._hashes: dict[int, str] = {}

    @property
    def height(self) -> int:
        """Height of a frame in pixels."""
        return int(self.frames[0].shape[0])

    @property
    def width(self) -> int:
        """Width of a frame in pixels."""
        return int(self.frames[0].shape[1])

    def __len__(self) -> int:
        return len(self.frames)

    def frame_hash(self, frame: int) -> str:
        """SHA-256 of size and pixels of a frame."""
        if frame not in self._hashes:
            pixels = self.frames[frame]
            head = f"{pixels.shape[1]}x{pixels.shape[0]}:".encode()
            self._hashes[frame] = hashlib.sha256(head + pixels.tobytes()).hexdigest()
        return self._hashes[frame]

    @property
    def sha256(self) -> str:
        """Hash of the kind and all frames; independent of the file format and the frame rate."""
        return digest([self.kind, [self.frame_hash(frame) for frame in range(len(self))]])

    def seconds(self, frame: int) -> float | None:
        """Time stamp of a frame in seconds; None if the frame rate is unknown."""
        return round(frame / self.fps, 4) if self.fps else None


def open_media(source: Path | bytes | Artefact, uri: str = "") -> Media:
    """Read a picture (PNG, JPEG, WebP, GIF, BMP), an animation (WebP, GIF, PNG) or a video (MP4, AVI, WebM, …).

    Args:
        source: The file, its bytes, or an artefact. Videos need OpenCV (`pixelproof[tools]`).
        uri: Where it comes from, for records; the name of the file, if left out.

    Raises:
        PixelProofError: It is damaged, too large, or of an unknown format; the message says what to do.
    """
    data = _load(source)
    named = uri or (source.name if isinstance(source, Path) else "")
    kind = media_type_of(data)
    if kind in _ANIMATED and (clip := _animation(data)) is not None:
        return Media(clip[0], clip[1], named)
    if kind.startswith("image/"):
        return Media(read_image(data, max_pixels=MOST_FRAME_PIXELS), uri=named)
    frames, fps = _video(data, named or "The clip")
    return Media(frames, fps, named)


def _load(source: Path | bytes | Artefact) -> bytes:
    if isinstance(source, bytes):
        data = source
    elif isinstance(source, Artefact):
        data = source.data
    else:
        if source.exists() and not source.is_file():  # to open a pipe would wait for its writer
            kind = "directory" if source.is_dir() else "pipe or device"
            raise PixelProofError(f"{source} is a {kind}: give the file of a picture or clip.")
        try:
            with source.open("rb") as file:
                data = file.read(_MAX_BYTES + 1)
        except OSError as error:
            if _URL.search(str(source)):
                message = "Addresses are not opened: download the picture or clip, and give the path of the file."
                raise PixelProofError(message) from error
            raise PixelProofError(f"Cannot read {source} ({error.strerror}): check the path.") from error
    if not data:
        raise PixelProofError("The file is empty: give a picture or a clip.")
    if len(data) > _MAX_BYTES:
        raise PixelProofError(f"The file has more than {_MAX_BYTES:,} bytes: give a smaller or shorter one.")
    return data


def _require_frames(frames: Sequence[Pixels]) -> None:
    if not len(frames):
        raise PixelProofError("The clip has no frames: give at least one.")
    first = frames[0]
    for frame in frames:
        if not isinstance(frame, np.ndarray) or frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3:
            raise PixelProofError("Frames are uint8 arrays of shape (height, width, 3): convert them to RGB.")
        if frame.shape != first.shape or not frame.size:
            raise PixelProofError("All frames of a clip have the same size, and pixels: crop or scale them.")
    _require_size(len(frames), first.shape[0] * first.shape[1])


def _require_size(count: int, pixels: int) -> None:
    if count > MOST_FRAMES or count * pixels > MOST_PIXELS or pixels > MOST_FRAME_PIXELS:
        raise PixelProofError(
            f"{count:,} frames with {pixels:,} pixels each are too large: at most {MOST_FRAMES:,} frames and "
            f"{MOST_PIXELS:,} pixels in all. Take every other frame, or smaller ones."
        )


def _animation(data: bytes) -> tuple[list[Pixels], float] | None:
    """Frames and frame rate of an animated image; None for a still one."""
    try:
        with Image.open(io.BytesIO(data)) as image:
            count = int(getattr(image, "n_frames", 1))
            if count < 2:
                return None
            _require_size(count, image.width * image.height)
            frames, milliseconds = [], 0.0
            for frame in ImageSequence.Iterator(image):
                frames.append(shown_pixels(frame))
                milliseconds += float(frame.info.get("duration", 0))
    except PixelProofError:
        raise
    except Exception as error:  # decoders of hostile bytes raise nearly everything
        raise PixelProofError(f"The animation is damaged ({error}): give the complete file.") from error
    return frames, 1000 * len(frames) / milliseconds if milliseconds > 0 else 0.0


def _video(data: bytes, name: str) -> tuple[list[Pixels], float]:
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # its warnings would stand before our message
    cv2 = import_extra("cv2", "tools", "Reading videos")
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    file, path = tempfile.mkstemp(suffix=".video")  # OpenCV reads from files only
    try:
        with os.fdopen(file, "wb") as handle:
            handle.write(data)
        capture = cv2.VideoCapture(path, cv2.CAP_FFMPEG)
        if not capture.isOpened():
            raise PixelProofError(f"{name} is neither a picture nor a video that can be read: give MP4, WebM or PNG.")
        expected, fps = capture.get(cv2.CAP_PROP_FRAME_COUNT), capture.get(cv2.CAP_PROP_FPS)
        size = capture.get(cv2.CAP_PROP_FRAME_WIDTH) * capture.get(cv2.CAP_PROP_FRAME_HEIGHT)
        if expected > 0 and size > 0:
            _require_size(int(expected), int(size))
        frames = [np.ascontiguousarray(frame[..., ::-1]) for frame in _decoded(capture)]
        capture.release()
    finally:
        os.unlink(path)
    if not frames or len(frames) < expected - _SLACK:
        raise PixelProofError(
            f"{name} is damaged: {len(frames)} of {max(int(expected), 1)} frames decode. Give the complete file."
        )
    return frames, float(fps) if 0 < fps < 1000 else 0.0


def _decoded(capture: object) -> Iterator[npt.NDArray[np.uint8]]:
    """Frames until the end; a header that states too few does not let more than the limit through."""
    count = 0
    while True:
        more, frame = capture.read()  # type: ignore[attr-defined]
        if not more:
            return
        count += 1
        _require_size(count, frame.shape[0] * frame.shape[1])
        yield frame
