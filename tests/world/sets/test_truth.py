"""The table of things, and layers against each other."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from pixelproof.pixels import bounding_box
from pixelproof.world.sets import stored_arrays
from pixelproof.world.solid import box_corners, projected_corners, rotation_matrix
from pixelproof.world.solid._files import check_layers
from pixelproof.world.solid._truth import thing_rows
from pixelproof.world.solid.render import LAYERS
from world.solid_support import analytic_layers, balls


class TestTruth:
    """The table of things."""

    @pytest.mark.slow
    @given(arrays_of.arrays(bool, st.tuples(st.integers(1, 9), st.integers(1, 9))))
    def test_box_of_a_mask(self, mask):
        box = bounding_box(mask)
        if box is None:
            assert not mask.any()
            return
        left, top, right, bottom = box
        assert mask[top:bottom, left:right].sum() == mask.sum()
        assert all(side.any() for side in (mask[top], mask[bottom - 1], mask[:, left], mask[:, right - 1]))

    @pytest.mark.slow
    @given(st.integers(0, 10**6))
    def test_corners_have_the_size_of_the_thing(self, seed):
        rng = np.random.default_rng(seed)
        thing = balls(seed % 100).things[1]
        size, rotation = rng.uniform(0.1, 2, 3), rng.normal(size=4)
        rotation /= np.linalg.norm(rotation)
        thing = replace(thing, size=tuple(size), rotation=tuple(rotation), scale=float(rng.uniform(0.5, 2)))
        corners = box_corners(thing)
        for axis in range(3):
            edge = corners[1 << axis] - corners[0]
            np.testing.assert_allclose(edge, size[axis] * rotation_matrix(thing.rotation)[:, axis], atol=1e-12)
        foot = corners[:4].mean(axis=0)
        np.testing.assert_allclose(foot, thing.position, atol=1e-12)

    @pytest.mark.parametrize("seed", range(8))
    def test_rows_are_true(self, seed):
        scene = balls(seed)
        layers = analytic_layers(scene, 96, 64)
        table, *rows = thing_rows("id", scene, layers.ids, layers.amodal)
        assert table["fixed"] and table["amodal_box"] is None and table["visible"] is None
        for number, (row, ball) in enumerate(zip(rows, scene.movable, strict=True), 2):
            assert row["thing"] == ball.id and row["number"] == number
            assert row["pixels"] == np.count_nonzero(layers.ids == number)
            assert row["visible"] == pytest.approx(float(layers.visible[number - 1]), abs=1e-6)
            ys, xs = np.nonzero(layers.amodal[number - 1])
            assert row["amodal_box"] == [xs.min(), ys.min(), xs.max() + 1, ys.max() + 1]
            corners = np.reshape(row["corners_px"], (8, 3))
            assert (corners[:, :2].min(0) <= (xs.min() + 0.5, ys.min() + 0.5)).all()
            assert (corners[:, :2].max(0) >= (xs.max() + 0.5, ys.max() + 0.5)).all()

    def test_what_is_behind_the_camera_has_no_pixels(self):
        scene = balls()
        behind = replace(scene.things[1], position=(0.0, -5.0, 0.0))
        assert projected_corners(behind, scene.camera, 64, 64) is None


class TestLayers:
    """Layers against each other."""

    def wrong(self, **changes) -> set[tuple[str, str]]:
        scene = balls(4)
        arrays = stored_arrays(analytic_layers(scene, 96, 64), LAYERS)
        for name, change in changes.items():
            arrays[name] = change(arrays[name].copy(), arrays["ids"])
        return {(rule, thing) for rule, thing, _ in check_layers(scene, arrays, (64, 96))}

    @pytest.mark.parametrize("seed", range(8))
    def test_true_ones_pass(self, seed):
        scene = balls(seed)
        arrays = stored_arrays(analytic_layers(scene, 96, 64), LAYERS)
        assert list(check_layers(scene, arrays, (64, 96))) == []
        some = {name: arrays[name] for name in ("amodal", "depth")}
        assert list(check_layers(scene, some, (64, 96))) == []

    def test_every_inconsistency_is_found(self):
        def put(where, value):
            def change(array, ids):
                array[where(ids)] = value
                return array

            return change

        on_ball, nowhere = (lambda ids: ids == 2), (lambda ids: ids == 0)
        assert self.wrong(depth=put(on_ball, np.nan)) == {("depth", "")}
        assert self.wrong(depth=put(on_ball, -1)) == {("depth", "")}
        assert self.wrong(depth=put(nowhere, 3)) == {("depth", "")}
        assert self.wrong(normals=put(on_ball, 0.5)) == {("normals", "")}
        assert self.wrong(normals=put(nowhere, 1)) == {("normals", "")}
        assert ("ids", "") in self.wrong(ids=put(on_ball, 99))
        assert self.wrong(amodal=put(lambda ids: (1, ids == 2), False)) == {("amodal", "ball-0"), ("visible", "ball-0")}
        assert self.wrong(amodal=put(lambda ids: 0, True)) == {("amodal", "table")}
        assert {("box", "ball-0"), ("visible", "ball-0")} == self.wrong(amodal=put(lambda ids: (1, 0, 0), True))
        assert self.wrong(visible=put(lambda ids: 1, 0.123)) == {("visible", "ball-0")}
        assert self.wrong(rgb=lambda array, ids: array[:10]) == {("size", "")}
