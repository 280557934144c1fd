"""Images: safe reading, exact writing, palettes, label maps, colour decoding, and what benches show of them.

To read: `read_image`, `read_labels`, `read_answer` (an answer's image in the reference's size, or a named failure),
`answer_image` (the same in its own size).
To write: `encode_png`, `encode_indexed_png`, `encode_labels`. To show: `thumbnail`, `render_labels`, `error_map`,
`overlay_labels`. To simulate what a perfect answer goes through: `ImageChannel`; to detect it: `detect_channel`.
"""

from ._answers import ANSWER_FORMS, AnswerImage, answer_image, read_answer
from ._boxes import Box, bounding_box
from ._cells import Space
from ._channel import POSTERISATIONS, ImageChannel, blur, posterise
from ._channel_detection import detect_channel, find_posterisation
from ._clips import clip_frames
from ._compiled import compile_first, compiled, kernels, numpy_alone
from ._decoders import DECODERS, Decoded, Decoder
from ._decoding import colour_distance, nearest, nearest_distance
from ._fitting import FIT_POLICIES, fit_size
from ._headers import ends_early, media_type_of
from ._kernel_cache import is_compiled
from ._label_images import error_map, overlay_labels, render_labels
from ._labels import LabelError, encode_labels, is_label_map, read_labels
from ._legend import declared_palette
from ._oklab import oklab, oklab_to_rgb
from ._palette import VOID, Labels, Palette, void_of
from ._reading import ImageError, read_image, shown_pixels
from ._srgb import linear_to_srgb, srgb_to_linear
from ._thumbnail import thumbnail
from ._writing import encode_indexed_png, encode_png

__all__ = [
    "ANSWER_FORMS",
    "DECODERS",
    "FIT_POLICIES",
    "POSTERISATIONS",
    "VOID",
    "AnswerImage",
    "Box",
    "Decoded",
    "Decoder",
    "ImageChannel",
    "ImageError",
    "LabelError",
    "Labels",
    "Palette",
    "Space",
    "answer_image",
    "blur",
    "bounding_box",
    "colour_distance",
    "clip_frames",
    "compile_first",
    "compiled",
    "declared_palette",
    "detect_channel",
    "encode_indexed_png",
    "encode_labels",
    "encode_png",
    "ends_early",
    "error_map",
    "find_posterisation",
    "fit_size",
    "is_compiled",
    "is_label_map",
    "kernels",
    "linear_to_srgb",
    "media_type_of",
    "nearest",
    "nearest_distance",
    "numpy_alone",
    "oklab",
    "oklab_to_rgb",
    "overlay_labels",
    "posterise",
    "read_answer",
    "read_image",
    "read_labels",
    "render_labels",
    "shown_pixels",
    "srgb_to_linear",
    "thumbnail",
    "void_of",
]
