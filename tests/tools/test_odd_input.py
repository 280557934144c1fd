"""Files that were damaged, edited by hand or are unusual: a message or a finding, never an exception of Python."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from pixelproof import ask
from pixelproof.cli import main
from pixelproof.contract import Call, PixelProofError
from pixelproof.tools import Budget, Step, Toolbox, Trace, decode_mask, describe_media, open_media
from pixelproof.tools.episodes import evidence_text, replay_trace
from pixelproof.tools.trace_checks import check_traces
from tools.agents import backends, media, picture, png

BOX = [0, 0, 500, 500]
TOOLBOX = Toolbox(media(), backends())


@pytest.fixture
def trace():
    toolbox = Toolbox(media(), backends(), Budget(calls=2))
    calls = [Call("1", "ZOOM", {"box": BOX}), Call("2", "SEG", {"box": BOX}), Call("3", "ZOOM", {"box": [0, 0, 9, 9]})]
    steps = tuple(Step(call, toolbox.call(call)) for call in calls)
    return Trace("t/1", (describe_media(toolbox.media),), "What?", {"type": "text", "value": "x"}, steps)


def edited(trace, *path, to):
    """The trace with one value replaced."""
    value = place = json.loads(trace.to_json())
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return json.dumps(value)


@pytest.mark.parametrize(
    ("path", "to", "words"),
    [
        (["media"], ["x"], "entry of media"), (["media"], {}, "media is not of type list"),
        (["answer"], "red", "answer is not of type object"), (["provenance"], [1], "provenance"),
        (["targets"], [1], "targets"), (["id"], {"a": 1}, "id is not of type text"), (["question"], 5, "question"),
        (["steps", 0, "result", "cost", "pixels"], float("inf"), "no result of a tool"),
        (["version"], 2, "format version 2, and this release reads 1"),
    ],
)  # fmt: skip
def test_a_field_of_the_wrong_type_is_named(trace, path, to, words):
    with pytest.raises(PixelProofError, match=words):
        Trace.from_json(edited(trace, *path, to=to))


@settings(max_examples=8, deadline=None)
@given(st.text(max_size=9), st.text(max_size=9), st.dictionaries(st.text(max_size=4), st.integers() | st.floats()))
def test_any_trace_that_is_written_is_read_unedited(question, thought, arguments):
    call = Call("1", "ZOOM", arguments)
    step = Step(call, TOOLBOX.call(call), thought)
    trace = Trace("t/1", (), question, {"type": "text", "value": thought}, (step,))
    again = Trace.from_json(trace.to_json())
    assert not again.edited and again.digest == trace.digest and again.to_json() == trace.to_json()


def test_a_trace_that_is_nested_too_deeply_is_no_trace(trace):
    deep = edited(trace, "answer", "value", to="@").replace('"@"', "[" * 600 + "]" * 600)
    with pytest.raises(PixelProofError, match="no trace"):
        Trace.from_json(deep)


@pytest.mark.parametrize(("line", "words"), [("[1]", "not a JSON object"), ('{"version": 1}', "it lacks 'kind'")])
def test_a_line_that_is_no_trace_is_explained(line, words):
    with pytest.raises(PixelProofError, match=words):
        Trace.from_json(line)


@pytest.mark.parametrize(
    ("path", "to", "words"),
    [
        ([2, "result", "evidence"], {"text": "red"}, "text differs"),
        ([2, "result", "ok"], True, "a success was recorded"),
        ([2, "result", "result_digest"], "0" * 64, "the recorded digest is not that of the result"),
        ([1, "result", "result_digest"], "0" * 64, "the recorded digest is not that of the result"),
        ([1, "result", "error"], "BUDGET", "differ"),
    ],
)
def test_a_forged_step_is_named_also_where_a_budget_refused_the_call(trace, path, to, words):
    assert trace.steps[2].result.error == "BUDGET" and replay_trace(trace, media(), backends()).same
    forged = Trace.from_json(edited(trace, "steps", *path, to=to))
    message = replay_trace(forged, media(), backends()).messages[0]
    assert message.startswith(f"Step {path[0] + 1} ") and words in message


@pytest.mark.parametrize(
    ("path", "to"),
    [(["answer", "value"], "red"), (["question"], "Why?"), (["steps", 0, "thought"], "I know it."),
     (["steps", 1, "thought"], " "), (["answer"], {"type": "none", "value": None})],
)  # fmt: skip
def test_an_edited_answer_question_or_thought_is_found_out(trace, path, to):
    changed = replay_trace(Trace.from_json(edited(trace, *path, to=to)), media(), backends())
    assert not changed.same and not changed.mismatches
    assert changed.messages == ["Question, thoughts or answer were edited: the digest of the trace is another."]


@pytest.mark.parametrize(("path", "to"), [(["id"], "t/2"), (["targets"], {"text": "x"}), (["difficulty"], 0.5)])
def test_what_data_sets_add_to_a_trace_is_no_edit(trace, path, to):
    assert replay_trace(Trace.from_json(edited(trace, *path, to=to)), media(), backends()).same


def test_a_trace_of_before_there_were_digests_of_traces_is_replayed(trace):
    value = json.loads(trace.to_json())
    del value["digest"]
    old = Trace.from_json(json.dumps(value))
    assert not old.edited and old.digest == trace.digest and replay_trace(old, media(), backends()).same


def test_a_mask_that_would_fill_the_memory_is_refused():
    side = 1 << 20
    runs, value = "", side * side
    while value:  # one run of all pixels, in groups of five bits
        bits, value = value & 0x1F, value >> 5
        runs += chr((bits | 0x20 if value or bits & 0x10 else bits) + 48)
    with pytest.raises(PixelProofError, match="more than"):
        decode_mask({"size": [side, side], "counts": runs})


def test_an_area_that_is_no_share_is_not_shown(trace):
    forged = Trace.from_json(edited(trace, "steps", 1, "result", "evidence", "area", to=10**400))
    assert "%" in evidence_text(trace.steps[1].result) and "%" not in evidence_text(forged.steps[1].result)


@pytest.mark.parametrize("target", [["a"] * 4, [None] * 4, [10**400] * 4, [float("nan")] * 4, "box", 3])
def test_a_target_that_is_no_box_is_not_covered(trace, target):
    traces = [Trace.from_json(edited(trace, "targets", to={"boxes": [target]}))]
    (finding,) = [finding for finding in check_traces(traces).findings if finding.check == "targets"]
    assert finding.message.startswith("0 of 1 traces")


def test_a_file_without_traces_is_not_drawn(tmp_path, capsys):
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(SystemExit) as stopped:
        main(["tools", "trace", "show", str(tmp_path / "empty.jsonl")])
    assert stopped.value.code == 3 and "has no traces" in capsys.readouterr().err
    assert not (tmp_path / "empty.html").exists()


@pytest.mark.parametrize("box", [[float("nan"), 0, 1, 1], [1e308] * 4, {"a": float("inf")}, "all", [0, 0, {1}, 2]])
def test_calls_with_values_that_json_lacks_can_be_replayed(box):
    toolbox, call = Toolbox(media(), backends()), Call("1", "ZOOM", {"frame": 0, "box": box})
    step = Step(call, toolbox.call(call))
    assert not step.result.ok
    trace = Trace("t/1", (describe_media(toolbox.media),), "What?", {"type": "text", "value": "x"}, (step,))
    assert replay_trace(Trace.from_json(trace.to_json()), media(), backends()).messages == []


def test_an_empty_reply_is_no_answer(tmp_path):
    (tmp_path / "disc.png").write_bytes(png(picture()))
    asked = ask(tmp_path / "disc.png", "What?", lambda prompt: "", out=tmp_path / "run")
    assert dict(asked.trace.answer) == {"type": "none", "value": None, "failure": "empty"}


@pytest.mark.parametrize(
    "address", ["https://example.org/a.png", "s3://bucket/a.png", "https:/a.png", "/home/me/https:/a.org/a.png"]
)
def test_an_address_is_no_path(address):
    with pytest.raises(PixelProofError, match="download"):
        open_media(Path(address))


@pytest.mark.parametrize("kind", ["GIF", "PNG"])
def test_transparent_pixels_of_animations_are_white_as_in_pictures(kind):
    images = [Image.new("RGBA", (8, 8), (0, 0, 0, 0)) for _ in range(2)]
    for place, image in enumerate(images):
        image.paste((200, 30, 30, 255), (0, 0, 4 + place, 8))
    buffer = io.BytesIO()
    images[0].save(buffer, kind, save_all=True, append_images=images[1:], duration=100, disposal=2)
    clip = open_media(buffer.getvalue())
    assert [frame[0, 7].tolist() for frame in clip.frames] == [[255] * 3] * 2
    assert abs(clip.frames[1][0, 4].astype(int) - [200, 30, 30]).max() < 8
