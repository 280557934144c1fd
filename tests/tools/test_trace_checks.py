"""`tools trace check`: traces with a known fault, each found by its check, and traces without one, which pass."""

import json
from dataclasses import replace

import pytest

from pixelproof.cli import main
from pixelproof.contract import Answer, Call, PixelProofError
from pixelproof.tools import Media, Toolbox, Trace, describe_media
from pixelproof.tools.episodes import ToolEpisode, TraceFile, replay_trace, with_media
from pixelproof.tools.trace_checks import (
    Status,
    check_traces,
    findings_page,
    footprint,
    is_hop,
    is_repeat,
    mentions,
    overlap,
)
from tools.agents import backends, media, png

pytestmark = pytest.mark.slow
LEFT, RIGHT = [100, 100, 450, 550], [580, 500, 880, 850]


def made(number, calls, answer, text="K7", targets=None):
    """A trace that was executed."""
    source = media().frames[0].copy()
    source[0, 0] = number % 256, number // 256, 0  # another picture for each trace
    toolbox = Toolbox(Media(source), backends(text))
    episode = ToolEpisode(toolbox, "What is on the plate?")
    episode.reset()
    for place, (tool, arguments) in enumerate(calls):
        if arguments == "ref":
            arguments = {"ref": toolbox.results[-1].ref}
        episode.step(Answer("look", calls=(Call(f"c{place}", tool, arguments),)))
    return Trace(
        f"t/{number}", (describe_media(toolbox.media),), episode.question, {"type": "text", "value": answer},
        episode.steps, targets=targets or {}, provenance={"backends": {"seg": "components"}},
    )  # fmt: skip


def sound(number):
    """Zoom, then read the same place; the answer is what it reads."""
    calls = [("ZOOM", {"box": LEFT}), ("OCR", {"box": LEFT})]
    return made(number, calls, f"code {number}x", f"code {number}x", {"boxes": [[150, 150, 400, 500]]})


@pytest.fixture(scope="module")
def good():
    return [sound(number) for number in range(24)]


def execute(trace, text=None):
    source = media().frames[0].copy()
    number = int(trace.id.removeprefix("t/"))
    source[0, 0] = number % 256, number // 256, 0
    return replay_trace(trace, Media(source), backends(text or f"code {number}x"))


def found(traces, **settings):
    return {finding.check: finding for finding in check_traces(traces, **settings).findings}


def test_a_sound_set_passes(good):
    checked = found(good, execute=execute)
    assert {name: finding.status for name, finding in checked.items()} == dict.fromkeys(checked, Status.OK)


def test_collapse_is_found_whatever_the_mean(good):
    lazy = [replace(trace, steps=()) for trace in good[12:]]
    finding = found([*good[:12], *lazy])["use"]
    assert finding.status is Status.PROBLEM and "6 of 6, in the last 0 of 6" in finding.message
    assert len(finding.traces) == 12 and "first view" in finding.advice
    mixed = [trace for pair in zip(good[:12], lazy, strict=True) for trace in pair]  # half of them, but no trend
    assert found(mixed)["use"].status is Status.OK
    assert found([replace(trace, steps=()) for trace in good])["use"].status is Status.PROBLEM
    assert found(good[:5])["use"].status is Status.UNKNOWN


def test_repeated_and_failed_calls_are_no_use_of_tools(good):
    failing = [made(number, [("FLY", {}), ("TEMP", {"t0": 0, "t1": 1})], "x") for number in range(24)]
    checked = found(failing)
    assert checked["use"].status is Status.PROBLEM and checked["errors"].status is Status.PROBLEM
    first = failing[0].steps[0].result.error  # as frequent as the second one
    assert f"48 of 48 calls failed (most often {first})" in checked["errors"].message


def test_results_that_were_replaced_are_found(good):
    value = json.loads(good[3].to_json())
    value["steps"][1]["result"]["evidence"]["text"] = "something else"
    forged = Trace.from_json(json.dumps(value))
    checks = check_traces([*good[:3], forged, *good[4:]], execute)
    finding = next(f for f in checks.findings if f.check == "executed")
    assert finding.status is Status.PROBLEM and finding.traces == ("t/3",)
    assert "text" in checks.marks["t/3"].steps[1]


def test_evidence_that_does_not_carry_the_answers_is_found(good):
    answers = [trace.answer for trace in good]
    swapped = [replace(trace, answer=answers[(n + 7) % 24]) for n, trace in enumerate(good)]
    finding = found(swapped)["support"]
    assert finding.status is Status.WARNING and "0 of 24 traces" in finding.message and "unfaithful" in finding.message
    constant = [replace(trace, answer={"type": "text", "value": "yes"}) for trace in good]
    assert found(constant)["support"].status is Status.UNKNOWN


def test_an_answer_that_all_evidence_contains_is_not_supported_by_it(good):
    """A word that occurs in every result is no evidence for an answer."""
    always = [replace(trace, answer={"type": "text", "value": "code"}) for trace in good[:12]]
    rest = [replace(trace, answer=good[12 + (n + 5) % 12].answer) for n, trace in enumerate(good[12:])]
    finding = found([*always, *rest])["support"]
    assert finding.status is Status.WARNING and "12 of 24 traces" in finding.message


def test_calls_that_miss_the_target_are_found():
    blind = [made(n, [("ZOOM", {"box": RIGHT})], "K7", targets={"boxes": [[150, 150, 400, 500]]}) for n in range(20)]
    finding = found(blind)["targets"]
    assert finding.status is Status.PROBLEM and len(finding.traces) == 20


def test_hopping_and_repeats_are_found():
    hops = [
        made(n, [("ZOOM", {"box": LEFT}), ("OCR", {"box": RIGHT}), ("SEG", {"point": [290, 330]})], "x")
        for n in range(12)
    ]
    assert found(hops)["hopping"].status is Status.PROBLEM and found(hops)["repeats"].status is Status.OK
    near = [100, 100, 452, 551]
    again = [
        made(n, [("ZOOM", {"box": LEFT}), ("ZOOM", {"box": near}), ("ZOOM", {"box": LEFT})], "x") for n in range(12)
    ]
    checked = found(again)
    assert checked["repeats"].status is Status.PROBLEM and "24 of 36" in checked["repeats"].message
    assert checked["hopping"].status is Status.OK


def test_a_step_that_uses_the_result_before_is_no_hop():
    trace = made(0, [("SEG", {"point": [290, 330]}), ("PROP", "ref"), ("ZOOM", {"box": RIGHT})], "red")
    assert not is_hop(*trace.steps[:2]) and is_hop(*trace.steps[1:])
    assert not is_repeat(trace.steps, 1) and mentions(trace.steps, "Red!") and not mentions(trace.steps, "green")
    assert footprint(trace.steps[2]) == (0, RIGHT) and overlap((0, 0, 1, 1), (2, 2, 3, 3)) == 0


def test_remarks_of_checks_that_pass_are_no_findings(good, tmp_path):
    """One hop in many steps is marked, and no problem."""
    hop = made(99, [("ZOOM", {"box": LEFT}), ("OCR", {"box": RIGHT})], "code 3x", "code 3x")
    checks = check_traces([*good, hop])
    assert {finding.check: finding.status for finding in checks.findings}["hopping"] is Status.OK
    assert list(checks.marks) == [hop.id]
    page = findings_page(TraceFile(tmp_path / "t.jsonl"), [*good, hop], checks).html()
    assert "0 of 25 traces in t.jsonl show a problem or warning; 1 other with remarks only" in page
    assert page.count('class="trace"') == 1 and f"<h3>{hop.question}</h3>" in page


def test_no_traces_cannot_be_checked():
    with pytest.raises(PixelProofError, match="no traces"):
        check_traces([])


def command(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        main(["tools", "trace", "check", *map(str, words)])
    return ended.value.code, capsys.readouterr().out


def test_the_command_draws_offending_traces(tmp_path, capsys):
    file = TraceFile(tmp_path / "t.jsonl")
    traces = []
    for number in range(24):
        calls = [("ZOOM", {"box": LEFT}), ("SEG", {"point": [290, 330]})] if number < 12 else []
        source = media().frames[0].copy()
        source[0, 0] = number, 0, 0
        traces.append(with_media(made(number, calls, "red"), file, png(source)))
    file.write(traces)
    code, text = command(capsys, file.path)
    page = (tmp_path / "t.check.html").read_text()
    assert code == 6 and "PROBLEM     use" in text and "ok          executed" in text
    assert "12 of 24 traces" in page and page.count('class="marks"') == 24 - 12 + 12 * ("No result contains" in page)
    code, text = command(capsys, file.path, "--json", "--no-replay")
    assert code == 6 and {finding["check"] for finding in json.loads(text)} >= {"use", "support", "hopping", "repeats"}


def reader(prompt):
    """Answers with what the last result reads."""
    return json.loads([turn.parts[0] for turn in prompt.history if turn.role == "tool"][-1])["text"]


def stubborn(prompt):
    """Answers with what the question says, whatever the results are."""
    assert not any(not isinstance(part, str) for turn in prompt.history if turn.role == "user" for part in turn.parts)
    return prompt.history[0].parts[0]


def test_a_model_that_ignores_its_evidence_is_found(good, tmp_path):
    from pixelproof.harness import Settings
    from pixelproof.harness.probing import probe_faithfulness

    file = TraceFile(tmp_path / "t.jsonl")
    file.write([replace(trace, question=str(trace.answer["value"])) for trace in good[:8]])
    faithful = probe_faithfulness(file, reader, Settings(out=tmp_path / "a"))
    assert faithful.status is Status.OK and "8 of 8; " in faithful.message and "0 of 8" in faithful.message
    blind = probe_faithfulness(file, stubborn, Settings(out=tmp_path / "b"))
    assert blind.status is Status.PROBLEM and "do not depend" in blind.message
    file.write([replace(good[0], id=str(n)) for n in range(8)])  # all answers are the same: nothing can be swapped
    with pytest.raises(PixelProofError, match="different answers"):
        probe_faithfulness(file, reader, Settings(out=tmp_path / "c"))


@pytest.mark.parametrize(("model", "status", "exit_code"), [("reader", "ok", 0), ("stubborn", "problem", 6)])
def test_the_command_asks_a_model_with_evidence_swapped(model, status, exit_code, good, tmp_path, capsys):
    file = TraceFile(tmp_path / "t.jsonl")
    file.write([replace(trace, question=str(trace.answer["value"])) for trace in good[:8]])
    words = (file.path, "--no-replay", "--json", "--model", f"fn/{__name__}:{model}", "--run", tmp_path / "run")
    code, text = command(capsys, *words)
    swapped = json.loads(text)[-1]
    assert (swapped["check"], swapped["status"], code) == ("swapped", status, exit_code)
    assert (tmp_path / "run" / "summary.json").is_file()
    assert command(capsys, *words) == (code, text)  # the stored answers, again
