"""Composed subjects: every condition is stated, checked by itself, and out of reach of who reads only the words."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image, ImageDraw, ImageFont
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from pixelproof.benches.pixelart import PixelArt
from pixelproof.benches.pixelart.subjects import KINDS
from pixelproof.benches.pixelart.subjects._canvas import Hand
from pixelproof.benches.pixelart.subjects._drawing import rgb_of
from pixelproof.benches.pixelart.subjects.composed import COMPOSED, WORDS, draw_plan
from pixelproof.benches.pixelart.subjects.composed._scene import separate
from pixelproof.contract import Answer, Failure, Fault, Source
from pixelproof.stats import generator

BENCH = PixelArt()
kinds = pytest.mark.parametrize("kind", COMPOSED, ids=lambda kind: kind.id)


def items(seed=3, source="fresh"):
    return [item for item in BENCH.items(Source(source), seed, None) if item.tags["checked"] == "in parts"]


def drawn(kind, index=0, **fixed):
    """A subject of a kind and its reference: parameters, grid and colours."""
    rng = generator(index, f"test/{kind.id}")
    params = {**kind.subject(rng).params, **fixed}
    drawing = kind.paint(params, rng, 24, 10)
    return params, np.array(drawing.grid), rgb_of(drawing.palette)


def missed(kind, params, grid, rgb):
    return set(kind.check(grid, rgb, params).missed)


def ground_of(grid):
    return int(np.bincount(grid.ravel()).argmax())


@pytest.mark.slow
@pytest.mark.parametrize("source", ["pixelart-v2", pytest.param("fresh", marks=pytest.mark.slow)])
def test_references_meet_every_condition(source):
    for item in items(4, source):
        result = BENCH.score(item, BENCH.controls()["ceiling-truth"](item, None), {})
        assert result.metrics["composed.solved"] == 1, (item.inputs["subject"], result.notes)
        assert result.metrics["composed.conditions"] == result.metrics["composed.things"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("bench", [PixelArt(family="lite", colours=7), PixelArt(grid=33)], ids=str)
def test_references_meet_nearly_every_condition_with_few_colours_and_on_larger_grids(bench):
    chosen = [item for item in bench.items(Source("pixelart-v2"), 0, None) if item.tags["checked"] == "in parts"]
    truth = bench.controls()["ceiling-truth"]
    assert np.mean([bench.score(item, truth(item, None), {}).metrics["composed.solved"] for item in chosen]) >= 0.95


@pytest.mark.slow
def test_only_who_reads_the_words_meets_any_condition_and_words_alone_solve_little():
    chosen, controls = items()[::3], BENCH.controls()
    for name in ("floor-noise", "floor-blank", "floor-checkerboard", "floor-rows", "floor-example", "floor-shape"):
        for index, item in enumerate(chosen):
            metrics = BENCH.score(item, controls[name](item, generator(0, name, index)), {}).metrics
            assert metrics["composed.conditions"] <= 0.2 and metrics["composed.solved"] == 0
    words = [BENCH.score(item, controls["floor-words-only"](item, None), {}).metrics for item in chosen]
    assert np.mean([one["composed.things"] for one in words]) >= 0.8
    assert np.mean([one["composed.solved"] for one in words]) <= 0.2
    assert 0.4 <= np.mean([one["composed.conditions"] for one in words]) <= 0.75


@pytest.mark.slow
def test_the_floor_of_words_knows_the_things_and_nothing_else():
    for item in items()[::6]:
        kind, params = KINDS[item.truth["kind"]], item.truth["params"]
        for index in range(3):
            other = {
                **kind.subject(generator(index, "other")).params,
                **{k: params[k] for k in ("a", "b") if k in params},
            }
            twin = type(item)(item.id, item.inputs, {**item.truth, "params": other}, item.cluster, item.tags)
            control = BENCH.controls()["floor-words-only"]
            assert control(twin, None) == control(item, None)


@kinds
def test_the_text_states_every_parameter(kind):
    texts = {}
    for index in range(300):
        params = kind.subject(generator(index, "text")).params
        text, said = kind.text(params), kind.text(params).lower()
        assert params["ground"] in said and params.get("colour", "") in said and params.get("quarter", "") in said
        words = [WORDS[params[key]][params[f"{key}_word"]] for key in ("a", "b") if key in params]
        assert all(word.singular in said or word.plural in said for word in words)
        assert not re.search(r"\ba [aeiou]", said)
        assert texts.setdefault(text, params) == params, "equal texts must ask for the same"


def test_every_thing_has_rewordings_and_the_recogniser_knows_it():
    assert len(WORDS) >= 50 and all(len(words) >= 2 for words in WORDS.values())
    assert set(WORDS) <= {id for id, kind in KINDS.items() if kind.scoring == "thing"}


@kinds
def test_another_ground_misses_the_ground_alone(kind):
    params, grid, rgb = drawn(kind, ground="white")
    assert missed(kind, params, grid, rgb) == set()
    assert missed(kind, {**params, "ground": "purple"}, grid, rgb) == {"ground"}


@pytest.mark.slow
@kinds
def test_a_stray_cell_misses_that_there_is_nothing_else(kind):
    params, grid, rgb = drawn(kind, 1, ground="white")
    for row in range(24):
        for column in range(24):
            near = grid[max(0, row - 3) : row + 4, max(0, column - 3) : column + 4]
            if (near == ground_of(grid)).all():
                spoilt = grid.copy()
                spoilt[row, column] = (ground_of(grid) + 1) % len(rgb)
                assert "nothing else" in missed(kind, params, spoilt, rgb)
                return
    pytest.skip("no free cell")


@pytest.mark.slow
@pytest.mark.parametrize("relation", ["left", "right", "above", "below"])
@pytest.mark.parametrize("id", ["two-things", "group-and-thing"])
def test_a_mirrored_picture_has_the_inverse_relation(id, relation):
    kind = KINDS[id]
    params, grid, rgb = drawn(kind, relation=relation, a="fish", a_word=0, b="house", b_word=0, ground="white")
    across = relation in ("left", "right")
    turned = grid[:, ::-1] if across else np.concatenate([grid[13:], grid[11:13], grid[:11]])  # halves exchanged
    assert missed(kind, params, grid, rgb) == set()
    assert missed(kind, params, turned, rgb) == {relation}
    inverse = {"left": "right", "right": "left", "above": "below", "below": "above"}[relation]
    assert missed(kind, {**params, "relation": inverse}, turned, rgb) == set()


@pytest.mark.slow
def test_touching_things_are_one_thing_and_not_recognised():
    kind = KINDS["two-things"]
    params, grid, rgb = drawn(kind, relation="left", a="fish", a_word=0, b="house", b_word=0)
    ground = ground_of(grid)
    bridged = grid.copy()
    row = int(np.flatnonzero((grid != ground).any(axis=1))[0])
    bridged[row : row + 12, 10:14] = grid[grid != ground][0]
    assert missed(kind, params, bridged, rgb) >= {"left", "fish"}


@pytest.mark.parametrize("number", [2, 3, 4])
def test_one_too_few_or_too_many_misses_the_number(number):
    kind = KINDS["same-things"]
    params, grid, rgb = drawn(kind, number=number, a="star", a_word=0)
    assert missed(kind, params, grid, rgb) == set()
    for other in {2, 3, 4} - {number}:
        wrong = missed(kind, {**params, "number": other}, grid, rgb)
        assert "number" in wrong and wrong <= {"number", "nothing else"}


def test_one_of_them_scribbled_over_misses_the_number():
    kind = KINDS["same-things"]
    params, grid, rgb = drawn(kind, number=4, a="star", a_word=0)
    grid[:11, :11] = ground_of(grid)
    grid[1:10, 1:10][np.indices((9, 9)).sum(axis=0) % 3 == 0] = (ground_of(grid) + 1) % len(rgb)
    assert missed(kind, params, grid, rgb) == {"number", "nothing else"}


@pytest.mark.parametrize("other", ["heart", None])
def test_another_thing_in_place_of_a_missing_one_is_something_else(other):
    """Three ghosts lack one; three ghosts and a heart, or a square, also have something that nobody asked for."""
    kind = KINDS["same-things"]
    params, grid, rgb = drawn(kind, number=4, a="ghost", a_word=0, ground="white")
    corner = np.s_[12:, 12:]
    grid[corner] = ground_of(grid)
    assert missed(kind, params, grid, rgb) == {"number"}
    if other:
        _, others, colours = drawn(kind, number=4, a=other, a_word=0, ground="white")
        grid[corner] = others[corner] + len(rgb)
        rgb = np.concatenate([rgb, colours])
    else:
        grid[13:23, 13:23] = (ground_of(grid) + 1) % len(rgb)
    verdict, scene = kind.examine(grid, rgb, params)
    assert [figure.name for figure in scene.figures] == ["ghost"] * 3 + [other]
    assert set(verdict.missed) == {"number", "nothing else"}


def test_two_of_one_thing_in_place_of_two_things_are_one_too_many():
    kind = KINDS["two-things"]
    _, grid, rgb = drawn(KINDS["same-things"], number=2, a="heart", a_word=0, ground="white")
    params = {"a": "fish", "a_word": 0, "b": "heart", "b_word": 0, "relation": "below", "form": 0, "ground": "white"}
    assert missed(kind, params, grid, rgb) == {"fish", "below", "nothing else"}


SPECK = """
.#...#.
.#####.
.##.##.
#.....#
...#...
##...##
.##.##."""


def stamped(text, number=4):
    """Copies of a small drawing in the corners of a picture."""
    stamp = np.array([[cell == "#" for cell in line] for line in text.split()], int)
    grid = np.zeros((24, 24), int)
    for top, left in ((1, 1), (1, 14), (14, 1), (14, 14))[:number]:
        grid[top : top + len(stamp), left : left + stamp.shape[1]] = stamp
    return grid


def blob(rng, side, symmetric):
    """Random cells that reach every side of their box."""
    while True:
        half = rng.random((side, (side + 1) // 2 if symmetric else side)) < rng.choice([0.5, 0.65, 0.8])
        mask = np.concatenate([half, half[:, ::-1][:, side % 2 :]], axis=1) if symmetric else half
        if mask.any(axis=0).all() and mask.any(axis=1).all():
            return mask


def test_specks_are_no_things_and_the_note_says_why():
    kind, params = KINDS["same-things"], {"a": "cat", "a_word": 0, "number": 4, "ground": "white"}
    verdict, scene = kind.examine(stamped(SPECK), np.array([[255, 255, 255], [220, 30, 30]]), params)
    assert verdict.share == 0 and [figure.note for figure in scene.figures] == ["too small"] * 4


@pytest.mark.parametrize(("side", "note"), [(8, "too small"), (9, "heart")])
def test_a_thing_has_at_least_nine_cells_in_one_direction(side, note):
    _, cells = draw_plan("heart", Hand(generator(0, "heart")), side)
    assert max(cells.shape) == side
    grid = np.pad(cells > 0, ((3, 21 - cells.shape[0]), (3, 21 - cells.shape[1]))).astype(int)
    params = {"a": "heart", "a_word": 0, "quarter": "top left", "ground": "white"}
    scene = KINDS["placed-thing"].examine(grid, np.array([[255, 255, 255], [220, 30, 30]]), params)[1]
    assert scene.figures[0].note.startswith(note)


@pytest.mark.parametrize(
    ("ground", "ink", "visible"),
    [
        ((30, 30, 30), (0, 0, 0), False),  # 0.23 in OKLab, 11 in CIELAB
        ((255, 255, 255), (245, 245, 245), False),
        ((0, 0, 0), (90, 90, 90), True),
        ((255, 255, 255), (255, 230, 0), True),
    ],
)
def test_a_thing_differs_clearly_from_the_background(ground, ink, visible):
    kind = KINDS["same-things"]
    _, grid, _ = drawn(kind, number=2, a="star", a_word=0, ground="white")
    shape = (grid != ground_of(grid)).astype(int)
    params = {"a": "star", "a_word": 0, "number": 2, "ground": "black" if max(ground) < 99 else "white"}
    verdict, scene = kind.examine(shape, np.array([ground, ink]), params)
    assert verdict.solved is visible
    assert all((figure.note == "too faint") is not visible for figure in scene.figures)


def test_a_pale_thing_with_a_dark_contour_is_visible():
    kind = KINDS["outlined-thing"]
    params, grid, rgb = drawn(kind, a="ghost", a_word=0, colour="black", ground="white")
    pale = np.where(
        (rgb == rgb[ground_of(grid)]).all(axis=1, keepdims=True) | (rgb.max(axis=1) < 90)[:, None], rgb, 246
    )
    assert all("faint" not in figure.note for figure in kind.examine(grid, pale, params)[1].figures)


def share_named(sides, symmetric, number):
    """Share of random blobs that get any name, in several colours."""
    rng, named = generator(0, f"blobs/{symmetric}"), []
    pairs = [[(255, 255, 255), (0, 0, 0)], [(70, 120, 220), (220, 30, 30)], [(30, 30, 30), (250, 210, 40)]]
    for index in range(number):
        side = sides[index % len(sides)]
        grid = np.pad(blob(rng, side, symmetric), ((2, 22 - side), (2, 22 - side))).astype(int)
        params = {"a": "cat", "quarter": "top left", "ground": "white"}
        scene = KINDS["placed-thing"].examine(grid, np.array(pairs[index % 3]), params)[1]
        named.append(any(figure.name for figure in scene.figures))
    return np.mean(named)


@pytest.mark.slow
@pytest.mark.parametrize("symmetric", [True, False])
def test_no_random_blob_below_nine_cells_gets_a_name(symmetric):
    assert share_named((5, 6, 7, 8), symmetric, 200) == 0


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.parametrize(("symmetric", "most"), [(True, 0.08), (False, 0.03)])
def test_few_random_blobs_of_nine_to_eleven_cells_get_a_name(symmetric, most):
    assert share_named((9, 10, 11), symmetric, 150) <= most


@kinds
def test_the_text_states_size_and_contrast_and_nothing_that_is_not_checked(kind):
    text = kind.text(kind.subject(generator(0, "text")).params)
    assert "at least 9 cells wide or at least 9 cells tall" in text and "at least 15 in CIELAB" in text
    assert "most frequent colour of the outermost cells" in text and "whole" not in text


def test_which_of_two_is_larger():
    kind = KINDS["sized-things"]
    params, grid, rgb = drawn(kind, a="fish", a_word=0, b="house", b_word=0)
    swapped = {**params, "a": "house", "b": "fish"}
    assert missed(kind, params, grid, rgb) == set() and missed(kind, swapped, grid, rgb) == {"larger"}


def test_colour_outline_and_place_are_told_apart():
    coloured, outlined, placed = KINDS["coloured-thing"], KINDS["outlined-thing"], KINDS["placed-thing"]
    params, grid, rgb = drawn(coloured, a="heart", a_word=0, colour="green", ground="white")
    assert missed(coloured, params, grid, rgb) == set()
    assert missed(coloured, {**params, "colour": "red"}, grid, rgb) == {"colour"}
    params, grid, rgb = drawn(outlined, a="apple", a_word=0, colour="blue", ground="white")
    assert missed(outlined, params, grid, rgb) == set()
    assert missed(outlined, {**params, "colour": "red"}, grid, rgb) >= {"outline"}
    filled = np.where(grid == ground_of(grid), 0, 1)
    assert "filling" in missed(outlined, params, filled, np.array([[255, 255, 255], [31, 79, 216]]))
    params, grid, rgb = drawn(placed, a="star", a_word=0, quarter="top left")
    assert missed(placed, params, grid, rgb) == set()
    assert missed(placed, params, grid[::-1], rgb) == {"rows"} or missed(placed, params, np.roll(grid, 12, 0), rgb) == {
        "rows"
    }
    assert missed(placed, params, np.roll(grid, 12, axis=1), rgb) == {"columns"}


def test_the_ground_is_what_surrounds_the_thing_and_not_any_colour_of_that_name():
    """A castle with a blue window on white has no ground of blue, and not the contours that are asked for."""
    kind = KINDS["outlined-thing"]
    params, grid, rgb = drawn(KINDS["coloured-thing"], a="castle", a_word=0, colour="grey", ground="white")
    window = grid.copy()
    window[12:15, 10:13] = len(rgb)
    colours = np.concatenate([rgb, [[31, 79, 216]]])
    asked = {**params, "colour": "red", "ground": "blue"}
    assert {"outline", "ground"} <= missed(kind, asked, window, colours)
    everywhere = np.where(grid == ground_of(grid), 0, grid)
    everywhere[0, :] = everywhere[-1, :] = everywhere[:, 0] = everywhere[:, -1] = 1
    assert "outline" in missed(kind, asked, everywhere, rgb)


def test_frames_and_floors():
    framed, standing = KINDS["framed-thing"], KINDS["standing-thing"]
    params, grid, rgb = drawn(framed, a="fish", a_word=0, colour="red", ground="white")
    frame = np.argwhere(np.isin(grid, [n for n in range(len(rgb)) if tuple(rgb[n]) == tuple(rgb[grid[0, 0]])]))
    assert missed(framed, params, grid, rgb) == set()
    assert missed(framed, {**params, "colour": "green"}, grid, rgb) >= {"frame", "inside"}
    if grid[0, 0] != ground_of(grid):
        open_frame = grid.copy()
        open_frame[tuple(frame[3])] = ground_of(grid)
        assert "frame" in missed(framed, params, open_frame, rgb)
    params, grid, rgb = drawn(standing, a="house", a_word=0, colour="green", ground="white", rows=3)
    assert missed(standing, params, grid, rgb) == set()
    assert missed(standing, {**params, "rows": 2}, grid, rgb) == {"floor"}
    lifted = np.concatenate([grid[1:-3], grid[:1], grid[-3:]])
    assert missed(standing, params, lifted, rgb) == {"on it"}


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    arrays(
        np.bool_, st.tuples(st.integers(1, 16), st.integers(1, 16)), elements=st.integers(0, 9).map(lambda n: n == 0)
    )
)
def test_things_are_separated_as_the_text_says(ink):
    """Independent reference: a graph of cells with an edge where at most one cell lies between, in any direction."""
    cells = np.argwhere(ink)
    masks = separate(ink)
    if not len(cells):
        assert masks == []
        return
    near = cdist(cells, cells, "chebyshev") <= 2
    count, labels = connected_components(csr_array(near), directed=False)
    assert len(masks) == count
    assert {frozenset(map(tuple, np.argwhere(mask))) for mask in masks} == {
        frozenset(map(tuple, cells[labels == label])) for label in range(count)
    }


def letters(text):
    page = Image.new("1", (24, 24))
    ImageDraw.Draw(page).text((12, 12), text, 1, ImageFont.load_default(8), "mm")
    return np.asarray(page).astype(int)


def tiled(ids):
    """Four things, whatever is asked for."""
    _, grid, rgb = drawn(KINDS["same-things"], number=4, a=ids[0], a_word=0, ground="white")
    for id, (top, left) in zip(ids[1:], ((0, 12), (12, 0), (12, 12)), strict=True):
        _, other, colours = drawn(KINDS["same-things"], number=4, a=id, a_word=0, ground="white")
        grid = grid.copy()
        grid[top : top + 12, left : left + 12] = other[top : top + 12, left : left + 12] + len(rgb)
        rgb = np.concatenate([rgb, colours])
    return grid, rgb


@pytest.mark.slow
def test_answers_that_do_not_read_the_prompt_get_next_to_nothing():
    everything = tiled(["star", "heart", "fish", "house"])
    black = np.array([[255, 255, 255], [0, 0, 0]])
    dots = np.pad(np.ones((1, 1), int), ((0, 3), (0, 3)))
    pages = {"four things": everything, "dots": (np.tile(dots, (6, 6)), black)}
    for name, (grid, rgb) in pages.items():
        shares = [KINDS[i.truth["kind"]].check(grid, rgb, i.truth["params"]).share for i in items()]
        assert np.mean(shares) <= 0.1, name
    spelt = []
    for item in items()[::4]:
        kind, params = KINDS[item.truth["kind"]], item.truth["params"]
        spelt.append(kind.check(letters(WORDS[params["a"]][0].singular[:5]), black, params).share)
    assert np.mean(spelt) <= 0.05


def test_what_does_not_render_meets_nothing_and_says_nothing():
    item = items()[0]
    for answer in (Answer("sorry"), Answer(failure=Failure(Fault.MODEL, "refusal"))):
        metrics = BENCH.score(item, answer, {}).metrics
        assert metrics["composed.solved"] == metrics["composed.conditions"] == metrics["composed.things"] == 0
    assert BENCH.score(item, Answer(failure=Failure(Fault.INFRASTRUCTURE, "timeout")), {}).metrics == {}


def test_prompts_name_their_guidance_and_state_all_rules_in_either_family():
    item = items()[0]
    assert item.inputs["prompt"] == "original-composed-1"
    assert "Every condition is checked by itself" in BENCH.prompt(item).text
    for bench in (BENCH, PixelArt(family="lite")):
        other = next(one for one in bench.items(Source("fresh"), 3, None) if one.id == item.id)
        assert item.inputs["subject"] in bench.prompt(other).text
