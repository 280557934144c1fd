"""The published scores: the original's arithmetic redone step by step, and its published absurdities reproduced."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.benches.pixelart import PixelArt
from pixelproof.benches.pixelart._format import Format
from pixelproof.benches.pixelart._ladder import read
from pixelproof.benches.pixelart._published import coded, described, descriptive_quality
from pixelproof.contract import Answer, Source

ORIGINAL, LITE = Format("original", 24, 10), Format("lite", 24, 10)
ROW, COLUMN = np.indices((24, 24))
PALETTE = ["%06x" % (k * 0x111111) for k in range(10)]


def strings(grid):
    return ["".join(map(str, row)) for row in np.asarray(grid).tolist()]


def reply(grid, colours):
    return json.dumps({"palette": PALETTE[:colours], "grid": strings(grid)})


def noise(colours, seed=0):
    return np.random.default_rng(seed).integers(0, colours, (24, 24))


@pytest.mark.parametrize(
    ("grid", "colours", "quality"),
    [
        pytest.param((ROW + COLUMN) % 2, 2, 8.50, id="checkerboard"),
        pytest.param((ROW + COLUMN) % 10, 10, 8.10, id="diagonal stripes"),
        pytest.param(np.zeros((24, 24), int), 2, 5.00, id="blank"),
    ],
)
def test_descriptive_quality_of_fixed_pictures(grid, colours, quality):
    assert round(descriptive_quality(reply(grid, colours)), 2) == quality


def test_descriptive_quality_prefers_noise_to_our_drawings():
    noises = [descriptive_quality(reply(noise(10, seed), 10)) for seed in range(50)]
    illegal = [descriptive_quality(reply(noise(10, seed), 2)) for seed in range(50)]
    assert np.mean(noises) == pytest.approx(7.95, abs=0.02)
    assert np.mean(illegal) == pytest.approx(12.6, abs=0.1)
    bench = PixelArt()
    drawings = [
        bench.controls()["ceiling-truth"](item, None).text for item in bench.items(Source("published"), 0, None)
    ]
    assert max(map(descriptive_quality, drawings)) < min(noises) < min(illegal)


def as_in_the_specification(palette, rows):
    """The weighted sum, cell by cell."""
    height, width, colours = len(rows), len(rows[0]), len(palette)
    grid = [[int(cell) for cell in row] for row in rows]
    flat = [cell for row in grid for cell in row]
    shares = [flat.count(index) / len(flat) for index in set(flat)]
    entropy = -sum(share * math.log(share + 1e-9) for share in shares) / math.log(colours + 1e-9)
    differing = sum(
        (grid[r][c] != grid[r + 1][c]) + (grid[r][c] != grid[r][c + 1])
        for r in range(height - 1)
        for c in range(width - 1)
    )
    edges = differing / (2 * (height - 1) * (width - 1))
    fill = 1 - abs(sum(cell != 0 for cell in flat) / len(flat) - 0.5)
    legal = sum(cell < colours for cell in flat) / len(flat)
    return 2 + 2 * legal + 1.5 * edges + entropy + len(shares) / colours + fill


@given(st.integers(2, 6), st.integers(2, 6), st.integers(1, 10), st.randoms())
def test_descriptive_quality_against_plain_loops(height, width, colours, random):
    rows = ["".join(random.choice("0123456789") for _ in range(width)) for _ in range(height)]
    text = json.dumps({"palette": PALETTE[:colours], "grid": rows})
    assert descriptive_quality(text) == pytest.approx(as_in_the_specification(PALETTE[:colours], rows), rel=1e-6)


def test_one_colour_explodes_as_published():
    assert descriptive_quality(reply(noise(4), 1)) > 1e8


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3",
        "[]",
        "{}",
        "{" * 100_000,
        '{"palette": [], "grid": ["00", "00"]}',
        '{"palette": ["a"], "grid": []}',
        '{"palette": ["a"], "grid": ["0"]}',
        '{"palette": ["a"], "grid": ["00", "000"]}',
        '{"palette": ["a"], "grid": ["0x", "00"]}',
        '{"palette": ["a"], "grid": [[0, 0], [0, 0]]}',
        '{"palette": "a", "grid": ["00", "00"]}',
        '{"palette": [1], "grid": ["00", "00"]}',
    ],
)
def test_descriptive_quality_is_missing_where_the_original_drops_the_row(text):
    assert descriptive_quality(text) is None


LISTS = noise(10).tolist()


@pytest.mark.parametrize(
    ("text", "expected", "note"),
    [
        (json.dumps({"grid": LISTS}), (1, 1, 1.0), ""),  # noise, and no palette at all
        (json.dumps({"palette": PALETTE, "grid": strings(LISTS)}), (1, 0, 1.0), ""),  # the original prompt's own format
        (json.dumps({"grid": [[999] * 24] * 24}), (1, 1, 0.1), ""),
        (json.dumps({"grid": [[True] * 24] * 24}), (1, 1, 0.1), ""),
        (json.dumps({"grid": [[0, 1, 2]] * 3}), (1, 0, 0.3), ""),
        (json.dumps({"grid": [[1.5] * 24] * 24}), (1, 0, 0.1), ""),
        (json.dumps({"grid": "0123"}), (1, 0, 0.4), ""),
        (json.dumps({"grid": [1, 2]}), (1, 0, 0), ""),
        (json.dumps({"grid": [[[]]]}), (1, 0, 0), ""),
        (json.dumps({"grid": None}), (1, 0, 0), ""),
        ('{"grid": [[NaN]]}', (1, 0, 0.1), ""),
        ("{}", (1, 0, 0), ""),
        ("3", (1, 0, 0), "AttributeError"),
        ("[]", (1, 0, 0), "AttributeError"),
        (f"```json\n{json.dumps({'grid': LISTS})}\n```", (0, 0, 0), "not JSON"),
        ("", (0, 0, 0), "not JSON"),
        (f'{{"grid": {"1" * 5000}}}', (0, 0, 0), "ValueError"),
        ("[" * 5000 + "]" * 5000, (0, 0, 0), "too deep"),
        ("[" * 2_000_000, (0, 0, 0), "too long"),
    ],
)
def test_scores_as_coded(text, expected, note):
    scores, said = coded(text, LITE)
    assert tuple(scores.values()) == pytest.approx(expected)
    assert (note in said) and bool(note) == bool(said)


def test_overall_is_the_mean_of_the_three():
    bench = PixelArt(family="lite")
    item = next(bench.items(Source("published"), 0, 1))
    metrics = bench.score(item, Answer(json.dumps({"grid": [[0] * 24] * 24})), {}).metrics
    assert metrics["published.coded.overall"] == pytest.approx((1 + 1 + 0.1) / 3)


def test_scores_as_described():
    def scores(text, form=ORIGINAL):
        return tuple(described(*read(text, form), form).values())

    assert scores(reply(np.zeros((24, 24), int), 2)) == (1.0, 1.0, 0.5)
    assert scores(reply((ROW + COLUMN) % 2, 2)) == (1.0, 0.0, 1.0)  # no two cells hold together
    assert scores("Look: " + reply(np.zeros((24, 24), int), 2)) == (0.0, 1.0, 0.5)
    half = np.zeros((12, 24), int)
    assert scores(reply(half, 2)) == (1.0, 0.5, 0.5)  # half of the square is covered
    assert scores(reply(np.zeros((48, 24), int), 2)) == (1.0, 0.5, 0.5)  # half of the grid is wanted
    stray = np.where(COLUMN < 6, 3, ROW // 12)
    assert scores(reply(stray, 2)) == (0.0, 1.0, 0.75)
    assert scores('{"palette": ["000000", "ffffff"], "grid": ["00", "0"]}') == (1.0, 0.0, 0.0)
    assert scores("no") == (0.0, 0.0, 0.0)
