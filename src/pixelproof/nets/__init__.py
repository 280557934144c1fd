"""Small models at inference on a CPU, without torch; nothing is loaded before it is needed.

A `Net` answers prompts under the name `nets/NAME`; packages register theirs under the entry-point group
`pixelproof.nets` (a factory without arguments). Ours are `kmeans`, `ssd-sam2`, and the editors `cut-paste`,
`cut-paste-migan`, `cut-paste-sam2` and `cut-paste-sam2-migan`.

`recognise` classifies drawings, or abstains; its weights are in the package (docs/nets/drawing-recogniser.md).
`Detector` (SSD-MobileNetV3), `Sam2`, `Migan` and `TextReader` (PP-OCRv6) run published weights, which are assets.
"""

from ._cut_paste import CANNOT_EDIT, CutPaste, Migan, cut_paste, cut_paste_migan, cut_paste_sam2, cut_paste_sam2_migan
from ._edit_inputs import AnnotatedThing, EditInputs, GroundView
from ._kmeans import KMeansNet, kmeans_regions, label_by_border
from ._net import GROUP, Net, SegmentationInputs, available_nets, get_net, require_data, require_task
from ._recogniser import (
    CHANNELS,
    HALVED_BEFORE,
    SIDE,
    WEIGHTS,
    Recogniser,
    Recognition,
    encode,
    fit,
    load_recogniser,
    recognise,
    recogniser,
    softmax,
)
from ._specialists import Box, DetectAndSegment, Detection, Detector, Embedding, Mask, Sam2, match_label
from ._text_reader import TextLine, TextReader, decode_ctc
from ._weights import dequantise, quantise, read_weights, write_weights

__all__ = [
    "CANNOT_EDIT",
    "CHANNELS",
    "GROUP",
    "HALVED_BEFORE",
    "SIDE",
    "WEIGHTS",
    "AnnotatedThing",
    "Box",
    "CutPaste",
    "DetectAndSegment",
    "Detection",
    "Detector",
    "EditInputs",
    "Embedding",
    "GroundView",
    "KMeansNet",
    "Mask",
    "Migan",
    "Net",
    "Recogniser",
    "Recognition",
    "Sam2",
    "SegmentationInputs",
    "TextLine",
    "TextReader",
    "available_nets",
    "cut_paste",
    "cut_paste_migan",
    "cut_paste_sam2",
    "cut_paste_sam2_migan",
    "decode_ctc",
    "dequantise",
    "encode",
    "fit",
    "get_net",
    "kmeans_regions",
    "label_by_border",
    "load_recogniser",
    "match_label",
    "quantise",
    "read_weights",
    "recognise",
    "recogniser",
    "require_data",
    "require_task",
    "softmax",
    "write_weights",
]
