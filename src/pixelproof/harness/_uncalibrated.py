"""Benches that the package runs for itself: without controls, so that nothing is calibrated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from pixelproof.contract import Bench, Control, Source
from pixelproof.harness._opened import Run
from pixelproof.harness._plan import Plan
from pixelproof.harness._progress import Progress
from pixelproof.harness._run import run
from pixelproof.options import Decoding, ModelName, Settings


@dataclass(frozen=True)
class UncalibratedBench(Bench):
    """A bench of one kind of file, without controls."""

    version: ClassVar[str] = "1.0"

    def controls(self) -> Mapping[str, Control]:
        """None."""
        return {}

    def run(
        self,
        file: Path,
        model: ModelName,
        decoding: Decoding | None = None,
        settings: Settings | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """Ask a model about a file, of the bench's only source."""
        (source,) = self.sources
        uncalibrated = replace(settings or Settings(), calibrate=0)
        return run(Plan(self, Source(source, file)), model, decoding, settings=uncalibrated, progress=progress)
