"""From votes to mean opinion scores: screening, z-scores, maximum likelihood, reliability.

- `read_votes`, `analyse_votes`: the whole analysis of a table of votes.
- `opinion_scores`: ITU-R BT.500 with z-scores; `fit_raters`: bias and inconsistency of raters by maximum likelihood.
"""

from ._analysis import Rater, VoteAnalysis, analyse_votes
from ._read import PairVotes, Votes, read_pairs, read_votes
from ._scores import Likelihood, OpinionScores, fit_raters, opinion_scores

__all__ = [
    "Likelihood",
    "OpinionScores",
    "PairVotes",
    "Rater",
    "VoteAnalysis",
    "Votes",
    "analyse_votes",
    "fit_raters",
    "opinion_scores",
    "read_pairs",
    "read_votes",
]
