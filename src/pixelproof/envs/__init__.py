"""A bench as something to learn from: items of a split, play step by step, rewards, and what cheats are paid.

`open_environment` opens a bench by its name. Its `play(item)` is a conversation that the caller advances, and its
`reward(item, answer)` the score of one answer between the best blind strategy and the perfect answer. The faces for
TRL, verifiers and OpenEnv, modules of those names, are made of these alone; each needs its own extra.
"""

from ._audit import CHEATS, Audit, Payment, audit
from ._environment import Environment, Play, open_environment
from ._rewards import Reward, Scale, measure_scales
from ._shaping import shaping_terms

__all__ = [
    "CHEATS",
    "Audit",
    "Environment",
    "Payment",
    "Play",
    "Reward",
    "Scale",
    "audit",
    "measure_scales",
    "open_environment",
    "shaping_terms",
]
