"""Pictures: safe reading of files that nobody vouches for, exact writing, palettes, and labels from colours."""

from ._cells import Space
from ._compiled import compiled, kernels, numpy_alone
from ._declared import declared_palette
from ._decoders import DECODERS, Decoded, Decoder
from ._decoding import nearest, nearest_distance
from ._headers import media_type_of
from ._labels import LabelError, encode_labels, is_label_map, read_labels
from ._oklab import oklab
from ._palette import VOID, Palette
from ._reading import ImageError, read_both, read_image
from ._writing import encode_indexed_png, encode_png

__all__ = [
    "DECODERS",
    "VOID",
    "Decoded",
    "Decoder",
    "ImageError",
    "LabelError",
    "Palette",
    "Space",
    "compiled",
    "declared_palette",
    "encode_indexed_png",
    "encode_labels",
    "encode_png",
    "is_label_map",
    "kernels",
    "media_type_of",
    "nearest",
    "nearest_distance",
    "numpy_alone",
    "oklab",
    "read_both",
    "read_image",
    "read_labels",
]
