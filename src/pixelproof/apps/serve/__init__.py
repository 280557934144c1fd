"""`pixelproof serve`: the report of runs, up to date while they go on."""

from ._server import LiveReport, serve_runs

__all__ = ["LiveReport", "serve_runs"]
