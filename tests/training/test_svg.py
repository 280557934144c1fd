import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from training.drawing.svg import cells_of, outlines


@st.composite
def boxes(draw):
    left, top = draw(st.integers(0, 20)), draw(st.integers(0, 20))
    return left, top, draw(st.integers(left + 1, 24)), draw(st.integers(top + 1, 24))


@given(st.lists(boxes(), min_size=1, max_size=5), st.booleans())
def test_boxes_cover_what_they_say(found, relative):
    path, expected = "", np.zeros((24, 24), bool)
    for left, top, right, bottom in found:
        expected[top:bottom, left:right] = True
        path += f"M{left} {top}" + (
            f"h{right - left}v{bottom - top}H{left}z" if relative else f"H{right}V{bottom}H{left}Z"
        )
    np.testing.assert_array_equal(cells_of(f'<svg><path d="{path}"/></svg>'), expected)


@given(st.lists(st.tuples(st.integers(0, 24), st.integers(0, 24)), min_size=3, max_size=3, unique=True))
def test_triangles_are_those_of_pillow(corners):
    path = "M" + "L".join(f"{x} {y}" for x, y in corners) + "z"
    large = Image.new("1", (24 * 16, 24 * 16))
    ImageDraw.Draw(large).polygon([(16 * x, 16 * y) for x, y in corners], fill=1)
    share = np.asarray(large).reshape(24, 16, 24, 16).mean(axis=(1, 3))
    found = cells_of(f'<path d="{path}"/>')
    assert found[share > 0.95].all()
    assert not found[share < 0.02].any()


def test_a_hole_that_turns_the_other_way_stays_open():
    ring = cells_of('<path d="M0 0h6v6H0zM2 2v2h2V2z"/>')
    assert ring.sum() == 32 and not ring[2:4, 2:4].any()
    assert cells_of('<path d="M0 0h6v6H0zM2 2h2v2H2z"/>').sum() == 36


def test_moves_after_a_close_start_from_its_beginning():
    assert outlines("M1 1h1v1zm1 0h1v1z") == [[(1, 1), (2, 1), (2, 2)], [(2, 1), (3, 1), (3, 2)]]
    assert outlines("m1 1 1 0 0 1z") == [[(1, 1), (2, 1), (2, 2)]]


def test_curves_are_refused():
    with pytest.raises(ValueError, match="C"):
        outlines("M0 0C1 1 2 2 3 3")


@pytest.mark.parametrize("path", ["1 1", "h3", "z", "M1", "M1 h2", "M0 0h", "M0 0h1v1z5", "Mz", "L1 1"])
def test_what_is_no_path_is_refused_and_hangs_nothing(path):
    with pytest.raises(ValueError, match="path"):
        outlines(path)


@given(st.text("MmLlHhVvZz019 .-", max_size=30))
def test_any_text_is_outlines_or_refused(path):
    try:
        assert all(len(corners) >= 1 for corners in outlines(path))
    except ValueError:
        pass
