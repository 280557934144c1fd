"""Small models at inference on a CPU, without torch; nothing is loaded before it is needed.

A `Net` answers prompts under the name `nets/NAME`; packages register theirs under the entry-point group
`pixelproof.nets` (a factory without arguments). Ours are `kmeans` and `ssd-sam2`.

`recognise` classifies drawings, or abstains; its weights are in the package (docs/nets/drawing-recogniser.md).
`Detector` (SSD-MobileNetV3), `Sam2` and `TextReader` (PP-OCRv6) run published weights, which are assets.
"""

from ._canvas import CHANNELS, SIDE, encode, fit
from ._detector import Box, Detection, Detector, match_label
from ._kmeans import KMeansNet, kmeans_regions, label_by_border
from ._layers import softmax
from ._net import GROUP, Net, SegmentationInputs, available_nets, get_net, require_data, require_task
from ._recogniser import HALVED_BEFORE, WEIGHTS, Recogniser, Recognition, load_recogniser, recognise, recogniser
from ._sam2 import Embedding, Mask, Sam2
from ._ssd_sam2 import DetectAndSegment
from ._text_reader import TextLine, TextReader, decode_ctc

__all__ = [
    "CHANNELS",
    "GROUP",
    "HALVED_BEFORE",
    "SIDE",
    "WEIGHTS",
    "Box",
    "DetectAndSegment",
    "Detection",
    "Detector",
    "Embedding",
    "KMeansNet",
    "Mask",
    "Net",
    "Recogniser",
    "Recognition",
    "Sam2",
    "SegmentationInputs",
    "TextLine",
    "TextReader",
    "available_nets",
    "decode_ctc",
    "encode",
    "fit",
    "get_net",
    "kmeans_regions",
    "label_by_border",
    "load_recogniser",
    "match_label",
    "recognise",
    "recogniser",
    "require_data",
    "require_task",
    "softmax",
]
