"""Colour codes for depth and normals, with decoders."""

from ._depth import DEPTH_CODES, OFF_CODE, Decoded, DepthCode, decode_depth, depth_code, encode_depth
from ._normals import SHORTEST, decode_normals, encode_normals
from ._prior import prior
from ._texts import CODES

__all__ = [
    "CODES",
    "DEPTH_CODES",
    "OFF_CODE",
    "SHORTEST",
    "Decoded",
    "DepthCode",
    "decode_depth",
    "decode_normals",
    "depth_code",
    "encode_depth",
    "encode_normals",
    "prior",
]
