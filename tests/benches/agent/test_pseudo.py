"""VisFid-PR by hand: agreement of trajectories, and what is undefined."""

import numpy as np
import pytest

from benches.agent.test_process import prop, step, zoom
from pixelproof.benches.agent._pseudo import Trajectory, behaviour, pseudo_fidelity, run_fidelities
from pixelproof.contract import Answer, Result
from pixelproof.tools import encode_mask


def read(text, box=(0, 0, 100, 50)):
    return step("OCR", {"box": list(box), "frame": 0}, {"text": text})


def test_behaviour_counts_order_and_places():
    same = Trajectory("a", (zoom(0, 0, 500, 500), read("A")))
    assert behaviour(same, same) == 1
    shorter = Trajectory("a", (zoom(0, 0, 500, 500),))
    assert behaviour(same, shorter) == pytest.approx((0.5 + 1) / 2), (
        "one of two calls; the place of the other is inside"
    )
    elsewhere = Trajectory("a", (zoom(500, 500, 1000, 1000), read("A", (900, 900, 1000, 950))))
    assert behaviour(same, elsewhere) == pytest.approx((1 + 0) / 2)
    assert behaviour(Trajectory("a", ()), same) == 0


def test_the_odd_one_out_has_a_low_fidelity():
    """Three read the same, the fourth one character of three otherwise: 1, 1, 1 and 2/3."""
    texts = ["A7K", "A7K", "A7K", "A1K"]
    given = [Trajectory("A7K", (read(text),)) for text in texts]
    assert [pseudo_fidelity(given, place) for place in range(4)] == [1, 1, 1, pytest.approx(2 / 3)]


def test_boxes_are_compared_with_the_median():
    given = [Trajectory("x", (zoom(0, 0, right, 100),)) for right in (100, 100, 200)]
    assert [pseudo_fidelity(given, place) for place in range(3)] == [1, 1, 0.5]


def test_masks_are_compared_with_the_majority():
    masks = [np.arange(10)[None] < count for count in (5, 5, 10)]
    given = [Trajectory("x", (step("SEG", {"frame": 0}, {"mask": encode_mask(mask), "frame": 0, "box": [0, 0, 9, 9]}),))
             for mask in masks]  # fmt: skip
    assert [pseudo_fidelity(given, place) for place in range(3)] == [1, 1, 0.5]


def test_tracks_spans_and_properties():
    tracks = [step("TRK", {}, {"frames": [0, 1], "boxes": [[0, 0, 10, 10], [0, 0, x, 10]], "visible": [True, True]})
              for x in (10, 10, 20)]  # fmt: skip
    spans = [step("TEMP", {}, {"span": [0, last], "frames": [0]}) for last in (3, 3, 7)]
    words = [prop("a" * 12, [0, 0, 9, 9], colour_word=word, area=0.1) for word in ("red", "red", "teal")]
    for steps, expected in ((tracks, 0.75), (spans, 0.5), (words, 0.5)):
        given = [Trajectory("x", (one,)) for one in steps]
        assert pseudo_fidelity(given, 0) == 1 and pseudo_fidelity(given, 2) == pytest.approx(expected)


def test_too_few_that_agree_are_no_reference():
    two = [Trajectory("x", (read("A7K"),))] * 1 + [Trajectory("x", (read("A7K"),)), Trajectory("y", (read("A7K"),))]
    assert pseudo_fidelity(two, 0) is None, "two share the answer"
    assert pseudo_fidelity([Trajectory("x", ())] * 4, 0) is None, "no step"
    apart = [Trajectory("x", (read("A7K", (x, x, x + 50, x + 50)), zoom(x, x, x + 90, x + 90))) for x in (0, 400, 800)]
    assert pseudo_fidelity(apart, 0) is None, "they do not behave alike"


def test_fidelities_of_a_run():
    """Three answers to one item agree; a fourth item has one answer, and so no reference."""

    def trace(text):
        made = read(text)
        call = {"id": "1", "tool": "OCR", "arguments": dict(made.result.args)}
        return (
            {"role": "model", "parts": [], "calls": [call]},
            {"role": "tool", "call": "1", "result": made.result.to_json()},
        )

    places = [("a", sample) for sample in range(3)] + [("b", 0)]
    answers = [(item, sample, Answer("A7K", trace=trace("A7K" if sample else "A1K")), []) for item, sample in places]
    results = [Result(item, {"visfid": 0.5 + sample / 4}, sample, notes={"answer": "A7K"}) for item, sample in places]
    assert run_fidelities(results, answers) == [(0.5, pytest.approx(2 / 3)), (0.75, 1), (1.0, 1)]
