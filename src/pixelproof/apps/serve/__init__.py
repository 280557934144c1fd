"""`pixelproof serve`: the report of runs, up to date while they go on."""

from ._live import LiveReport
from ._server import serve_runs

__all__ = ["LiveReport", "serve_runs"]
