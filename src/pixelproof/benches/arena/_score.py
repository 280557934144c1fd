"""From an answer to a result: read the image, measure it, attach the images that explain the numbers."""

from __future__ import annotations

from pixelproof.benches.arena._case import Case, Frame, FrameSource
from pixelproof.benches.arena.tasks import Submission, Task
from pixelproof.contract import Answer, Failure, Item, Result
from pixelproof.pixels import ImageChannel, read_answer

LOSSLESS = ImageChannel(0.0, None)


def score_answer(
    item: Item,
    answer: Answer,
    task: Task,
    opened: tuple[Case, Frame, FrameSource],
    *,
    form: str,
    policy: str,
    gallery: bool,
) -> Result:
    """Measure one answer; never raises on what a model can return.

    Args:
        item: What was asked.
        answer: What the model returned.
        task: Measures the image.
        opened: The item's case, pixels and source.
        form: How the image is read; see `read_answer`.
        policy: What to do about images of another size; see `fit_size`.
        gallery: Whether to attach images to the result.
    """
    case, frame, source = opened
    evidence = task.given(case, frame) if gallery else {}
    image = read_answer(answer, frame.shape, palette=case.palette, form=form, policy=policy)
    if isinstance(image, Failure):
        return Result(item.id, {}, failure=image, evidence=evidence)
    submission = Submission(image, answer.text, item.inputs["names"])
    measured = task.measure(submission, case, frame, source)
    notes = {"size": image.resized, **measured.notes} if image.resized else measured.notes
    if gallery:
        evidence = {**evidence, **task.evidence(submission, measured, case, frame)}
    return Result(
        item.id,
        measured.numbers,
        notes=notes,
        evidence=evidence,
        channel=_channel_name(image.channel),
        confusion=measured.confusion,
    )


def _channel_name(channel: ImageChannel | None) -> str:
    """The channel of an answer as `Bench.ceiling` knows it; empty if the image does not tell."""
    if channel is None:
        return ""
    return "truth" if channel == LOSSLESS else channel.name
