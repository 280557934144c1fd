"""What is known of the right numbers without any photograph: floors answer with it.

Measured on 150 scenes of the split `train` by `benchmarks/understanding.py --priors`.
"""

from collections.abc import Mapping

FREQUENT: Mapping[str, str] = {"distance": "35", "count": "2", "what-if": "36"}
"""Skill → the number with the largest mean relative accuracy, if it is given to every question."""
QUANTILES: Mapping[str, tuple[int, ...]] = {
    "distance": (18, 22, 26, 32, 35, 42, 47, 55, 71),
    "count": (1, 1, 1, 2, 2, 2, 2, 3, 4),
    "what-if": (18, 23, 27, 33, 37, 42, 53, 61, 74),
}
"""Skill → right numbers at equal shares of their distribution."""
