"""Procedural scenes with exact truth: from a seed, on a CPU, with wheels alone."""
