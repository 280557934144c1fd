"""`nets/scripted-agent`: a program that answers the questions of the bench with tools, from the prompt alone."""

from ._plans import ScriptedAgent

__all__ = ["ScriptedAgent"]
