"""The drawing model: legal by construction, whatever its weights; refusals; the token form."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pixelproof.benches.pixelart import PixelArt
from pixelproof.benches.pixelart.subjects import KINDS
from pixelproof.contract import PixelProofError, Prompt, Source
from pixelproof.nets import get_net, write_weights
from pixelproof.nets.draw import (
    COLOUR0,
    END_PALETTE,
    PLACE_SIZES,
    PLACES,
    SIDE,
    WEIGHTS,
    Canvas,
    DrawNet,
    Vocabulary,
    encode_grid,
)

PIECES = [["A"], ["flag"], ["3"], ["red"], ["A", "flag"]]


def random_net(path, seed, codes=12, width=8, scale=3.0, temperature=1.0) -> DrawNet:
    """A net of random weights, far from anything that training gives."""
    rng = np.random.default_rng(seed)
    tokens = COLOUR0 + codes
    shapes = {"texts": len(PIECES) + 1, "tokens": tokens, "head": tokens, **dict(zip(PLACES, PLACE_SIZES, strict=True))}
    arrays = {f"{name}.weight": rng.normal(scale=scale, size=(rows, width)) for name, rows in shapes.items()}
    for name, rows, columns in (("qkv", 3, 1), ("out", 1, 1), ("up", 4, 1), ("down", 1, 4)):
        arrays[f"blocks.0.{name}.weight"] = rng.normal(size=(rows * width, columns * width))
    arrays = {name: value.astype(np.float32) for name, value in arrays.items()}
    book = rng.integers(256, size=(codes, 3)).astype(np.uint8)
    card = {"net": "draw", "heads": 2, "temperature": temperature, "pieces": PIECES}
    write_weights(path, {**arrays, "book": book}, card)
    return DrawNet(path)


def first_item(bench):
    return next(iter(bench.items(Source("published"), 0, 1)))


@pytest.mark.slow
def test_a_thousand_random_weights_keep_the_strict_format(tmp_path):
    for seed in range(1000):
        rng = np.random.default_rng([1, seed])
        family = ("original", "lite")[seed % 2]
        grid, colours = int(rng.integers(8, 33)), int(rng.integers(2, 11 if family == "original" else 17))
        net = random_net(
            tmp_path / "net.npz", seed, int(rng.integers(2, 20)), temperature=float(rng.choice([0, 0.2, 1, 50]))
        )
        bench = PixelArt(family=family, grid=grid, colours=colours)
        item = first_item(bench)
        result = bench.score(item, net.answer(bench.prompt(item), rng), {})
        assert result.failure is None and result.metrics["strict.renders"] == 1, (seed, result.notes)


def test_equal_generators_give_equal_drawings(tmp_path):
    net, prompt = random_net(tmp_path / "net.npz", 1), PixelArt().prompt(first_item(PixelArt()))
    answers = [net.answer(prompt, np.random.default_rng(seed)).text for seed in (1, 1, 2)]
    assert answers[0] == answers[1] != answers[2]


@pytest.mark.parametrize(("grid", "colours"), [(4, 10), (7, 10), (33, 10), (128, 10), (24, 17), (24, 256)])
def test_other_sides_and_numbers_of_colours_are_refused_by_name(tmp_path, grid, colours):
    bench = PixelArt(family="lite", grid=grid, colours=colours)
    answer = random_net(tmp_path / "net.npz", 1).answer(bench.prompt(first_item(bench)), np.random.default_rng(0))
    assert answer.failure is not None and answer.failure.name == "cannot-draw" and str(grid) in answer.failure.detail


@pytest.mark.parametrize("prompt", [Prompt(("What is this?",)), Prompt(("Draw: a cat",), schema={"type": "object"})])
def test_prompts_that_ask_for_no_drawing_are_an_error(tmp_path, prompt):
    with pytest.raises(PixelProofError, match="needs a prompt"):
        random_net(tmp_path / "net.npz", 1).answer(prompt, np.random.default_rng(0))


def test_every_exact_kind_has_a_form_that_gives_its_drawing_back():
    rng = np.random.default_rng(3)
    for kind in (kind for kind in KINDS.values() if kind.exact):
        grid = np.array(kind.draw(rng, SIDE, 10).grid)
        order = list(dict.fromkeys(grid.ravel().tolist()))
        grid = np.vectorize(order.index)(grid)
        canvas = Canvas(codes=10)
        for token in [*(COLOUR0 + code for code in range(len(order))), END_PALETTE, *encode_grid(grid)]:
            assert canvas.legal()[token], kind.id
            canvas.push(token)
        assert canvas.done and np.array_equal(canvas.grid, grid), kind.id


def test_no_state_of_a_canvas_is_a_dead_end():
    rng = np.random.default_rng(0)
    for colours in range(2, 11):
        canvas = Canvas(codes=colours, most_colours=colours)
        while not canvas.done:
            canvas.push(int(rng.choice(np.flatnonzero(canvas.legal()))))
            assert canvas.done or canvas.legal().any()
        assert 2 <= len(canvas.palette) <= colours and canvas.grid.max() < len(canvas.palette)


def test_unknown_words_and_long_texts_are_read():
    vocabulary = Vocabulary(PIECES)
    assert vocabulary.encode("A flag") == [5] and vocabulary.encode("A red 3 in Ωm") == [1, 4, 3, 0, 0, 0]
    assert len(vocabulary.encode("red " * 10_000)) == 256 and vocabulary.encode("") == []


@pytest.mark.parametrize(
    "change",
    [{"heads": 3}, {"heads": 0}, {"pieces": [["a"]]}, {"temperature": "hot"}, {"pieces": None}, {"heads": None}],
)
def test_cards_that_do_not_fit_the_weights_are_refused(tmp_path, change):
    from pixelproof.nets import read_weights

    path = tmp_path / "net.npz"
    random_net(path, 1)
    arrays, card = read_weights(path)
    write_weights(path, arrays, card | change)
    with pytest.raises(PixelProofError, match="is not a drawing model"):
        get_net(str(path))


@pytest.mark.parametrize("name", ["tokens.weight", "blocks.0.up.weight", "row.weight", "book"])
def test_arrays_of_another_shape_are_refused(tmp_path, name):
    from pixelproof.nets import read_weights

    path = tmp_path / "net.npz"
    random_net(path, 1)
    arrays, card = read_weights(path)
    write_weights(path, arrays | {name: arrays[name][:-1]}, card)
    with pytest.raises(PixelProofError, match="is not a drawing model"):
        get_net(str(path))


def test_replies_have_the_form_of_the_schema(tmp_path):
    net = random_net(tmp_path / "net.npz", 2)
    for family, row, mark in (("original", str, ""), ("lite", list, "#")):
        bench = replace(PixelArt(), family=family, grid=12)
        reply = json.loads(net.answer(bench.prompt(first_item(bench)), np.random.default_rng(0)).text)
        assert len(reply["grid"]) == 12 and all(type(line) is row and len(line) == 12 for line in reply["grid"])
        assert all(colour.startswith(mark) and len(colour) == 6 + len(mark) for colour in reply["palette"])


def test_without_weights_it_says_how_to_get_them():
    if WEIGHTS.exists():
        pytest.skip("the package has weights")
    with pytest.raises(PixelProofError, match="pixelproof train drawing"):
        get_net("draw")
