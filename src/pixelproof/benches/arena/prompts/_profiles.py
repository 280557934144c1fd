"""Profiles: how prompts are adapted to a family of models."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from pixelproof.contract import unknown_name

Place = Literal["photo", "palette", "text"]


@dataclass(frozen=True)
class Profile:
    """Adaptation of a prompt to a family of models; the facts of the task stay the same."""

    name: str
    version: str
    about: str
    models: tuple[str, ...] = ()
    """Patterns of the model names that it applies to."""
    order: tuple[Place, Place, Place] = ("photo", "palette", "text")
    pictures: int | None = None
    """Largest number of images that the model reads, the photo included; None: any."""
    replies: bool = True
    """Whether the model returns text beside the image, so that a legend can be requested."""
    lead: str = ""
    """Beginning of the text."""
    aspects: tuple[tuple[int, int], ...] = ()
    """Aspect ratios (width, height) that the model draws; photos are padded to the nearest. Empty: any."""
    short_side: int | None = None
    """Length to which the photo's shorter side is scaled; None: not scaled."""
    multiple: int = 1
    """Sides are rounded to multiples of this number."""


_EDIT = "Edit this photo: replace every colour in it by the colour that the following text asks for."
_ALL = (
    Profile(
        "gemini",
        "1",
        "several images, then the text; returns an image and text",
        ("gemini/*", "google/gemini*", "chat/google/gemini*", "*/gemini-*-image*"),
        aspects=((1, 1), (2, 3), (3, 2), (3, 4), (4, 3), (4, 5), (5, 4), (9, 16), (16, 9), (21, 9)),
    ),
    Profile(
        "gpt-image",
        "1",
        "an endpoint for edits: several images in, no text out, three aspect ratios",
        ("images/gpt-image*", "images/chatgpt-image*"),
        pictures=16,
        replies=False,
        aspects=((1, 1), (3, 2), (2, 3)),
        short_side=1024,
    ),
    Profile(
        "editor",
        "1",
        "an editor of one image: no images of the palette, an instruction to edit, no text out",
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
        "the text before the images",
        order=("text", "photo", "palette"),
    ),
    Profile("training", "1", "an editor of one image, as large as it is", pictures=1, replies=False, lead=_EDIT),
    Profile("plain", "1", "photo, images of the palette, text; nothing is resized"),
)
PROFILES = {profile.name: profile for profile in _ALL}
"""Name → profile."""


def profile_for(model: str) -> Profile:
    """The profile for a model's name; `plain` if no pattern matches.

    >>> profile_for("images/gpt-image-1.5?size=1024x1024").name, profile_for("folder/answers").name
    ('gpt-image', 'plain')
    """
    name = model.lower().partition("?")[0]
    for profile in _ALL:
        if any(fnmatchcase(name, pattern) for pattern in profile.models):
            return profile
    return PROFILES["plain"]


def find_profile(name: str) -> Profile:
    """The profile with that name."""
    try:
        return PROFILES[name]
    except KeyError:
        raise unknown_name("profile", name, PROFILES) from None
