"""Process metrics on chains that are counted by hand."""

from dataclasses import replace

import numpy as np
import pytest

from pixelproof.benches.agent import _process as process
from pixelproof.benches.agent._process import boundary_f1, tool_quality
from pixelproof.benches.agent.tasks import TASKS
from pixelproof.contract import Call
from pixelproof.tools import Step, ToolResult, encode_mask


def step(tool, args=None, evidence=None, ok=True, digest="", repeat=False):
    result = ToolResult(
        ok, tool, args or {}, evidence or {}, 1.0, result_digest=digest or tool.lower() * 16, repeat=repeat
    )
    return Step(Call("1", tool, args or {}), result)


def zoom(left, top, right, bottom, frame=0, **more):
    return step(
        "ZOOM", {"box": [left, top, right, bottom], "frame": frame}, {"box": [left, top, right, bottom]}, **more
    )


def seg(box, digest="a" * 64, frame=0):
    return step("SEG", {"frame": frame}, {"box": box, "frame": frame}, digest=digest)


def prop(ref, box, **evidence):
    return step("PROP", {"ref": ref, "frame": 0}, {"box": box, **evidence})


@pytest.fixture(scope="module")
def challenge():
    return TASKS["read-code"].make(11, 0, "base")


def test_footprints():
    assert process.footprints(zoom(0, 0, 500, 500, 3)) == {3: (0, 0, 500, 500)}
    assert process.footprints(zoom(0, 0, 500, 500, ok=False)) == {}
    track = step("TRK", {}, {"frames": [0, 1], "boxes": [[0, 0, 10, 10], [5, 0, 15, 10]], "visible": [True, True]})
    assert process.footprints(track) == {0: (0, 0, 10, 10), 1: (5, 0, 15, 10)}
    assert process.footprints(step("TEMP", {}, {"frames": [4]})) == {4: (0, 0, 1000, 1000)}


def test_composite_needs_two_tools_that_build_on_each_other():
    segment = seg([0, 0, 100, 100])
    assert process.is_composite([segment, prop("a" * 12, [0, 0, 100, 100])])
    assert process.is_composite([zoom(0, 0, 100, 100), segment]), "same place"
    assert not process.is_composite([zoom(500, 500, 900, 900), segment]), "another place"
    assert not process.is_composite([zoom(0, 0, 100, 100), zoom(0, 0, 100, 100)]), "one tool"
    assert not process.is_composite([zoom(0, 0, 100, 100, ok=False), segment]), "an error"
    assert not process.is_composite([zoom(0, 0, 100, 100, repeat=True), segment]), "a repeat"


def test_hops_and_stays():
    here, there = zoom(0, 0, 100, 100), seg([500, 500, 900, 900])
    assert process.hops([here, there]) == [True]
    assert process.hops([here, zoom(500, 500, 900, 900)]) == [False], "the same tool"
    assert process.hops([there, prop("a" * 12, [0, 0, 100, 100])]) == [False], "a reference"
    assert process.stays([here, zoom(0, 0, 100, 101)]) == [True]
    assert process.stays([here, zoom(50, 50, 150, 150)]) == [False]
    assert process.hops([here]) == process.stays([]) == []


def test_evidence_contains_the_target(challenge):
    ((frame, plate),) = challenge.targets
    left, top, right, bottom = process.target_box(challenge, frame, plate)
    assert process.covers([zoom(left, top, right, bottom)], challenge)
    assert process.covers([zoom(0, 0, 1000, 1000)], challenge)
    assert not process.covers([zoom(left, top, left + 1, bottom)], challenge)
    assert not process.covers([], challenge)
    assert not process.covers([zoom(left, top, right, bottom, ok=False)], challenge)


def test_fidelity_of_zooms(challenge):
    left, top, right, bottom = process.target_box(challenge, *challenge.targets[0])
    assert process.fidelity(zoom(left, top, right, bottom), challenge) == 1
    half = process.fidelity(zoom(left, top, (left + right) / 2, bottom), challenge)
    assert half == pytest.approx(0.5, abs=0.01)
    assert process.fidelity(zoom(0, 0, 1000, 1000), challenge) == 0.5, "the whole frame is not focused"
    assert process.fidelity(zoom(left, top, right, bottom, ok=False), challenge) is None


def test_fidelity_of_readings(challenge):
    (frame, plate), truth = challenge.targets[0], challenge.answer
    box = list(process.target_box(challenge, frame, plate))

    def read(text, where=box):
        return step("OCR", {"box": where, "frame": 0}, {"text": text, "box": where})

    assert process.fidelity(read(truth), challenge) == 1
    assert process.fidelity(read(truth.lower()), challenge) == 1
    assert process.fidelity(read(truth[:2] + "?"), challenge) == pytest.approx(2 / 3)
    assert process.fidelity(read(""), challenge) == 0
    nowhere = next(
        [x, y, x + 20, y + 20]
        for x in range(0, 980, 20)
        for y in range(0, 980, 20)
        if not any(
            process.overlap((x, y, x + 20, y + 20), process.target_box(challenge, 0, one.id))
            for one in challenge.world.sprites
            if one.shape == "plate"
        )
    )
    assert process.fidelity(read("", nowhere), challenge) is None, "there is no text, and none was read"
    assert process.fidelity(read("ABC", nowhere), challenge) == 0


def test_fidelity_of_segments_and_properties(challenge):
    known = challenge.truth(0)
    thing = next(sprite for sprite in known.scene.sprites if sprite.id == known.scene.roles["largest"])
    mask = known.visible_mask(thing.id)
    box = list(process.target_box(challenge, 0, thing.id))
    whole = step("SEG", {"frame": 0}, {"mask": encode_mask(mask), "box": box, "frame": 0})
    assert process.fidelity(whole, challenge) == 1
    part = mask.copy()
    part[: int(np.median(np.nonzero(mask)[0]))] = False
    halved = step("SEG", {"frame": 0}, {"mask": encode_mask(part), "box": box, "frame": 0})
    assert process.fidelity(halved, challenge) == pytest.approx(part.sum() / mask.sum())
    right = prop("a" * 12, box, colour_word=thing.colour, area=float(mask.mean()), frame=0)
    assert process.fidelity(right, challenge) == 1
    assert process.fidelity(prop("a" * 12, box, colour_word=thing.colour, area=0.9, frame=0), challenge) == 0.5


def test_fidelity_of_tracks():
    challenge = TASKS["follow-code"].make(11, 0, "base")
    (start, thing), (end, _) = challenge.targets
    boxes = [process.target_box(challenge, frame, thing) for frame in range(end + 1)]
    last = boxes[0]
    shown = [last := box or last for box in boxes]
    evidence = {"frames": list(range(end + 1)), "boxes": shown, "visible": [box is not None for box in boxes]}
    assert process.fidelity(step("TRK", {}, evidence), challenge) == pytest.approx(1)
    assert None in boxes, "the screen hides it"
    still = evidence | {"boxes": [boxes[0]] * len(boxes)}
    assert process.fidelity(step("TRK", {}, still), challenge) < 0.5
    blind = evidence | {"visible": [True] * len(boxes)}
    assert process.fidelity(step("TRK", {}, blind), challenge) < 1


def test_quality_of_segments_and_readings_by_hand(challenge):
    known = challenge.truth(0)
    thing = known.scene.sprite(known.scene.roles["largest"])
    mask = known.visible_mask(thing.id)
    part = mask & (np.arange(mask.shape[1]) < np.median(np.nonzero(mask)[1]))
    masks = [step("SEG", {"frame": 0}, {"mask": encode_mask(one), "frame": 0}) for one in (mask, part)]
    sums = tool_quality(masks, challenge)
    assert sums["seg.iou"] == [pytest.approx(1 + part.sum() / mask.sum()), 2]
    assert sums["seg.boundary"] == [pytest.approx(1 + boundary_f1(part, mask)), 2] and boundary_f1(part, mask) < 1
    assert boundary_f1(mask, np.zeros_like(mask)) == 0
    box = list(process.target_box(challenge, *challenge.targets[0]))
    read = step("OCR", {"box": box, "frame": 0}, {"text": challenge.answer[:2] + "?"})
    assert tool_quality([read, read], challenge) == {"ocr.cer": [2, 6], "ocr.wer": [2, 2]}
    assert tool_quality([step("OCR", {"box": [0, 0, 5, 5], "frame": 0}, {"text": "A"})], challenge) == {}, "no plate"


def test_quality_of_tracks_and_strips_by_hand():
    follow, flash = (TASKS[name].make(11, 0, "base") for name in ("follow-code", "flash-colour"))
    (_, thing), (end, _) = follow.targets
    boxes = [process.target_box(follow, frame, thing) for frame in range(end + 1)]
    shown = [box or (0, 0, 1, 1) for box in boxes]
    evidence = {"frames": list(range(end + 1)), "boxes": shown, "visible": [box is not None for box in boxes]}
    assert tool_quality([step("TRK", {}, evidence)], follow) == {"trk.hota": [1, 1], "trk.mota": [1, 1]}
    lost = evidence | {"visible": [box is not None and place < 4 for place, box in enumerate(boxes)]}
    seen = sum(box is not None for box in boxes)
    assert tool_quality([step("TRK", {}, lost)], follow)["trk.mota"] == [pytest.approx(4 / seen), 1]
    ((frame, _),) = flash.targets  # lit for two frames
    strip = step("TEMP", {}, {"span": [frame, frame + 3], "frames": [frame]})
    assert tool_quality([strip], flash)["temp.iou"] == [0.5, 1]


def box_in(challenge, sprite, frame=0):
    return list(process.target_box(challenge, frame, sprite))


def test_a_segment_of_the_background_shows_nothing():
    """Its box contains every target."""
    challenge = TASKS["compare-areas"].make(11, 2, "base")
    boxes = [box_in(challenge, sprite) for _, sprite in challenge.targets]
    assert not process.covers([seg([0, 0, 1000, 1000])], challenge)
    assert not process.covers([seg(boxes[0])], challenge), "one of two"
    assert process.covers([seg(boxes[0]), prop("a" * 12, boxes[1])], challenge)
    assert process.covers([zoom(0, 0, 1000, 1000)], challenge)
    ocr = step("OCR", {"box": [0, 0, 1000, 1000], "frame": 0}, {"text": "", "box": [0, 0, 1000, 1000]})
    assert not process.covers([ocr], challenge), "no text is asked for"


def test_a_text_is_shown_by_tools_that_show_texts(challenge):
    ((_, plate),) = challenge.targets
    box = box_in(challenge, plate)
    ocr = step("OCR", {"box": box, "frame": 0}, {"text": challenge.answer, "box": box})
    assert process.covers([ocr], challenge) and process.covers([zoom(*box)], challenge)
    assert not process.covers([seg(box)], challenge) and not process.covers([prop("a" * 12, box)], challenge)


def test_every_frame_of_an_event_shows_it():
    challenge = TASKS["flash-colour"].make(11, 4, "base")
    ((first, lamp),) = challenge.targets
    frames = challenge.frames_like(first, lamp)
    assert list(frames) == [first, first + 1]
    for frame in range(16):
        strip = step("TEMP", {}, {"frames": [frame], "span": [frame, frame]})
        crop = zoom(*box_in(challenge, lamp, frame), frame)
        assert process.covers([strip], challenge) == process.covers([crop], challenge) == (frame in frames)
        assert process.fidelity(crop, challenge) == float(frame in frames)
        assert process.fidelity(strip, challenge) == 0.5 * (frame in frames), "one of its two frames"


def test_fidelity_is_undefined_where_there_is_nothing_to_be_faithful_to(challenge):
    nothing = step("OCR", {"box": [0, 0, 5, 5], "frame": 0}, {"text": "", "box": [0, 0, 5, 5]})
    invented = step("OCR", {"box": [0, 0, 5, 5], "frame": 0}, {"text": "3SX", "box": [0, 0, 5, 5]})
    assert process.fidelity(nothing, challenge) is None and process.fidelity(invented, challenge) == 0
    easy = TASKS["largest-colour"].make(11, 0, "base")
    assert process.fidelity(zoom(0, 0, 1000, 1000), easy) is None
    assert process.fidelity(prop("a" * 12, [0, 0, 100, 100], centroid=[5, 5]), easy) is None


def test_the_fidelity_of_a_strip_is_the_overlap_of_its_span_with_the_event():
    challenge = TASKS["flash-colour"].make(11, 4, "base")  # lit in frames 7 and 8
    for span, frames, value in (
        ([7, 8], [7, 8], 1.0),
        ([6, 9], [6, 7, 8, 9], 0.5),
        ([0, 15], [0, 5, 10, 15], 0.0),  # none of the frames that are shown is lit
        ([0, 15], [0, 7, 15], 2 / 16),
    ):
        assert process.fidelity(step("TEMP", {}, {"span": span, "frames": frames}), challenge) == value
    follow = TASKS["follow-code"].make(11, 4, "base")
    first = step("TEMP", {}, {"span": [0, 0], "frames": [0]})
    assert process.fidelity(first, follow) == 0, "what the first view shows, too, is no event"


def test_repeats_of_a_good_call_do_not_raise_the_fidelity():
    challenge = TASKS["flash-colour"].make(11, 4, "base")
    good, bad = (step("TEMP", {}, {"span": span, "frames": span}) for span in ([7, 8], [0, 1]))
    again = replace(good, result=replace(good.result, repeat=True))
    assert list(process.fidelities([good, again, again, bad], challenge)) == [1, 0]
