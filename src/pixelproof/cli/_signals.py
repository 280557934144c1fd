"""Signals that stop the program."""

from __future__ import annotations

import signal
from types import FrameType


def stop_on_signals() -> None:
    """Make SIGTERM and SIGHUP stop the program as Ctrl-C does: answers are kept, and the run can be resumed.

    A signal that is ignored at the start stays ignored: SIGHUP under `nohup`, SIGINT for a command in the background
    of a script. Such a command is stopped with SIGTERM.
    """
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if callable(signal.getsignal(signal.SIGINT)):  # that of an event loop cancels its tasks first
        signal.raise_signal(signal.SIGINT)
    else:
        raise KeyboardInterrupt
