"""Prompts from cases."""

from __future__ import annotations

import math
import re

from pixelproof.benches.arena._case import Case
from pixelproof.contract import Artefact, PixelProofError, Prompt, unknown_name
from pixelproof.pixels import Palette

from ._photo import has_bars, padded_size, prepare
from ._pictures import palette_pictures
from ._profiles import PROFILES, Profile
from ._texts import (
    BARS_RULE,
    LEGEND_RULE,
    OTHER_NOTE,
    OTHER_RULE,
    PAIR_RULE,
    PALETTE_NOTE,
    PROMPTS,
    SIDE_RULE,
    Wording,
)

_OTHERS = ("other", "background")
_SIDES = frozenset({"left", "right", "l", "r"})
_PARTS = frozenset(
    "eye eyebrow brow eyelid eyelash ear earring cheek nostril shoulder arm forearm elbow wrist hand palm finger thumb "
    "sleeve glove hip leg thigh knee calf shin ankle foot heel toe shoe boot sandal sock".split()
)
"""Parts and clothes of persons, which have a left and a right of their own, independent of the view."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_CODE = re.compile(r"^[A-Z]{1,2} ")
"""Code before a renamed label; L and R in it do not mean left and right."""


def write_prompt(
    name: str, case: Case, photo: Artefact, size: tuple[int, int], profile: Profile = PROFILES["plain"]
) -> Prompt:
    """The prompt of a case.

    Args:
        name: Name of the wording, one of `PROMPTS`.
        case: Its palette and referring expression go into the prompt, nothing else.
        photo: The image to be segmented.
        size: Width and height of the photo.
        profile: Adaptation to the model.
    """
    wording = find_wording(name)
    pages = palette_pictures(case.palette) if wording.palette else ()
    if profile.pictures is not None and len(pages) >= profile.pictures:
        pages = ()  # an incomplete palette would mislead; the text has all colours
    text = _fill(wording, case, size, profile, len(pages))
    parts: dict[str, tuple[str | Artefact, ...]] = {
        "photo": (prepare(photo, profile),),
        "palette": pages,
        "text": (f"{profile.lead}\n{text}" if profile.lead else text,),
    }
    return Prompt(tuple(part for place in profile.order for part in parts[place]), wants="image")


def find_wording(name: str) -> Wording:
    """The wording with that name."""
    try:
        return PROMPTS[name]
    except KeyError:
        raise unknown_name("prompt", name, PROMPTS) from None


def check_wording(name: str, task: str) -> None:
    """Check that a wording is for a task.

    >>> check_wording("improved", "semantic")

    Raises:
        PixelProofError: There is no such wording, or it is for another task.
    """
    meant = find_wording(name).task
    if meant != task:
        fitting = ", ".join(wording.name for wording in PROMPTS.values() if wording.task == task)
        raise PixelProofError(
            f"The prompt {name!r} asks for the task {meant}, not {task}: choose {fitting or 'another task'}."
        )


def legend(palette: Palette) -> str:
    """A fenced block with one line per label.

    >>> print(legend(Palette(("sky", "sea"), ((90, 160, 255), (0, 0, 120)))))
    ```
    sky: [90, 160, 255]
    sea: [0, 0, 120]
    ```
    """
    lines = [f"{label}: {list(colour)}" for label, colour in zip(palette.labels, palette.colours, strict=True)]
    return "\n".join(["```", *lines, "```"])


def _fill(wording: Wording, case: Case, size: tuple[int, int], profile: Profile, pages: int) -> str:
    palette = case.palette
    # A renamed label has a code as prefix.
    other = next((label for label in palette.labels if label.split(" ")[-1] in _OTHERS), "")
    width, height = padded_size(size, profile)
    gaps = {
        "width": str(width),
        "height": str(height),
        "legend": legend(palette),
        "palette_note": PALETTE_NOTE.format(which=_which(pages)) if pages else "",
        "bars_rule": BARS_RULE if has_bars(size, profile) else "",
        "legend_rule": LEGEND_RULE if profile.replies else "",
        "side_rule": SIDE_RULE if any(map(_persons_side, palette.labels)) else "",
        "other_note": OTHER_NOTE.format(other=other) if other.endswith("other") else "",
        "other_rule": OTHER_RULE.format(other=other) if other else "",
    }
    if wording.task == "edges":
        ground, line = palette.colours
        names = {(0, 0, 0): "black", (255, 255, 255): "white"}
        gaps |= {"line": names.get(line, "bright"), "ground": names.get(ground, "plain")}
        gaps |= {"line_rgb": str(list(line)), "ground_rgb": str(list(ground))}
    if wording.task == "keypoints":
        gaps |= {"first": palette.labels[0], "disc": str(max(3, round(0.02 * math.hypot(width, height))))}
    if wording.task == "referring":
        if len(palette) != 2 or not case.expression:
            raise PixelProofError(
                f"The prompt {wording.name!r} needs a case with an expression and two labels: "
                "choose the task referring."
            )
        rest, target = (str(list(colour)) for colour in palette.colours)
        named = PAIR_RULE.format(rest=palette.labels[0], target=palette.labels[1]) if profile.replies else ""
        gaps |= {"expression": case.expression, "rest": rest, "target": target, "pair_rule": named}
    # Not str.format: codes and labels may hold braces.
    return re.sub(r"\{(\w+)\}", lambda gap: gaps[gap[1]], wording.text)


def _which(pages: int) -> str:
    return "second picture shows" if pages == 1 else "other pictures show"


def _persons_side(label: str) -> bool:
    """Whether a label names a left or right part of a person, such as `left_eye`, `armR` and `Left-shoe`."""
    words = [word.lower() for word in _WORD.findall(_CODE.sub("", label))]
    parts = [word for word in words if word not in _SIDES]
    return len(parts) < len(words) and bool(parts) and parts[-1].removesuffix("s") in _PARTS | {"feet"}
