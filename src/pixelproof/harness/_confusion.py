"""The confusion matrix of a run: the sum of those of its answers."""

from __future__ import annotations

import json
from collections import defaultdict

import pyarrow as pa

Confusion = dict[str, dict[str, float]]


def pooled_confusion(column: pa.ChunkedArray) -> Confusion:
    """Class of the reference → class of the answer → count, from the column of a results table.

    The largest counts come first; empty for benches without classes.
    """
    rows: dict[str, defaultdict[str, float]] = {}
    for batch in column.drop_null().chunks:
        for text in batch.to_pylist():
            for truth, cells in json.loads(text).items():
                row = rows.setdefault(truth, defaultdict(int))
                for answer, count in cells.items():
                    row[answer] += count
    ordered = sorted(rows, key=lambda truth: (-sum(rows[truth].values()), truth))
    return {truth: dict(sorted(rows[truth].items(), key=lambda cell: (-cell[1], cell[0]))) for truth in ordered}
