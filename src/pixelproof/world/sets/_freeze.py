"""Frozen sets: a manifest lists the hash of each scene, so that anyone can generate the set again and verify it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.store import (
    FrozenSet,
    Progress,
    StorageError,
    Workers,
    digest,
    executor_for,
    no_progress,
    plain,
    write_json,
)

from ._cards import other_versions, read_card, require_edition
from ._make import generate_item
from ._recipe import Recipe
from ._registry import folders_of, read_recipe, stored_recipe
from ._tables import table_rows


def freeze_set(directory: Path, name: str, path: Path) -> FrozenSet:
    """Write the manifest of a complete set: its recipe, and the id and content hash of each scene.

    Raises:
        PixelProofError: The name has characters other than ASCII letters, digits, dots, dashes and underscores; the
            set is not complete; or another manifest exists at the path.
    """
    if not re.fullmatch(r"[A-Za-z0-9._-]+", name):
        raise PixelProofError(f"The name {name!r} is not allowed: use letters, digits, dots, dashes and underscores.")
    card = read_card(directory)
    if not card.complete:
        raise PixelProofError(f"{directory} is not complete: run the command that made the set again first.")
    rows = table_rows(directory, card.recipe.items, ["id", "digest"])
    frozen = FrozenSet(name, card.recipe.seed, tuple((row["id"], row["digest"]) for row in rows))
    if path.exists() and load_manifest(path) != (frozen, card.recipe):
        raise PixelProofError(
            f"{path} is the manifest of another set, and manifests do not change: choose another --out."
        )
    try:
        write_manifest(path, frozen, card.recipe, card.software, card.edition)
    except StorageError as error:  # its message mentions --resume, which does not apply here
        raise PixelProofError(f"Cannot write {path}: choose another --out, on a disk with free space.") from error
    return frozen


def write_manifest(
    path: Path, frozen: FrozenSet, recipe: Recipe, software: Mapping[str, str], edition: int | None = None
) -> None:
    """Write a manifest, with a hash of its content; of the current edition of the world unless given."""
    manifest: dict[str, Any] = {"name": frozen.name, "seed": frozen.seed, "sha256": frozen.digest}
    manifest |= {"recipe": stored_recipe(recipe, path.parent), "software": software}
    manifest["edition"] = recipe.edition if edition is None else edition
    write_json(path, manifest | {"seal": digest(plain(manifest)), "items": dict(frozen.items)})


def load_manifest(path: Path) -> tuple[FrozenSet, Recipe]:
    """Read a manifest.

    Raises:
        PixelProofError: The file is not a manifest, was changed, or is of another edition of the world.
    """
    frozen, recipe, _ = _load(path)
    return frozen, recipe


def changed_software(path: Path) -> list[str]:
    """Versions that differ from those in the manifest, such as `numpy 2.1.0 (here 2.2.0)`."""
    _, recipe, software = _load(path)
    return [f"{name} {then} (here {here})" for name, then, here in other_versions(recipe, software)]


def _load(path: Path) -> tuple[FrozenSet, Recipe, dict[str, str]]:
    try:
        frozen = FrozenSet.load(path)
        data = json.loads(path.read_text("utf-8"))
        keys = ("name", "seed", "sha256", "recipe", "software", *(["edition"] if "edition" in data else []))
        sealed = {key: data.get(key) for key in keys}
        if data.get("seal") != digest(sealed):
            raise PixelProofError(f"The recipe or the software in {path} was changed.")
        recipe, software = read_recipe(data["recipe"], f"{path}: recipe", path.parent), dict(data["software"])
    except PixelProofError as error:
        reason = "there is no such file" if not path.exists() else "it is damaged, or was changed after freezing"
        raise PixelProofError(
            f"{path} is not an intact manifest of pixelproof world freeze ({reason}): get it again from where it was "
            "published."
        ) from error
    require_edition(path, recipe, data.get("edition", 1), software)
    return frozen, recipe, software


def verify_manifest(
    path: Path,
    *,
    folders: Mapping[str, str] = MappingProxyType({}),
    sample: int | None = None,
    workers: Workers = None,
    progress: Progress = no_progress,
) -> Iterator[str]:
    """Generate scenes of a frozen set again; yields the ids of those that differ from the manifest.

    Args:
        path: The manifest.
        folders: For collages: new paths of `cutouts` or `photographs`, if these were moved.
        sample: Number of randomly chosen scenes to verify; None: all.
        workers: Number of processes, or a cluster; None: a process per core.
        progress: Called after each scene.

    Raises:
        PixelProofError: The manifest was changed, or a folder is missing or has other content.
    """
    frozen, recipe = load_manifest(path)
    if wrong := [name for name in folders if name not in folders_of(recipe)]:
        raise PixelProofError(
            f"--{wrong[0]} does not apply to {path}, whose {recipe.items.name} need no folder: leave it out."
        )
    recipe = replace(recipe, **folders)  # type: ignore[type-var]  # recipes are data classes
    count = len(frozen) if sample is None else min(sample, len(frozen))
    drawn = generator(frozen.seed, "world/verify", 0).choice(len(frozen), count, replace=False)
    indices = sorted(int(index) for index in drawn)
    with executor_for(workers) as pool:
        for done, made in enumerate(pool.map(partial(generate_item, recipe), indices, chunk=1), 1):
            progress(done, len(indices))
            if made.row["digest"] != frozen.items[made.index][1]:
                yield made.row["id"]
