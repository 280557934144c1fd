"""PixelProof measures, with pixel precision, how well generative models command pixels.

>>> import pixelproof as pp, tempfile
>>> run = pp.run("pixelart", model="control/ceiling-truth", limit=2, out=tempfile.mkdtemp() + "/run")
>>> run.summary["metrics"]["strict.renders"]["value"]
1.0
"""

from ._api import ask, compare, merge, open_run, repair, report, rescore, run, score
from .contract import PixelProofError

__version__ = "0.1.0"

__all__ = [
    "PixelProofError",
    "__version__",
    "ask",
    "compare",
    "merge",
    "open_run",
    "repair",
    "report",
    "rescore",
    "run",
    "score",
]
