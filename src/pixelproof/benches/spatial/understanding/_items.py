"""Items of the task: every question about the scenes of the editing task, in the same order of scenes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pixelproof.benches.spatial._pairs import read_pair
from pixelproof.benches.spatial.understanding._asking import Places, ask_pair, ordered
from pixelproof.benches.spatial.understanding._question import Question
from pixelproof.contract import Item


@dataclass(frozen=True)
class Scene:
    """A scene of the editing task: the pair as JSON, and the item of its edit."""

    pair: str
    item: Item
    """The item of the editing task."""

    @property
    def kind(self) -> str:
        """Kind of the scene before the edit."""
        return read_pair(self.pair).before.kind

    @property
    def key(self) -> tuple[str, int, int]:
        """What identifies the scene: two edits may share one."""
        before = read_pair(self.pair).before
        return before.kind, before.seed, before.index


def understanding_items(scenes: Iterable[Scene], seed: int, language: str) -> Iterator[Item]:
    """The questions about scenes, scene by scene.

    Two scenes of one kind that follow each other are partners: each is the foil of the other, so that a wording is
    as likely to be asked of either. A scene without a partner at the end has the one before it as its foil.

    Args:
        scenes: Scenes in the order of the editing task.
        seed: Seed of the places of right options.
        language: `en` or `zh`.
    """
    places = Places(seed)
    for scene, foil in _partners(scenes):
        for name, question in ask_pair(scene.pair, foil.pair, language).items():
            yield _item(scene.item, name, question, places)


def _partners(scenes: Iterable[Scene]) -> Iterator[tuple[Scene, Scene]]:
    """Scenes with their foils, in the order of the scenes."""
    waiting: dict[str, int] = {}
    listed: list[Scene] = []
    foils: dict[int, int] = {}
    done = 0
    for scene in scenes:
        place = len(listed)
        listed.append(scene)
        other = waiting.get(scene.kind)
        if other is not None and listed[other].key != scene.key:
            foils[place], foils[other] = other, place
            del waiting[scene.kind]
        else:
            waiting[scene.kind] = place
        while done in foils:
            yield listed[done], listed[foils[done]]
            done += 1
    for place in range(done, len(listed)):
        if place in foils:
            yield listed[place], listed[foils[place]]
        elif (other := _last_other(listed, place)) is not None:
            yield listed[place], listed[other]


def _last_other(listed: list[Scene], place: int) -> int | None:
    """Another scene of the same kind, nearest in order; None if there is none."""
    others = [at for at, one in enumerate(listed) if one.kind == listed[place].kind and one.key != listed[place].key]
    return min(others, key=lambda at: abs(at - place)) if others else None


def _item(edit: Item, name: str, question: Question, places: Places) -> Item:
    if question.kind == "choice":
        place = places.next(len(question.options))
        question = replace(question, options=ordered(question.options, question.answer, place))
    tags = {"skill": question.skill, "kind": question.kind, **_kept(edit.tags)}
    inputs = {"question": question.text, "options": list(question.options), **_look(edit.inputs)}
    return Item(f"{edit.id}/{name}", inputs, question, edit.cluster, tags)


def _kept(tags: Mapping[str, str]) -> dict[str, str]:
    """The tags of an edit that describe its scene."""
    return {name: tags[name] for name in ("scene", "things") if name in tags}


def _look(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: inputs[name] for name in ("index", "size", "quality")}


def edit_id(item: str) -> str:
    """Id of the edit whose scene a question is about.

    >>> edit_id("spatial/world/1/7/00003/distance-number")
    'spatial/world/1/7/00003'
    """
    return item.rpartition("/")[0]
