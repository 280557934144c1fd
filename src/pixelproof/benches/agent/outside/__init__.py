"""Questions of others: published data sets, and folders of pictures or clips with questions."""

from ._question import VisualQuestion
from ._readers import READERS, read_items
from ._score import score_question

__all__ = ["READERS", "VisualQuestion", "read_items", "score_question"]
