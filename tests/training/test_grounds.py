"""Backgrounds: what training puts behind a figure, and what a changed background costs the shipped network."""

import numpy as np
import pytest

from pixelproof.nets import recognise
from pixelproof.pixels import oklab
from training.drawing.grounds import GROUNDS, with_bands
from training.drawing.hand import hand_drawings


def figure_of(pixels):
    return (pixels != pixels[0, 0]).any(axis=-1)


def test_bands_replace_the_ground_and_nothing_else():
    rng, changed = np.random.default_rng(0), 0
    for pixels in hand_drawings().values():
        banded, figure = with_bands(pixels, rng), figure_of(pixels)
        assert np.array_equal(banded[figure], pixels[figure])
        changed += len(np.unique(banded[~figure], axis=0)) > 1
    assert changed > 30


def on(pixels, ground):
    """A drawing on another background; None where figure and background are hard to tell apart."""
    figure = figure_of(pixels)
    rim = figure & ~(np.roll(figure, 1, 0) & np.roll(figure, -1, 0) & np.roll(figure, 1, 1) & np.roll(figure, -1, 1))
    shades = oklab(np.unique(ground.reshape(-1, 3), axis=0))
    distances = np.linalg.norm(oklab(pixels[rim])[:, None] - shades[None], axis=-1)
    if np.median(distances, axis=0).min() < 0.15:
        return None
    rows, columns = (np.arange(length) * 24 // length for length in figure.shape)
    return np.where(figure[..., None], pixels, ground[rows][:, columns])


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in GROUNDS if name != "white"])
def test_another_background_costs_at_most_five_points(name):
    """On drawings typed by hand, of which the network has seen none."""
    here, on_white = [], []
    for subject, pixels in hand_drawings().items():
        views = on(pixels, GROUNDS[name]), on(pixels, GROUNDS["white"])
        if all(view is not None for view in views):
            seen = [recognise(view) for view in views]
            here.append(seen[0].best == subject and not seen[0].abstains)
            on_white.append(seen[1].best == subject and not seen[1].abstains)
    assert len(here) >= 15
    assert np.mean(here) >= np.mean(on_white) - 0.05
