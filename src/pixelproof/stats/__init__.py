"""Intervals, tests, calibration, ranks and sample sizes.

Inputs are rows of additive *states*: a metric is `finish(states.sum(axis=0))`, and a plain mean is the special
case `mean_states` with `finish_mean`. Rows of one cluster (one scene, one subject) are never treated as independent.
An interval that cannot be estimated is (nan, nan), never a point.
"""

from ._best_of import best_of_k
from ._bootstrap import bootstrap, bootstrap_jointly, estimate, estimate_mean
from ._calibration import calibrate, calibrated_difference
from ._clusters import design_effect, finish_mean, mean_states
from ._correlation import correlation
from ._draws import derive_seed, generator
from ._paired import paired_difference, paired_permutation
from ._pooled_pairs import pooled_difference, pooled_permutation
from ._power import detectable_difference, items_needed
from ._proportions import clopper_pearson, wilson
from ._ranking import holm, tie_groups
from ._sensitivity import subject_sensitivity

__all__ = [
    "best_of_k",
    "bootstrap",
    "bootstrap_jointly",
    "calibrate",
    "calibrated_difference",
    "clopper_pearson",
    "correlation",
    "derive_seed",
    "design_effect",
    "detectable_difference",
    "estimate",
    "estimate_mean",
    "finish_mean",
    "generator",
    "holm",
    "items_needed",
    "mean_states",
    "paired_difference",
    "paired_permutation",
    "pooled_difference",
    "pooled_permutation",
    "subject_sensitivity",
    "tie_groups",
    "wilson",
]
