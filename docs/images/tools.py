"""Make the pictures of the page about tools: `python docs/images/tools.py` writes them here.

OCR needs the asset rapidocr-models, SEG and TRK the extra `tools`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from pixelproof.contract import Call
from pixelproof.pixels import read_image
from pixelproof.tools import Backends, Media, RapidOcrReader, Toolbox, ToolResult, grid_box, render_evidence
from pixelproof.world.flat import ALPHABET, draw, draw_clip, make_clip, make_flat, tracks, truth

HERE = Path(__file__).parent
HEIGHT, GAP = 330, 10


def call(toolbox: Toolbox, tool: str, **arguments: object) -> ToolResult:
    """The result of a call that must succeed."""
    result = toolbox.call(Call("", tool, arguments))
    assert result.ok, result.message
    print(tool, result.text[:200])
    return result


def row(*pictures: np.ndarray) -> Image.Image:
    """Pictures side by side, all of one height."""
    scaled = []
    for pixels in pictures:
        image = Image.fromarray(pixels)
        scaled.append(image.resize((round(image.width * HEIGHT / image.height), HEIGHT), Image.Resampling.LANCZOS))
    sheet = Image.new("RGB", (sum(image.width + GAP for image in scaled) - GAP, HEIGHT), "white")
    left = 0
    for image in scaled:
        sheet.paste(image, (left, 0))
        left += image.width + GAP
    return sheet


def still() -> dict[str, Image.Image]:
    """ZOOM, OCR, SEG and PROP on a scene with plates."""
    scene = make_flat(3, 2, sans=1.0)
    media = Media(draw(scene))
    toolbox = Toolbox(media, Backends(ocr=RapidOcrReader(ALPHABET)))
    first = scene.roles["first"]
    plate = scene.plate_of(first).rectangle
    left, top, right, bottom = plate
    near = grid_box((left - 20, top - 20, right + 20, bottom + 20), media.width, media.height)
    zoom = call(toolbox, "ZOOM", box=near)
    text = call(toolbox, "OCR", box=grid_box(plate, media.width, media.height))
    seen = truth(scene).seen[scene.roles["largest"]]
    segment = call(toolbox, "SEG", box=grid_box(seen.box or (0, 0, 1, 1), media.width, media.height))
    found = call(toolbox, "PROP", ref=segment.ref)
    assert zoom.image is not None
    return {
        "tools-zoom": row(render_evidence(media, zoom), read_image(zoom.image)),
        "tools-ocr": row(render_evidence(media, text)),
        "tools-seg": row(render_evidence(media, segment), render_evidence(media, found)),
    }


def moving() -> dict[str, Image.Image]:
    """TRK and TEMP on a clip of identical movers."""
    clip = make_clip(3, 1, paths="crossing", sans=1.0, clear_flash=True)
    media = Media(list(draw_clip(clip)), fps=8.0)
    known = tracks(clip)[clip.scene.roles["target"]]
    toolbox = Toolbox(media)
    track = call(toolbox, "TRK", box=grid_box(known[0].whole, media.width, media.height), t0=0, t1=15)
    flash = next(change for change in clip.changes if change.id == "lamp")
    strip = call(toolbox, "TEMP", t0=flash.first - 1, t1=flash.stop)
    assert strip.image is not None
    return {"tools-trk": row(render_evidence(media, track)), "tools-temp": row(read_image(strip.image))}


if __name__ == "__main__":
    for name, image in (still() | moving()).items():
        image.save(HERE / f"{name}.webp", quality=80, method=6)
