"""The bench as the harness sees it: items, prompts, controls, results."""

import json
import pickle

import numpy as np
import pytest

from pixelproof.benches.pixelart import PixelArt
from pixelproof.benches.pixelart._ladder import RUNGS
from pixelproof.contract import Answer, Artefact, Failure, Fault, PixelProofError, Source
from pixelproof.pixels import read_image
from pixelproof.stats import generator

PUBLISHED = Source("published")
VARIANTS = [
    PixelArt(),
    PixelArt(grid=4, colours=2),
    PixelArt(grid=33, colours=7),
    PixelArt(family="lite"),
    PixelArt(family="lite", grid=16, colours=256),
    PixelArt(family="lite", grid=128, colours=2),
]


def rung_values(result, side):
    return [result.metrics[f"{side}.{rung}"] for rung in RUNGS]


def test_items_are_the_published_subjects_in_order():
    items = list(PixelArt().items(PUBLISHED, 0, None))
    assert [item.id for item in items] == [f"pixelart/published/1/{index:04d}" for index in range(7)]
    assert [item.tags["subject"] for item in items] == [
        "mario",
        "rainbow",
        "sun",
        "saturn",
        "maze",
        "mona-lisa",
        "hope",
    ]
    assert {item.tags["category"] for item in items} == {"character", "nature", "space", "abstract", "art"}
    assert all(item.cluster == item.tags["subject"] and item.inputs["prompt"] == "original-1" for item in items)
    assert items == list(PixelArt().items(PUBLISHED, 99, 1000))
    assert items[:3] == list(PixelArt().items(PUBLISHED, 0, 3))
    json.dumps([item.inputs for item in items]), json.dumps([item.truth for item in items])
    assert pickle.loads(pickle.dumps(items)) == items


def test_items_of_other_options_are_other_items():
    assert next(PixelArt().items(PUBLISHED, 0, 1)).inputs != next(PixelArt(grid=16).items(PUBLISHED, 0, 1)).inputs


def test_an_unknown_source_is_a_sentence():
    with pytest.raises(
        PixelProofError,
        match=r"no source 'world'. Choose one of: pixelart-v2, fresh, published, pixel-art-b",
    ):
        PixelArt().items(Source("world"), 0, 1)


def test_the_original_prompt_states_its_format():
    bench = PixelArt(grid=16, colours=6)
    prompt = bench.prompt(next(bench.items(PUBLISHED, 0, 1)))
    lines = prompt.text.splitlines()
    assert lines[-1] == "Draw: Mario from Super Mario Bros"
    for part in (
        '"palette"',
        '"grid"',
        "2 to 6 colours",
        "exactly 16 strings",
        "exactly 16 digits",
        "no Markdown fence",
    ):
        assert part in prompt.text
    example = json.loads(next(line for line in lines if line.startswith("{")))
    assert len(example["palette"]) == 4 and [len(row) for row in example["grid"]] == [4] * 4
    assert (
        prompt.wants == "text" and prompt.schema["properties"]["grid"]["minItems"] == 16 and "ROW_6" in prompt.grammar
    )


def test_the_lite_prompt_has_no_example():
    bench = PixelArt(family="lite")
    prompt = bench.prompt(next(bench.items(PUBLISHED, 0, 1)))
    assert prompt.text.splitlines()[-1] == "Subject: Mario from Super Mario Bros"
    assert "24 lists of 24 integers from 0 to 9" in prompt.text and '{"palette"' not in prompt.text


@pytest.mark.parametrize("bench", VARIANTS, ids=str)
def test_there_is_room_for_a_whole_reply(bench):
    """One token per character of the grid and two per character of a colour is more than any tokenizer takes."""
    item = next(bench.items(PUBLISHED, 0, 1))
    longest = bench.controls()["floor-noise"](item, generator(0, "test", 0)).text
    cells = longest[longest.index('"grid"') :]
    assert bench.prompt(item).max_tokens >= len(cells) + 8 * bench.colours


@pytest.mark.slow
@pytest.mark.parametrize("bench", VARIANTS, ids=str)
def test_controls_get_what_they_deserve(bench):
    controls = bench.controls()
    assert list(controls) == [
        "floor-noise",
        "floor-blank",
        "floor-checkerboard",
        "floor-rows",
        "floor-example",
        "floor-shape",
        "floor-prior",
        "floor-same-kind",
        "floor-words-only",
        "ceiling-truth",
    ]
    for index, item in enumerate(bench.items(PUBLISHED, 0, None)):
        for name, control in controls.items():
            answer = control(item, generator(0, name, index))
            assert answer == control(item, generator(0, name, index))
            result = bench.score(item, answer, {})
            if name == "floor-example" and bench.grid != 4:
                assert result.failure.name == "wrong-size"
                assert rung_values(result, "strict") == [1, 1, 1, 1, 0, 0, 0]
            else:
                assert result.failure is None and rung_values(result, "strict") == [1] * 7, (name, result.notes)
            if name == "ceiling-truth":
                assert result.metrics["unused_colours"] == result.metrics["repeated_colours"] == 0
            if name == "floor-blank":
                assert result.metrics["describe.edge_density"] == 0
            if name == "floor-checkerboard":
                assert result.metrics["describe.edge_density"] == 1
            if name == "floor-rows":
                assert len(set(json.loads(answer.text)["grid"][0])) > 1 and result.metrics["describe.entropy"] > 0


EXACT, SEEN = {"exact.solved", "exact.conditions"}, {"recognised", "recogniser.abstained"}
COMPOSED = {"composed.solved", "composed.conditions"}


def test_every_metric_is_reported_by_some_control_and_only_those_of_the_subject_are_calibrated():
    bench = PixelArt()
    every = {metric.name for metric in bench.metrics}
    mario, *_, maze, _, _ = bench.items(PUBLISHED, 0, None)
    judgements = {"guess": Answer("A"), "checklist": Answer("1: yes\n2: yes\n3: no")}
    parts = {*COMPOSED, "composed.things"}
    pair = next(item for item in bench.items(Source("pixelart-v2"), 0, None) if item.tags["checked"] == "in parts")
    for item, missing in ((maze, {"judge.checklist"} | SEEN | parts), (mario, EXACT | parts), (pair, EXACT | SEEN)):
        result = bench.score(item, bench.controls()["ceiling-truth"](item, generator(0, "t", 0)), judgements)
        assert set(result.metrics) == every - missing
    assert {metric.name for metric in bench.metrics if metric.calibrated} == EXACT | COMPOSED | {
        "recognised",
        "judge.recognised",
        "judge.checklist",
    }
    assert set(bench.display.headline) <= every
    assert all(metric.higher_is_better is None for metric in bench.metrics if metric.name.startswith("describe."))


def test_the_evidence_is_the_picture():
    bench = PixelArt()
    item = list(bench.items(PUBLISHED, 0, None))[3]
    result = bench.score(item, bench.controls()["ceiling-truth"](item, None), {})
    picture = read_image(result.evidence["drawing"])
    colours = np.array([tuple(bytes.fromhex(colour)) for colour in item.truth["palette"]])
    assert picture.shape == (240, 240, 3)
    assert np.array_equal(picture[5::10, 5::10], colours[np.array(item.truth["grid"])])


def test_evidence_shows_illegal_cells_and_wrong_sizes_but_no_runaway():
    bench = PixelArt()
    item = next(bench.items(PUBLISHED, 0, 1))

    def evidence(rows):
        return bench.score(item, Answer(json.dumps({"palette": ["000000", "ffffff"], "grid": rows})), {}).evidence

    picture = read_image(evidence(["09", "10"])["drawing"])
    assert picture[0, 0].tolist() == [0, 0, 0] and picture[0, -1].tolist() == [255, 0, 255]
    assert evidence(["01"] * 5779) == {} and evidence(["01", "0"]) == {}


def test_a_refusal_stays_a_refusal():
    bench = PixelArt()
    item = next(bench.items(PUBLISHED, 0, 1))
    refusal = Failure(Fault.MODEL, "refusal", "I cannot draw him.")
    result = bench.score(item, Answer("sorry", failure=refusal), {})
    assert result.failure == refusal and result.notes["lenient"] == "refusal"
    assert rung_values(result, "strict") + rung_values(result, "lenient") == [0] * 14
    assert result.metrics["published.coded.overall"] == 0 and not result.evidence


@pytest.mark.parametrize("fault", [Fault.INSTRUMENT, Fault.INFRASTRUCTURE])
def test_faults_that_are_not_the_models_carry_no_numbers(fault):
    bench = PixelArt()
    item = next(bench.items(PUBLISHED, 0, 1))
    failure = Failure(fault, "timeout")
    result = bench.score(item, Answer("{}", failure=failure), {})
    assert result.failure == failure and result.metrics == {}


def test_artefacts_are_indexed_pngs():
    bench = PixelArt()
    item = next(bench.items(PUBLISHED, 0, 1))
    drawing = bench.score(item, bench.controls()["floor-noise"](item, generator(0, "t", 0)), {}).evidence["drawing"]
    assert isinstance(drawing, Artefact) and drawing.media_type == "image/png" and drawing.data[25] == 3
