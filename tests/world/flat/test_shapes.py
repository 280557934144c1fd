"""Outlines, areas and distances against other ways to find them; glyphs that weigh the same."""

import math
from itertools import combinations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from pixelproof.contract import PixelProofError
from pixelproof.world.flat import ALPHABET, SHAPES
from pixelproof.world.flat._shapes import glyph_tiles, signed_distance


def filled(name, side=256, angle=0.0, size=None):
    """A shape as Pillow fills it, which knows nothing of distances."""
    image = Image.new("1", (side, side))
    outlines = SHAPES[name].outline_at(side / 2, side / 2, size or side, angle)
    for outline, ink in zip(outlines, (1, 0), strict=False):
        ImageDraw.Draw(image).polygon([tuple(point) for point in outline], fill=ink)
    return np.asarray(image)


@pytest.mark.parametrize("name", SHAPES)
def test_areas_are_those_of_filled_outlines(name):
    # Pillow counts the rim as inside, which makes a figure half a pixel wider all round.
    assert filled(name, 2000).mean() == pytest.approx(SHAPES[name].area, rel=0.012)


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_fill_a_circle_about_their_centroid(name):
    radii = np.concatenate([np.hypot(*outline.T) for outline in SHAPES[name].outlines])
    assert radii.max() == pytest.approx(0.5)
    lines, columns = np.nonzero(filled(name, 1000))
    assert np.mean(columns) == pytest.approx(499.5, abs=1.5)
    assert np.mean(lines) == pytest.approx(499.5, abs=1.5)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_distances_to_outlines(name):
    rng = np.random.default_rng(0)
    points = rng.uniform(-0.6, 0.6, (300, 2))
    along = np.linspace(0, 1, 200, endpoint=False)[:, None, None]
    dense = np.concatenate([
        (line + along * (np.roll(line, -1, axis=0) - line)).reshape(-1, 2) for line in SHAPES[name].outlines
    ])  # fmt: skip
    nearest = np.sqrt(((points[:, None] - dense) ** 2).sum(axis=2)).min(axis=1)
    distance = signed_distance(SHAPES[name], points)
    assert np.abs(np.abs(distance) - nearest).max() < 0.005
    inside = np.array([winding(SHAPES[name], point) for point in points])
    assert ((distance < 0) == inside).all()


def winding(shape, point):
    """Whether outlines turn around a point an odd number of times."""
    turns = 0.0
    for outline in shape.outlines:
        angles = np.arctan2(*(outline - point).T[::-1])
        steps = np.diff(np.append(angles, angles[0]))
        turns += abs(((steps + math.pi) % math.tau - math.pi).sum()) / math.tau
    return round(turns) % 2 == 1


@pytest.mark.slow
def test_no_shape_turned_is_another_shape():
    def figures(name):
        size = 60 / math.sqrt(SHAPES[name].area)  # equal areas: size must not be what tells them apart
        return np.stack([filled(name, 140, angle, size).ravel() for angle in range(0, 360, 5)])

    turned = {name: figures(name) for name in SHAPES}
    for one, other in combinations(SHAPES, 2):
        first, rest = turned[one][0], turned[other]
        shared = (rest & first).sum(axis=1) / (rest | first).sum(axis=1)
        assert shared.max() < 0.95, (one, other)


def test_bitmap_glyphs_weigh_the_same_and_differ():
    tiles = glyph_tiles("5x7", 8)
    assert set(tiles) == set(ALPHABET)
    for tile in tiles.values():
        assert set(np.unique(tile)) == {0, 1}
        assert tile.sum() == 16
        lines, columns = np.nonzero(tile)
        assert lines.max() < 7
        assert columns.max() - columns.min() < 5
    assert min(np.abs(tiles[a] - tiles[b]).sum() for a, b in combinations(ALPHABET, 2)) >= 6


@pytest.mark.parametrize("cell", [8, 9, 16, 31])
def test_scalable_glyphs_weigh_the_same_and_differ(cell):
    tiles = glyph_tiles("sans", cell)
    weights = [float(tile.sum()) for tile in tiles.values()]
    assert max(weights) - min(weights) < 1e-3
    assert max(tile.max() for tile in tiles.values()) <= 1
    flat = np.stack([tile.ravel() for tile in tiles.values()])
    flat = flat - flat.mean(axis=1, keepdims=True)
    alike = flat @ flat.T / np.outer(np.linalg.norm(flat, axis=1), np.linalg.norm(flat, axis=1))
    assert (alike - np.eye(len(flat))).max() < 0.93


@pytest.mark.parametrize(("font", "cell"), [("5x7", 12), ("sans", 7), ("serif", 8)])
def test_glyphs_that_there_are_not(font, cell):
    with pytest.raises(PixelProofError):
        glyph_tiles(font, cell)
