"""What the model and the judge are asked. Every text for the judge has a name and a version.

Another wording is another version, and a new comparability version of the bench: scores of one judge under two wordings
are not comparable.
"""

from __future__ import annotations

from pixelproof.benches.judging import CANNOT_TELL, LEVELS_ASKED, JudgePrompt
from pixelproof.contract import Prompt

PERCEPTION = JudgePrompt(
    "perception",
    1,
    "How good is this image to look at? Consider sharpness, colours, lighting, artefacts, and whether things are "
    f"shaped as they should be. What it should show does not matter. {LEVELS_ASKED}",
    levels=True,
)
CORRESPONDENCE = JudgePrompt(
    "correspondence",
    1,
    "An image was asked for with this text:\n{prompt}\n\nHow well does the image show what the text says? Its beauty "
    f"does not matter. {LEVELS_ASKED}",
    levels=True,
)
FACT = JudgePrompt(
    "fact", 1, f"{{question}}\nAnswer yes or no. If the image does not allow an answer, answer: {CANNOT_TELL}."
)
MAIN = JudgePrompt("main", 1, FACT.text)
"""The question of a data set about the whole prompt, where there are component questions beside it."""


def write_prompt(text: str) -> Prompt:
    """The prompt of a text-to-image model: the text as it is."""
    return Prompt((text,), wants="image")
