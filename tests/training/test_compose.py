import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.pixels import oklab
from training.drawing.compose import as_given, compose, recoloured, simplified
from training.drawing.foreign import Figure

seeds = st.integers(0, 2**32 - 1)


def disc(colour=(200, 40, 40), size=32, ink=False, source="crawl-tiles"):
    rows, columns = np.indices((size, size)) - (size - 1) / 2
    rgba = np.zeros((size, size, 4), np.uint8)
    distance = np.hypot(rows, columns)
    rgba[(distance < size / 3) & ((distance > size / 5) if ink else True)] = (*((0, 0, 0) if ink else colour), 255)
    return Figure(source, "disc", "sun", rgba, "disc", ink)


def cells(picture):
    return len(np.unique(picture.reshape(-1, 3), axis=0))


@given(seeds, st.booleans())
def test_figures_become_small_drawings_of_few_colours(seed, ink):
    picture = compose(disc(ink=ink), np.random.default_rng(seed))
    assert picture.dtype == np.uint8 and picture.shape[2] == 3
    assert picture.shape[0] == picture.shape[1] and 10 <= len(picture) <= 32
    assert 2 <= cells(picture) <= 13


@pytest.mark.slow
@given(seeds, st.booleans())
def test_figures_stand_out(seed, ink):
    lab = oklab(compose(disc(ink=ink), np.random.default_rng(seed)))
    middle = lab.reshape(-1, 3)
    spread = np.linalg.norm(middle[:, None] - middle[None], axis=2).max()
    assert spread > 0.1


def test_the_same_chance_makes_the_same_drawing():
    pictures = [compose(disc(ink=True), np.random.default_rng(4)) for _ in range(2)]
    np.testing.assert_array_equal(*pictures)


def test_pixel_art_is_given_cell_by_cell():
    figure = disc(ink=True, size=24, source="pixelarticons")
    picture = as_given(figure)
    np.testing.assert_array_equal(picture[..., 0], np.where(figure.rgba[..., 3] > 0, 0, 255))


def test_large_pictures_are_given_on_24_cells():
    picture = as_given(disc(size=128, source="noto-color-emoji"))
    assert picture.shape == (24, 24, 3) and cells(picture) <= 10
    figure = (picture != picture[0, 0]).any(axis=-1)
    assert not figure[0].any() and not figure[-1].any() and figure[1].any()


def test_a_light_figure_gets_a_dark_ground():
    picture = as_given(disc((250, 250, 250), source="craftax-tiles"))
    assert oklab(picture[0, 0])[0] < 0.6 < oklab(picture[16, 16])[0]


@given(seeds)
def test_simplified_drawings_have_two_colours(seed):
    rng = np.random.default_rng(seed)
    assert cells(simplified(compose(disc(), rng), rng)) <= 2


@given(seeds)
def test_recolouring_keeps_equal_cells_equal(seed):
    rng = np.random.default_rng(seed)
    before = compose(disc(), rng)
    after = recoloured(before, rng)
    old, new = (np.unique(one.reshape(-1, 3), axis=0, return_inverse=True)[1] for one in (before, after))
    assert len(set(zip(old.ravel(), new.ravel(), strict=True))) == cells(before)


@given(seeds)
def test_a_silhouette_that_is_a_plain_form_is_not_handed_out_as_the_subject(seed):
    """A face is not a disc: what is left is its lines, or the drawing as it was."""
    rows, columns = np.indices((24, 24)) - 11.5
    face = np.full((24, 24, 3), 255, np.uint8)
    face[np.hypot(rows, columns) < 9] = (250, 210, 60)
    plain = face.copy()
    face[9:11, [8, 15]] = 0
    simple = simplified(face, np.random.default_rng(seed))
    lines = (simple != simple[0, 0]).any(axis=-1)
    assert not lines[12, 12] and lines[9, 8]
    np.testing.assert_array_equal(simplified(plain, np.random.default_rng(seed)), plain)
