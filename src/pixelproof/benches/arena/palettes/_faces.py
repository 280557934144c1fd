"""The published palette of faces: the 19 labels of CelebAMask-HQ in PixelArena's colours."""

from __future__ import annotations

from pixelproof.pixels import Palette

FACES = Palette.from_json(
    {
        "background": (0, 0, 0),
        "skin": (204, 0, 0),
        "nose": (76, 153, 0),
        "eye_glass": (204, 204, 0),
        "left_eye": (51, 51, 255),
        "right_eye": (204, 0, 204),
        "left_eyebrow": (0, 255, 255),
        "right_eyebrow": (255, 204, 204),
        "left_ear": (102, 51, 0),
        "right_ear": (255, 0, 0),
        "mouth": (102, 204, 0),
        "upper_lip": (255, 255, 0),
        "lower_lip": (0, 0, 153),
        "hair": (0, 0, 204),
        "hat": (255, 51, 153),
        "ear_ring": (0, 204, 204),
        "necklace": (0, 51, 0),
        "neck": (255, 153, 51),
        "cloth": (0, 204, 0),
    }
)
