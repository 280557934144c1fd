"""Pixel art: draw a subject as a palette and a grid of indices, in strict JSON."""

from pixelproof.benches.pixelart._bench import PixelArt

__all__ = ["PixelArt"]
