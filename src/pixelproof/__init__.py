"""PixelProof measures, with pixel precision, how well generative models command pixels."""

__version__ = "0.1.0"
