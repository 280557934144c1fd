"""Pictures: safe reading of files that nobody vouches for, and exact writing."""

from ._headers import media_type_of
from ._reading import ImageError, read_image
from ._writing import encode_indexed_png, encode_png

__all__ = ["ImageError", "encode_indexed_png", "encode_png", "media_type_of", "read_image"]
