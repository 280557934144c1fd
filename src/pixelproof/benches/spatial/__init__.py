"""Spatially grounded editing."""
