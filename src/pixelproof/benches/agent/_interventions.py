"""Interventions: what is withheld from an agent, or replaced, to find out what its answers depend on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pixelproof.contract import Call, Tool
from pixelproof.tools import NAMES, Backends, Budget, Media, Toolbox, ToolResult

NO_PICTURE, SHUFFLED, NO_TOOLS = "no-picture", "shuffled-evidence", "no-tools"
_REPLACED = "replaced-"
INTERVENTIONS = ("none", NO_PICTURE, SHUFFLED, NO_TOOLS, *(_REPLACED + name.lower() for name in NAMES))
"""`no-picture`: the question comes without the first view. `shuffled-evidence`: all calls are executed on another
picture, of the same task with another answer. `replaced-TOOL`: those of one tool are. `no-tools`: none is offered."""


def replaced_tools(intervention: str) -> frozenset[str]:
    """The tools whose results are about another picture.

    >>> sorted(replaced_tools("replaced-ocr"))
    ['OCR']
    """
    if intervention == SHUFFLED:
        return frozenset(NAMES)
    return frozenset({intervention.removeprefix(_REPLACED).upper()} & set(NAMES))


class SwappedToolbox(Toolbox):
    """A toolbox that executes the calls of some tools on other media.

    A reference of such a call to a result of this session stands for the result of the same call on the other media.

    Args:
        media: What the other tools work on.
        other: What the swapped tools work on; of the same kind and length.
        swapped: Names of tools.
        backends: As of `Toolbox`.
        budget: As of `Toolbox`.
    """

    def __init__(self, media: Media, other: Media, swapped: frozenset[str], backends: Backends, budget: Budget) -> None:
        super().__init__(media, backends, budget)
        self._other, self._swapped = Toolbox(other, backends, Budget(None, None, None)), swapped
        self._calls: list[Call] = []

    def call(self, call: Call) -> ToolResult:
        """Execute a call on the media of its tool. Never raises."""
        self._calls.append(call)
        if not isinstance(call.tool, str) or call.tool.strip().upper() not in self._swapped or self.exhausted:
            return super().call(call)
        result = self._other.call(Call(call.id, call.tool, self._translated(call.arguments)))
        self.results.append(result)
        return result

    def _translated(self, arguments: Mapping[str, Any] | str) -> Mapping[str, Any] | str:
        """Arguments whose reference names a result on the other media."""
        try:
            given = json.loads(arguments) if isinstance(arguments, str) else dict(arguments)
        except (TypeError, ValueError):  # the toolbox says what is wrong
            return arguments
        ref = given.get("ref") if isinstance(given, dict) else None
        if not isinstance(ref, str) or len(ref) < 6:
            return arguments
        for call, result in zip(self._calls, self.results, strict=False):
            if result.ok and result.result_digest.startswith(ref.lower()) and result.tool not in self._swapped:
                again = self._other.call(Call(call.id, call.tool, self._translated(call.arguments)))
                return {**given, "ref": again.ref}
        return arguments


class EmptyToolbox(Toolbox):
    """A toolbox without tools: every call fails."""

    def __init__(self, media: Media) -> None:
        super().__init__(media, budget=Budget(calls=0))

    @property
    def tools(self) -> tuple[Tool, ...]:
        """None."""
        return ()
