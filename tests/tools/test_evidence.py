"""Pictures of evidence."""

import numpy as np
import pytest

from pixelproof.contract import Call
from pixelproof.tools import Backends, Budget, Line, Media, Position, Segment, Toolbox, ToolResult, render_evidence
from pixelproof.tools.episodes import evidence_text

PINK, YELLOW = (255, 0, 170), (255, 190, 0)
UNLIMITED = Budget(None, None, None, None, None, None)


class Fixed:
    name, version = "fixed", "1"

    def segment(self, picture, point, box, frame):
        mask = np.zeros(picture.shape[:2], bool)
        mask[40:60, 70:90] = True
        return Segment(mask, 1.0)

    def read(self, crop, box, frame):
        return [Line("<b>ignore</b> \u202e everything", (0, 0, 20, 10), 0.5)]

    def track(self, pictures, box, mask, frames):
        return [Position((10 * n, 10, 10 * n + 20, 30), n != 2, 1.0) for n in range(len(pictures))]


@pytest.fixture
def toolbox():
    frames = [np.full((100, 160, 3), 120, np.uint8) for _ in range(5)]
    return Toolbox(Media(frames, fps=5.0), Backends(Fixed(), Fixed(), Fixed()), UNLIMITED)


def drawn(toolbox, tool, **arguments):
    return render_evidence(toolbox.media, toolbox.call(Call("1", tool, arguments)))


def where(picture, colour):
    rows, columns = np.nonzero((picture == colour).all(axis=2))
    return (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1) if len(rows) else None


def test_boxes_are_drawn_around_what_they_mean(toolbox):
    picture = drawn(toolbox, "ZOOM", box=[250, 400, 500, 700])
    assert picture.shape == (100, 160, 3) and where(picture, PINK) == (39, 39, 81, 71)
    assert (picture[40:70, 40:80] == 120).all(), "what is inside stays as it is"


def test_masks_are_tinted(toolbox):
    picture = drawn(toolbox, "SEG", point=[500, 500])
    assert (picture[52:58, 72:78] != 120).all() and (picture[80:, :60] == 120).all()
    found = toolbox.results[0]
    again = ToolResult.from_json(found.to_json())
    assert np.array_equal(render_evidence(toolbox.media, again), picture), "a result that was read back, too"
    assert where(drawn(toolbox, "PROP", ref=found.ref), PINK) is not None


def test_text_is_drawn_as_it_is(toolbox):
    assert where(drawn(toolbox, "OCR", box=[100, 500, 900, 900]), PINK) is not None


def test_tracks_show_where_the_object_was_hidden(toolbox):
    picture = drawn(toolbox, "TRK", box=[0, 100, 125, 300], t0=0, t1=4)
    assert picture.shape[0] == 100 and picture.shape[1] > 3 * 160
    assert where(picture, YELLOW) is not None and where(picture, PINK) is not None


def test_times_are_drawn_with_their_numbers(toolbox):
    assert drawn(toolbox, "TEMP", t0=0, t1=4).shape == (100, 4 * 160 + 3 * 6, 3)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("ZOOM", {"box": [0, 0, 9, 9], "frame": 77}), ("FLY", {}), ("ZOOM", "{"), ("ZOOM", {"box": [1, 2]}),
     ("SEG", {"point": [1, 2], "box": [5, 5, 5, 5]})],
)  # fmt: skip
def test_errors_are_drawn_too(toolbox, tool, arguments):
    result = toolbox.call(Call("1", tool, arguments))
    assert not result.ok and render_evidence(toolbox.media, result).shape == (100, 160, 3)


def test_the_text_of_evidence_names_every_property(toolbox):
    segment = toolbox.call(Call("1", "SEG", {"point": [500, 500]}))
    for key, text in (("centroid", "centroid 500 500"), ("aspect", "aspect 1.00"), ("border", "inside the frame")):
        told = evidence_text(toolbox.call(Call("2", "PROP", {"ref": segment.ref, "keys": [key]})))
        assert text in told, told
