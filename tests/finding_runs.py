"""Summaries of runs that rules of sentences are tried on."""

from pixelproof.stats import Contrast, RunNumbers


def numbers(value, lo, hi, n=40, floor=0.0, ceiling=1.0, faults=0.0, reason=None):
    """A metric of `summary.json`; its calibrated value follows from floor and ceiling."""

    def scaled(x):
        return None if x is None else (x - floor) / (ceiling - floor)

    calibrated = None if reason else {"value": scaled(value), "lo": scaled(lo), "hi": scaled(hi)}
    return {"value": value, "lo": lo, "hi": hi, "n": n, "floor": floor, "ceiling": ceiling, "faults": faults,
            "calibrated": calibrated, "calibrated_reason": reason}  # fmt: skip


def numbers_of(name, metrics, n=40, faulty=0, completed=None, control=False):
    completed = n if completed is None else completed
    counts = {"planned": n, "completed": completed, "model_faults": faulty}
    return RunNumbers(name, control, {"counts": counts, "metrics": metrics, "failures": {"not-json": faulty}})


def contrast(metric, better="", items=40, needed=None, runs=("A", "B")):
    return Contrast(frozenset(runs), metric, better, items, needed)
