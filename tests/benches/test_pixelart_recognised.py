"""Recognition as a score: floors at the floor, references at the ceiling, nothing but the subject counts."""

import json
import subprocess
import sys

import numpy as np
import pytest

from pixelproof.benches.pixelart import PixelArt
from pixelproof.benches.pixelart.subjects import KINDS
from pixelproof.contract import Answer, Failure, Fault, Source
from pixelproof.nets import recognise, recogniser
from pixelproof.stats import generator

V1, FRESH, PUBLISHED = Source("pixelart-v1"), Source("fresh"), Source("published")
BENCH = PixelArt()


def known(bench, source, seed=0):
    return [item for item in bench.items(source, seed, None) if item.tags["subject"] in recogniser().names]


def drawn(bench, kind, seed=0):
    drawing = KINDS[kind].draw(generator(seed, kind), bench.grid, bench.colours)
    return Answer(bench.form.write(drawing.palette, drawing.grid))


@pytest.mark.parametrize(
    ("bench", "sets"),
    [
        (BENCH, [(V1, 0), (PUBLISHED, 0)]),
        pytest.param(BENCH, [(FRESH, seed) for seed in range(2, 7)], marks=pytest.mark.slow),
        pytest.param(PixelArt(family="lite", grid=16, colours=7), [(V1, 0), (FRESH, 2)], marks=pytest.mark.slow),
        pytest.param(PixelArt(grid=33), [(V1, 0), (FRESH, 3)], marks=pytest.mark.slow),
    ],
)
def test_floors_are_at_zero_on_every_subject_and_references_at_the_ceiling(bench, sets):
    controls = bench.controls()
    for source, seed in sets:
        references = []
        for index, item in enumerate(known(bench, source, seed)):
            for name, control in controls.items():
                result = bench.score(item, control(item, generator(seed, name, index)), {})
                if name == "ceiling-truth":
                    references.append(result.metrics["recognised"])
                else:
                    assert result.metrics["recognised"] == 0, (name, item.inputs["subject"], result.notes)
        assert np.mean(references) >= 0.96


@pytest.mark.parametrize("name", ["floor-noise", "floor-rows"])
def test_no_floor_of_chance_is_ever_named_for_the_subject(name):
    """One drawing is looked at for all subjects at once, so this is 57 tests per drawing."""
    item = next(BENCH.items(PUBLISHED, 0, 1))
    for index in range(100):
        said = json.loads(BENCH.controls()[name](item, generator(1, name, index)).text)
        palette = np.array([tuple(bytes.fromhex(colour)) for colour in said["palette"]], np.uint8)
        grid = np.array([[int(cell) for cell in row] for row in said["grid"]])
        assert recognise(palette[grid]).abstains


def test_only_the_subject_that_was_asked_for_counts():
    cat = next(item for item in BENCH.items(V1, 0, None) if item.tags["subject"] == "cat")
    asked, other = BENCH.score(cat, drawn(BENCH, "cat"), {}), BENCH.score(cat, drawn(BENCH, "snowman"), {})
    assert asked.metrics["recognised"] == 1 and asked.notes["recognised_as"].startswith("cat (")
    assert other.metrics["recognised"] == 0 and other.notes["recognised_as"].startswith("snowman (")
    assert asked.metrics["recognised.abstained"] == other.metrics["recognised.abstained"] == 0
    blank = BENCH.score(cat, BENCH.controls()["floor-blank"](cat, None), {})
    assert blank.metrics["recognised.abstained"] == 1 and blank.notes["recognised_as"] == "nothing"


def test_subjects_that_it_does_not_know_have_no_such_score():
    for item in BENCH.items(V1, 0, None):
        if item.tags["subject"] not in recogniser().names:
            result = BENCH.score(item, drawn(BENCH, "cat"), {})
            assert not {"recognised", "recognised.abstained"} & set(result.metrics)
    small = PixelArt(grid=8)
    assert "recognised" not in small.score(next(small.items(PUBLISHED, 0, 1)), Answer("{}"), {}).metrics


def test_what_does_not_render_shows_nothing():
    mario = next(BENCH.items(PUBLISHED, 0, 1))
    for answer in (Answer("sorry"), Answer(failure=Failure(Fault.MODEL, "refusal"))):
        metrics = BENCH.score(mario, answer, {}).metrics
        assert metrics["recognised"] == 0 and "recognised.abstained" not in metrics
    assert BENCH.score(mario, Answer(failure=Failure(Fault.INFRASTRUCTURE, "timeout")), {}).metrics == {}


def test_the_weights_wait_until_a_drawing_is_scored():
    code = (
        "import pixelproof; from pixelproof.benches.pixelart import PixelArt; from pixelproof.nets import recogniser;"
        "print(PixelArt().version, recogniser.cache_info().currsize)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split()[1] == "0"
