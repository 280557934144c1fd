"""The process that holds a lock, as its file names it to processes of this machine and of others."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from ._digest import digest

_FIRST_SPACE = "pid:[4026531836]"
"""The space of process numbers outside of containers, on every Linux."""


@dataclass(frozen=True)
class Holder:
    """A process on a machine."""

    pid: int
    host: str
    machine: str
    """Boot of the machine and its space of process numbers, in which `pid` is unique."""
    started: str
    """When the process started, by the clock of its machine; distinguishes processes of one number. May be empty."""
    since: str

    @classmethod
    def here(cls) -> Holder:
        """This process."""
        pid = os.getpid()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(pid, socket.gethostname(), _machine(), _start_of(pid), now)

    @classmethod
    def parse(cls, text: str) -> Holder | None:
        """The holder that a lock file names; None if it names none."""
        try:
            return cls(**json.loads(text))
        except (ValueError, TypeError):
            return None

    def encoded(self) -> bytes:
        """As `parse` reads it."""
        return json.dumps(asdict(self)).encode()

    @property
    def elsewhere(self) -> bool:
        """Whether it is on another machine, or in another container, whose processes cannot be seen from here."""
        return not self._before_boot and (self.host, self.machine) != (socket.gethostname(), _machine())

    @property
    def _before_boot(self) -> bool:
        """Whether this machine, not a container on it, was started again since."""
        boot, _, space = _machine().partition("/")
        earlier, _, its_space = self.machine.partition("/")
        return self.host == socket.gethostname() and boot != earlier and space == its_space == _FIRST_SPACE

    def runs(self) -> bool:
        """Whether the process runs on this machine."""
        if self.elsewhere or self._before_boot:
            return False
        try:
            os.kill(self.pid, 0)
        except PermissionError:  # it runs, as another user
            pass
        except (OSError, OverflowError):
            return False
        return not self.started or self.started == _start_of(self.pid)

    def __str__(self) -> str:
        return f"pid {self.pid} on {self.host}, since {self.since}"


@cache
def _machine() -> str:
    """Boot and space of process numbers, `BOOT/SPACE`; what a system does not tell is empty."""
    try:
        boot = digest(Path("/proc/sys/kernel/random/boot_id").read_text("ascii"))[:12]
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return "/"


def _start_of(pid: int) -> str:
    """When a process started, in ticks since the boot; empty where the system does not tell."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
