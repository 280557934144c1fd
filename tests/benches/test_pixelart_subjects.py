"""Every kind: drawn with variety, checked without favour, and out of reach of noise."""

import json
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform

from pixelproof.benches.pixelart.subjects import CATEGORIES, KINDS, Thing
from pixelproof.benches.pixelart.subjects._drawing import rgb_of
from pixelproof.metrics import drawing_features
from pixelproof.stats import generator

SOAK = int(os.environ.get("PIXELPROOF_SOAK", "1"))
EXACT = [kind for kind in KINDS.values() if kind.exact]
THINGS = [kind for kind in KINDS.values() if kind.scoring == "thing"]
kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.id)
exact = pytest.mark.parametrize("kind", EXACT, ids=lambda kind: kind.id)
seeds = st.integers(0, 2**32)
sizes = st.sampled_from([16, 17, 20, 24, 25, 32, 48])


def made(kind, seed, size=24, colours=10):
    rng = generator(seed, f"test/{kind.id}")
    subject = kind.subject(rng)
    drawing = subject.draw(rng, size, colours)
    return subject, np.array(drawing.grid), rgb_of(drawing.palette)


def test_there_is_enough_to_draw():
    assert set(CATEGORIES) <= set(KINDS) and len(KINDS) >= 67
    assert len(EXACT) >= 20 and len(THINGS) >= 20
    assert {kind.grade for kind in EXACT} == {1, 2, 3}
    assert len({kind.family for kind in KINDS.values()}) >= 9
    assert all(kind.id == id and id == id.lower() and " " not in id for id, kind in KINDS.items())


@kinds
def test_texts_and_parameters_are_plain(kind):
    """Parameters are hashed into frozen sets: whole numbers and text, equal after a trip through JSON."""
    for seed in range(20):
        subject = kind.subject(generator(seed, "text"))
        assert json.loads(json.dumps(subject.params)) == subject.params
        assert not any(isinstance(value, float) for value in subject.params.values())
        assert subject.text == kind.subject(generator(seed, "text")).text
        assert subject.text[0].isupper() or subject.text[0].isdigit()
        assert not subject.text.endswith(".") and "{" not in subject.text and "  " not in subject.text


@pytest.mark.slow
@kinds
@pytest.mark.parametrize(("size", "colours"), [(16, 7), (24, 10), (33, 8)])
def test_drawings_are_legal(kind, size, colours):
    for seed in range(4):
        side = max(size, kind.smallest)
        _, grid, palette = made(kind, seed, side, colours)
        assert grid.shape == (side, side) and 2 <= len(palette) <= colours
        assert sorted(np.unique(grid)) == list(range(len(palette)))
        assert len({tuple(colour) for colour in palette}) == len(palette)


@pytest.mark.slow
@kinds
def test_the_same_seed_draws_the_same_and_others_do_not(kind):
    drawings = [kind.draw(generator(seed, "variety"), 24, 10) for seed in range(12)]
    assert drawings == [kind.draw(generator(seed, "variety"), 24, 10) for seed in range(12)]
    assert len(set(drawings)) >= 11  # few kinds have few subjects in few palettes
    assert len({drawing.palette for drawing in drawings}) >= 6
    if isinstance(kind, Thing) and not kind.full:
        figures = {
            tuple(tuple(cell == drawing.grid[0][0] for cell in row) for row in drawing.grid) for drawing in drawings
        }
        assert len(figures) >= 11, "the outline must vary, not the colours alone"


@pytest.mark.slow
def test_things_look_more_like_themselves_than_like_others():
    """A nearest neighbour in plain pixels already beats guessing by far, without any learning."""
    count = 8
    features = np.array(
        [
            drawing_features(kind.draw(generator(n, f"look/{kind.id}"), 24, 10).pixels())
            for kind in THINGS
            for n in range(count)
        ]
    )
    labels = np.repeat(np.arange(len(THINGS)), count)
    distances = squareform(pdist(features))
    np.fill_diagonal(distances, np.inf)
    assert (labels[distances.argmin(axis=1)] == labels).mean() > 8 / len(THINGS)


@pytest.mark.slow
@exact
def test_every_drawer_passes_its_own_checker(kind):
    for seed in range(15):
        for size in (16, 24, 32):
            subject, grid, palette = made(kind, seed, size, 7 if size == 16 else 10)
            verdict = subject.check(grid, palette)
            assert verdict.solved and verdict.share == 1 and verdict.missed == (), (subject.text, verdict.missed, seed)


@pytest.mark.soak
@settings(max_examples=500 * SOAK, deadline=None)
@given(st.sampled_from(EXACT), seeds, st.integers(16, 128))
def test_every_drawer_passes_its_own_checker_at_any_size(kind, seed, size):
    subject, grid, palette = made(kind, seed, size)
    assert subject.check(grid, palette).solved


@given(st.sampled_from(EXACT), seeds, sizes, st.randoms(use_true_random=False))
def test_the_order_of_the_palette_does_not_matter(kind, seed, size, random):
    """Nor do colours that nobody uses, or that come twice."""
    subject, grid, palette = made(kind, seed, size)
    order = list(range(len(palette)))
    random.shuffle(order)
    shuffled = palette[np.argsort(order)]
    more = np.concatenate([shuffled, [[1, 2, 3], shuffled[0]]])
    moved = np.array(order)[grid]
    twice = np.where((moved == 0) & (np.indices(grid.shape).sum(axis=0) % 2 == 0), len(palette) + 1, moved)
    assert subject.check(moved, shuffled) == subject.check(twice, more) == subject.check(grid, palette)
    assert subject.check(moved, shuffled).solved


FLIPS = {
    "checkerboard": "both", "window": "both", "gradient": "sides", "frame": "both", "nested-squares": "both",
    "rings": "both", "plus": "both", "tetromino": "both", "symmetric-figure": "both", "ladder": "both",
    "spiral": "both", "progress-bar": "ends", "dots-in-a-row": "both", "count-squares": "both", "count-colours": "both",
    "die": "both", "domino": "ends", "traffic-light": "sides", "horizontal-flag": "sides", "vertical-flag": "ends",
    "rainbow-stripes": "ends", "nordic-cross": "ends",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("id", FLIPS)
def test_what_the_text_leaves_open_may_be_mirrored(id):
    for seed in range(20):
        subject, grid, palette = made(KINDS[id], seed)
        assert FLIPS[id] == "ends" or subject.check(grid[:, ::-1], palette).solved
        assert FLIPS[id] == "sides" or subject.check(grid[::-1], palette).solved


@pytest.mark.slow
@pytest.mark.parametrize(
    "id",
    ["vertical-flag", "rainbow-stripes", "nordic-cross", "diagonal-stripes", "diagonal-line", "staircase", "maze",
     "sorted-bars", "progress-bar", "quadrants"],
)  # fmt: skip
def test_what_the_text_fixes_may_not_be_mirrored(id):
    for seed in range(20):
        subject, grid, palette = made(KINDS[id], seed)
        assert not subject.check(grid[:, ::-1], palette).solved


@pytest.mark.parametrize(
    "id", ["horizontal-flag", "gradient", "traffic-light", "staircase", "bar-chart", "sorted-bars"]
)
def test_nor_turned_upside_down(id):
    for seed in range(20):
        subject, grid, palette = made(KINDS[id], seed)
        upright = KINDS[id].id == "traffic-light" and subject.params["lit"] == "yellow"
        assert upright or not subject.check(grid[::-1], palette).solved


@pytest.mark.parametrize(
    "id",
    ["checkerboard", "chessboard", "quadrants", "window", "tic-tac-toe", "vertical-flag", "horizontal-flag", "gradient",
     "rainbow-stripes", "nordic-cross", "diagonal-stripes", "frame", "nested-squares", "plus", "tetromino", "relation",
     "staircase", "ladder", "bar-chart", "sorted-bars", "count-squares", "count-colours", "traffic-light", "clock"],
)  # fmt: skip
def test_one_wrong_cell_in_a_strange_colour_is_seen(id):
    for seed in range(10):
        subject, grid, palette = made(KINDS[id], seed)
        rng = generator(seed, "damage")
        spoiled = grid.copy()
        spoiled[tuple(rng.integers(24, size=2))] = len(palette)
        assert not subject.check(spoiled, np.concatenate([palette, [[0, 200, 180]]])).solved


def floors(rng, size):
    """Pictures that show nothing, with few colours and with many."""
    square = np.zeros((size, size), dtype=int)
    two = [[255, 255, 255], [0, 0, 0]]
    yield "blank", square, two
    yield "checkerboard", np.indices((size, size)).sum(axis=0) % 2, two
    for colours in (3, 5, 7, 10):
        palette = rng.integers(0, 256, (colours, 3))
        yield f"noise of {colours}", rng.integers(0, colours, (size, size)), palette
        yield f"rows of {colours}", square + rng.integers(0, colours, size), palette
        yield f"columns of {colours}", square + rng.integers(0, colours, size)[:, None], palette


@pytest.mark.slow
@exact
def test_nothing_is_won_by_drawing_nothing(kind):
    for seed in range(4):
        for size in (16, 25):
            rng = generator(seed, f"floor/{kind.id}", size)
            subject = kind.subject(rng)
            for name, grid, palette in floors(rng, size):
                verdict = subject.check(grid, palette)
                assert not verdict.solved and verdict.share == 0, (name, subject.text, verdict)


@pytest.mark.soak
@settings(max_examples=1000 * SOAK, deadline=None)
@given(st.sampled_from(EXACT), seeds, st.integers(2, 10), sizes)
def test_noise_of_two_colours_solves_nothing(kind, seed, colours, size):
    rng = generator(seed, "noise")
    subject = kind.subject(rng)
    assert not subject.check(rng.integers(0, colours, (size, size)), rng.integers(0, 256, (colours, 3))).solved


@pytest.mark.slow
def test_no_subject_is_solved_by_the_drawing_of_another_kind():
    """But for figures that happen to be mirror images, as the text of that kind allows."""
    for kind in KINDS.values():
        _, grid, palette = made(kind, 0)
        for other in EXACT:
            if other.id not in (kind.id, "symmetric-figure"):
                assert not other.subject(generator(0, "other")).check(grid, palette).solved, (kind.id, other.id)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.sampled_from(EXACT), seeds, st.integers(1, 9), st.integers(1, 9), st.integers(1, 4))
def test_checkers_take_any_grid(kind, seed, height, width, colours):
    """Tiny, oblong, full of one colour: a verdict, never an exception."""
    rng = generator(seed, "any")
    grid = rng.integers(0, colours, (height, width))
    verdict = kind.subject(rng).check(grid, rng.integers(0, 256, (colours, 3)))
    assert 0 <= verdict.share <= 1 and verdict.solved == (verdict.share == 1)


def test_things_have_no_verdict():
    subject, grid, palette = made(KINDS["cat"], 0)
    assert subject.check(grid, palette) is None
