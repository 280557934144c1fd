"""A session of tool calls on one picture or clip: execution, references, budgets, repeats, digests."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pixelproof.contract import Call, PixelProofError, Tool, Turn
from pixelproof.pixels import bounding_box
from pixelproof.store import digest

from ._backends import Backends, describe
from ._calls import TOOLS, ErrorCode, ParsedCall, ToolError, parse_call
from ._geometry import decode_mask, encode_mask, grid_box, pixel_box, pixel_point
from ._media import Media
from ._plain_tools import VERSION, prop, temp, zoom
from ._result import Cost, Observation, ToolResult, fail, repeated, succeed

LONGEST_TRACK = 1024
"""Frames of one TRK call."""
_SHORTEST_REF = 6
_RAW = 2000
"""Characters of unreadable arguments that a result keeps."""


@dataclass(frozen=True)
class Budget:
    """What a session may spend. None: unlimited."""

    calls: int | None = 8
    """Calls, failed and repeated ones included."""
    errors: int | None = 2
    """Consecutive errors; one more call is refused, and the session is over."""
    repeats: int | None = 2
    """Identical calls: all but the first return the cached result, flagged."""
    pixels: int | None = 512_000_000
    """Source pixels, of all calls together."""
    seconds: float | None = 120.0
    """Time of back ends, of all calls together."""
    timeout: float | None = 60.0
    """Time of a single call."""


@dataclass(frozen=True)
class _Job:
    """A checked request: what to run, and what its digest covers."""

    request: ParsedCall
    version: str
    frames: tuple[int, ...]
    run: Callable[[], Observation]


class Toolbox:
    """Executes calls on one picture or clip and keeps their results. Not for use from several threads at once.

    Args:
        media: What the tools work on.
        backends: Back ends of SEG, OCR and TRK; the defaults, if left out.
        budget: What the session may spend.
        cache: Results by call digest, for sharing between sessions; a new dictionary, if left out. A result from a
            shared cache is no repeat unless this session had the call before.

    >>> from pixelproof.contract import Call
    >>> toolbox = Toolbox(Media(np.zeros((64, 64, 3), np.uint8)))
    >>> result = toolbox.call(Call("1", "ZOOM", {"box": [0, 0, 500, 500]}))
    >>> result.ok, result.evidence["pixels"]
    (True, [0, 0, 32, 32])
    """

    def __init__(
        self,
        media: Media,
        backends: Backends | None = None,
        budget: Budget | None = None,
        cache: MutableMapping[str, ToolResult] | None = None,
    ) -> None:
        self.media = media
        self.backends = backends or Backends()
        self.budget = budget or Budget()
        self.results: list[ToolResult] = []
        """Results of all calls, in order."""
        self._cache: MutableMapping[str, ToolResult] = {} if cache is None else cache
        self._times: dict[str, int] = {}

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools, for a prompt."""
        return TOOLS

    @property
    def spent(self) -> Cost:
        """Time and pixels of all calls so far."""
        costs = [result.cost for result in self.results]
        return Cost(sum(cost.ms for cost in costs), sum(cost.pixels for cost in costs))

    @property
    def exhausted(self) -> str:
        """Which budget is used up, so that every further call fails: calls, errors, pixels or seconds; else empty."""
        budget, spent = self.budget, self.spent
        tail = 0
        for result in reversed(self.results):
            if result.ok:
                break
            tail += 1
        used = {
            "calls": (len(self.results), budget.calls),
            "errors": (tail, budget.errors),
            "pixels": (spent.pixels, budget.pixels),
            "seconds": (spent.ms / 1000, budget.seconds),
        }
        return next((name for name, (value, most) in used.items() if most is not None and value >= most), "")

    def turn(self, call: Call) -> Turn:
        """Execute a call; returns its result as a turn of the conversation."""
        return Turn("tool", self.call(call).parts, call=call)

    def use(self, tool: str, /, **arguments: Any) -> ToolResult:
        """Execute a call from Python: `toolbox.use("ZOOM", box=[0, 0, 500, 500])`. Never raises."""
        return self.call(Call(f"call-{len(self.results)}", tool, arguments))

    def call(self, call: Call) -> ToolResult:
        """Execute a call. Never raises: errors are results with `ok` false."""
        result = self._call(call)
        self.results.append(result)
        return result

    def _call(self, call: Call) -> ToolResult:
        request, content = ParsedCall(_name(call), {"raw": raw_arguments(call)}), raw_arguments(call, None)
        spent = self.exhausted
        try:
            request = parse_call(call)
            content = json.dumps(request.args)
            job = self._job(request)
            if not spent:
                return self._execute(job)
            error = _over_budget(spent)
        except ToolError as problem:
            error = _over_budget(spent) if spent else problem
        return fail(request, error, digest([self.media.frame_hash(0), request.tool, content]))

    def _execute(self, job: _Job) -> ToolResult:
        request = job.request
        key = digest([[self.media.frame_hash(f) for f in job.frames], request.tool, request.args, job.version])
        times = self._times[key] = self._times.get(key, 0) + 1
        if self.budget.repeats is not None and times > self.budget.repeats:
            message = f"This call was made {times - 1} times: use its result, or change the arguments."
            return fail(request, ToolError(ErrorCode.BUDGET, message), key, job.version)
        if key in self._cache:
            return repeated(self._cache[key]) if times > 1 else self._cache[key]
        pixels = len(set(job.frames)) * self.media.width * self.media.height
        if self.budget.pixels is not None and self.spent.pixels + pixels > self.budget.pixels:
            error = ToolError(
                ErrorCode.BUDGET, f"This call reads {pixels:,} pixels, more than are left: ask for fewer frames."
            )
            return fail(request, error, key, job.version)
        start = time.perf_counter()
        try:
            outcome = _within(self._limit(), job.run)
        except ToolError as error:
            return fail(request, error, key, job.version, Cost(_ms(start), pixels))
        result = succeed(request, outcome, key, job.version, Cost(_ms(start), pixels))
        self._cache[key] = result
        return result

    def _limit(self) -> float | None:
        """Seconds that the next call may take."""
        left = None if self.budget.seconds is None else self.budget.seconds - self.spent.ms / 1000
        limits = [limit for limit in (left, self.budget.timeout) if limit is not None]
        return min(limits) if limits else None

    def _job(self, request: ParsedCall) -> _Job:
        """Resolve frames, references and the back end of a request."""
        prepare: dict[str, Callable[[dict[str, Any]], _Job]] = {
            "ZOOM": self._zoom, "TEMP": self._temp, "PROP": self._prop, "SEG": self._seg, "OCR": self._ocr,
            "TRK": self._trk,
        }  # fmt: skip
        return prepare[request.tool](dict(request.args))

    def _zoom(self, args: dict[str, Any]) -> _Job:
        self._require_frame("frame", args["frame"])
        return _Job(ParsedCall("ZOOM", args), VERSION, (args["frame"],), lambda: zoom(self.media, args))

    def _temp(self, args: dict[str, Any]) -> _Job:
        self._require_clip("TEMP")
        for name in ("t0", "t1"):
            self._require_frame(name, args[name])
        count = min(args["n"], args["t1"] - args["t0"] + 1)
        frames = tuple(round(value) for value in np.linspace(args["t0"], args["t1"], count).tolist())
        return _Job(ParsedCall("TEMP", args), VERSION, frames, lambda: temp(self.media, args))

    def _prop(self, args: dict[str, Any]) -> _Job:
        earlier = self._resolve(args["ref"], ("SEG", "TRK"))
        args["ref"] = earlier.result_digest
        if "frame" in args:
            self._require_frame("frame", args["frame"])
        default = earlier.evidence["frame"] if earlier.tool == "SEG" else earlier.evidence["frames"][0]
        frame = int(args.get("frame", default))
        return _Job(ParsedCall("PROP", args), VERSION, (frame,), lambda: prop(self.media, args, earlier))

    def _seg(self, args: dict[str, Any]) -> _Job:
        self._require_frame("frame", args["frame"])
        segmenter, size = _created(self.backends.segmenter), (self.media.width, self.media.height)
        point = pixel_point(args["point"], *size) if "point" in args else None
        box = pixel_box(args["box"], *size) if "box" in args else None

        def run() -> Observation:
            segment = segmenter.segment(self.media.frames[args["frame"]], point, box, args["frame"])
            if segment is None or (around := bounding_box(segment.mask)) is None:
                raise ToolError(ErrorCode.NOT_FOUND, "No object was found there: give another point or box.")
            evidence = {
                "frame": args["frame"], "box": grid_box(around, *size), "area": float(segment.mask.mean()),
                "fit": float(segment.fit), "pixels": list(around), "mask": encode_mask(segment.mask),
            }  # fmt: skip
            return Observation(evidence, None)

        return _Job(ParsedCall("SEG", args), describe(segmenter), (args["frame"],), run)

    def _ocr(self, args: dict[str, Any]) -> _Job:
        self._require_frame("frame", args["frame"])
        reader, size = _created(self.backends.reader), (self.media.width, self.media.height)
        left, top, right, bottom = box = pixel_box(args["box"], *size)

        def run() -> Observation:
            lines = reader.read(self.media.frames[args["frame"]][top:bottom, left:right], box, args["frame"])
            places = [(line.box[0] + left, line.box[1] + top, line.box[2] + left, line.box[3] + top) for line in lines]
            shown = [
                {"text": line.text, "box": grid_box(place, *size), "conf": line.conf}
                for line, place in zip(lines, places, strict=True)
            ]
            evidence = {
                "frame": args["frame"], "text": "\n".join(line.text for line in lines), "lines": shown,
                "pixels": [list(place) for place in places],
            }  # fmt: skip
            return Observation(evidence, min((line.conf for line in lines), default=0.0))

        return _Job(ParsedCall("OCR", args), describe(reader), (args["frame"],), run)

    def _trk(self, args: dict[str, Any]) -> _Job:
        self._require_clip("TRK")
        mask = None
        if "ref" in args:
            earlier = self._resolve(args["ref"], ("SEG",))
            args |= {"ref": earlier.result_digest, "t0": args.get("t0", earlier.evidence["frame"])}
            if args["t0"] != earlier.evidence["frame"]:
                frame = earlier.evidence["frame"]
                raise ToolError(ErrorCode.BAD_ARGS, f"The segment is of frame {frame}: leave out t0, or segment again.")
            mask, box = decode_mask(earlier.evidence["mask"]), tuple(earlier.evidence["pixels"])
        else:
            box = pixel_box(args["box"], self.media.width, self.media.height)
        for name in ("t0", "t1"):
            self._require_frame(name, args[name])
        step = 1 if args["t1"] >= args["t0"] else -1
        frames = tuple(range(args["t0"], args["t1"] + step, step))
        if len(frames) > LONGEST_TRACK:
            raise ToolError(
                ErrorCode.BUDGET, f"TRK follows an object through {LONGEST_TRACK} frames at most: ask for fewer."
            )
        tracker = _created(self.backends.tracker)

        def run() -> Observation:
            positions = tracker.track([self.media.frames[f] for f in frames], box, mask, frames)
            size = (self.media.width, self.media.height)
            evidence = {
                "frames": list(frames), "boxes": [grid_box(position.box, *size) for position in positions],
                "visible": [bool(position.visible) for position in positions],
                "pixels": [[round(side) for side in position.box] for position in positions],
                "confs": [position.conf for position in positions],
            }  # fmt: skip
            return Observation(evidence, float(np.mean([position.conf for position in positions])))

        return _Job(ParsedCall("TRK", dict(sorted(args.items()))), describe(tracker), frames, run)

    def _require_frame(self, name: str, frame: int) -> None:
        if frame >= len(self.media):
            last = len(self.media) - 1
            what = f"the clip has frames 0 to {last}" if self.media.kind == "clip" else "a picture has frame 0 alone"
            raise ToolError(ErrorCode.OUT_OF_BOUNDS, f"{name} is out of range: {what}.")

    def _require_clip(self, tool: str) -> None:
        if self.media.kind != "clip":
            raise ToolError(ErrorCode.WRONG_MODALITY, f"{tool} works on clips, and this is a picture: use ZOOM or SEG.")

    def _resolve(self, ref: str, kinds: tuple[str, ...]) -> ToolResult:
        """The earlier result that a reference names: the beginning of its digest, six characters or more."""
        matches = {r.result_digest: r for r in self.results if r.ok and r.result_digest.startswith(ref)}
        wanted = " or ".join(kinds)
        if len(ref) < _SHORTEST_REF or not matches:
            raise ToolError(
                ErrorCode.MISSING_PREREQ, f"No earlier result has this ref: call {wanted} first, and copy it."
            )
        if len(matches) > 1:
            raise ToolError(
                ErrorCode.MISSING_PREREQ, "Several results begin with this ref: give more characters of it."
            )
        (result,) = matches.values()
        if result.tool not in kinds:
            raise ToolError(ErrorCode.MISSING_PREREQ, f"This ref is a result of {result.tool}: give one of {wanted}.")
        return result


def _created(create: Callable[[], Any]) -> Any:
    """A back end; one that is not installed is an error of the call."""
    try:
        return create()
    except PixelProofError as error:
        raise ToolError(ErrorCode.BACKEND, str(error)) from error


def _within(seconds: float | None, run: Callable[[], Observation]) -> Observation:
    """Run a back end; whatever it raises, and a time-out, is a `ToolError`.

    A thread cannot be stopped: after a time-out it goes on in the background, and its result is dropped.
    """
    done: list[Observation | BaseException] = []

    def work() -> None:
        try:
            done.append(run())
        except BaseException as error:
            done.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if not done:
        raise ToolError(
            ErrorCode.BACKEND, f"The call took longer than {seconds:.3g} s: ask for a smaller box or fewer frames."
        )
    (outcome,) = done
    if isinstance(outcome, ToolError):
        raise outcome
    if isinstance(outcome, PixelProofError):
        raise ToolError(ErrorCode.BACKEND, str(outcome)) from outcome
    if isinstance(outcome, BaseException):
        raise ToolError(
            ErrorCode.BACKEND, f"The back end failed ({type(outcome).__name__}): try another box."
        ) from outcome
    return outcome


def _over_budget(spent: str) -> ToolError:
    return ToolError(ErrorCode.BUDGET, f"The budget of {spent} is used up: give your answer.")


def _ms(start: float) -> float:
    return round(1000 * (time.perf_counter() - start), 3)


def _name(call: Call) -> str:
    return call.tool[:_RAW] if isinstance(call.tool, str) else type(call.tool).__name__


def raw_arguments(call: Call, limit: int | None = _RAW) -> str:
    """Arguments as text, whatever they are."""
    if isinstance(call.arguments, str):
        return call.arguments[:limit]
    try:
        return json.dumps(dict(call.arguments), sort_keys=True, default=repr, ensure_ascii=False)[:limit]
    except (ValueError, TypeError, RecursionError):
        return repr(type(call.arguments))
