"""Sessions of tool calls: evidence, references, budgets, repeats, digests, replay."""

import json
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.contract import Artefact, Call, PixelProofError
from pixelproof.pixels import read_image
from pixelproof.tools import (
    NAMES,
    Backends,
    Budget,
    ErrorCode,
    Line,
    Media,
    Position,
    Segment,
    Step,
    Toolbox,
    ToolResult,
    Trace,
    available_backends,
    decode_mask,
    describe_media,
    replay,
)

UNLIMITED = Budget(None, None, None, None, None, None)


class Square:
    """Segments the pixels above 128, reads `HELLO`, and tracks by the mean of bright pixels."""

    name, version = "square", "1"

    def segment(self, picture, point, box, frame):
        return Segment(picture[..., 0] > 128, 0.9)

    def read(self, crop, box, frame):
        return [Line("HELLO", (0, 0, crop.shape[1], crop.shape[0]), 0.75)]

    def track(self, pictures, box, mask, frames):
        positions = []
        for picture in pictures:
            rows, columns = np.nonzero(picture[..., 0] > 128)
            if len(rows):
                inside = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
                positions.append(Position(inside, True, 1.0))
            else:
                positions.append(Position((0, 0, 4, 4), False, 0.0))
        return positions


SQUARE = Backends(Square(), Square(), Square())


def clip(count=6):
    frames = np.zeros((count, 50, 100, 3), np.uint8)
    for number in range(count):
        if number != 2:
            frames[number, 10:20, 10 + 5 * number : 20 + 5 * number] = (200, 40, 40)
    return Media(list(frames), fps=10.0)


def toolbox(media=None, budget=UNLIMITED, backends=SQUARE, **kwargs):
    return Toolbox(media or clip(), backends, budget, **kwargs)


def ask(session, tool, /, **arguments):
    return session.call(Call("1", tool, arguments))


def test_zoom_returns_the_enlarged_crop_of_the_original():
    result = ask(toolbox(), "ZOOM", box=[100, 200, 200, 400])
    assert result.ok and result.evidence["pixels"] == [10, 10, 20, 20] and result.evidence["scale"] == 51.2
    shown = read_image(result.image)
    assert shown.shape == (512, 512, 3) and (shown == (200, 40, 40)).all()
    assert ask(toolbox(Media(np.zeros((2, 1000, 3), np.uint8))), "ZOOM", box=[0, 0, 1000, 500]).error == "BAD_ARGS"


def test_temp_returns_a_strip_with_time_stamps():
    result = ask(toolbox(), "TEMP", t0=1, t1=5, n=3)
    assert result.evidence == {"span": [1, 5], "frames": [1, 3, 5], "seconds": [0.1, 0.3, 0.5]}
    assert read_image(result.image).shape == (160, 3 * 320 + 8, 3)
    assert ask(toolbox(), "TEMP", t0=3, t1=3).evidence["frames"] == [3]


def test_a_segment_has_a_mask_and_later_calls_refer_to_it():
    box = toolbox()
    segment = ask(box, "SEG", point=[150, 300])
    assert segment.evidence["box"] == [100, 200, 200, 400] and segment.evidence["area"] == 0.02
    assert decode_mask(segment.evidence["mask"]).sum() == 100
    assert "mask" not in json.loads(segment.text) and json.loads(segment.text)["ref"] == segment.ref
    found = ask(box, "PROP", ref=segment.ref)
    assert found.ok and found.args["ref"] == segment.result_digest
    assert found.evidence["colour"] == [200, 40, 40] and found.evidence["colour_word"] == "red"
    assert found.evidence["centroid"] == [150, 300] and found.evidence["aspect"] == 1.0
    assert found.evidence["area_pixels"] == 100 and found.evidence["border"] is False
    some = ask(box, "PROP", ref=segment.ref, keys=["aspect"])
    assert some.evidence.keys() == {"frame", "of", "aspect", "box", "pixels"}
    track = ask(box, "TRK", ref=segment.ref, t1=5)
    assert track.evidence["visible"] == [True, True, False, True, True, True]
    assert track.evidence["boxes"][5] == [350, 200, 450, 400]
    assert ask(box, "PROP", ref=track.ref, frame=5).evidence["centroid"] == [400, 300]
    assert ask(box, "PROP", ref=track.ref, frame=2).error is ErrorCode.MISSING_PREREQ


def test_tracks_may_run_backwards():
    result = ask(toolbox(), "TRK", box=[350, 200, 450, 400], t0=5, t1=3)
    assert result.evidence["frames"] == [5, 4, 3] and result.evidence["pixels"][2] == [25, 10, 35, 20]


def test_plain_python_and_notebooks():
    box = toolbox()
    result = box.use("ZOOM", box=[0, 0, 500, 500])
    assert result == ask(toolbox(), "ZOOM", box=[0, 0, 500, 500]) and box.results == [result]
    assert "<img" in result._repr_html_() and result.image.data_uri in result._repr_html_()
    assert box.use("<script>")._repr_html_().count("<script>") == 0


def test_text_is_evidence_and_data():
    result = ask(toolbox(), "OCR", box=[100, 200, 200, 400])
    assert result.evidence["text"] == "HELLO" and result.conf == 0.75
    assert result.evidence["lines"] == [{"text": "HELLO", "box": [100, 200, 200, 400], "conf": 0.75}]


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("ZOOM", {"box": [0, 0, 9, 9], "frame": 6}, "OUT_OF_BOUNDS"),
        ("ZOOM", {"box": [0, 0, 9, 9], "frame": 10**5000}, "OUT_OF_BOUNDS"),
        ("TEMP", {"t0": 0, "t1": 6}, "OUT_OF_BOUNDS"),
        ("PROP", {"ref": "0123456789ab"}, "MISSING_PREREQ"),
        ("PROP", {"ref": "0"}, "MISSING_PREREQ"),
        ("TRK", {"ref": "ffffffffffff", "t1": 3}, "MISSING_PREREQ"),
        ("TRK", {"box": [0, 0, 9, 9], "t0": 0, "t1": 6}, "OUT_OF_BOUNDS"),
        ("FLY", {}, "UNKNOWN_TOOL"),
        ("ZOOM", "{", "BAD_JSON"),
    ],
)  # fmt: skip
def test_errors_are_results(tool, arguments, code):
    box = toolbox()
    result = box.call(Call("1", tool, arguments))
    assert not result.ok and result.error == code and result.message and not result.ref
    assert json.loads(result.text)["error"] == code and box.results == [result]
    assert ToolResult.from_json(json.loads(json.dumps(result.to_json()))) == result


def test_tools_for_clips_are_refused_on_pictures():
    for tool, arguments in (("TEMP", {"t0": 0, "t1": 0}), ("TRK", {"box": [0, 0, 9, 9], "t0": 0, "t1": 0})):
        assert ask(toolbox(Media(clip().frames[0])), tool, **arguments).error is ErrorCode.WRONG_MODALITY


def test_references_must_be_of_the_right_kind_and_of_this_session():
    box = toolbox()
    crop = ask(box, "ZOOM", box=[0, 0, 500, 500])
    assert ask(box, "PROP", ref=crop.ref).error is ErrorCode.MISSING_PREREQ
    segment = ask(box, "SEG", point=[150, 300])
    assert ask(toolbox(), "PROP", ref=segment.ref).error is ErrorCode.MISSING_PREREQ
    assert ask(box, "PROP", ref=segment.ref, frame=1).error is ErrorCode.BAD_ARGS
    assert ask(box, "TRK", ref=segment.ref, t0=1, t1=3).error is ErrorCode.BAD_ARGS


def test_digests_cover_source_arguments_and_version_and_the_result_evidence():
    first = ask(toolbox(), "SEG", point=[150, 300])
    assert ask(toolbox(), "SEG", point=[150.0, 300], frame=0) == first
    other = Square()
    other.version = "2"
    newer = ask(toolbox(backends=Backends(other, other, other)), "SEG", point=[150, 300])
    assert newer.call_digest != first.call_digest and newer.result_digest != first.result_digest
    assert ask(toolbox(), "SEG", point=[151, 300]).call_digest != first.call_digest
    flipped = clip()
    flipped.frames[0][0, 0, 2] = 1  # a pixel that the mask does not depend on
    assert ask(toolbox(flipped), "SEG", point=[150, 300]).call_digest != first.call_digest
    worse = Square()
    worse.segment = lambda *_: Segment(clip().frames[0][..., 0] > 128, 0.8)
    again = ask(toolbox(backends=Backends(worse)), "SEG", point=[150, 300])
    assert again.call_digest == first.call_digest and again.result_digest != first.result_digest


def test_repeats_are_cached_flagged_and_limited():
    box = toolbox(budget=Budget(calls=None))
    first, second = (ask(box, "ZOOM", box=[0, 0, 500, 500]) for _ in range(2))
    assert not first.repeat and second.repeat and second == first and second.cost.ms == 0
    assert json.loads(second.text)["repeat"] is True
    third = ask(box, "ZOOM", box=[0, 0, 500, 500])
    assert third.error is ErrorCode.BUDGET and third.call_digest == first.call_digest
    assert ask(box, "ZOOM", box=[0, 0, 500, 501]).ok


def test_a_shared_cache_saves_work_and_is_no_repeat():
    calls, cache = [], {}
    slow = Square()
    slow.segment = lambda picture, *_: calls.append(1) or Segment(picture[..., 0] > 128, 0.9)
    results = [ask(toolbox(backends=Backends(slow), cache=cache), "SEG", point=[150, 300]) for _ in range(2)]
    assert len(calls) == 1 and results[0] == results[1] and not results[1].repeat


@pytest.mark.parametrize(
    ("budget", "name", "before"),
    [
        (Budget(calls=2), "calls", 2),
        (Budget(pixels=3 * 5000), "pixels", 3),
        (Budget(seconds=0.0), "seconds", 0),
    ],
)
def test_budgets_end_a_session(budget, name, before):
    box = toolbox(budget=budget)
    for number in range(before):
        assert not box.exhausted
        assert ask(box, "ZOOM", box=[0, 0, 500, 500 + number]).ok
    assert box.exhausted == name
    for tool in ("ZOOM", "FLY"):
        refused = ask(box, tool, box=[0, 0, 9, 9])
        assert refused.error is ErrorCode.BUDGET and name in refused.message


def test_two_errors_in_a_row_end_a_session_and_a_success_between_them_does_not():
    box = toolbox(budget=Budget(calls=None))
    for _ in range(3):
        ask(box, "FLY")
        assert ask(box, "ZOOM", box=[0, 0, 500, 500 + len(box.results)]).ok
    ask(box, "FLY"), ask(box, "FLY")
    assert box.exhausted == "errors"


def test_a_call_that_would_exceed_the_pixels_is_refused_before_it_runs():
    box = toolbox(budget=Budget(pixels=5 * 5000))
    assert ask(box, "TRK", box=[0, 0, 9, 9], t0=0, t1=5).error is ErrorCode.BUDGET
    assert ask(box, "TRK", box=[0, 0, 9, 9], t0=0, t1=4).ok


def test_a_slow_back_end_is_an_error_after_the_timeout():
    slow = Square()
    slow.segment = lambda *_: time.sleep(2)
    start = time.perf_counter()
    result = ask(toolbox(budget=Budget(timeout=0.05), backends=Backends(slow)), "SEG", point=[1, 1])
    assert result.error is ErrorCode.BACKEND and "longer than 0.05 s" in result.message
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize("problem", [ValueError("secret"), PixelProofError("Get the weights."), MemoryError()])
def test_a_back_end_that_fails_is_an_error(problem):
    def broken(*_):
        raise problem

    bad = Square()
    bad.segment = broken
    result = ask(toolbox(backends=Backends(bad)), "SEG", point=[1, 1])
    assert result.error is ErrorCode.BACKEND and "secret" not in result.message
    assert isinstance(problem, PixelProofError) == ("weights" in result.message)


def test_nothing_found_and_unknown_back_ends_are_errors():
    none = Square()
    none.segment = lambda *_: None
    assert ask(toolbox(backends=Backends(none)), "SEG", point=[1, 1]).error is ErrorCode.NOT_FOUND
    missing = ask(toolbox(backends=Backends(seg="grabcat")), "SEG", point=[1, 1])
    assert missing.error is ErrorCode.BACKEND and "grabcut" in missing.message


def test_a_long_clip_is_tracked_in_parts():
    media = Media([np.zeros((8, 8, 3), np.uint8)] * 10_000)
    box = toolbox(media)
    assert ask(box, "TRK", box=[0, 0, 500, 500], t0=0, t1=9999).error is ErrorCode.BUDGET
    assert ask(box, "TEMP", t0=0, t1=9999).evidence["frames"] == [0, 3333, 6666, 9999]


values = (
    st.none() | st.integers(-2, 1200) | st.floats() | st.text(max_size=5) | st.lists(st.integers(0, 1000), max_size=5)
)
names = st.sampled_from(["box", "point", "frame", "t0", "t1", "n", "ref", "keys"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(NAMES), st.dictionaries(names, values, max_size=4) | st.text()), max_size=4))
def test_no_call_raises_and_every_result_survives_json(calls):
    box = toolbox()
    ask(box, "SEG", point=[150, 300])
    for tool, arguments in calls:
        result = box.call(Call("1", tool, arguments))
        assert result.ok == (result.error is None) and len(result.result_digest) == 64
        stored = json.loads(json.dumps(result.to_json(), allow_nan=False))
        assert ToolResult.from_json(stored, result.image) == result
        json.loads(result.text)


def trace(media):
    box, steps = toolbox(media), []
    for call in (
        Call("1", "SEG", {"point": [150, 300]}),
        Call("2", "TRK", {"ref": "", "t1": 5}),
        Call("3", "PROP", {"ref": "", "keys": ["area"]}),
        Call("4", "ZOOM", "{broken"),
        Call("5", "TEMP", {"t0": 0, "t1": 5}),
        Call("6", "OCR", {"box": [0, 0, 500, 500], "frame": 5}),
    ):
        if isinstance(call.arguments, dict) and "ref" in call.arguments:
            call = Call(call.id, call.tool, call.arguments | {"ref": box.results[0].ref})
        steps.append(Step(call, box.call(call), "thinking"))
    return Trace("t/1", (describe_media(media),), "What?", {"type": "text", "value": "HELLO"}, tuple(steps))


def test_a_trace_is_one_line_that_replays():
    media = clip()
    line = trace(media).to_json()
    again = Trace.from_json(line)
    assert "\n" not in line and again.to_json() == line
    assert replay(again.steps, clip(), SQUARE) == []


def test_one_flipped_pixel_is_named_by_its_step():
    steps = trace(clip()).steps
    flipped = clip()
    flipped.frames[5][49, 99, 0] ^= 1
    assert [(m.step, m.what) for m in replay(steps, flipped, SQUARE)] == [(1, "call"), (4, "call"), (5, "call")]
    mute = Square()
    mute.read = lambda *_: []
    changed = replay(steps, clip(), Backends(SQUARE.seg, mute, SQUARE.trk))
    assert [(m.step, m.what) for m in changed] == [(5, "result")]


@pytest.mark.parametrize("damage", ["", "{}", "[]", '{"version": 9}', "null", "[" * 9999])
def test_lines_that_are_no_traces_are_refused(damage):
    with pytest.raises(PixelProofError, match="no trace"):
        Trace.from_json(damage)


def test_a_picture_of_another_result_is_refused():
    result = ask(toolbox(), "ZOOM", box=[0, 0, 500, 500])
    with pytest.raises(PixelProofError, match="another"):
        ToolResult.from_json(result.to_json(), Artefact(b"other"))
    with pytest.raises(PixelProofError, match="no result"):
        ToolResult.from_json({"ok": True})


SESSION = """
import json, sys
import numpy as np
from pixelproof.contract import Call
from pixelproof.tools import Media, Toolbox
rng = np.random.default_rng(3)
frame = rng.integers(90, 120, (96, 128, 3)).astype(np.uint8)
frame[20:60, 30:80] = rng.integers(180, 200, (40, 50, 3))
box = Toolbox(Media(frame))
box.call(Call("1", "ZOOM", {"box": [0, 0, 333, 777]}))
box.call(Call("1", "SEG", {"box": [200, 180, 650, 660]}))
box.call(Call("1", "SEG", {"point": [400, 400]}))
box.call(Call("1", "PROP", {"ref": box.results[1].ref}))
assert all(result.ok for result in box.results), [result.message for result in box.results]
print(json.dumps([[r.call_digest, r.result_digest] for r in box.results]))
"""


@pytest.mark.slow
def test_digests_are_equal_in_another_process():
    pytest.importorskip("cv2")
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SESSION], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1 and len(json.loads(outputs.pop())) == 4


@pytest.mark.slow
@pytest.mark.attack(
    "SEG and PROP of a segment, by every back end that is here, as a model, a trace, a page and Python receive them",
    before="confidence .96 on wrong masks of photographs, .72 on right ones",
    lost="no confidence; `fit`, which is said to be none",
)
def test_trust4_seg_states_no_confidence(record_property):
    media, tries = clip(), 0
    for name in available_backends()["SEG"]:
        try:
            box = toolbox(media, backends=Backends(seg=name))
            ask(box, "SEG", point=[0, 0])
        except PixelProofError:  # it has no weights here
            continue
        for where in ({"point": [150, 300]}, {"box": [90, 180, 210, 420]}):
            segment = ask(box, "SEG", **where)
            if not segment.ok:
                continue
            for result in (segment, ask(box, "PROP", ref=segment.ref)):
                envelope = result.to_json()
                assert result.conf is None and envelope["conf"] is None
                assert ToolResult.from_json(envelope) == result
                assert "conf" not in result.text and "confidence" not in result._repr_html_()
                tries += 1
            assert 0 <= segment.evidence["fit"] <= 1 and "fit" in json.loads(segment.text)
    assert tries >= 4
    record_property("tries", tries)
