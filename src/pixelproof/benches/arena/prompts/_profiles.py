"""Profiles: how a family of models wants to be shown and asked things."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from pixelproof.contract import unknown_name

Place = Literal["photo", "palette", "text"]


@dataclass(frozen=True)
class Profile:
    """What differs between models; the facts of the task do not."""

    name: str
    version: str
    about: str
    models: tuple[str, ...] = ()
    """Patterns of the names of models that it is meant for."""
    order: tuple[Place, Place, Place] = ("photo", "palette", "text")
    pictures: int | None = None
    """The most pictures that the model reads, the photo included; None: any number."""
    replies: bool = True
    """Whether text comes back beside the picture, so that a legend can be asked for."""
    lead: str = ""
    """What the text begins with."""
    aspects: tuple[tuple[int, int], ...] = ()
    """Width : height that the model draws; others are padded to the nearest. Empty: any."""
    short_side: int | None = None
    """The photo is scaled so that its shorter side has this length; None: left as it is."""
    multiple: int = 1
    """Sides are rounded to multiples of this."""


_EDIT = "Edit this photo: replace every colour in it by the colour that the following text asks for."
_ALL = (
    Profile(
        "gemini",
        "1",
        "several pictures, then the text; replies with a picture and text",
        ("gemini/*", "google/gemini*", "chat/google/gemini*", "*/gemini-*-image*"),
        aspects=((1, 1), (2, 3), (3, 2), (3, 4), (4, 3), (4, 5), (5, 4), (9, 16), (16, 9), (21, 9)),
    ),
    Profile(
        "gpt-image",
        "1",
        "an endpoint for edits: several pictures, no text comes back, three aspects",
        ("images/gpt-image*", "images/chatgpt-image*"),
        pictures=16,
        replies=False,
        aspects=((1, 1), (3, 2), (2, 3)),
        short_side=1024,
    ),
    Profile(
        "editor",
        "1",
        "an editor of one picture: no palette pictures, an instruction to edit, no text comes back",
        ("diffusers/*", "*flux*kontext*", "*qwen-image-edit*", "*omnigen*"),
        pictures=1,
        replies=False,
        lead=_EDIT,
        short_side=1024,
        multiple=16,
    ),
    Profile(
        "text-first",
        "1",
        "the text before the pictures",
        order=("text", "photo", "palette"),
    ),
    Profile("plain", "1", "photo, palette pictures, text; nothing is resized"),
)
PROFILES = {profile.name: profile for profile in _ALL}
"""Name → profile."""


def profile_for(model: str) -> Profile:
    """The profile of a model's name; `plain` for one that no pattern knows.

    >>> profile_for("images/gpt-image-1.5?size=1024x1024").name, profile_for("folder/answers").name
    ('gpt-image', 'plain')
    """
    name = model.lower().partition("?")[0]
    for profile in _ALL:
        if any(fnmatchcase(name, pattern) for pattern in profile.models):
            return profile
    return PROFILES["plain"]


def find_profile(name: str) -> Profile:
    """The profile of that name."""
    try:
        return PROFILES[name]
    except KeyError:
        raise unknown_name("profile", name, PROFILES) from None
