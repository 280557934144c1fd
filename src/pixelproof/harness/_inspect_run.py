"""Runs a plan through Inspect, into a run directory of ours."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from pixelproof.contract import PixelProofError
from pixelproof.harness._inspect_ai import inspect_ai, log
from pixelproof.harness._inspect_guard import clean_logs
from pixelproof.harness._inspect_messages import one_line
from pixelproof.harness._inspect_providers import inspect_name
from pixelproof.harness._inspect_recipe import follow, forget, recipe_of
from pixelproof.harness._inspect_session import RETRIES, SESSION, RunSession
from pixelproof.harness._inspect_task import JUDGE, build_task
from pixelproof.harness._ledger import Ledger
from pixelproof.harness._plan import Plan, order_of
from pixelproof.harness._progress import Progress
from pixelproof.harness._rundir import RunDirectory
from pixelproof.options import Decoding

MAX_LOGGED_PICTURES = 2_000
"""Runs with more asks leave images out of Inspect's log; the run directory always has them."""
CALL_RETRIES = 5
CALL_TIMEOUT = 600


def run_inspect(
    run: RunDirectory,
    plan: Plan,
    model: str,
    decoding: Decoding,
    ledger: Ledger,
    progress: Progress,
    judge: str | None = None,
    connections: int | None = None,
    timeout: int = CALL_TIMEOUT,
) -> None:
    """Ask an Inspect model whatever a run directory lacks; each answer is stored as soon as it arrives.

    Returns when everything has been asked or the budget is spent.

    Raises:
        PixelProofError: The model cannot be used, or the store fails.
        KeyboardInterrupt: Raised after all answers so far are stored.
    """
    if decoding.decoding != "free":
        raise PixelProofError(f"{model} cannot decode by {decoding.decoding}: only local models (gguf/…) can.")
    _, items = follow(recipe_of(plan))
    asked = [index for index, _ in items.values() if plan.asks_item(index)]
    lacking = sum(order_of(index, k) not in run.answers for index in asked for k in range(plan.samples))
    if not lacking:
        return
    slots = connections if ledger.max_cost is not None else None
    session = RunSession(run, ledger, progress, lacking <= MAX_LOGGED_PICTURES, slots)
    task = build_task(plan, session=session)
    token = SESSION.set(session)
    try:
        with _kept_to_itself(), clean_logs():
            logs = inspect_ai.eval(
                task,
                model=model,
                model_roles=None if judge is None else {JUDGE: inspect_name(judge)},
                log_dir=str(run.path / "logs"),
                log_images=session.pictures,
                log_header_only=True,
                log_realtime=False,
                log_model_api=False,
                log_level="notset",
                display="none",
                score_display=False,
                ctl_server=False,
                fail_on_error=False,
                retry_on_error=RETRIES,
                max_retries=CALL_RETRIES,
                timeout=timeout,
                max_connections=connections,
                max_tokens=decoding.max_tokens,
                temperature=decoding.temperature,
            )
    except PixelProofError:
        raise
    except Exception as error:  # failed samples do not end an evaluation, so this is an error of the set-up
        raise explained(model if judge is None else f"{model} (or the judge {judge})", error) from error
    finally:
        SESSION.reset(token)
        forget()
    _conclude(session, logs)


def _conclude(session: RunSession, logs: list[log.EvalLog]) -> None:
    """Raise the error that stopped an evaluation, if any."""
    if session.broken is not None:
        raise session.broken
    if not logs or logs[0].status == "cancelled":
        raise KeyboardInterrupt
    if logs[0].error is not None:
        reason = one_line(logs[0].error.message)
        raise PixelProofError(f"Inspect stopped ({reason}): read {logs[0].location}, then continue with --resume.")


def explained(model: str, error: Exception) -> PixelProofError:
    """The error for a model that cannot be used: no such provider, no key, a missing package."""
    return PixelProofError(f"The model {model} cannot be used: {one_line(str(error)) or type(error).__name__}")


@contextmanager
def _kept_to_itself() -> Iterator[None]:
    """Keep Inspect's traces and notices out of the user's home directory."""
    before = os.environ.get("XDG_DATA_HOME")
    os.environ["XDG_DATA_HOME"] = _scratch()
    try:
        yield
    finally:
        if before is None:
            del os.environ["XDG_DATA_HOME"]
        else:
            os.environ["XDG_DATA_HOME"] = before


@cache
def _scratch() -> str:
    # Inspect opens its trace file once per process and closes it at exit; this runs after that.
    directory = tempfile.mkdtemp(prefix="pixelproof-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory
