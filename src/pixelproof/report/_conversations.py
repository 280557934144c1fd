"""Prompts and traces as messages of the gallery."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pixelproof.contract import PixelProofError
from pixelproof.web import GallerySheet, Message, cut

from ._views import View

_MOST_TURNS = 200
_ROLES = {"user": "Prompt", "model": "Model", "tool": "Tool"}


@dataclass(frozen=True)
class Image:
    """A reference to a file of a run."""

    key: str
    media_type: str


@dataclass(frozen=True)
class Draft:
    """A message of which the images are not placed yet."""

    title: str
    parts: Sequence[str | Image] = field(default_factory=list)

    def placed(self, sheet: GallerySheet, view: View) -> Message:
        """The message with its images; one that the run has not stored, or that has no space, becomes its type."""
        return Message(
            self.title, [part if isinstance(part, str) else _place(part, sheet, view) for part in self.parts]
        )


def _place(image: Image, sheet: GallerySheet, view: View) -> str | int:
    number = sheet.place(image.key, view.blobs) if image.key in view.blobs else None
    return f"[{image.media_type.partition(';')[0]}, {image.key[:8]}…]" if number is None else number


class Prompts:
    """The prompts of several runs, each different one once."""

    def __init__(self, views: Sequence[View], items: Iterable[str], longest: int) -> None:
        """Read the prompts.

        Args:
            views: The runs.
            items: Ids of the items to be shown.
            longest: Characters of a text; longer ones are cut.
        """
        self.messages: list[list[Message]] = []
        self._views = views
        self._places: dict[str, int] = {}
        wanted = set(items)
        self._drafts = [
            {item: prompt_drafts(document, longest) for item, document in _stored(view).items() if item in wanted}
            for view in views
        ]

    def place(self, number: int, item: str, sheet: GallerySheet) -> int | None:
        """The number, in `messages`, of the prompt that the run with this number sent for an item; None if unknown."""
        drafts = self._drafts[number].get(item)
        if drafts is None:
            return None
        identity = repr(drafts)
        if identity not in self._places:
            self._places[identity] = len(self.messages)
            self.messages.append([draft.placed(sheet, self._views[number]) for draft in drafts])
        return self._places[identity]


def _stored(view: View) -> Mapping[str, Mapping[str, Any]]:
    """Item → prompt; nothing for controls and folders."""
    try:
        return view.run.prompts()
    except PixelProofError:  # a damaged prompt is not needed for any number
        return {}


def prompt_drafts(document: Mapping[str, Any], longest: int) -> list[Draft]:
    """The messages of a stored prompt: system text, tools, prompt."""
    drafts = []
    if document.get("system"):
        drafts.append(Draft("System prompt", [cut(str(document["system"]), longest)]))
    if document.get("tools"):
        lines = [f"{tool.get('name')}: {tool.get('about')}" for tool in document["tools"] if isinstance(tool, Mapping)]
        drafts.append(Draft("Tools", [cut("\n".join(lines), longest)]))
    return [*drafts, Draft("Prompt", _parts(document.get("parts", ()), longest))]


def trace_drafts(trace: Sequence[Any], longest: int) -> list[Draft]:
    """The turns of a trace; entries of an unknown form are shown as JSON."""
    tools: dict[str, str] = {}
    drafts = []
    for entry in trace[:_MOST_TURNS]:
        if isinstance(entry, Mapping) and "role" in entry:
            drafts.append(_turn(entry, tools, longest))
        else:
            drafts.append(Draft("Step", [_json(entry, longest), *_images(entry)]))
    if len(trace) > _MOST_TURNS:
        drafts.append(Draft(f"{len(trace) - _MOST_TURNS:,} more turns are in the run directory"))
    return drafts


def _turn(entry: Mapping[str, Any], tools: dict[str, str], longest: int) -> Draft:
    role = str(entry["role"])
    title = _ROLES.get(role, role)
    call = entry.get("call")
    if call is not None:
        identity = call.get("id") if isinstance(call, Mapping) else call
        title = f"{title} {tools.get(str(identity), identity)}"
    parts = _parts(entry.get("parts", ()), longest)
    for made in entry.get("calls", ()):
        if isinstance(made, Mapping):
            tools[str(made.get("id"))] = str(made.get("tool"))
            parts.append(f"{made.get('tool')} {_json(made.get('arguments'), longest)}")
    return Draft(title, parts)


def _parts(parts: object, longest: int) -> list[str | Image]:
    if not isinstance(parts, list | tuple):
        return [_json(parts, longest)]
    return [cut(part, longest) if isinstance(part, str) else _image(part) or _json(part, longest) for part in parts]


def _image(value: object) -> Image | None:
    """The reference to a file in a prompt (`sha256`) or in a trace (`$artefact`), beside its `media_type`."""
    if not isinstance(value, Mapping):
        return None
    key = value.get("$artefact", value.get("sha256"))
    return Image(key, str(value.get("media_type", "file"))) if isinstance(key, str) else None


def _images(value: object) -> list[Image]:
    """All images inside a value."""
    if (image := _image(value)) is not None:
        return [image]
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return [image for part in inner for image in _images(part)]


def _json(value: object, longest: int) -> str:
    return cut(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), longest)
