"""Sets that can be cited."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pixelproof.contract import PixelProofError
from pixelproof.world.sets import changed_software, freeze_set, load_manifest, make_set, read_card, verify_manifest
from pixelproof.world.sets._freeze import write_manifest
from world.sets.samples import SMALL

pytestmark = pytest.mark.slow


class TestFreezing:
    """Manifests of sets."""

    def test_freezing(self, made, copy, tmp_path):
        manifest = tmp_path / "tabletop-v1.json"
        frozen = freeze_set(made, "tabletop-v1", manifest)
        assert load_manifest(manifest) == (frozen, SMALL) and len(frozen) == 5
        assert list(verify_manifest(manifest, workers=1)) == []
        before = manifest.read_bytes()
        freeze_set(copy, "tabletop-v1", manifest)
        assert manifest.read_bytes() == before
        make_set(SMALL, 6, copy, workers=1)
        with pytest.raises(PixelProofError, match="manifests do not change"):
            freeze_set(copy, "tabletop-v1", manifest)
        assert changed_software(manifest) == []
        other = tmp_path / "other.json"
        write_manifest(other, frozen, replace(SMALL, clutter=0.9), read_card(made).software | {"numpy": "1.0"})
        assert len(list(verify_manifest(other, sample=2, workers=1))) == 2
        assert changed_software(other) == [f"numpy 1.0 (here {np.__version__})"]
        for key, value in (
            ("recipe", {"clutter": 0.9}),
            ("software", {"numpy": "1.0"}),
            ("items", {SMALL.item_id(0): "0" * 64}),
        ):
            data = json.loads(before)
            data[key] |= value
            manifest.write_text(json.dumps(data))
            with pytest.raises(PixelProofError, match="not an intact manifest") as told:
                load_manifest(manifest)
            assert "reinstall" not in str(told.value)
