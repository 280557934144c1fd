"""What the model is asked. Every wording has a name and a version; another text is another version.

Below: a second opinion on appearance, by a model that reads images and, unlike GSI-Bench's judge, the instruction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pixelproof.benches.judging import CANNOT_TELL, LEVELS_ASKED, JudgePrompt, judge_image, quote_reply, read_level
from pixelproof.contract import Answer, Artefact, Failure, Fault, Prompt, Question, Result
from pixelproof.pixels import answer_image

DECLINED = "IMPOSSIBLE"
"""The word by which a model says that an edit cannot be carried out."""


@dataclass(frozen=True)
class Wording:
    """A text around the instruction."""

    name: str
    version: int
    text: str

    @property
    def key(self) -> str:
        """Name and version."""
        return f"{self.name}-v{self.version}"


_RULES = (
    "Edit this photograph as the instruction says, and change nothing else: all other things, the surroundings and, "
    "unless the instruction is about the camera, the camera stay as they are. Shadows and reflections follow the edit. "
    "Left, right, closer and away are those of the viewer, unless the instruction says otherwise. Return the edited "
    "photograph in the same size. If the edit is not possible, return the photograph unchanged, or answer with the "
    f"single word {DECLINED}."
)
WORDINGS = {
    wording.key: wording
    for wording in (
        Wording("rules", 1, f"{_RULES}\n\nInstruction: {{instruction}}"),
        Wording("bare", 1, "{instruction}"),
    )
}
"""Key → wording; the first is the default."""


def write_prompt(wording: str, instruction: str, photo: Artefact, data: Mapping[str, Any] | None = None) -> Prompt:
    """The photograph, and the instruction in a wording.

    Args:
        wording: Key of the wording.
        instruction: The instruction.
        photo: The photograph.
        data: Further inputs of nets.
    """
    text = WORDINGS[wording].text.format(instruction=instruction)
    return Prompt((photo, text), wants="image", data={"instruction": instruction, "photo": photo, **(data or {})})


def is_declined(text: str) -> bool:
    """Whether a reply says that the edit is impossible.

    >>> is_declined("IMPOSSIBLE"), is_declined("**Impossible.** There is no lamp."), is_declined("It is not impossible")
    (True, True, False)
    """
    words = text.strip(" \t\r\n*_`\"'“”").split()
    return bool(words) and words[0].strip("*_`\"'“”.,:;!").casefold() == DECLINED.casefold()


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
