"""What the model and the judge are asked. Every text for the judge has a name and a version.

Another wording is another version, and a new comparability version of the bench: scores of one judge under two wordings
are not comparable.
"""

from __future__ import annotations

from dataclasses import dataclass

from pixelproof.contract import Artefact, Prompt, Question

LEVELS = {"bad": 0.0, "poor": 0.25, "fair": 0.5, "good": 0.75, "excellent": 1.0}
"""Level words of ITU-R BT.500, and the scores that they stand for."""
CANNOT_TELL = "cannot tell"
_CANDIDATES = 20
"""Candidates per token whose log probabilities are asked for."""


@dataclass(frozen=True)
class JudgePrompt:
    """A text for the judge."""

    name: str
    version: int
    text: str
    levels: bool = False
    """Whether the reply is a level word; otherwise it is yes or no."""

    @property
    def key(self) -> str:
        """Name and version, as stored with the reply."""
        return f"{self.name}-v{self.version}"

    def question(self, picture: Artefact, suffix: str = "", **words: str) -> Question:
        """The question about a picture; the suffix distinguishes several of the same name."""
        tokens = _CANDIDATES if self.levels else 0
        prompt = Prompt((picture, self.text.format(**words)), max_tokens=20, logprobs=tokens)
        return Question(f"{self.key}{suffix}", prompt)


_WORDS = "Answer with one word: bad, poor, fair, good or excellent."
PERCEPTION = JudgePrompt(
    "perception",
    1,
    "How good is this image to look at? Consider sharpness, colours, lighting, artefacts, and whether things are "
    f"shaped as they should be. What it should show does not matter. {_WORDS}",
    levels=True,
)
CORRESPONDENCE = JudgePrompt(
    "correspondence",
    1,
    "An image was asked for with this text:\n{prompt}\n\nHow well does the image show what the text says? Its beauty "
    f"does not matter. {_WORDS}",
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
