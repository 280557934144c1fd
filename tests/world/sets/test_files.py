"""One scene on disk."""

import io
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.world.sets._files import encode_files, read_arrays, read_text, scene_digest, stored_arrays
from pixelproof.world.solid import Scene, read_scene, write_scene
from pixelproof.world.solid._files import layers_of
from pixelproof.world.solid.render import LAYERS
from world.sets.samples import write_files
from world.solid_support import analytic_layers, balls


class TestFiles:
    """One scene on disk."""

    def test_everyone_can_read_them(self, tmp_path):
        scene = balls()
        layers = analytic_layers(scene, 48, 32)
        stem = write_files(tmp_path, scene, layers)
        with Image.open(f"{stem}.png") as picture:
            np.testing.assert_array_equal(np.asarray(picture), layers.rgb)
        with np.load(f"{stem}.npz", allow_pickle=False) as file:
            assert set(file.files) == set(LAYERS) - {"rgb"}
            for name in ("depth", "ids", "amodal", "visible"):
                np.testing.assert_array_equal(file[name], getattr(layers, name))
            stored = file["normals"].astype(np.float64)
        there = layers.ids > 0
        cosine = (stored * layers.normals).sum(-1)[there] / np.linalg.norm(stored[there], axis=-1)
        assert np.degrees(np.arccos(np.clip(cosine, -1, 1))).max() < 0.03
        assert Scene.from_json(stem.with_suffix(".json").read_text()) == scene

    def test_read_back(self, tmp_path):
        scene = balls(1)
        layers = analytic_layers(scene, 33, 20)
        stem = write_files(tmp_path, scene, layers)
        again = layers_of(read_arrays(stem, LAYERS))
        np.testing.assert_array_equal(again.depth, layers.depth)
        assert again.normals.dtype == np.float32 and np.abs(again.normals - layers.normals).max() < 3e-4
        assert read_text(stem) == scene.to_json()

    def test_layers_that_were_not_stored_are_empty(self, tmp_path):
        scene = balls()
        stem = write_files(tmp_path, scene, analytic_layers(scene, 8, 8), ("rgb", "ids"))
        assert zipfile.ZipFile(f"{stem}.npz").namelist() == ["ids.npy"]
        again = layers_of(read_arrays(stem, ("rgb", "ids")))
        assert again.depth.size == 0 and again.ids.shape == (8, 8)
        with pytest.raises(PixelProofError, match=r"000000\.npz is damaged .*depth"):
            read_arrays(stem, ("depth",))

    def test_the_bytes_hold_no_clock(self):
        scene = balls()
        stored = stored_arrays(analytic_layers(scene, 16, 16), LAYERS)
        first = encode_files(scene.to_json(), stored)
        with zipfile.ZipFile(io.BytesIO(first[".npz"])) as file:
            assert {info.date_time for info in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert encode_files(scene.to_json(), stored) == first

    @pytest.mark.slow
    @given(st.sampled_from([name for name in LAYERS if name != "visible"]), st.integers(0, 2**32))
    def test_every_bit_counts_in_the_digest(self, name, place):
        scene = balls()
        stored = stored_arrays(analytic_layers(scene, 8, 6), LAYERS)
        digest = scene_digest("{}", stored)
        flat = stored[name].copy().view(np.uint8).reshape(-1)
        flat[place % flat.size] ^= 1
        changed = stored | {name: flat.view(stored[name].dtype).reshape(stored[name].shape)}
        assert scene_digest("{}", changed) != digest != scene_digest("{ }", stored)

    @pytest.mark.parametrize("damage", [b"", b"PK", b"no zip at all"])
    def test_damaged(self, tmp_path, damage):
        scene = balls()
        stem = write_files(tmp_path, scene, analytic_layers(scene, 8, 8))
        (tmp_path / "000000.npz").write_bytes(damage)
        with pytest.raises(PixelProofError, match=r"000000\.npz is damaged .*: delete it"):
            read_arrays(stem, LAYERS)

    def test_pickles_are_refused(self, tmp_path):
        scene = balls()
        stem = write_files(tmp_path, scene, analytic_layers(scene, 8, 8))
        np.savez(tmp_path / "000000.npz", depth=np.array([{}], dtype=object))
        with pytest.raises(PixelProofError, match="damaged"):
            read_arrays(stem, ("depth",))

    def test_scene_files(self, tmp_path):
        path = tmp_path / "scene.json"
        write_scene(path, balls())
        assert read_scene(path) == balls()
        text = path.read_text()
        path.write_text(text.replace('"colour": "red"', '"colour": 3', 1))
        with pytest.raises(PixelProofError, match=r"scene\.json: scene\.things\[1\]\.colour must be a text, not '3'"):
            read_scene(path)
        path.write_text(text[:100])
        with pytest.raises(PixelProofError, match=r"scene\.json: This is not a scene: it is not JSON"):
            read_scene(path)
        with pytest.raises(PixelProofError, match="Cannot read .*none.json"):
            read_scene(tmp_path / "none.json")
