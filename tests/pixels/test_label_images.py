import numpy as np
import pytest

from label_scenes import PALETTE, photograph, scene
from pixelproof.pixels import VOID, error_map, overlay_labels, read_image, render_labels


def test_error_map_tells_the_kinds_of_error():
    truth = np.array([[0, 0, 1, 1, 1, 1, VOID]], np.uint8).repeat(4, axis=0)
    answer = np.array([[0, 2, 1, 0, 2, VOID, 1]], np.uint8).repeat(4, axis=0)
    right, taken, thing, missed, confused, silent, _ = read_image(error_map(answer, truth, PALETTE))[0].tolist()
    assert len({tuple(colour) for colour in (right, taken, thing, missed, confused)}) == 5
    assert silent == missed
    without = read_image(error_map(answer, truth, PALETTE, background=None))[0].tolist()
    assert without[1] == without[3] == without[4] == confused


@pytest.mark.slow
def test_pictures_are_small_and_show_what_they_should():
    labels = scene(1, 700)
    labels[:40, :40] = VOID
    photo = photograph(1, 700)
    for picture in (
        error_map(labels, labels, PALETTE),
        overlay_labels(photo, labels, PALETTE),
        render_labels(labels, PALETTE),
    ):
        assert read_image(picture).shape == (512, 512, 3) and len(picture.data) < 200_000
    shown = read_image(render_labels(labels, PALETTE))
    assert set(map(tuple, shown.reshape(-1, 3).tolist())) <= {*PALETTE.colours, (128, 128, 128)}
    mixed = read_image(overlay_labels(photo, np.full((700, 700), 1, np.uint8), PALETTE)).astype(float)
    plain = read_image(overlay_labels(photo, np.full((700, 700), VOID, np.uint8), PALETTE)).astype(float)
    assert np.abs(mixed - (0.55 * np.array(PALETTE.colours[1]) + 0.45 * plain)).mean() < 4
