"""The result envelope that all tools share, and its two digests."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Artefact, PixelProofError
from pixelproof.pixels import encode_png
from pixelproof.store import digest

from ._calls import ErrorCode, ParsedCall, ToolError

REF = 12
"""Characters of a result digest that models use as a reference."""
_DIGITS = 4


@dataclass(frozen=True)
class Observation:
    """What a tool found: evidence fit for JSON, confidence from 0 to 1 if it has one, and a picture for the model."""

    evidence: Mapping[str, Any]
    conf: float | None = 1.0
    picture: npt.NDArray[np.uint8] | None = None


@dataclass(frozen=True)
class Cost:
    """What a call cost."""

    ms: float = 0.0
    """Time of the back end in milliseconds; 0 for a cached result."""
    pixels: int = 0
    """Source pixels that were read."""


@dataclass(frozen=True)
class ToolResult:
    """The result of one call, or its error; an observation either way.

    `call_digest` covers the hashes of the source frames, the tool, the canonical arguments and the version of the back
    end: what is to be done. `result_digest` covers `call_digest`, evidence, confidence and the pixels of the picture,
    or the error's code: what came out. Cost and `repeat` belong to neither.
    """

    ok: bool
    tool: str
    args: Mapping[str, Any]
    """Canonical arguments; `{"raw": text}` if they could not be read."""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    conf: float | None = 0.0
    """Confidence from 0 to 1; None for SEG, whose masks look alike to it whether they are right or wrong."""
    cost: Cost = field(default=Cost(), compare=False)
    image: Artefact | None = field(default=None, repr=False, compare=False)
    image_sha256: str = ""
    """Hash of the picture's file, which is a PNG; a result that was read back has it without the picture."""
    call_digest: str = ""
    result_digest: str = ""
    backend: str = ""
    """Name and version of what executed the call."""
    error: ErrorCode | None = None
    message: str = ""
    """What is wrong and what to do, for an error."""
    repeat: bool = field(default=False, compare=False)
    """Whether the session already had this call: the result is the cached one."""

    @property
    def ref(self) -> str:
        """Short name of the result for later calls; empty for an error."""
        return self.result_digest[:REF] if self.ok else ""

    @property
    def text(self) -> str:
        """JSON for the model: no masks, no digests, but the reference and what it needs to go on."""
        if not self.ok:
            return _dumps({"ok": False, "tool": self.tool, "error": str(self.error), "message": self.message})
        shown = {key: value for key, value in self.evidence.items() if key not in ("mask", "pixels")}
        head = {"ok": True, "tool": self.tool, "ref": self.ref}
        head |= {} if self.conf is None else {"conf": self.conf}
        return _dumps(head | shown | ({"repeat": True} if self.repeat else {}))

    @property
    def parts(self) -> tuple[str | Artefact, ...]:
        """Parts of a tool's turn: the text, and the picture if there is one."""
        return (self.text,) if self.image is None else (self.text, self.image)

    def _repr_html_(self) -> str:
        """For notebooks: what the model gets."""
        picture = "" if self.image is None else f'<br><img src="{self.image.data_uri}" style="max-width: 100%">'
        return f"<code>{escape(self.text)}</code>{picture}"

    def to_json(self) -> dict[str, Any]:
        """The envelope as JSON values; of the picture, hash and media type."""
        image = {"sha256": self.image_sha256, "media_type": "image/png"} if self.image_sha256 else None
        return {
            "ok": self.ok,
            "tool": self.tool,
            "args": dict(self.args),
            "evidence": dict(self.evidence),
            "conf": self.conf,
            "cost": {"ms": self.cost.ms, "pixels": self.cost.pixels},
            "image": image,
            "call_digest": self.call_digest,
            "result_digest": self.result_digest,
            "backend": self.backend,
            "error": None if self.error is None else str(self.error),
            "message": self.message,
            "repeat": self.repeat,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any], image: Artefact | None = None) -> ToolResult:
        """Read an envelope; the picture is given separately, where it is wanted.

        Raises:
            PixelProofError: It is no envelope, or the picture is another one.
        """
        try:
            cost = Cost(float(value["cost"]["ms"]), int(value["cost"]["pixels"]))
            error = None if value["error"] is None else ErrorCode(value["error"])
            stored = "" if value["image"] is None else str(value["image"]["sha256"])
            if image is not None and stored != image.sha256:
                raise ValueError("the picture is another one")
            names = ("tool", "args", "evidence", "call_digest", "result_digest", "backend", "message")
            conf = None if value["conf"] is None else float(value["conf"])
            given = {name: value[name] for name in names}
            if not all(isinstance(given[name], dict if name in ("args", "evidence") else str) for name in names):
                raise TypeError("a field has the wrong type")
            return cls(
                ok=bool(value["ok"]), conf=conf, cost=cost, image=image, image_sha256=stored,
                error=error, repeat=bool(value["repeat"]), **given,
            )  # fmt: skip
        except (KeyError, TypeError, ValueError, OverflowError) as problem:
            raise PixelProofError(
                f"This is no result of a tool ({problem}): give an object that ToolResult.to_json wrote."
            ) from problem


def succeed(request: ParsedCall, outcome: Observation, call_digest: str, backend: str, cost: Cost) -> ToolResult:
    """The envelope of an outcome."""
    evidence = rounded(dict(outcome.evidence))
    conf = None if outcome.conf is None else round(min(max(float(outcome.conf), 0.0), 1.0), _DIGITS)
    content = [call_digest, evidence, conf, outcome.picture]
    image = None if outcome.picture is None else encode_png(outcome.picture, effort=4)
    key = "" if image is None else image.sha256
    return ToolResult(
        True, request.tool, request.args, evidence, conf, cost, image, key, call_digest, digest(content), backend
    )


def fail(request: ParsedCall, error: ToolError, call_digest: str, backend: str = "", cost: Cost = Cost()) -> ToolResult:  # noqa: B008
    """The envelope of an error."""
    return ToolResult(
        False, request.tool, request.args, cost=cost, call_digest=call_digest, backend=backend,
        result_digest=digest([call_digest, str(error.code)]), error=error.code, message=error.message,
    )  # fmt: skip


def repeated(result: ToolResult) -> ToolResult:
    """A cached result, flagged and without cost."""
    return replace(result, repeat=True, cost=Cost())


def rounded(value: Any) -> Any:
    """JSON values with floats rounded to four digits, so that storing them changes nothing.

    >>> rounded({"a": (1, 2 / 3), "b": np.float32(0.5)})
    {'a': [1, 0.6667], 'b': 0.5}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return round(value, _DIGITS) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): rounded(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(inner) for inner in value]
    return value


def _dumps(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
