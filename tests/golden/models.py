"""The models and judges of the golden runs. Their file's hash is on the cards, so it rarely changes."""

from __future__ import annotations

import json

import numpy as np

from golden.records import plain
from pixelproof.contract import Answer, Call, Failure, Fault, Prompt, Usage

SENT: list[object] = []
"""What the models of a run received, in order."""


class Interruption(BaseException):
    """Ctrl-C, without a signal."""


def note(prompt: Prompt, *more: object) -> None:
    SENT.append([plain(prompt), *more])


def digit(prompt: Prompt, item_id: str, sample: int, seed: int) -> str:
    """A digit that depends on the seed."""
    note(prompt, item_id, sample, seed)
    return str(np.random.default_rng(seed).integers(10))


def uneven(prompt: Prompt, item_id: str, sample: int, seed: int) -> str | Answer:
    """Right or wrong digits, prose, a refusal, a reply that crashes the scorer, and a lost answer."""
    note(prompt, item_id, sample, seed)
    refusal = Answer(failure=Failure(Fault.MODEL, "refusal", "no"))
    lost = Answer(failure=Failure(Fault.INFRASTRUCTURE, "timeout", "late"))
    return ("3", "9", "I think it is three", refusal, "crash", lost, "0")[(int(item_id[-2:]) + sample) % 7]


def paying(prompt: Prompt, item_id: str, sample: int, seed: int) -> Answer:
    """Eight tokens per reply, every third reply without a statement of usage."""
    note(prompt, item_id, sample, seed)
    return Answer("5", usage=Usage(3, 8) if int(item_id[-1]) % 3 else Usage())


def interrupted(prompt: Prompt, item_id: str, sample: int, seed: int) -> str:
    """Ctrl-C while the third item is asked, until the run is resumed."""
    note(prompt, item_id, sample, seed)
    if item_id.endswith("2") and not RESUMED:
        raise Interruption
    return digit(prompt, item_id, sample, seed)


RESUMED: list[bool] = []


def polite(prompt: Prompt, item_id: str, seed: int) -> str:
    """A judge that says yes or no, and is lost for every fourth item."""
    note(prompt, item_id, seed)
    if int(item_id[-1]) % 4 == 3:
        raise ConnectionError("no route to host")
    return "yes" if seed % 2 else "no"


def words(prompt: Prompt, item_id: str, seed: int) -> str:
    """A judge of images: one of the five levels, or yes or no; lost for the second item."""
    note(prompt, item_id, seed)
    if item_id.endswith("1"):
        raise ConnectionError("no route to host")
    levels = ("bad", "poor", "fair", "good", "excellent")
    return levels[seed % 5] if "excellent" in prompt.text else ("yes", "no")[seed % 2]


def walker(prompt: Prompt, item_id: str, sample: int, seed: int) -> Answer | str:
    """Two calls of a tool, then an answer."""
    note(prompt, item_id, sample, seed)
    replies = sum(turn.role == "model" for turn in prompt.history)
    if replies < 2:
        return Answer(f"step {replies}", calls=(Call(f"c{replies}", "STEP", {"by": replies + 1}),))
    return "3"


def zoomer(prompt: Prompt, item_id: str, sample: int, seed: int) -> Answer | str:
    """Zooms twice, then gives the first offered answer."""
    note(prompt, item_id, sample, seed)
    replies = sum(turn.role == "model" for turn in prompt.history)
    if replies < 2:
        box = [100 * replies, 200, 600, 700 + 100 * replies]
        return Answer(calls=(Call(f"z{replies}", "ZOOM", {"box": box}),))
    return "red"


def square(prompt: Prompt, item_id: str, sample: int, seed: int) -> str:
    """A legal drawing: a red square on white."""
    note(prompt, item_id, sample, seed)
    grid = ["".join("1" if 6 <= x < 18 and 6 <= y < 18 else "0" for x in range(24)) for y in range(24)]
    return json.dumps({"palette": ["ffffff", "d02020"], "grid": grid})


def empty(prompt: Prompt, item_id: str, sample: int, seed: int) -> str:
    """Well-formed JSON without a drawing."""
    note(prompt, item_id, sample, seed)
    return "{}"


def grey(prompt: Prompt, item_id: str, sample: int, seed: int) -> np.ndarray | str:
    """A grey image, and for every second item none."""
    note(prompt, item_id, sample, seed)
    return "I cannot paint." if int(item_id[-1]) % 2 else np.full((128, 128, 3), 128, np.uint8)


def noise(prompt: Prompt, item_id: str, sample: int, seed: int) -> np.ndarray:
    """An image that shows nothing."""
    note(prompt, item_id, sample, seed)
    return np.random.default_rng(seed).integers(0, 256, (128, 128, 3), dtype=np.uint8)
