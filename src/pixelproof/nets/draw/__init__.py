"""The drawing model at inference: a subject's text to a palette and a grid of indices, in numpy."""

from ._decoder import BASE, PLACE_SIZES, PLACES, Decoder
from ._net import CANNOT_DRAW, WEIGHTS, DrawingForm, DrawNet
from ._tokens import BEGIN, COLOUR0, END_PALETTE, LONGEST, SIDE, Canvas, Vocabulary, encode_grid

__all__ = [
    "BASE",
    "BEGIN",
    "CANNOT_DRAW",
    "COLOUR0",
    "END_PALETTE",
    "LONGEST",
    "PLACES",
    "PLACE_SIZES",
    "SIDE",
    "WEIGHTS",
    "Canvas",
    "Decoder",
    "DrawNet",
    "DrawingForm",
    "Vocabulary",
    "encode_grid",
]
