"""Networks at work on a CPU, without torch; nothing is loaded before it is needed.

Our own, in numpy with the weights in the package: `recognise` names what a drawing shows, or abstains. How it was made
and how far it can be trusted is in docs/nets/drawing-recogniser.md.

Those of others, whose weights are assets: `Detector` finds things by name, `Sam2` cuts out what boxes show.
"""

from ._canvas import CHANNELS, SIDE, encode, fit
from ._detector import Box, Detection, Detector, offered_as
from ._layers import softmax
from ._recogniser import HALVED_BEFORE, WEIGHTS, Recogniser, Recognition, load_recogniser, recognise, recogniser
from ._sam2 import Mask, Sam2, Seen

__all__ = [
    "CHANNELS",
    "HALVED_BEFORE",
    "SIDE",
    "WEIGHTS",
    "Box",
    "Detection",
    "Detector",
    "Mask",
    "Recogniser",
    "Recognition",
    "Sam2",
    "Seen",
    "encode",
    "fit",
    "load_recogniser",
    "offered_as",
    "recognise",
    "recogniser",
    "softmax",
]
