"""Small networks of our own at work: numpy alone, weights in the package, nothing loaded before it is needed.

`recognise` names what a drawing shows, or abstains. How the network was made and how far it can be trusted is in
docs/nets/drawing-recogniser.md.
"""

from ._canvas import CHANNELS, SIDE, encode, fit
from ._layers import softmax
from ._recogniser import HALVED_BEFORE, WEIGHTS, Recogniser, Recognition, load_recogniser, recognise, recogniser

__all__ = [
    "CHANNELS",
    "HALVED_BEFORE",
    "SIDE",
    "WEIGHTS",
    "Recogniser",
    "Recognition",
    "encode",
    "fit",
    "load_recogniser",
    "recognise",
    "recogniser",
    "softmax",
]
