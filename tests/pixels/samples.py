"""Pictures of every format and mode, and hand-made files that no encoder would write."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import numpy as np
from PIL import Image


def save(image: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width: int, height: int, *chunks: bytes, depth: int = 8, colour: int = 2, data: bytes | None = None) -> bytes:
    """A PNG by hand; without data, its rows are black RGB."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    rows = zlib.compress(bytes((3 * width + 1) * height)) if data is None else data
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def photo(height: int = 37, width: int = 53) -> np.ndarray:
    """Smooth colours with a little noise: what lossy encoders are made for."""
    noise = np.random.default_rng(7).integers(0, 24, (height, width, 3))
    y, x = np.mgrid[0:height, 0:width]
    smooth = np.stack([4 * x, 5 * y, 2 * (x + y)], axis=-1)
    return (smooth + noise).clip(0, 255).astype(np.uint8)


def sample_files() -> dict[str, bytes]:
    """Real encoded files: each format, and its variants that take other paths through the decoders."""
    rgb = Image.fromarray(photo())
    frames = [rgb, rgb.rotate(90)]
    clear = rgb.convert("RGBA")
    clear.putalpha(rgb.convert("L"))
    return {
        "png": save(rgb, "PNG"),
        "png-palette": save(rgb.quantize(17), "PNG", transparency=3),
        "png-alpha": save(clear, "PNG"),
        "apng": save(frames[0], "PNG", save_all=True, append_images=frames[1:]),
        "jpeg": save(rgb, "JPEG", quality=90),
        "jpeg-progressive": save(rgb, "JPEG", quality=90, progressive=True),
        "jpeg-grey": save(rgb.convert("L"), "JPEG"),
        "jpeg-cmyk": save(rgb.convert("CMYK"), "JPEG"),
        "webp": save(rgb, "WEBP"),
        "webp-lossless": save(clear, "WEBP", lossless=True),
        "webp-animated": save(frames[0], "WEBP", save_all=True, append_images=frames[1:], lossless=True),
        "gif": save(rgb, "GIF"),
        "gif-animated": save(frames[0], "GIF", save_all=True, append_images=frames[1:], transparency=1, disposal=2),
        "bmp": save(rgb, "BMP"),
        "bmp-palette": save(rgb.quantize(9), "BMP"),
        "bmp-1": save(rgb.convert("1"), "BMP"),
    }
