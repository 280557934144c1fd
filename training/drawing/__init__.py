"""The trainer of the drawing recogniser: `python -m training.drawing train` and `evaluate`."""
