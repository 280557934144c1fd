"""Frozen sets: items that are generated from a seed and verified against a manifest of content hashes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import TypeVar

from pixelproof.contract import PixelProofError
from pixelproof.store import FrozenSet, freeze

Content = TypeVar("Content")


@dataclass(frozen=True)
class FrozenSource:
    """A frozen set of a bench, such as `pixelart-v2`: its manifest, and the edition of the code that generates it.

    The manifest has the seed, and the id and content hash of each item. A change that alters the items of a seed must
    raise the edition: a set of another edition is refused as a whole, before any item is generated.
    """

    path: Path
    edition: int = 1

    def load(self) -> FrozenSet:
        """Read the manifest.

        Raises:
            PixelProofError: It is missing or damaged, was edited, or is of another edition.
        """
        frozen = FrozenSet.load(self.path)
        facts = json.loads(self.path.read_text("utf-8"))
        edition = facts.get("edition", 1)  # manifests without it are of the first
        if edition != self.edition:
            package = facts.get("pixelproof", "")
            what = f"pixelproof=={package}" if package else "the version of pixelproof that it was published with"
            raise PixelProofError(
                f"{frozen.name} is a set of edition {edition}, and this version of PixelProof generates edition "
                f"{self.edition}: install {what}, or use a source that is not frozen."
            )
        return frozen

    def items(
        self,
        generate: Callable[[int, int], Iterable[Content]],
        content_hash: Callable[[int, Content], str],
        n: int | None = None,
    ) -> Iterator[Content]:
        """Generate the items of the set, at most n, each checked against the manifest before it is returned.

        Args:
            generate: From the seed and a number of items to their content, in order.
            content_hash: From the place and the content of an item to its hash. What is hashed must not depend on the
                platform: text and integers, no floats.
            n: Number of items; None: all.

        Raises:
            PixelProofError: See `load`; or an item is not what was frozen.
        """
        frozen = self.load()
        count = len(frozen) if n is None else min(n, len(frozen))
        for index, content in enumerate(islice(generate(frozen.seed, count), count)):
            frozen.check(index, content_hash(index, content))
            yield content

    def freeze(self, name: str, seed: int, hashes: Mapping[str, str]) -> FrozenSet:
        """Write the manifest; for developers, once per set.

        Args:
            name: Name of the set.
            seed: The seed that its items are generated from.
            hashes: Item id → content hash, in order.
        """
        facts = {"edition": self.edition, "pixelproof": version("pixelproof")}
        return freeze(self.path, name, seed, hashes, facts)
