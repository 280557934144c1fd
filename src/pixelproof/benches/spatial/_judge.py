"""A second opinion on appearance, by a model that reads images and, unlike GSI-Bench's judge, the instruction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pixelproof.benches.judging import CANNOT_TELL, LEVELS_ASKED, JudgePrompt, judge_image, quote_reply, read_level
from pixelproof.benches.spatial._prompts import is_declined
from pixelproof.contract import Answer, Artefact, Failure, Fault, Question, Result
from pixelproof.pixels import answer_image

JUDGED = "judge.ac"
APPEARANCE = JudgePrompt(
    "appearance",
    1,
    "The first image is a photograph. The second image is the photograph after an edit. The instruction was:\n"
    "{instruction}\n\n"
    "How well does the second image look? Consider whether the things that the instruction changes still look like "
    "themselves (shape, colours, material, texts on them), whether what they uncover is filled in as it should be, and "
    "whether everything else is as it was. Whether things are in exactly the right place does not matter. If the "
    f"instruction was not carried out at all, that is bad. {LEVELS_ASKED}",
    levels=True,
)


def judge_questions(instruction: str, photo: Artefact, answer: Answer) -> Sequence[Question]:
    """The question about an answer with an image; none about refusals and broken images."""
    rgb = answer_image(answer)
    if isinstance(rgb, Failure) or is_declined(answer.text):
        return ()
    return (APPEARANCE.question(photo, judge_image(rgb), instruction=instruction),)


def with_judgement(result: Result, judgements: Mapping[str, Answer]) -> Result:
    """A result with the judge's score; a fault of the instrument if the reply means nothing."""
    reply = judgements.get(APPEARANCE.key)
    if reply is None or reply.failure is not None:
        return result
    level = read_level(reply)
    if isinstance(level, float):
        return replace(result, metrics={**result.metrics, JUDGED: level})
    if level == CANNOT_TELL or result.failure is not None:
        return replace(result, notes={**result.notes, "judge": "cannot tell" if level else quote_reply(reply)})
    detail = f"{APPEARANCE.key}: {quote_reply(reply)}"
    return replace(result, failure=Failure(Fault.INSTRUMENT, "judge-unreadable", detail))
