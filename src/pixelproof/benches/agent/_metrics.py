"""The metrics of the bench."""

from __future__ import annotations

from typing import Any

import numpy as np

from pixelproof.contract import Metric


def share(sums: Any) -> Any:
    """First count over the second, as a pooled metric; nan where the second is 0."""
    part, whole = np.asarray(sums[..., 0], np.float64), np.asarray(sums[..., 1], np.float64)
    return np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole != 0)


_UNBOUNDED = frozenset({"calls", "calls_right", "ocr.cer", "ocr.wer", "trk.mota"})


def _described(name: str, about: str, higher_is_better: bool | None = None, pooled: bool = False) -> Metric:
    """A metric of the chain of calls, which has no floor and no ceiling."""
    return Metric(
        name,
        about,
        calibrated=False,
        higher_is_better=higher_is_better,
        pool=share if pooled else None,
        range=None if name in _UNBOUNDED else (0, 1),
        floors=(),
    )


METRICS = (
    Metric("accuracy", "right answers", range=(0, 1)),
    _described("chance", "accuracy of the best guess without a look"),
    _described("task_score", "measure of the data set: accuracy, ANLS or mean relative accuracy", True),
    _described("answered", "answers other than 'unknown' (coverage)"),
    _described("selected_errors", "wrong answers, of those other than 'unknown' (Err@Sel)", False, pooled=True),
    _described("confidence", "mean stated confidence, of the answers that state one"),
    _described("visfid", "fidelity of the evidence: what the calls returned against the truth", True),
    _described("uses_tools", "answers with at least one call (RaPR)"),
    _described("uses_valid", "answers with at least one successful call that is no repeat (RaPR-valid)"),
    _described("composite", "answers with two successful calls of different tools that build on each other (RaCPR)"),
    _described("faithful", "right answers whose evidence contains all targets, of right answers", True, pooled=True),
    _described("calls", "calls per answer"),
    _described("calls_right", "calls per right answer", pooled=True),
    _described("success", "successful calls, of all calls", True, pooled=True),
    _described("invalid", "calls with arguments that the tools refuse, of all calls", False, pooled=True),
    _described("repeats", "repeated calls, of all calls", False, pooled=True),
    _described("hops", "neighbouring calls that share neither place, reference nor tool", pooled=True),
    _described("stays", "neighbouring calls at one place without new evidence", pooled=True),
    _described("seg.iou", "SEG: mean IoU of the mask with the thing that it covers", True, pooled=True),
    _described("seg.boundary", "SEG: mean boundary F1 within 3 pixels", True, pooled=True),
    _described("ocr.cer", "OCR: character error rate on the plate in the box", False, pooled=True),
    _described("ocr.wer", "OCR: word error rate on the plate in the box", False, pooled=True),
    _described("trk.hota", "TRK: mean HOTA of the thing that it starts on", True, pooled=True),
    _described("trk.mota", "TRK: mean MOTA (CLEAR) of the thing that it starts on", True, pooled=True),
    _described("temp.iou", "TEMP: mean IoU of its span with that of the event", True, pooled=True),
)
