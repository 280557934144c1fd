"""The frozen set `agent-v1`: challenges that never change, each verified before it is used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pixelproof.benches.agent.tasks import TASKS, Challenge
from pixelproof.benches.sources import FrozenSource, item_id
from pixelproof.store import FrozenSet, digest
from pixelproof.world.flat import Clip

FROZEN = "agent-v1"
EDITION = 1
"""Raised by every change that alters the challenges of a seed."""
_SEED, _ITEMS = 1, 300
_TASKS = (
    "largest-colour", "read-code", "compare-areas", "follow-code", "flash-colour", "same-code", "odd-code", "two-codes",
    "event-order", "count-clutter",
)  # fmt: skip
"""Tasks of the set, in turn; of three rounds, the last is of level `hard`."""


@dataclass(frozen=True)
class Place:
    """What determines a challenge."""

    task: str
    seed: int
    index: int
    level: str

    def make(self) -> Challenge:
        """The challenge."""
        return TASKS[self.task].make(self.seed, self.index, self.level)


def places(seed: int, count: int) -> list[Place]:
    """The first challenges of the set."""
    rounds = [(number, *divmod(number, len(_TASKS))) for number in range(count)]
    return [Place(_TASKS[place], seed, number, "hard" if turn % 3 == 2 else "base") for number, turn, place in rounds]


def frozen_source(path: Path | None = None) -> FrozenSource:
    """The manifest of the frozen set, and the edition of the challenges that this package makes."""
    return FrozenSource(path or Path(__file__).with_name(f"{FROZEN}.json"), EDITION)


def frozen_challenges(n: int | None = None, path: Path | None = None) -> Iterator[tuple[Place, Challenge]]:
    """The challenges of the frozen set, at most n, each checked against the manifest.

    Raises:
        PixelProofError: The set is of another edition, or a challenge differs from the frozen one.
    """
    return frozen_source(path).items(_made, _checked_hash, n)


def _made(seed: int, count: int) -> Iterator[tuple[Place, Challenge]]:
    return ((place, place.make()) for place in places(seed, count))


def _checked_hash(index: int, made: tuple[Place, Challenge]) -> str:
    return content_hash(index, *made)


def content_hash(index: int, place: Place, challenge: Challenge) -> str:
    """Hash of a challenge: words and whole numbers; positions are rounded to pixels."""
    world = challenge.world
    scene, changes = (world.scene, world.changes) if isinstance(world, Clip) else (challenge.flat_scene(0), ())
    sprites = [
        [sprite.id, sprite.shape, sprite.colour, sprite.text, *map(round, (sprite.x, sprite.y, sprite.size))]
        for sprite in scene.sprites
    ]
    return digest(
        [
            item_id("agent", FROZEN, 1, index),
            [place.task, place.level, challenge.question, challenge.answer, list(challenge.options)],
            [list(target) for target in challenge.targets],
            sprites,
            [[change.id, change.first, change.stop, change.colour, change.text] for change in changes],
        ]
    )


def freeze_set(items: int = _ITEMS, path: Path | None = None) -> FrozenSet:
    """Write the manifest of the frozen set; for developers, once."""
    hashes = {
        item_id("agent", FROZEN, 1, index): content_hash(index, *made) for index, made in enumerate(_made(_SEED, items))
    }
    return frozen_source(path).freeze(FROZEN, _SEED, hashes)
