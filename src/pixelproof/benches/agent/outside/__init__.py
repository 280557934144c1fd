"""Questions of others: published data sets, and folders of pictures or clips with questions."""

from ._question import VisualQuestion, score_question
from ._readers import READERS, read_items

__all__ = ["READERS", "VisualQuestion", "read_items", "score_question"]
