"""Bench `agent`: questions that are answered by acting on pixels, with evidence."""

from ._bench import Agent

__all__ = ["Agent"]
