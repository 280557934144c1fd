"""Controls of every task: floors, ceilings, and answers with a known fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pixelproof.benches.arena._case import Case, Frame, FrameSource, Pixels
from pixelproof.benches.arena.dense import depth_code, encode_depth
from pixelproof.benches.arena.floors import fitted_floors
from pixelproof.benches.arena.regions import region_controls
from pixelproof.benches.arena.tasks import Depth, Normals, Semantic, Task
from pixelproof.contract import Answer, Control, Failure, Fault, Item, PixelProofError
from pixelproof.pixels import ImageChannel, encode_png

_BEST_DEPTH = 1.28
"""Depth in metres with the lowest mean relative error of all constants, over the scenes of the prior."""

Opened = Callable[[Item], tuple[Case, Frame, FrameSource]]
Painter = Callable[[Case, Frame, FrameSource, np.random.Generator], Pixels]


def make_controls(task: Task, opened: Opened) -> Mapping[str, Control]:
    """The controls of a task.

    Args:
        task: Paints the perfect answer.
        opened: Loads the case of an item.
    """

    def perfect(case: Case, frame: Frame, source: FrameSource, rng: np.random.Generator) -> Pixels:
        """The perfect answer, with hard edges."""
        return task.perfect(case, frame)

    def noise(case: Case, frame: Frame, source: FrameSource, rng: np.random.Generator) -> Pixels:
        """A random colour of the palette or code for every pixel."""
        return _colours(task, case)[rng.integers(0, len(_colours(task, case)), frame.shape)]

    def blank(case: Case, frame: Frame, source: FrameSource, rng: np.random.Generator) -> Pixels:
        """The first label everywhere; for depth the best constant, for normals towards the camera."""
        return np.broadcast_to(_blank(task, case), (*frame.shape, 3)).copy()

    def guess(case: Case, frame: Frame, source: FrameSource, rng: np.random.Generator) -> Pixels:
        """A 4 × 4 grid of random colours of the palette or code."""
        colours = _colours(task, case)
        fields = colours[rng.integers(0, len(colours), (4, 4))]
        rows, columns = (np.arange(side) * 4 // side for side in frame.shape)
        return fields[rows[:, None], columns]

    def mirrored(case: Case, frame: Frame, source: FrameSource, rng: np.random.Generator) -> Pixels:
        """The perfect answer, mirrored."""
        return np.ascontiguousarray(task.perfect(case, frame)[:, ::-1])

    def shifted(case: Case, frame: Frame, source: FrameSource, rng: np.random.Generator) -> Pixels:
        """The perfect answer, shifted right and down by an eighth of the image."""
        picture = task.perfect(case, frame)
        rows, columns = (np.maximum(np.arange(side) - side // 8, 0) for side in frame.shape)
        return picture[rows[:, None], columns]

    def swapped(case: Case, frame: Frame, source: FrameSource, rng: np.random.Generator) -> Answer:
        """The perfect answer with left and right labels swapped."""
        known, table = case.palette.labels, np.arange(case.palette.void + 1, dtype=case.palette.dtype)
        for a, b in source.pairs:
            if a in known and b in known:
                table[known.index(a)], table[known.index(b)] = known.index(b), known.index(a)
        assert frame.labels is not None, "offered for labels alone"
        if np.array_equal(table[frame.labels], frame.labels):
            detail = "No label of this image differs from another only by left and right."
            return Answer(failure=Failure(Fault.INSTRUMENT, "nothing-to-swap", detail))
        return Answer(images=(encode_png(case.palette.paint(table[frame.labels], case.palette.colours[0])),))

    def png(paint: Painter) -> Control:
        return _control(opened, lambda *given: Answer(images=(encode_png(paint(*given)),)), paint.__doc__)

    def copy(case: Case, frame: Frame, source: FrameSource, rng: np.random.Generator) -> Answer:
        """The photograph itself."""
        if frame.photo is None:
            return Answer(failure=Failure(Fault.INSTRUMENT, "no-photo", "There is no photograph to copy."))
        return Answer(images=(encode_png(frame.photo),))

    controls = {
        "floor-blank": png(blank),
        "floor-copy": _control(opened, copy, copy.__doc__),
        "floor-guess": png(guess),
        "floor-noise": png(noise),
        **fitted_floors(task, opened),
        "ceiling-truth": png(perfect),
        "ceiling-channel": channel_ceiling(task, opened, ImageChannel()),
        "mirrored": png(mirrored),
        "shifted": png(shifted),
    }
    if not isinstance(task, Semantic):
        return controls
    return {**controls, "swapped": _control(opened, swapped, swapped.__doc__), **region_controls(opened)}


def channel_ceiling(task: Task, opened: Opened, channel: ImageChannel) -> Control:
    """A control that sends the perfect answer through a channel."""

    def answer(case: Case, frame: Frame, source: FrameSource, rng: np.random.Generator) -> Answer:
        return Answer(images=(channel.send(task.perfect(case, frame)),))

    coding = "lossless" if channel.quality is None else f"JPEG, quality {channel.quality}, {channel.subsampling}"
    edges = "soft edges" if channel.sigma > 0 else "hard edges"
    return _control(opened, answer, f"The perfect answer through a channel: {edges}, {coding}.")


def _control(opened: Opened, answer: Callable[..., Answer], about: str | None) -> Control:
    def control(item: Item, rng: np.random.Generator) -> Answer:
        try:
            return answer(*opened(item), rng)
        except PixelProofError as error:  # a reference that cannot be read
            return Answer(failure=Failure(Fault.INSTRUMENT, "bad-reference", str(error)))

    control.__doc__ = about
    return control


def _colours(task: Task, case: Case) -> Pixels:
    """Colours to guess from."""
    if isinstance(task, Depth):
        return depth_code(task.code).path
    if isinstance(task, Normals):
        return np.array([[128, 128, 255], [128, 255, 128], [255, 128, 128], [0, 128, 128]], np.uint8)
    return case.palette.array


def _blank(task: Task, case: Case) -> Pixels:
    if isinstance(task, Depth):
        return encode_depth(np.array([[_BEST_DEPTH]]), task.code)
    if isinstance(task, Normals):
        return np.array([[[128, 128, 255]]], np.uint8)
    return case.palette.array[:1, None]
