"""Meta-evaluation: how well a score of images agrees with people, beside what needs no pixels and what is possible.

- `read_scores` joins a table of scores to the images; `Reference` has floors and ceilings; `evaluate` measures.
- `compare_scores` tests two scores against each other.
- `floor_predictions`, `noise_ceiling`, `pair_accuracy`, `published`: the parts.
"""

from ._ceiling import (
    FLOORS,
    Ceiling,
    RaterScale,
    ceiling_of_votes,
    floor_predictions,
    noise_ceiling,
    recover_scale,
    recover_votes,
)
from ._compare import Difference, compare_scores
from ._evaluate import Evaluation, Reference, evaluate
from ._levels import AnswerAgreement, PairAccuracy, answer_agreement, component_questions, level_values, pair_accuracy
from ._published import Published, published
from ._scores import Problem, Scores, read_scores

__all__ = [
    "FLOORS",
    "AnswerAgreement",
    "Ceiling",
    "Difference",
    "Evaluation",
    "PairAccuracy",
    "Problem",
    "Published",
    "RaterScale",
    "Reference",
    "Scores",
    "answer_agreement",
    "ceiling_of_votes",
    "compare_scores",
    "component_questions",
    "evaluate",
    "floor_predictions",
    "level_values",
    "noise_ceiling",
    "pair_accuracy",
    "published",
    "read_scores",
    "recover_scale",
    "recover_votes",
]
