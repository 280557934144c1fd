"""Each measure against another way of computing it, and against the properties it promises."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import ndimage
from scipy.stats import entropy as scipy_entropy

from pixelproof import metrics

COLOURS = 5
SHAPES = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9)
LEGAL = hnp.arrays(np.int64, SHAPES, elements=st.integers(0, COLOURS - 1))
ANY = hnp.arrays(np.int64, SHAPES, elements=st.integers(-2, COLOURS + 3))

ON_GRIDS = {
    "edge_density": metrics.edge_density,
    "fill_balance": metrics.fill_balance,
    "horizontal_symmetry": metrics.horizontal_symmetry,
    "vertical_symmetry": metrics.vertical_symmetry,
    "continuity": metrics.continuity,
}
ON_PALETTES = {
    "palette_validity": metrics.palette_validity,
    "colour_efficiency": metrics.colour_efficiency,
    "entropy": metrics.entropy,
}


@given(ANY)
def test_all_are_bounded(grid):
    values = [measure(grid) for measure in ON_GRIDS.values()]
    values += [measure(grid, colours) for measure in ON_PALETTES.values() for colours in (1, 2, COLOURS, 300)]
    assert all(0.0 <= value <= 1.0 for value in values)


@given(LEGAL, st.permutations(range(COLOURS)))
def test_renaming_the_colours_changes_nothing(grid, order):
    renamed = np.array(order)[grid]
    for measure in ON_GRIDS.values():
        assert measure(grid) == measure(renamed)
    for measure in ON_PALETTES.values():
        assert measure(grid, COLOURS) == pytest.approx(measure(renamed, COLOURS), abs=1e-12)


@given(ANY)
def test_mirrors_keep_the_symmetries(grid):
    for mirrored in (grid[::-1], grid[:, ::-1]):
        assert metrics.horizontal_symmetry(mirrored) == metrics.horizontal_symmetry(grid)
        assert metrics.vertical_symmetry(mirrored) == metrics.vertical_symmetry(grid)
    assert metrics.vertical_symmetry(np.concatenate([grid, grid[::-1]])) == 1.0
    assert metrics.horizontal_symmetry(np.concatenate([grid, grid[:, ::-1]], axis=1)) == 1.0


@given(ANY)
def test_symmetry_counts_cell_pairs(grid):
    height, width = grid.shape
    pairs = [(grid[r, c], grid[r, width - 1 - c]) for r in range(height) for c in range(width) if c < width - 1 - c]
    expected = sum(a == b for a, b in pairs) / len(pairs) if pairs else 1.0
    assert metrics.horizontal_symmetry(grid) == pytest.approx(expected)


@given(ANY)
def test_palette_validity_and_efficiency_by_sets(grid):
    cells = grid.ravel().tolist()
    legal = [cell for cell in cells if cell in range(COLOURS)]
    assert metrics.palette_validity(grid, COLOURS) == pytest.approx(len(legal) / len(cells))
    assert metrics.colour_efficiency(grid, COLOURS) == pytest.approx(len(set(legal)) / COLOURS)


@given(ANY)
def test_edge_density_by_visiting_every_pair(grid):
    height, width = grid.shape
    pairs = [(grid[r, c], grid[r + 1, c]) for r, c in product(range(height - 1), range(width))]
    pairs += [(grid[r, c], grid[r, c + 1]) for r, c in product(range(height), range(width - 1))]
    assert len(pairs) == 2 * height * width - height - width
    assert metrics.edge_density(grid) == pytest.approx(sum(a != b for a, b in pairs) / len(pairs) if pairs else 0.0)


@given(ANY)
def test_entropy_against_scipy(grid):
    counts = Counter(c for c in grid.ravel().tolist() if 0 <= c < COLOURS)
    expected = scipy_entropy(list(counts.values()), base=COLOURS) if counts else 0.0
    assert metrics.entropy(grid, COLOURS) == pytest.approx(expected, abs=1e-12)
    assert metrics.entropy(grid, 1) == 0.0


@given(ANY)
def test_background_is_a_mode_of_the_border(grid):
    height, width = grid.shape
    border = Counter(
        int(grid[r, c]) for r in range(height) for c in range(width) if r in (0, height - 1) or c in (0, width - 1)
    )
    found = metrics.background(grid)
    assert border[found] == max(border.values())
    share = float((grid == found).mean())
    assert metrics.fill_balance(grid) == pytest.approx(2 * min(share, 1 - share))


@given(ANY)
def test_continuity_against_connected_components(grid):
    joined = 0
    for index in np.unique(grid):
        labels, count = ndimage.label(grid == index)
        sizes = ndimage.sum_labels(np.ones_like(grid), labels, range(1, count + 1))
        joined += sum(size for size in sizes if size > 1)
    assert metrics.continuity(grid) == pytest.approx(joined / grid.size)


def test_known_pictures():
    checkerboard = np.indices((24, 24)).sum(axis=0) % 2
    blank = np.zeros((24, 24), dtype=int)
    framed = np.pad(np.ones((12, 24), dtype=int), ((6, 6), (0, 0)))
    assert (metrics.edge_density(checkerboard), metrics.continuity(checkerboard)) == (1.0, 0.0)
    assert (metrics.edge_density(blank), metrics.continuity(blank), metrics.fill_balance(blank)) == (0.0, 1.0, 0.0)
    assert (metrics.fill_balance(framed), metrics.background(framed)) == (1.0, 0)
    assert metrics.vertical_symmetry(framed) == 1.0
