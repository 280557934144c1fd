"""Frozen sets: generated items that can be cited, because a manifest has the hash of each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pixelproof.contract import PixelProofError

from ._digest import digest
from ._files import write_json


@dataclass(frozen=True)
class FrozenSet:
    """The seed of a set, and the id and content hash of each of its items, in order."""

    name: str
    seed: int
    items: tuple[tuple[str, str], ...]

    @property
    def digest(self) -> str:
        """Hash of the whole set."""
        return digest([self.name, self.seed, self.items])

    def __len__(self) -> int:
        return len(self.items)

    @classmethod
    def load(cls, path: Path) -> FrozenSet:
        """Read a manifest; raises if it was changed after it was written."""
        try:
            data = json.loads(path.read_text("utf-8"))
            frozen = cls(str(data["name"]), int(data["seed"]), tuple((id, sha) for id, sha in data["items"].items()))
            intact = data["sha256"] == frozen.digest
        except KeyError as error:
            raise PixelProofError(
                f"The manifest {path} is damaged ({error} is missing): reinstall pixelproof."
            ) from error
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise PixelProofError(f"The manifest {path} cannot be read ({error}): reinstall pixelproof.") from error
        if not intact:
            raise PixelProofError(f"The manifest {path} was changed after it was made: reinstall pixelproof.")
        return frozen

    def check(self, index: int, digest: str) -> None:
        """Raise if an item differs from the frozen one at this index.

        Raises:
            PixelProofError: The content differs, or there is no such place.
        """
        if not 0 <= index < len(self) or self.items[index][1] != digest:
            raise PixelProofError(
                f"Item {index} of {self.name} differs from the frozen one, so results would not be comparable: install "
                "the pixelproof version whose results you compare with, or run a fresh set instead."
            )


def freeze(
    path: Path, name: str, seed: int, digests: Mapping[str, str], facts: Mapping[str, Any] = MappingProxyType({})
) -> FrozenSet:
    """Write the manifest of a set.

    Args:
        path: Where to.
        name: Of the set, such as `pixelart-v2`.
        seed: From which its items can be made again.
        digests: Item id → content hash, in the order of the items. What is hashed must not depend on the platform: text
            and whole numbers, no floats.
        facts: Further entries of the manifest, such as the edition of the generator.
    """
    frozen = FrozenSet(name, seed, tuple(digests.items()))
    write_json(path, {"name": name, "seed": seed, "sha256": frozen.digest, **facts, "items": dict(digests)})
    return frozen
