"""Intervals, tests, calibration, ranks and sample sizes.

Inputs are rows of additive *states*: a metric is `finish(states.sum(axis=0))`, and a plain mean is the special
case `mean_states` with `finish_mean`. Rows of one cluster (one scene, one subject) are never treated as independent.
An interval that cannot be estimated is (nan, nan), never a point.
"""

from ._auc import auc, best_threshold
from ._best_of import best_of_k
from ._bounded import Bounds
from ._bradley_terry import Strengths, bradley_terry
from ._calibrated import calibrated_interval, calibrated_pooled_interval
from ._clusters import design_effect, finish_mean, mean_states
from ._comparison import comparison_interval
from ._correlation import correlation, correlations
from ._draws import derive_seed, generator
from ._exchange import advantage_test, fewest_for_exchange
from ._findings import (
    Contrast,
    Evidence,
    Finding,
    RunNumbers,
    RunSummary,
    Words,
    describe,
    interval_of,
    ranking,
    right_answers,
    standing,
)
from ._grouped import group_correlations
from ._intervals import difference_interval, mean_interval, pooled_difference_interval, pooled_interval
from ._logistic import logistic_map
from ._permutation import Assignment, PermutationResult, permutation_test
from ._power import detectable_difference, flip_power, items_needed
from ._proportions import clopper_pearson, wilson
from ._ranking import holm, tie_groups
from ._reliability import (
    IntraclassCorrelations,
    intraclass_correlations,
    krippendorff_alpha,
    rater_agreement,
    raters_needed,
)
from ._resampled import Resampled, combine, resample_statistic, resampled_correlations, resampled_group_means
from ._risk_coverage import RiskCoverage, risk_coverage
from ._sensitivity import subject_sensitivity
from ._sign_flips import FEWEST_CLUSTERS, Changes, Fall, Flips, Pairs, change_tests, fall_tests, flip_test
from ._undefined import Undefined
from ._weightings import Ratios

__all__ = [
    "FEWEST_CLUSTERS",
    "Assignment",
    "Bounds",
    "Changes",
    "Contrast",
    "Evidence",
    "Fall",
    "Finding",
    "Flips",
    "IntraclassCorrelations",
    "Pairs",
    "PermutationResult",
    "Ratios",
    "Resampled",
    "RiskCoverage",
    "RunNumbers",
    "RunSummary",
    "Strengths",
    "Undefined",
    "Words",
    "advantage_test",
    "auc",
    "best_of_k",
    "best_threshold",
    "bradley_terry",
    "calibrated_interval",
    "calibrated_pooled_interval",
    "change_tests",
    "clopper_pearson",
    "combine",
    "comparison_interval",
    "correlation",
    "correlations",
    "derive_seed",
    "describe",
    "design_effect",
    "detectable_difference",
    "difference_interval",
    "fall_tests",
    "fewest_for_exchange",
    "finish_mean",
    "flip_power",
    "flip_test",
    "generator",
    "group_correlations",
    "holm",
    "interval_of",
    "intraclass_correlations",
    "items_needed",
    "krippendorff_alpha",
    "logistic_map",
    "mean_interval",
    "mean_states",
    "permutation_test",
    "pooled_difference_interval",
    "pooled_interval",
    "ranking",
    "rater_agreement",
    "raters_needed",
    "resample_statistic",
    "resampled_correlations",
    "resampled_group_means",
    "right_answers",
    "risk_coverage",
    "standing",
    "subject_sensitivity",
    "tie_groups",
    "wilson",
]
