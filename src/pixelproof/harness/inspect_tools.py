"""The six tools as tools of Inspect AI, for its own agents and solvers."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.to_thread
from inspect_ai.tool import ContentImage, ContentText, Tool, ToolDef, ToolParams

from pixelproof.contract import Artefact, Call
from pixelproof.contract import Tool as PixelTool
from pixelproof.tools import Toolbox

__all__ = ["inspect_tools"]


def inspect_tools(toolbox: Toolbox) -> list[Tool]:
    """The tools of a toolbox for Inspect AI, such as `react(tools=inspect_tools(Toolbox(open_media(path))))`.

    One toolbox serves one sample: it keeps results, which later calls refer to, and the budget. Errors are results that
    the model reads. `toolbox.results` has every result with its digests.

    Args:
        toolbox: Executes the calls.
    """
    alone = anyio.Lock()
    return [_tool(tool, toolbox, alone) for tool in toolbox.tools]


def _tool(tool: PixelTool, toolbox: Toolbox, alone: anyio.Lock) -> Tool:
    async def execute(**arguments: Any) -> list[ContentText | ContentImage]:
        given = {name: value for name, value in arguments.items() if value is not None}
        async with alone:  # a toolbox is not for several calls at once
            call = Call(f"call-{len(toolbox.results)}", tool.name, given)
            result = await anyio.to_thread.run_sync(toolbox.call, call)
        return [_content(part) for part in result.parts]

    parameters = ToolParams.model_validate(dict(tool.parameters))
    return ToolDef(execute, tool.name, tool.about, parameters, parallel=False).as_tool()


def _content(part: str | Artefact) -> ContentText | ContentImage:
    return ContentText(text=part) if isinstance(part, str) else ContentImage(image=part.data_uri)
