"""Runs a bench on a model: natively, or through Inspect AI for models behind an API."""

from pixelproof.options import RunOptions, Settings

from ._batch import Game, Played, play_batch
from ._calls import CallTable
from ._card import options_of
from ._channels import describe_channels
from ._compare import Comparison, Difference, NothingInCommon, compare, comparison_to_json
from ._estimate import estimate
from ._frames import BlobUse, image_id
from ._gate import Check, Gate, Losses, Outcome, Verdict, check_limits
from ._judge import OpenJudge, open_judge
from ._ledger import BudgetSpent, Ledger, Prices
from ._listing import RunInfo, find_runs, list_runs
from ._merge import merge
from ._opened import Run, bench_of
from ._partial import partial_summary
from ._plan import Ask, Plan, Shard, plan_run
from ._progress import Progress, Silent
from ._repair import Repair, find_damage, repair
from ._run import dump, rescore, run
from ._run_card import Card, RunCard, RunState
from ._rundir import no_run
from ._scoring import score as score_answer
from ._split import SPLITS, TRAINING_SEEDS, list_split, split_filter
from ._summary import describe_faults

__all__ = [
    "SPLITS",
    "TRAINING_SEEDS",
    "Ask",
    "BlobUse",
    "BudgetSpent",
    "CallTable",
    "Card",
    "Check",
    "Comparison",
    "Difference",
    "Gate",
    "Game",
    "Ledger",
    "Losses",
    "Outcome",
    "NothingInCommon",
    "OpenJudge",
    "Plan",
    "Played",
    "Prices",
    "Progress",
    "Repair",
    "Run",
    "RunCard",
    "RunInfo",
    "RunOptions",
    "RunState",
    "Settings",
    "Shard",
    "Silent",
    "Verdict",
    "bench_of",
    "check_limits",
    "compare",
    "comparison_to_json",
    "describe_channels",
    "describe_faults",
    "dump",
    "estimate",
    "find_damage",
    "find_runs",
    "image_id",
    "list_runs",
    "list_split",
    "merge",
    "no_run",
    "open_judge",
    "options_of",
    "partial_summary",
    "plan_run",
    "play_batch",
    "repair",
    "rescore",
    "run",
    "split_filter",
    "score_answer",
]
