"""Recognition as a score: floors at the floor, references at the ceiling, nothing but the subject counts."""

import json
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from pixelproof.benches.pixelart import PixelArt
from pixelproof.benches.pixelart.subjects import KINDS
from pixelproof.contract import Answer, Failure, Fault, Source
from pixelproof.nets import recognise, recogniser
from pixelproof.stats import generator

PUBLISHED = Source("published")
BENCH = PixelArt()


def known(bench):
    return [item for item in bench.items(PUBLISHED, 0, None) if item.tags["subject"] in recogniser().names]


def drawn(bench, kind, seed=0):
    drawing = KINDS[kind].draw(generator(seed, kind), bench.grid, bench.colours)
    return Answer(bench.form.write(drawing.palette, drawing.grid))


@pytest.mark.slow
@pytest.mark.parametrize("bench", [BENCH, PixelArt(family="lite", grid=16, colours=7), PixelArt(grid=33)], ids=str)
def test_floors_are_at_zero_on_every_subject_and_references_at_the_ceiling(bench):
    drawings = ("floor-prior", "floor-same-kind", "floor-words-only")  # of some subject: tested among the floors
    controls = {name: control for name, control in bench.controls().items() if name not in drawings}
    for index, item in enumerate(known(bench)):
        for name, control in controls.items():
            # A drawing is recognised for all subjects at once: few drawings of chance per subject are enough, because
            # others are tested below.
            result = bench.score(item, control(item, generator(0, name, index)), {})
            wanted = float(name == "ceiling-truth")
            assert result.metrics["recognised"] == wanted, (name, item.inputs["subject"], result.notes)


def cheaply(kind):
    """The plain form or letter that might pass for a subject, and a disc where none comes to mind."""
    y, x = np.indices((24, 24)) - 11.5
    disc, triangle = np.hypot(x, y) <= 9, (abs(x) <= (y + 8) / 2) & (abs(y) <= 8)
    forms = {
        "pizza": triangle[::-1],
        "sword": (abs(x - y) < 2.5) | (abs(x + y) < 2.5),
        "moon": disc & (np.hypot(x - 4, y) > 8),
        "watermelon": (np.hypot(x, y) <= 10) & (y > 0),
        "umbrella": (np.hypot(x, y) <= 10) & (y < 0),
        "cherries": (np.hypot(x - 5, y) <= 4) | (np.hypot(x + 5, y) <= 4),
        "ship": triangle | (y >= 3),
        "gift": np.maximum(abs(x), abs(y)) < 8,
    }
    letters = {"snowman": "8", "snowflake": "X", "lightning": "z", "crown": "w", "house": "A", "flower": "$"}
    if kind not in letters:
        return forms.get(kind, disc)
    page = Image.new("1", (24, 24))
    ImageDraw.Draw(page).text((12, 12), letters[kind], 1, ImageFont.load_default(22), "mm")
    return np.asarray(page)


@pytest.mark.slow
@pytest.mark.parametrize("palette", [("ffffff", "000000"), ("000000", "ffd93b")])
def test_one_plain_form_or_letter_per_subject_gets_next_to_nothing(palette):
    colours = np.array([tuple(bytes.fromhex(colour)) for colour in palette], np.uint8)
    names = recogniser().names
    seen = recogniser().recognise([colours[cheaply(name).astype(int)] for name in names])
    named = [name for name, one in zip(names, seen, strict=True) if one.best == name and not one.abstains]
    assert "moon" in named  # a crescent is a moon
    assert len(named) <= 0.06 * len(names)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["floor-noise", "floor-rows"])
def test_no_floor_of_chance_is_ever_named_for_the_subject(name):
    """One drawing is looked at for all subjects at once, so this is 57 tests per drawing."""
    item = next(BENCH.items(PUBLISHED, 0, 1))
    for index in range(100):
        said = json.loads(BENCH.controls()[name](item, generator(1, name, index)).text)
        palette = np.array([tuple(bytes.fromhex(colour)) for colour in said["palette"]], np.uint8)
        grid = np.array([[int(cell) for cell in row] for row in said["grid"]])
        assert recognise(palette[grid]).abstains


@pytest.mark.slow
def test_a_plain_form_of_chance_passes_for_next_to_nothing():
    item = next(BENCH.items(PUBLISHED, 0, 1))
    names = []
    for index in range(200):
        said = json.loads(BENCH.controls()["floor-shape"](item, generator(1, "floor-shape", index)).text)
        palette = np.array([tuple(bytes.fromhex(colour)) for colour in said["palette"]], np.uint8)
        assert len(said["palette"]) == 2 and len(set("".join(said["grid"]))) == 2
        seen = recognise(palette[np.array([[int(cell) for cell in row] for row in said["grid"]])])
        names += [] if seen.abstains else [seen.best]
    assert len(names) <= 20 and set(names) <= {"watermelon"}, names


def test_only_the_subject_that_was_asked_for_counts():
    sun = next(item for item in BENCH.items(PUBLISHED, 0, None) if item.tags["subject"] == "sun")
    asked, other = BENCH.score(sun, drawn(BENCH, "sun"), {}), BENCH.score(sun, drawn(BENCH, "snowman"), {})
    assert asked.metrics["recognised"] == 1 and asked.notes["recognised_as"].startswith("sun (")
    assert other.metrics["recognised"] == 0 and other.notes["recognised_as"].startswith("snowman (")
    assert asked.metrics["recogniser.abstained"] == other.metrics["recogniser.abstained"] == 0
    blank = BENCH.score(sun, BENCH.controls()["floor-blank"](sun, None), {})
    assert blank.metrics["recogniser.abstained"] == 1 and blank.notes["recognised_as"] == "nothing"


@pytest.mark.slow
def test_subjects_that_it_does_not_know_have_no_such_score():
    for source in (PUBLISHED, Source("pixelart-v2")):
        for item in BENCH.items(source, 0, None):
            if item.tags["subject"] not in recogniser().names:
                result = BENCH.score(item, drawn(BENCH, "cat"), {})
                assert not {"recognised", "recogniser.abstained"} & set(result.metrics)
    small = PixelArt(grid=8)
    assert "recognised" not in small.score(next(small.items(PUBLISHED, 0, 1)), Answer("{}"), {}).metrics


def test_what_does_not_render_shows_nothing():
    mario = next(BENCH.items(PUBLISHED, 0, 1))
    for answer in (Answer("sorry"), Answer(failure=Failure(Fault.MODEL, "refusal"))):
        metrics = BENCH.score(mario, answer, {}).metrics
        assert metrics["recognised"] == 0 and "recogniser.abstained" not in metrics
    assert BENCH.score(mario, Answer(failure=Failure(Fault.INFRASTRUCTURE, "timeout")), {}).metrics == {}


@pytest.mark.slow
def test_the_weights_wait_until_a_drawing_is_scored():
    code = (
        "import pixelproof; from pixelproof.benches.pixelart import PixelArt; from pixelproof.nets import recogniser;"
        "print(PixelArt().version, recogniser.cache_info().currsize)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split()[1] == "0"
