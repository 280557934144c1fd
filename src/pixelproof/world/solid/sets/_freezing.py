"""Sets that can be cited: a manifest knows the hash of each scene, and anyone can make the scenes again and compare."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.store import FrozenSet, Records, executor, write_json
from pixelproof.world._reading import read

from ._cards import read_card
from ._making import Progress, make_one, nobody
from ._recipe import Recipe
from ._truth import SCENES


def freeze_set(directory: Path, name: str, path: Path) -> FrozenSet:
    """Write the manifest of a complete set: its recipe, and the id and content hash of each scene.

    Raises:
        PixelProofError: The set is not complete, or the manifest is there and says otherwise.
    """
    card = read_card(directory)
    if not card.complete:
        raise PixelProofError(f"{directory} is not complete: give the pixelproof world make command again first.")
    rows = Records(directory, "scenes", SCENES).rows(["id", "digest"])
    frozen = FrozenSet(name, card.recipe.seed, tuple((row["id"], row["digest"]) for row in rows))
    if path.exists() and load_manifest(path)[0] != frozen:
        raise PixelProofError(f"{path} is the manifest of another set, and what is frozen stays: choose another --out.")
    manifest = {"name": name, "seed": frozen.seed, "sha256": frozen.digest, "recipe": asdict(card.recipe)}
    write_json(path, manifest | {"software": card.software, "items": dict(frozen.items)})
    return frozen


def load_manifest(path: Path) -> tuple[FrozenSet, Recipe]:
    """Read a manifest.

    Raises:
        PixelProofError: It is none, or was changed after it was made.
    """
    try:
        frozen = FrozenSet.load(path)
        data = json.loads(path.read_text("utf-8"))
        recipe = read(Recipe, data.get("recipe"), f"{path}: recipe")
    except PixelProofError as error:
        raise PixelProofError(
            f"{path} is no unchanged manifest of pixelproof world freeze: get it again from where it was published "
            f"({error})."
        ) from error
    return frozen, recipe


def verify_manifest(
    path: Path, *, sample: int | None = None, workers: int | None = None, progress: Progress = nobody
) -> Iterator[str]:
    """Make scenes of a frozen set again, and give the ids of those that come out otherwise.

    Args:
        path: The manifest.
        sample: How many scenes, spread over the set; all unless told otherwise.
        workers: Processes; as many as there are cores unless told otherwise.
        progress: Called after each scene.
    """
    frozen, recipe = load_manifest(path)
    count = len(frozen) if sample is None else min(sample, len(frozen))
    drawn = generator(frozen.seed, "world/verify", 0).choice(len(frozen), count, replace=False)
    indices = sorted(int(index) for index in drawn)
    with executor("serial" if workers == 1 else "processes", workers) as pool:
        for done, made in enumerate(pool.map(partial(make_one, recipe), indices, chunk=1), 1):
            progress(done, len(indices))
            if made.row["digest"] != frozen.items[made.index][1]:
                yield made.row["id"]
