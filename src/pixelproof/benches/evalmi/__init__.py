"""Text to image, judged by models and measured against people (EvalMi-50K and others).

`EvalMi` is the bench. `data` loads ratings, `meta` measures how well a score agrees with them, `votes` makes scores of
votes, `board` ranks generators by ratings; `simulated` is a judge of known error, to test the instrument.
"""

from pixelproof.benches.evalmi._bench import EvalMi

__all__ = ["EvalMi"]
