"""What a run directory holds, as records that two versions of the code can be compared by."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

DIGITS, TINY = 9, 1e-12
"""Significant digits of numbers that are hashed; smaller numbers are rounding errors and count as 0."""
FREE = {
    "card": [
        "created",
        "files",
        "ledger.seconds",
        "merged.*.created",
        "merged.*.software",
        "model_card.machine",
        "scorer",
        "seal",
        "software",
    ],  # fmt: skip
    "answers": ["detail", "seconds", "trace.*.result.cost.ms"],
    "calls": ["seconds"],
    "controls": [],
    "items": [],
    "results": ["detail", "evidence keys"],
    "summary": ["seal"],
}
"""What may differ between two runs of the same code; everything else is compared. A test holds that it only shrinks."""
JSON_COLUMNS = ("calls", "confusion", "evidence", "logprobs", "notes", "prompt", "tags", "trace")


def record_run(path: Path) -> dict[str, Any]:
    """Everything that is compared of one run directory; absolute paths below the working directory become relative."""
    content: dict[str, Any] = {"path": path.name}
    for name in ("card", "summary"):
        content[name] = _without(json.loads((path / f"{name}.json").read_text()), FREE[name])
    for name in ("items", "answers", "results", "controls", "calls"):
        content[name] = _rows(path / f"{name}.parquet", FREE[name])
    return dict(_relative(content, str(Path.cwd())))


def _rows(file: Path, free: list[str]) -> list[dict[str, Any]]:
    """The rows of a table without empty columns; JSON columns are parsed."""
    if not file.exists():
        return []
    rows = []
    for row in pq.read_table(file).to_pylist():
        content = {name: value for name, value in row.items() if value is not None}
        for name in JSON_COLUMNS:
            if isinstance(content.get(name), str):
                content[name] = json.loads(content[name])
        if "evidence keys" in free and "evidence" in content:
            content["evidence"] = sorted(content["evidence"])
        rows.append(_without(content, free))
    return rows


def _without(content: Any, free: list[str]) -> Any:
    """A copy without the given entries; a path may lead through dictionaries, and `*` through lists."""
    content = json.loads(json.dumps(content))
    for path in free:
        _remove(content, path.split("."))
    return content


def _remove(content: Any, path: list[str]) -> None:
    head, *rest = path
    if head == "*":
        for part in content if isinstance(content, list) else ():
            _remove(part, rest)
    elif isinstance(content, dict) and head in content:
        if rest:
            _remove(content[head], rest)
        else:
            del content[head]


def _relative(content: Any, root: str) -> Any:
    if isinstance(content, str):
        return content.replace(root, ".")
    if isinstance(content, list):
        return [_relative(part, root) for part in content]
    if isinstance(content, dict):
        return {key: _relative(value, root) for key, value in content.items()}
    return content


def plain(obj: Any) -> Any:
    """An object as JSON, by the names of its fields; bytes by their hash. Names of classes do not count."""
    if isinstance(obj, bytes):
        return hashlib.sha256(obj).hexdigest()
    if is_dataclass(obj):
        return {field.name: plain(getattr(obj, field.name)) for field in fields(obj) if field.compare}
    if isinstance(obj, Mapping):
        return {str(key): plain(value) for key, value in obj.items()}
    if isinstance(obj, list | tuple):
        return [plain(part) for part in obj]
    if hasattr(obj, "tolist"):
        return plain(obj.tolist())
    return obj


def rounded(content: Any) -> Any:
    """Numbers with a certain number of significant digits, tiny ones as 0; nan and infinities as text."""
    if isinstance(content, float):
        if not math.isfinite(content):
            return repr(content)
        return float(f"{content:.{DIGITS}g}") if abs(content) > TINY else 0.0
    if isinstance(content, list):
        return [rounded(part) for part in content]
    if isinstance(content, dict):
        return {key: rounded(value) for key, value in content.items()}
    return content


def parts(record: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The parts of a record that are hashed one by one: `summary`, `answers`, …; of several runs, `NAME.summary`."""
    flat: dict[str, Any] = {}
    for name, value in record.items():
        nested = isinstance(value, dict) and "summary" in value
        flat |= parts(value, f"{name}.") if nested else {f"{prefix}{name}": value}
    return flat


def fingerprint(content: Any) -> str:
    """Hash of JSON content whose order of keys does not count."""
    text = json.dumps(rounded(content), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def differences(old: Any, new: Any, where: str = "", rtol: float = 0.0) -> list[str]:
    """Where two JSON values differ, as lines `place: old → new`."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted({*old, *new})
        nested = [differences(old.get(k, "absent"), new.get(k, "absent"), f"{where}.{k}", rtol) for k in keys]
        return [line for lines in nested for line in lines]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        nested = [differences(a, b, f"{where}[{i}]", rtol) for i, (a, b) in enumerate(zip(old, new, strict=True))]
        return [line for lines in nested for line in lines]
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (old, new))
    same = math.isclose(old, new, rel_tol=rtol, abs_tol=rtol) if numbers else old == new
    return [] if same or (old != old and new != new) else [f"{where.lstrip('.')}: {_short(old)} → {_short(new)}"]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "…"
