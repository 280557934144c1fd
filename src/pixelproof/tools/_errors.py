"""Errors of tool calls: observations for the model, never exceptions of an episode."""

from __future__ import annotations

from enum import StrEnum


class ErrorCode(StrEnum):
    """Why a call has no result."""

    BAD_JSON = "BAD_JSON"  # the arguments are not a JSON object
    UNKNOWN_TOOL = "UNKNOWN_TOOL"
    BAD_ARGS = "BAD_ARGS"  # a missing, unknown or malformed argument
    OUT_OF_BOUNDS = "OUT_OF_BOUNDS"  # a coordinate outside 0..1000, or a frame that the clip does not have
    MISSING_PREREQ = "MISSING_PREREQ"  # `ref` is not an earlier result of the right kind
    WRONG_MODALITY = "WRONG_MODALITY"  # a tool for clips, called on a picture
    NOT_FOUND = "NOT_FOUND"  # there is no object at the place
    BUDGET = "BUDGET"  # calls, pixels, seconds, errors or repeats are used up
    BACKEND = "BACKEND"  # the back end failed, is not installed, or took too long


class ToolError(Exception):
    """A failed call: its code, and one sentence that says what is wrong and what to do."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
