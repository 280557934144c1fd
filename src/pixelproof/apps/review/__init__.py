"""`pixelproof review`: a person accepts, fixes or rejects proposals in a browser, by keyboard.

- `read_batch`: a folder with `proposals.jsonl` and images as a `Batch`.
- `DecisionStore`: the decisions, in a database that survives kill -9 and power cuts.
- `serve_review`: the server. `write_export`: accepted and rejected proposals as files.
"""

from ._batch import PROPOSALS, Batch, Proposal, read_batch, write_batch
from ._decisions import VERDICTS, Decision, DecisionStore, Exported, write_export
from ._server import USUAL_PORT, serve_review

__all__ = [
    "PROPOSALS",
    "USUAL_PORT",
    "VERDICTS",
    "Batch",
    "Decision",
    "DecisionStore",
    "Exported",
    "Proposal",
    "read_batch",
    "serve_review",
    "write_batch",
    "write_export",
]
