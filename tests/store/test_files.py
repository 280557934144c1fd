import json
from collections import Counter
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pixelproof.contract import Counts, Fault, PixelProofError
from pixelproof.store import write_json, write_parquet


def names(directory):
    return sorted(path.name for path in directory.iterdir())


@dataclass(frozen=True)
class Card:
    model: str
    counts: Counts
    scores: tuple[float, ...]


def test_json_of_dataclasses_numpy_and_numbers_that_json_lacks(tmp_path):
    card = Card("ä\ud800", Counts(7, completed=3), (0.1, float("nan"), float("-inf")))
    fault = {"fault": Fault.MODEL, "n": np.int64(3), "share": np.float32(0.5), "map": MappingProxyType({"a": None})}
    write_json(tmp_path / "new" / "card.json", {"card": card, **fault})
    text = (tmp_path / "new" / "card.json").read_text("utf-8")
    assert "NaN" not in text and "ä" in text and text.endswith("}\n")
    counts = {"planned": 7, "completed": 3, "unscored": 0, "errored": 0, "model_faults": 0, "abstained": 0}
    assert json.loads(text) == {
        "card": {"model": "ä?", "counts": counts, "scores": [0.1, None, None]},
        "fault": "model",
        "n": 3,
        "share": 0.5,
        "map": {"a": None},
    }
    assert names(tmp_path / "new") == ["card.json"]


def test_json_that_cannot_be_written_leaves_the_old_file(tmp_path):
    write_json(tmp_path / "a.json", [1])
    with pytest.raises(TypeError):
        write_json(tmp_path / "a.json", {"set": {1, 2}})
    assert json.loads((tmp_path / "a.json").read_text()) == [1]
    assert names(tmp_path) == ["a.json"]


def batches(n, size=10):
    for start in range(0, n, size):
        yield pa.RecordBatch.from_pydict({"a": list(range(start, start + size)), "b": ["x"] * size})


def test_parquet_of_a_table_and_of_batches(tmp_path):
    table = pa.Table.from_batches(batches(100))
    write_parquet(tmp_path / "table.parquet", table)
    write_parquet(tmp_path / "batches.parquet", batches(100))
    write_parquet(tmp_path / "again.parquet", batches(100))
    assert pq.read_table(tmp_path / "table.parquet").equals(table)
    assert pq.read_table(tmp_path / "batches.parquet").equals(table)
    assert (tmp_path / "again.parquet").read_bytes() == (tmp_path / "batches.parquet").read_bytes()
    write_parquet(tmp_path / "empty.parquet", iter([]), table.schema)
    assert pq.read_table(tmp_path / "empty.parquet").equals(table.schema.empty_table())


def test_parquet_whose_batches_fail_leaves_the_old_file(tmp_path):
    write_parquet(tmp_path / "a.parquet", batches(20))
    before = (tmp_path / "a.parquet").read_bytes()

    def failing(error):
        yield from batches(20)
        raise error

    # An error of the source is not taken for one of the disk.
    for error in (RuntimeError("no more"), ConnectionError("no more")):
        with pytest.raises(type(error), match="no more") as caught:
            write_parquet(tmp_path / "a.parquet", failing(error))
        assert caught.value is error
    assert (tmp_path / "a.parquet").read_bytes() == before
    assert names(tmp_path) == ["a.parquet"]


def test_a_directory_that_cannot_be_made_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("not a directory")
    sentences = Counter()
    for write in (
        lambda path: write_json(path / "a.json", 1),
        lambda path: write_parquet(path / "a.parquet", batches(10)),
    ):
        with pytest.raises(
            PixelProofError, match=r"Cannot write .*(exists|Not a directory).*safe.*--resume\.$"
        ) as caught:
            write(tmp_path / "file" / "deeper")
        sentences[str(caught.value).count(". ")] += 1
    assert sentences == {0: 2}
