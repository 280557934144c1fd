"""The card of a set: its recipe, the software that made it, and the hashes of its content."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pixelproof.contract import PixelProofError
from pixelproof.store import digest, plain, require_inside, write_json
from pixelproof.world._limits import counted, require_whole
from pixelproof.world._reading import read

from ._recipe import Recipe
from ._registry import folders_of, read_recipe, stored_recipe

FORMAT = 1
_MOST = 1_000_000
"""Maximum number of items: file names have six digits."""
_PACKAGES = ("pixelproof", "numpy", "scipy", "pillow")
_SOLID_PACKAGES = ("embreex", "manifold3d", "mujoco", "numba")


@dataclass(frozen=True)
class _Facts:
    n: int
    software: Mapping[str, str]
    """Versions of everything that can change a pixel."""
    digest: str = ""
    """Hash of the content of all items; empty while items are missing."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Table file → SHA-256."""
    shard: int = 64
    """Number of items per folder."""
    format: int = FORMAT
    edition: int = 1
    """Edition of the world that generated the items; cards without it are of edition 1."""


@dataclass(frozen=True, kw_only=True)
class Card(_Facts):
    """The content of `card.json`."""

    recipe: Recipe

    @property
    def complete(self) -> bool:
        """Whether the set has all its items."""
        return bool(self.digest)

    def shard_of(self, index: int) -> str:
        """The folder of an item."""
        return f"shard-{index // self.shard:05d}"

    def stem(self, out: Path, index: int) -> Path:
        """Path of an item's files without suffix; the name of an incomplete folder ends in `.part`."""
        folder = out / self.shard_of(index)
        return (folder if folder.is_dir() else folder.with_name(folder.name + ".part")) / f"{index:06d}"

    def require_software(self, out: Path) -> None:
        """Raise an error if this software may generate other bytes than the software that began the set.

        Raises:
            PixelProofError: The edition, the versions or the code differ.
        """
        require_edition(out, self.recipe, self.edition, self.software)
        others = [f"{name} {version}" for name, version, _ in other_versions(self.recipe, self.software)]
        if others:
            raise PixelProofError(
                f"{out} was begun with {', '.join(others)}, and the software here may render other pixels: continue "
                "with those versions, or choose another folder."
            )

    def begun(self, out: Path) -> Card:
        """Write the card of an incomplete set."""
        return _write(out, replace(self, digest="", files={}))

    def completed(self, out: Path, digests: Iterable[str]) -> Card:
        """Write the card of a complete set."""
        return _write(out, replace(self, digest=digest(list(digests)), files=file_hashes(out, self.recipe)))


def require_count(recipe: Recipe, n: int) -> None:
    """Raise an error unless n is a valid number of items."""
    require_whole(f"{recipe.items.name} of a set", n, 1, _MOST)


def open_card(out: Path, recipe: Recipe, n: int) -> Card:
    """The card of the set to make: a new card, or that of an existing set with the same recipe.

    Nothing is written; `Card.begun` does that once there is something to store.

    Raises:
        PixelProofError: The folder holds another set, or a longer one.
    """
    require_count(recipe, n)
    if not (out / "card.json").exists() or {path.name for path in out.iterdir()} <= {"card.json", ".lock"}:
        return Card(n, software(recipe), edition=recipe.edition, recipe=recipe)
    old = read_card(out)
    _require_same(out, old.recipe, recipe)
    if n < old.n:
        raise PixelProofError(
            f"{out} holds a set of {counted(old.n, recipe.items.name)} already: ask for more, or choose another folder."
        )
    return replace(old, recipe=recipe) if n == old.n else replace(old, recipe=recipe, n=n, digest="")


def _require_same(out: Path, old: Recipe, new: Recipe) -> None:
    was, now = plain(old), plain(new)
    keys = [key for key in was if key not in folders_of(old) and was[key] != now.get(key)]
    if keys == ["content"]:
        places = [" and ".join(filter(None, (data["cutouts"], data["photographs"]))) for data in (was, now)]
        raise PixelProofError(
            f"{out} was begun with images of {places[0]} that differ from those now in {places[1]}: restore them, or "
            "choose another --out."
        )
    if keys:
        changed = [f"{key} {was[key]!r} and not {now.get(key)!r}" for key in keys if key != "content"]
        raise PixelProofError(f"{out} holds another set, with {', '.join(changed)}: choose another folder.")


def read_card(out: Path) -> Card:
    """Read the card of a set.

    Raises:
        PixelProofError: There is no card, or it is damaged.
    """
    path = out / "card.json"
    try:
        for file in out.iterdir():  # tables and folders of scenes, too
            require_inside(file, out)
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise PixelProofError(
            f"{out} holds no set of scenes ({path.name}: {error.strerror}): make one with pixelproof world make, or "
            "pixelproof spatial make."
        ) from error
    except ValueError as error:
        raise PixelProofError(f"{path} is damaged ({error}): restore it, or make the set elsewhere.") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise PixelProofError(
            f"{path} is not the card of a set of format {FORMAT}: make the set again in another folder."
        )
    recipe = read_recipe(data.pop("recipe", None), f"{path}: recipe", out)
    return Card(**vars(read(_Facts, data, f"{path}:")), recipe=recipe)


def file_hashes(out: Path, recipe: Recipe) -> dict[str, str]:
    """SHA-256 of each table of a set; empty if a table cannot be read."""
    hashes = {}
    for name in (f"{recipe.items.name}.parquet", f"{recipe.parts.name}.parquet"):
        try:
            hashes[name] = hashlib.sha256((out / name).read_bytes()).hexdigest()
        except OSError:
            hashes[name] = ""
    return hashes


def software(recipe: Recipe) -> dict[str, str]:
    """Versions of everything that can change a pixel, including a hash of our code, which changes between releases."""
    root = Path(__file__).parent.parent
    code = hashlib.sha256()
    for folder in sorted({"sets", *recipe.code}):
        for file in sorted((root / folder).rglob("*.py")):
            code.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes())
    versions = {"code": code.hexdigest()[:16], "machine": platform.machine()}
    for package in (*_PACKAGES, *(_SOLID_PACKAGES if "solid" in recipe.code else ())):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "missing"
    return versions


def require_edition(where: Path, recipe: Recipe, edition: int, made_by: Mapping[str, str]) -> None:
    """Raise an error if a set cannot be generated again, because its world has changed since.

    Args:
        where: The set or manifest, for the message.
        recipe: Its recipe.
        edition: The edition of the world that generated it.
        made_by: The versions of the software that generated it.

    Raises:
        PixelProofError: This software has another edition; the message names the version to install.
    """
    if edition != recipe.edition:
        raise PixelProofError(
            f"{where} was made with edition {edition} of the kind {recipe.kind!r}, and this version of PixelProof has "
            f"edition {recipe.edition}: install pixelproof=={made_by.get('pixelproof', 'unknown')} to use it."
        )


def other_versions(recipe: Recipe, made_by: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Differences between recorded versions and those here: (name, recorded version, version here)."""
    here = software(recipe)
    return [(name, made_by.get(name, "none"), here[name]) for name in here if made_by.get(name) != here[name]]


def _write(out: Path, card: Card) -> Card:
    write_json(out / "card.json", plain(card) | {"recipe": stored_recipe(card.recipe, out)})
    return card
