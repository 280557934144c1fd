"""What tests of sets share: a small recipe, and what is in a folder."""

import hashlib
from pathlib import Path

from pixelproof.world.sets._files import encode_files, stored_arrays
from pixelproof.world.solid import Scene, SolidRecipe
from pixelproof.world.solid.render import LAYERS

SMALL = SolidRecipe("tabletop", 7, width=48, height=32)


def contents(directory: Path) -> dict[str, str]:
    """Hashes of all files of a set but its lock."""
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def write_files(directory: Path, scene: Scene, layers: object, names=LAYERS) -> Path:
    stem = directory / "000000"
    for suffix, content in encode_files(scene.to_json(), stored_arrays(layers, names)).items():
        stem.with_suffix(suffix).write_bytes(content)
    return stem
