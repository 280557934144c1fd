"""Pictures of nothing get no name: the floor of every score that the recogniser has a part in."""

import numpy as np
import pytest

from pixelproof.benches.pixelart.subjects import KINDS
from pixelproof.nets import recogniser

pytestmark = pytest.mark.slow

COUNT = 100
EXAMPLE = np.array([[0, 0, 0, 3], [0, 1, 1, 0], [0, 2, 2, 0], [1, 1, 1, 1]])
COLOURS = np.array([[0x87, 0xCE, 0xEB], [0x22, 0x8B, 0x22], [0x8B, 0x45, 0x13], [0xFF, 0x45, 0x00]], np.uint8)


def palette(rng, count):
    return rng.integers(0, 256, (count, 3), dtype=np.uint8)


def noise(rng):
    return palette(rng, 10)[rng.integers(0, 10, (24, 24))]


def noise_of_two(rng):
    return palette(rng, 2)[rng.integers(0, 2, (24, 24))]


def blank(rng):
    return np.broadcast_to(palette(rng, 1)[0], (24, 24, 3)).copy()


def checkerboard(rng):
    rows, columns = np.indices((24, 24)) // rng.integers(1, 7)
    return palette(rng, 2)[(rows + columns) % 2]


def repeated_rows(rng):
    colours = int(rng.integers(2, 11))
    return palette(rng, colours)[np.tile(rng.integers(0, colours, 24), (24, 1))]


def stripes(rng):
    return palette(rng, 6)[np.arange(24)[:, None] // rng.integers(1, 6) % 6 * np.ones((1, 24), int)]


def example(rng):
    return COLOURS[EXAMPLE].repeat(factor := int(rng.integers(1, 7)), axis=0).repeat(factor, axis=1)


def shuffled(rng):
    name = recogniser().names[int(rng.integers(len(recogniser().names)))]
    picture = KINDS[name].draw(rng, 24, 10).pixels()
    return rng.permutation(picture.reshape(-1, 3)).reshape(picture.shape)


def plain_form(rng):
    """A regular polygon of 3 to 60 corners, standing on a side or on a tip, by its half-planes."""
    corners, tip = int(rng.choice([3, 4, 6, 60])), int(rng.integers(2))
    rows, columns = np.indices((24, 24)) - 11.5
    normals = (np.arange(corners) + tip / 2) * 2 * np.pi / corners
    inside = (np.stack([rows * np.cos(a) + columns * np.sin(a) for a in normals]) < rng.uniform(3, 7)).all(axis=0)
    return palette(rng, 2)[inside.astype(int)]


CONTROLS = [noise, noise_of_two, blank, checkerboard, repeated_rows, stripes, example, shuffled, plain_form]


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: control.__name__)
def test_controls_get_no_name_and_no_subject_gains_by_them(control):
    rng = np.random.default_rng(20)
    found = recogniser().recognise([control(rng) for _ in range(COUNT)])
    assert np.mean([one.abstains for one in found]) >= 0.99
    assert np.mean([one.probabilities for one in found], axis=0).max() < 0.05
