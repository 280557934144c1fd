"""Tasks about flat clips, of which the first view shows the first frame."""

from __future__ import annotations

from typing import Any

from pixelproof.world import COLOURS
from pixelproof.world.flat import Clip, contrasting_colours, make_clip, truth

from ._challenge import Chain, Challenge, Task, point_of, read_text, to_grid
from ._stills import CELL, CODE, SIDE, box_of, circle_of, inner_point

_LEVELS: dict[str, dict[str, Any]] = {
    "base": {"sans": 1.0, "paths": "crossing", "movers": 4, "frames": 16},
    "hard": {"sans": 0.0, "paths": "mixed", "movers": 5, "frames": 16, "jitter": 2.0},
}
_LAMP_COLOURS = tuple(colour for colour in COLOURS if colour not in ("grey", "brown"))
_EVENTS = 3


def _clip(seed: int, index: int, level: str, **changes: Any) -> Clip:
    settings = _LEVELS[level] | {"side": SIDE, "cell": CELL, "code": CODE, "clear_flash": True} | changes
    return make_clip(seed, index, **settings)


def _plural(noun: str) -> str:
    return f"{noun}es" if noun.endswith("s") else f"{noun}s"


def _follow_code(seed: int, index: int, level: str) -> Challenge:
    clip = _clip(seed, index, level, flash=0)
    last = clip.frames - 1
    start, end = (clip.frame(number) for number in (0, last))
    target = start.sprite(start.roles["target"])
    plate = end.plate_of(target.id)
    x, y = point_of(target.x, target.y, SIDE)

    def chain() -> Chain:
        there = truth(end).seen[target.id].whole
        middle = (there[0] + there[2]) / 2, (there[1] + there[3]) / 2
        offset = [value - middle[axis % 2] for axis, value in enumerate(box_of(plate))]
        segment = yield "SEG", {"point": inner_point(start, target.id), "frame": 0}
        follow: dict[str, Any] = (
            {"ref": segment["ref"]} if segment.get("ok") else {"box": to_grid(circle_of(target), SIDE)}
        )
        track = yield "TRK", {**follow, "t0": 0, "t1": last}
        boxes = track.get("boxes") or [[0, 0, 1, 1]]
        centre = [(boxes[-1][axis] + boxes[-1][axis + 2]) / 2 * SIDE / 1000 for axis in (0, 1)]
        place = [centre[axis % 2] + value for axis, value in enumerate(offset)]
        evidence = yield "OCR", {"box": to_grid(place, SIDE), "frame": last}
        return read_text(evidence)

    question = (
        f"In frame 0, one of the {target.colour} {_plural(target.shape)} has its centre at x = {x}, y = {y}. It moves, "
        f"and at the end of the clip the plate below it shows a code of {CODE} characters. What is that code?"
    )
    targets = ((0, target.id), (last, plate.id))
    return Challenge(question, plate.text, clip, length=CODE, targets=targets, chain=chain)


def _lit(clip: Clip) -> list[tuple[int, str]]:
    """First frame and colour of each flash of the lamp, in order."""
    changes = [change for change in clip.changes if change.id == "lamp" and change.colour is not None]
    return [(change.first, str(change.colour)) for change in sorted(changes, key=lambda change: change.first)]


def _lamp_colour(clip: Clip, frame: int) -> Chain:
    """Read the colour of the lamp in a frame by two calls."""
    lamp = clip.frame(frame).sprite("lamp")
    segment = yield "SEG", {"point": point_of(lamp.x, lamp.y, SIDE), "frame": frame}
    properties = yield "PROP", {"ref": str(segment.get("ref", "none")), "keys": ["colour"]}
    return str(properties.get("colour_word", ""))


def _lamp_text(clip: Clip) -> str:
    lamp = clip.scene.sprite("lamp")
    x, y = point_of(lamp.x, lamp.y, SIDE)
    return f"The grey disc at x = {x}, y = {y} is a lamp."


def _possible_colours(clip: Clip) -> tuple[str, ...]:
    """Colours that the lamp may show: those that contrast with the background, but for that of the movers."""
    ground, mover = clip.scene.background, clip.scene.sprite(clip.scene.roles["target"]).colour
    colours = contrasting_colours((ground.colour, ground.other))
    return tuple(colour for colour in colours if colour not in ("grey", "brown", mover))


def _flash_colour(seed: int, index: int, level: str) -> Challenge:
    clip = _clip(seed, index, level, reveal=0, flash=2 if level == "base" else 1)
    frame, colour = _lit(clip)[0]
    question = f"{_lamp_text(clip)} In a few frames it shows a colour. Which one?"
    return Challenge(
        question, colour, clip, _LAMP_COLOURS, guesses=_possible_colours(clip), targets=((frame, "lamp"),),
        chain=lambda: _lamp_colour(clip, frame),
    )  # fmt: skip


def _event_order(seed: int, index: int, level: str) -> Challenge:
    clip = _clip(seed, index, level, reveal=0, flash=2 if level == "base" else 1, flashes=_EVENTS)
    lit = _lit(clip)

    def chain() -> Chain:
        words = []
        for frame, _ in lit:
            words.append((yield from _lamp_colour(clip, frame)))
        return ", ".join(words)

    question = (
        f"{_lamp_text(clip)} It shows {_EVENTS} colours, one after the other, with pauses between them. "
        "Which, in order? Answer with the colours, separated by commas."
    )
    answer, targets = ", ".join(colour for _, colour in lit), tuple((frame, "lamp") for frame, _ in lit)
    return Challenge(
        question, answer, clip, _LAMP_COLOURS, words=_EVENTS, guesses=_possible_colours(clip), targets=targets,
        chain=chain,
    )  # fmt: skip


FOLLOW_CODE = Task("follow-code", "code at the end of a thing at a place", "tools", 3, _follow_code, reads=True)
FLASH_COLOUR = Task("flash-colour", "colour of a lamp while it is lit", "tools", 2, _flash_colour)
EVENT_ORDER = Task("event-order", "colours of a lamp, in order", "tools", 6, _event_order)
