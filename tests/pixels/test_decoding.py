"""Nearest colours against brute force in whole numbers, a KD-tree, and both ways against each other."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.spatial import cKDTree

from pixelproof.pixels import Palette, nearest, nearest_distance, numpy_alone, oklab
from pixelproof.pixels._cells import cells_of

bytes_ = st.integers(0, 255)
close = st.integers(96, 104)  # colours so near to each other that whole cells have many candidates and many ties
colours = st.one_of(st.tuples(bytes_, bytes_, bytes_), st.tuples(close, close, close))
palettes = st.lists(colours, min_size=1, max_size=12, unique=True).map(
    lambda found: Palette(tuple(f"label {index}" for index in range(len(found))), tuple(found))
)
shapes = st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(3))
pictures = st.one_of(
    arrays.arrays(np.uint8, shapes), arrays.arrays(np.uint8, shapes, elements=st.integers(92, 108), fill=st.nothing())
)


def random_palette(count: int, seed: int = 0) -> Palette:
    found = np.random.default_rng(seed).choice(256**3, count, replace=False)
    return Palette(
        tuple(f"label {index}" for index in range(count)),
        tuple((int(code) >> 16, int(code) >> 8 & 255, int(code) & 255) for code in found),
    )


def squares(rgb: np.ndarray, palette: Palette) -> np.ndarray:
    return ((rgb[..., None, :].astype(np.int64) - palette.array.astype(np.int64)) ** 2).sum(axis=-1)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(pictures, palettes)
def test_labels_are_those_of_brute_force_both_ways(rgb, palette):
    expected = squares(rgb, palette).argmin(axis=-1)
    np.testing.assert_array_equal(nearest(rgb, palette), expected)
    with numpy_alone():
        np.testing.assert_array_equal(nearest(rgb, palette), expected)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(pictures, palettes)
def test_distances_are_those_of_a_tree(rgb, palette):
    expected, _ = cKDTree(palette.array).query(rgb.astype(float))
    labels, distance = nearest_distance(rgb, palette)
    np.testing.assert_allclose(distance, expected, rtol=1e-6)
    np.testing.assert_array_equal(labels, nearest(rgb, palette))
    with numpy_alone():
        again, same = nearest_distance(rgb, palette)
    assert distance.dtype == same.dtype == np.float32
    np.testing.assert_array_equal(labels, again)
    np.testing.assert_array_equal(distance, same)


@pytest.mark.slow
@settings(deadline=None, max_examples=20)
@given(pictures, palettes)
def test_oklab_is_as_near_as_brute_force(rgb, palette):
    apart = np.linalg.norm(oklab(rgb)[..., None, :] - oklab(palette.array), axis=-1)
    labels, distance = nearest_distance(rgb, palette, "oklab")
    chosen = np.take_along_axis(apart, labels[..., None].astype(int), axis=-1)[..., 0]
    np.testing.assert_allclose(chosen, apart.min(axis=-1), atol=1e-9)  # equal but for rounding in ties
    np.testing.assert_allclose(distance, 100 * chosen, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 19, 255])
@pytest.mark.parametrize("space", ["srgb", "oklab"])
def test_palettes_of_every_size(count, space):
    palette = random_palette(count)
    rgb = np.random.default_rng(1).integers(0, 256, (90, 400, 3), dtype=np.uint8)
    points, seen = (palette.array, rgb) if space == "srgb" else (oklab(palette.array), oklab(rgb))
    apart = ((seen[:, :, None].astype(float) - points.astype(float)) ** 2).sum(axis=-1)
    np.testing.assert_array_equal(nearest(rgb, palette, space), apart.argmin(axis=-1))
    with numpy_alone():
        np.testing.assert_array_equal(nearest(rgb, palette, space), apart.argmin(axis=-1))


def test_ties_go_to_the_lowest_index():
    palette = Palette(("high", "low"), ((20, 20, 20), (10, 10, 10)))
    assert nearest(np.full((1, 1, 3), 15, np.uint8), palette).item() == 0
    assert nearest(np.full((1, 1, 3), 14, np.uint8), palette).item() == 1


def test_views_are_read_as_they_look():
    palette, rgb = random_palette(12), np.random.default_rng(2).integers(0, 256, (30, 20, 3), dtype=np.uint8)
    np.testing.assert_array_equal(nearest(rgb[::-1, ::2], palette), nearest(rgb, palette)[::-1, ::2])
    assert nearest(rgb[:0], palette).shape == (0, 20)
    flat = np.ascontiguousarray(rgb).reshape(-1)
    for offset in range(1, 9):  # words do not begin where the pixels do
        piece = flat[offset : offset + 3 * 37].reshape(1, 37, 3)
        np.testing.assert_array_equal(nearest(piece, palette), squares(piece, palette).argmin(axis=-1))


@pytest.mark.parametrize("rgb", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 4), np.uint8), np.zeros((4, 4, 3))])
def test_other_arrays_are_refused(rgb):
    with pytest.raises(ValueError, match="Images are uint8"):
        nearest(rgb, random_palette(2))


@pytest.mark.slow
@pytest.mark.parametrize("space", ["srgb", "oklab"])
@pytest.mark.parametrize("count", [1, 2, 40])
def test_every_cell_has_its_nearest_colours(count, space):
    palette = random_palette(count, seed=7)
    cells = cells_of(palette.colours, space)
    rng = np.random.default_rng(count)
    rgb = rng.integers(0, 256, (20000, 3), dtype=np.uint8)
    points, seen = (palette.array, rgb) if space == "srgb" else (oklab(palette.array), oklab(rgb))
    best = ((seen[:, None].astype(float) - points.astype(float)) ** 2).sum(axis=-1).argmin(axis=-1)
    red, green, blue = (rgb.astype(int) >> 2).T
    winner = cells.winner[green << 14 | red << 6 | blue]
    np.testing.assert_array_equal(winner[winner != 255], best[winner != 255])
    red, green, blue = (rgb.astype(int) >> 3).T
    start = cells.start[green << 10 | red << 5 | blue], cells.start[(green << 10 | red << 5 | blue) + 1]
    for index, begin, end in zip(best[:2000], *start, strict=False):
        listed = cells.candidates[begin:end]
        assert index in (listed >> 24) and (np.diff(listed >> 24) > 0).all()
        assert tuple(palette.array[listed[0] >> 24]) == tuple(int(listed[0]) >> shift & 255 for shift in (0, 8, 16))


@pytest.mark.slow
@pytest.mark.parametrize("alone", [False, True])
def test_little_memory(alone):
    palette = random_palette(133)
    rgb = np.random.default_rng(3).integers(0, 256, (1024, 1024, 3), dtype=np.uint8)
    nearest(rgb[:1], palette)  # compiled, if it is, before anything is measured
    cells_of.cache_clear()
    tracemalloc.start()
    try:
        if alone:
            with numpy_alone():
                nearest(rgb, palette)
        else:
            nearest(rgb, palette)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20 * 2**20


@pytest.mark.slow
@pytest.mark.parametrize("count", [19, 133])
def test_every_colour_there_is(count):
    palette = random_palette(count, seed=count)
    green, blue = np.mgrid[:256, :256]
    colours = palette.array.astype(np.int64)
    planes = [((green - colour[1]) ** 2 + (blue - colour[2]) ** 2).astype(np.int32) for colour in colours]
    for red in range(0, 256):
        rgb = np.stack(np.broadcast_arrays(red, green, blue), axis=-1).astype(np.uint8)
        best = np.full((256, 256), 1 << 30, np.int32)
        expected = np.zeros((256, 256), np.uint8)
        for index, (colour, plane) in enumerate(zip(colours, planes, strict=True)):
            apart = plane + np.int32((red - colour[0]) ** 2)
            np.copyto(expected, index, where=apart < best)
            np.minimum(best, apart, out=best)
        np.testing.assert_array_equal(nearest(rgb, palette), expected)
        if red % 32 == 7:
            with numpy_alone():
                np.testing.assert_array_equal(nearest(rgb, palette), expected)
