"""The card of a set: what it was made from, by which software, and the hashes of what came out."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pixelproof.contract import PixelProofError
from pixelproof.store import digest, write_json
from pixelproof.world._reading import read

from ._recipe import Recipe

FORMAT = 1
TABLES = ("scenes.parquet", "things.parquet")
_PACKAGES = ("pixelproof", "embreex", "manifold3d", "mujoco", "numba", "numpy", "scipy", "pillow")


@dataclass(frozen=True)
class Card:
    """What `card.json` says."""

    recipe: Recipe
    n: int
    software: Mapping[str, str]
    """Versions of all that can change a pixel."""
    digest: str = ""
    """Hash of the content of all scenes; empty while some are missing."""
    files: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of the tables."""
    shard: int = 64
    """Scenes in a folder."""
    format: int = FORMAT

    @property
    def complete(self) -> bool:
        """Whether every scene is there."""
        return bool(self.digest)

    def shard_of(self, index: int) -> str:
        """The folder of a scene."""
        return f"shard-{index // self.shard:05d}"

    def stem(self, out: Path, index: int) -> Path:
        """The path of a scene's files, less their suffix; a folder that is not full has `.part` after its name."""
        folder = out / self.shard_of(index)
        return (folder if folder.is_dir() else folder.with_name(folder.name + ".part")) / f"{index:06d}"

    def completed(self, out: Path, digests: Iterable[str]) -> Card:
        """Write the card of a set that has become complete."""
        return _write(out, replace(self, digest=digest(list(digests)), files=file_hashes(out)))


def open_card(out: Path, recipe: Recipe, n: int) -> Card:
    """The card to make a set by: a new one, or that of the set that is there, which must be of the same recipe.

    Raises:
        PixelProofError: Another set is there, or a longer one, or one that other software began.
    """
    if n < 1:
        raise PixelProofError(f"A set has at least one scene, not {n}.")
    new = Card(recipe, n, software())
    if not (out / "card.json").exists():
        return _write(out, new)
    old = read_card(out)
    was, now = asdict(old.recipe), asdict(recipe)
    changed = [f"{key} {was[key]!r} and not {now[key]!r}" for key in was if was[key] != now[key]]
    if changed:
        raise PixelProofError(f"{out} holds another set, with {', '.join(changed)}: choose another folder.")
    if n < old.n:
        raise PixelProofError(f"{out} holds a set of {old.n} scenes already: ask for as many or more, or elsewhere.")
    if n == old.n and old.complete:
        return old
    others = [f"{key} {old.software.get(key)}" for key in new.software if old.software.get(key) != new.software[key]]
    if others:
        raise PixelProofError(
            f"{out} was begun with {', '.join(others)}, and what is here may draw other pixels: go on with that, or "
            "choose another folder."
        )
    return old if n == old.n else _write(out, replace(old, n=n, digest="", files={}))


def read_card(out: Path) -> Card:
    """Read the card of a set.

    Raises:
        PixelProofError: There is none, or it is damaged.
    """
    path = out / "card.json"
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise PixelProofError(
            f"{out} holds no set of scenes ({path.name}: {error.strerror}): make one with pixelproof world make."
        ) from error
    except ValueError as error:
        raise PixelProofError(f"{path} is damaged ({error}): restore it, or make the set elsewhere.") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise PixelProofError(f"{path} is not the card of a set of format {FORMAT}: make the set anew elsewhere.")
    return read(Card, data, f"{path}:")


def file_hashes(out: Path) -> dict[str, str]:
    """SHA-256 of the tables of a set; empty for one that cannot be read."""
    hashes = {}
    for name in TABLES:
        try:
            hashes[name] = hashlib.sha256((out / name).read_bytes()).hexdigest()
        except OSError:
            hashes[name] = ""
    return hashes


def software() -> dict[str, str]:
    """Versions of what can change a pixel, and a hash of our own code, which changes more often than its version."""
    root = Path(__file__).parent.parent
    code = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        code.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes())
    found = {"code": code.hexdigest()[:16], "machine": platform.machine()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "missing"
    return found


def _write(out: Path, card: Card) -> Card:
    write_json(out / "card.json", card)
    return card
