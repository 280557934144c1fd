"""The trainer of the drawing recogniser: `python -m pixelproof.learn.drawing train` and `evaluate`."""
