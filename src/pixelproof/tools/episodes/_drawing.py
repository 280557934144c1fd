"""The evidence of a step: drawn over its frames, and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.tools._evidence import render_evidence
from pixelproof.tools._media import Media
from pixelproof.tools._result import ToolResult


def draw_step(media: Media, result: ToolResult) -> npt.NDArray[np.uint8] | None:
    """The evidence of a result over its frames, as `render_evidence` draws it; None if it does not fit the media.

    Evidence of a trace that was damaged, or that is about another clip, need not have a frame or a box that exists.
    """
    try:
        return render_evidence(media, result)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, PixelProofError):
        return None


def evidence_text(result: ToolResult) -> str:
    """The evidence of a result in one line.

    >>> evidence_text(ToolResult(True, "PROP", {}, {"colour_word": "red", "area": 0.25, "box": [0, 0, 500, 500]}, 1.0))
    'red, 25.0 % of the frame, box 0 0 500 500'
    """
    if not result.ok:
        return f"{result.error}: {result.message}"
    evidence = result.evidence
    parts = []
    if "text" in evidence:
        parts.append(f"reads {str(evidence['text'])!r}" if evidence["text"] else "no text")
    if "colour_word" in evidence:
        parts.append(str(evidence["colour_word"]))
    if isinstance(evidence.get("area"), float | int) and 0 <= evidence["area"] <= 1:
        parts.append(f"{100 * evidence['area']:.1f} % of the frame")
    if isinstance(evidence.get("centroid"), list):
        parts.append("centroid " + " ".join(map(str, evidence["centroid"])))
    if isinstance(evidence.get("aspect"), float | int):
        parts.append(f"aspect {evidence['aspect']:.2f}")
    if isinstance(evidence.get("border"), bool):
        parts.append("touches the border" if evidence["border"] else "inside the frame")
    if isinstance(evidence.get("box"), list):
        parts.append("box " + " ".join(map(str, evidence["box"])))
    if isinstance(evidence.get("frames"), list) and evidence["frames"]:
        frames = evidence["frames"]
        parts.append(f"frames {frames[0]} to {frames[-1]}" if result.tool == "TRK" else f"frames {_listed(frames)}")
    if isinstance(evidence.get("visible"), list):
        parts.append(f"visible in {sum(map(bool, evidence['visible']))} of {len(evidence['visible'])}")
    if result.conf < 1:
        parts.append(f"confidence {result.conf:.2f}")
    return ", ".join(parts)


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(map(str, values))
