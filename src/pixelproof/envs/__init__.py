"""A bench as something to learn from: items of a split, play step by step, rewards, and what cheats are paid.

`open_environment` opens a bench by its name. Its `play(item)` is a conversation that the caller advances, and its
`reward(item, answer)` the score of one answer between the best blind strategy and the perfect answer. The faces for
TRL, verifiers and OpenEnv, modules of those names, are made of these alone; each needs its own extra.
"""

from ._audit import CHEATS, Audit, Payment, audit
from ._data import DataRecipe, Written, make_data, plan_data, write_shard
from ._environment import Environment, Play, open_environment
from ._like import Likeness
from ._rewards import Reward, Scale, measure_scales
from ._rows import Layout, Row
from ._shaping import shaping_terms

__all__ = [
    "CHEATS",
    "Audit",
    "DataRecipe",
    "Environment",
    "Layout",
    "Likeness",
    "Payment",
    "Play",
    "Reward",
    "Row",
    "Scale",
    "Written",
    "audit",
    "make_data",
    "measure_scales",
    "open_environment",
    "plan_data",
    "shaping_terms",
    "write_shard",
]
