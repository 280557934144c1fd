"""Make the pictures of the pages about flat scenes and shifts: `python docs/images/flat.py` writes them here."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from pixelproof.world.flat import ALPHABET, FlatScene, Sprite, draw, draw_clip, make_clip, make_flat, thumbnail, truth
from pixelproof.world.shifts import SHIFTS, WORLD_SHIFTS
from pixelproof.world.solid import COLOURS

HERE = Path(__file__).parent
STRENGTHS = (0.0, 0.25, 0.5, 0.75, 1.0)
WIDTH, HEIGHT, GAP, LEFT, TOP = 190, 140, 6, 110, 26


def scenes() -> Image.Image:
    """Scenes, their thumbnails, and their truth."""
    colours = np.random.default_rng(1).integers(40, 230, (80, 3)).astype(np.uint8)
    colours[0] = 235
    sheet = Image.new("RGB", (3 * 520 - 8, 3 * 520 - 8), "white")
    for row, index in enumerate((2, 4, 11)):
        scene = make_flat(3, index)
        picture, known = draw(scene), truth(scene)
        labels = Image.fromarray(colours[known.labels])
        pen = ImageDraw.Draw(labels)
        for seen in known.seen.values():
            for box, ink in [(seen.box, "black"), *((glyph.box, "red") for glyph in seen.glyphs)]:
                if box:
                    pen.rectangle((box[0], box[1], box[2] - 1, box[3] - 1), outline=ink)
        small = thumbnail(picture, 8).repeat(8, axis=0).repeat(8, axis=1)
        for column, panel in enumerate((Image.fromarray(picture), Image.fromarray(small), labels)):
            sheet.paste(panel, (520 * column, 520 * row))
    return sheet


def table(names: list[str]) -> Image.Image:
    """An empty table of shifts, by strength."""
    sheet = Image.new("RGB", (LEFT + 5 * (WIDTH + GAP), TOP + len(names) * (HEIGHT + GAP)), "white")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(16)
    for column, strength in enumerate(STRENGTHS):
        pen.text((LEFT + column * (WIDTH + GAP) + WIDTH // 2, 13), f"strength {strength:g}", "black", font, anchor="mm")
    for row, name in enumerate(names):
        pen.text((6, TOP + row * (HEIGHT + GAP) + HEIGHT // 2), name, "black", font, anchor="lm")
    return sheet


def cell(row: int, column: int) -> tuple[int, int]:
    """The corner of a cell of such a table."""
    return LEFT + column * (WIDTH + GAP), TOP + row * (HEIGHT + GAP)


def of_pictures() -> Image.Image:
    """Each shift of pictures."""
    scene = make_flat(3, 4)
    sheet, picture = table(list(SHIFTS)), draw(scene)
    x, y, _, _ = scene.plate_of(scene.roles["second"]).rectangle
    left, top = min(max(x - 140, 0), 512 - WIDTH), min(max(y - 75, 0), 512 - HEIGHT)
    for row, (name, change) in enumerate(SHIFTS.items()):
        for column, strength in enumerate(STRENGTHS):
            shifted = Image.fromarray(change(picture, strength, 1))
            if name == "occlusion":
                shifted = shifted.resize((WIDTH, HEIGHT), Image.Resampling.BOX)
            else:
                shifted = shifted.crop((left, top, left + WIDTH, top + HEIGHT))
            sheet.paste(shifted, cell(row, column))
    return sheet


def of_worlds() -> Image.Image:
    """Each shift of worlds: the plates of a scene, all colours, how frequent characters are, all frames at once."""
    rows = {"font": plates, "palette": colours, "prior": characters, "jitter": shaken}
    sheet = table(list(rows))
    for row, (name, show) in enumerate(rows.items()):
        for column, strength in enumerate(STRENGTHS):
            sheet.paste(show(**WORLD_SHIFTS[name].wish(strength)), cell(row, column))
    return sheet


def plates(sans: float) -> Image.Image:
    """The plates of a scene, twice as large."""
    scene, panel = make_flat(3, 4, sans=sans), Image.new("RGB", (WIDTH, HEIGHT), (224, 222, 214))
    whole = Image.fromarray(draw(scene))
    for number, plate in enumerate(sprite for sprite in scene.sprites if sprite.text):
        shown = whole.crop(plate.rectangle)
        shown = shown.resize((2 * shown.width, 2 * shown.height), Image.Resampling.NEAREST)
        panel.paste(shown, (10 + 90 * (number % 2), 10 + 42 * (number // 2)))
    return panel


def colours(hue: float) -> Image.Image:
    """All colours that have a word."""
    sprites = tuple(
        Sprite(word, "circle", word, 28 + 45 * (n % 4), 20 + 33 * (n // 4), 30) for n, word in enumerate(COLOURS)
    )
    return Image.fromarray(draw(FlatScene(0, 0, WIDTH, HEIGHT, sprites, hue=hue)))


def characters(prior: float) -> Image.Image:
    """How often each character is in the codes of 60 scenes."""
    texts = (sprite.text for index in range(60) for sprite in make_flat(3, index, prior=prior).sprites)
    found = Counter("".join(texts))
    panel = Image.new("RGB", (WIDTH, HEIGHT), (240, 240, 238))
    pen = ImageDraw.Draw(panel)
    for number, character in enumerate(ALPHABET):
        x, high = 8 + 11 * number, 180 * found[character] / found.total()
        pen.rectangle((x, HEIGHT - 18 - high, x + 8, HEIGHT - 18), fill=(38, 84, 190))
        pen.text((x + 4, HEIGHT - 8), character, "black", ImageFont.load_default(10), anchor="mm")
    return panel


def shaken(jitter: float) -> Image.Image:
    """The mean of all frames of a clip."""
    clip = make_clip(3, 1, jitter=jitter, noise=0)
    frames = draw_clip(replace(clip, motions=()))  # things stand still, so that all that moves is the camera
    return Image.fromarray(np.rint(frames.mean(axis=0)).astype(np.uint8)).crop((60, 60, 60 + WIDTH, 60 + HEIGHT))


def main() -> None:
    """Write all of them."""
    scenes().save(HERE / "flat-scenes.webp", quality=82, method=6)
    of_pictures().save(HERE / "shifts.webp", quality=85, method=6)
    of_worlds().save(HERE / "world-shifts.webp", quality=90, method=6)
    frames = draw_clip(make_clip(6, 2, jitter=3.0))
    sheet = np.vstack([np.hstack(list(frames[row : row + 4, ::2, ::2])) for row in range(0, 16, 4)])
    Image.fromarray(sheet).save(HERE / "flat-clip-sheet.webp", quality=80, method=6)
    first, *others = [Image.fromarray(frame).resize((320, 320), Image.Resampling.BOX) for frame in frames]
    moving = {"save_all": True, "append_images": others, "duration": 180, "loop": 0}
    first.save(HERE / "flat-clip.webp", quality=75, method=6, **moving)


if __name__ == "__main__":
    main()
