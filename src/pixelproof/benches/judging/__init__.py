"""Questions to a judge about images, and what its replies mean: shared by benches that a judge may score."""

from ._prompts import CANNOT_TELL, LEVELS, LEVELS_ASKED, JudgePrompt, judge_image
from ._replies import expected_level, quote_reply, read_level, read_yes_no

__all__ = [
    "CANNOT_TELL",
    "LEVELS",
    "LEVELS_ASKED",
    "JudgePrompt",
    "expected_level",
    "judge_image",
    "quote_reply",
    "read_level",
    "read_yes_no",
]
