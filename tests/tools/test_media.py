"""Pictures and clips: what is read, and what is refused."""

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pixelproof.contract import Artefact, PixelProofError
from pixelproof.pixels import encode_png
from pixelproof.tools import MOST_FRAMES, Media, open_media


def frames(count=4, side=16):
    return [np.full((side, side + 4, 3), 40 * number, np.uint8) for number in range(count)]


def animation(kind, count=4, **options):
    images = [Image.fromarray(frame) for frame in frames(count)]
    buffer = io.BytesIO()
    images[0].save(buffer, kind, save_all=True, append_images=images[1:], duration=100, **options)
    return buffer.getvalue()


def video(path, count=6):
    cv2 = pytest.importorskip("cv2")
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"MJPG"), 10.0, (64, 48))
    for number in range(count):
        writer.write(np.full((48, 64, 3), 8 * number, np.uint8))
    writer.release()
    return path


def test_a_picture_is_one_frame_and_named_by_its_pixels(tmp_path):
    pixels = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    (tmp_path / "a.png").write_bytes(encode_png(pixels).data)
    media = open_media(tmp_path / "a.png")
    assert (media.kind, len(media), media.width, media.height, media.uri) == ("picture", 1, 4, 4, "a.png")
    assert media.sha256 == Media(pixels).sha256 == open_media(encode_png(pixels, effort=9)).sha256
    changed = pixels.copy()
    changed[3, 3, 2] ^= 1
    assert Media(changed).frame_hash(0) != media.frame_hash(0)
    assert Media([pixels]).sha256 != media.sha256, "a clip of one frame is a clip"


@pytest.mark.parametrize("kind", ["WEBP", "GIF", "PNG"])
def test_animations_are_clips(kind):
    options = {"lossless": True} if kind == "WEBP" else {}
    media = open_media(animation(kind, **options))
    assert (media.kind, len(media), media.fps) == ("clip", 4, 10.0)
    assert [int(frame.mean()) for frame in media.frames] == [0, 40, 80, 120]
    assert media.seconds(3) == 0.3


def test_a_video_is_a_clip(tmp_path):
    media = open_media(video(tmp_path / "a.avi"))
    assert (media.kind, len(media), media.width, media.fps) == ("clip", 6, 64, 10.0)


def test_damaged_files_are_refused(tmp_path):
    data = video(tmp_path / "a.avi", 30).read_bytes()
    for broken in (b"", b"no video at all" * 100, data[: len(data) // 2], animation("GIF")[:100], b"\x89PNG\r\n\x1a\n"):
        with pytest.raises(PixelProofError) as caught:
            open_media(Artefact(broken, "video/avi"))
        assert len(str(caught.value)) < 300
    with pytest.raises(PixelProofError, match="Cannot read"):
        open_media(tmp_path / "missing.mp4")


def test_clips_that_are_too_large_are_refused_before_they_are_copied():
    frame = np.zeros((2, 2, 3), np.uint8)
    with pytest.raises(PixelProofError, match="too large"):
        Media([frame] * (MOST_FRAMES + 1))
    huge = np.broadcast_to(np.zeros(3, np.uint8), (8000, 8000, 3))
    with pytest.raises(PixelProofError, match="too large"):
        Media([huge] * 5)
    assert len(Media([frame] * 10_000)) == 10_000


@pytest.mark.parametrize(
    "given",
    [[], [np.zeros((2, 2), np.uint8)], [np.zeros((2, 2, 3))], ["a"], np.zeros((0, 4, 3), np.uint8),
     [np.zeros((2, 2, 3), np.uint8), np.zeros((2, 3, 3), np.uint8)]],
)  # fmt: skip
def test_what_is_no_picture_is_refused(given):
    with pytest.raises(PixelProofError):
        Media(given)


def test_what_is_no_file_is_refused_at_once(tmp_path):
    """To open a pipe without a writer would wait for ever."""
    os.mkfifo(tmp_path / "pipe.png")
    for path, message in (
        (tmp_path / "pipe.png", "pipe or device"),
        (tmp_path, "directory"),
        (Path("/dev/zero"), "pipe or device"),
        (Path("https://example.com/a.png"), "download"),
        (tmp_path / "missing.png", "No such file"),
    ):
        with pytest.raises(PixelProofError, match=message):
            open_media(path)


@pytest.mark.slow
def test_libraries_print_nothing_about_a_file_that_is_no_video(tmp_path):
    """In a process of its own: the library reads its log level once."""
    pytest.importorskip("cv2")
    (tmp_path / "a.mp4").write_bytes(b"\0\0\0\x18ftypmp42" + b"\1" * 3000)
    code = "import sys, pathlib, pixelproof.tools; pixelproof.tools.open_media(pathlib.Path(sys.argv[1]))"
    words = [sys.executable, "-c", code, str(tmp_path / "a.mp4")]
    done = subprocess.run(words, capture_output=True, text=True)
    assert "neither a picture nor a video" in done.stderr and "moov" not in done.stderr and "WARN" not in done.stderr
