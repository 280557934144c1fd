"""What the model is asked. Every wording has a name and a version; another text is another version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pixelproof.contract import Artefact, Prompt

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
