"""Records against a plain dict, over random histories; and what its files look like."""

import math
import os
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from pixelproof.store import Records
from pixelproof.store._keys import Keys

SCHEMA = pa.schema(
    [
        ("order", pa.int64()),
        ("item", pa.string()),
        ("sample", pa.int32()),
        ("ok", pa.bool_()),
        ("score", pa.float64()),
        ("counts", pa.list_(pa.float64())),
        ("note", pa.struct([("name", pa.string()), ("n", pa.int64())])),
    ]
)
COLUMNS = SCHEMA.names

text = st.text(st.characters(exclude_categories=["Cs"]))
numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False)
rows = st.fixed_dictionaries(
    {"order": st.integers(-3, 12) | st.integers(-(2**63), 2**63 - 1)},
    optional={
        "item": st.none() | text,
        "sample": st.integers(-(2**31), 2**31 - 1),
        "ok": st.booleans(),
        "score": st.none() | numbers,
        "counts": st.lists(st.none() | numbers, max_size=3),
        "note": st.none() | st.fixed_dictionaries({"name": text}, optional={"n": st.none() | st.integers(0, 9)}),
    },
)


def complete(row):
    """The row as it is read back: all columns, numbers as their column has them."""
    full = dict.fromkeys(COLUMNS) | row
    if full["score"] is not None:
        full["score"] = float(full["score"])
    if full["counts"] is not None:
        full["counts"] = [None if value is None else float(value) for value in full["counts"]]
    if full["note"] is not None:
        full["note"] = {"name": None, "n": None} | full["note"]
    return full


class History(RuleBasedStateMachine):
    """Any history of puts, kills, compactions and replacements leaves what a dict would hold."""

    directory = None

    def __init__(self):
        super().__init__()
        self.path = self.directory.mktemp("records")
        self.model = {}
        self.records = self.open()

    def open(self):
        return Records(self.path, "table", SCHEMA, shard_rows=3)

    @rule(rows=st.lists(rows, min_size=1, max_size=5))
    def put(self, rows):
        for row in rows:
            self.records.put(row)
            self.model[row["order"]] = complete(row)

    @rule(close=st.booleans())
    def reopen(self, close):
        if close:
            self.records.close()
        self.records = self.open()

    @rule(tail=st.binary(min_size=1, max_size=20).filter(lambda tail: b"\n" not in tail))
    def tear(self, tail):
        """A kill in the middle of a write: part of a line at the end of the journal."""
        journal = self.path / "table.parts" / "journal.jsonl"
        if journal.exists():
            self.records.close()
            with journal.open("ab") as file:
                file.write(tail)
            self.records = self.open()

    @rule()
    def compact(self):
        self.records.compact()
        assert sorted(path.name for path in self.path.iterdir()) == ["table.parquet"]

    @rule(rows=st.lists(rows, max_size=5, unique_by=lambda row: row["order"]))
    def replace(self, rows):
        self.records.replace(sorted(rows, key=lambda row: row["order"]))
        self.model = {row["order"]: complete(row) for row in rows}

    @invariant()
    def holds_what_a_dict_holds(self):
        expected = [self.model[order] for order in sorted(self.model)]
        assert list(self.records.rows()) == expected
        assert list(self.records.rows(["score"])) == [
            {name: row[name] for name in ("order", "score")} for row in expected
        ]
        assert len(self.records) == len(self.model)
        assert list(self.records) == sorted(self.model)
        assert all(order in self.records for order in self.model)
        assert all((order in self.records) == (order in self.model) for order in range(-4, 14))
        assert list(self.open().rows()) == expected


@pytest.mark.slow
def test_any_history(tmp_path_factory):
    History.directory = tmp_path_factory
    sizes = settings(max_examples=6, stateful_step_count=8, deadline=None)
    run_state_machine_as_test(History, settings=sizes)


@pytest.mark.soak
@pytest.mark.attack("histories of puts, seals, compactions and reopenings, against a dictionary")
def test_any_history_at_length(tmp_path_factory, record_property):
    History.directory = tmp_path_factory
    examples = 20 * int(os.environ.get("PIXELPROOF_SOAK", "1"))
    record_property("tries", examples)
    run_state_machine_as_test(History, settings=settings(max_examples=examples, stateful_step_count=30, deadline=None))


def small(order, text="x"):
    return {"order": order, "item": text, "score": order / 2}


def test_layout(tmp_path):
    records = Records(tmp_path, "answers", SCHEMA, shard_rows=4)
    for order in (5, 1, 3, 2, 9, 8):
        records.put(small(order))
    parts = tmp_path / "answers.parts"
    assert sorted(path.name for path in parts.iterdir()) == ["journal.jsonl", "part-000001.parquet"]
    assert pq.read_table(parts / "part-000001.parquet")["order"].to_pylist() == [1, 2, 3, 5]
    assert (parts / "journal.jsonl").read_bytes().count(b"\n") == 2
    records.compact()
    table = pq.read_table(tmp_path / "answers.parquet")
    assert table.schema.equals(SCHEMA) and table["order"].to_pylist() == [1, 2, 3, 5, 8, 9]
    assert not parts.exists()


def test_an_empty_table_is_compacted_to_an_empty_file(tmp_path):
    records = Records(tmp_path, "answers", SCHEMA)
    assert list(records.rows()) == [] and len(records) == 0
    records.compact()
    assert pq.read_table(tmp_path / "answers.parquet").equals(SCHEMA.empty_table())
    assert len(Records(tmp_path, "answers", SCHEMA)) == 0


@pytest.mark.slow
def test_the_same_rows_give_the_same_bytes_whatever_their_history(tmp_path):
    orders = list(range(3_000))
    for name, seed, shard_rows in (("a", 0, 4096), ("b", 1, 100), ("c", 2, 997)):
        records = Records(tmp_path, name, SCHEMA, shard_rows)
        for number, order in enumerate(np.random.default_rng(seed).permutation(orders).tolist()):
            records.put(small(order, "old"))
            records.put(small(order, f"item {order}"))
            if number in (1_000, 2_000):
                records.compact() if name == "b" else None
        records.compact()
    replaced = Records(tmp_path, "d", SCHEMA)
    replaced.replace(small(order, f"item {order}") for order in orders)
    assert len({(tmp_path / f"{name}.parquet").read_bytes() for name in "abcd"}) == 1


def test_compaction_of_a_compact_table_does_nothing(tmp_path):
    records = Records(tmp_path, "a", SCHEMA)
    records.put(small(1))
    records.compact()
    before = (tmp_path / "a.parquet").stat()
    records.compact()
    Records(tmp_path, "a", SCHEMA).compact()
    assert (tmp_path / "a.parquet").stat().st_mtime_ns == before.st_mtime_ns


def test_a_replacement_may_read_what_it_replaces_and_fails_as_a_whole(tmp_path):
    records = Records(tmp_path, "a", SCHEMA, shard_rows=2)
    for order in range(5):
        records.put(small(order))
    records.replace(row | {"item": "new"} for row in records.rows())
    assert [row["item"] for row in records.rows()] == ["new"] * 5
    records.put(small(7))

    def failing():
        yield small(1)
        raise RuntimeError("scorer")

    with pytest.raises(RuntimeError, match="scorer"):
        records.replace(failing())
    with pytest.raises(ValueError, match="sorted by order, but 1 follows 1"):
        records.replace([small(1), small(1)])
    for table in (records, Records(tmp_path, "a", SCHEMA)):
        assert list(table) == [row["order"] for row in table.rows()] == [0, 1, 2, 3, 4, 7]


def test_unknown_columns_cannot_be_read(tmp_path):
    with pytest.raises(KeyError, match="other"):
        Records(tmp_path, "a", SCHEMA).rows(["other"])


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"order": None},
        {"order": 1.0},
        {"order": True},
        {"order": 2**63},
        {"order": 1, "extra": 1},
        {"order": 1, "item": 3},
        {"order": 1, "item": b"bytes"},
        {"order": 1, "sample": 2**31},
        {"order": 1, "ok": 1},
        {"order": 1, "score": "1"},
        {"order": 1, "score": True},
        {"order": 1, "score": 2**60},
        {"order": 1, "score": np.int64(1)},
        {"order": 1, "counts": 1.0},
        {"order": 1, "counts": ["a"]},
        {"order": 1, "note": {"other": 1}},
        {"order": 1, "note": "a"},
    ],
)
def test_rows_that_do_not_fit_are_refused_at_once(tmp_path, row):
    records = Records(tmp_path, "a", SCHEMA)
    with pytest.raises(TypeError, match="olumn"):
        records.put(row)
    with pytest.raises(TypeError, match="olumn"):
        records.replace([row])
    assert len(records) == 0 and not list(tmp_path.glob("a.p*/*"))


@pytest.mark.parametrize(
    "columns",
    [[("item", pa.string())], [("order", pa.int32())], [("order", pa.int64()), ("x", pa.binary())]],
)
def test_schemas_that_records_cannot_have(tmp_path, columns):
    with pytest.raises(ValueError, match="order|Records cannot hold"):
        Records(tmp_path, "a", pa.schema(columns))


def test_hard_values(tmp_path):
    records = Records(tmp_path, "a", SCHEMA, shard_rows=100)
    hostile = "\x00\n\r\u2028</script>\U0001f600" + "[" * 10_000
    records.put({"order": 1, "item": hostile, "score": math.inf})
    records.put({"order": 2, "item": "lone \ud800 half", "score": np.float64(0.1)})
    records.put({"order": 3, "score": math.nan, "counts": (5e-324, -0.0)})
    for _ in range(2):
        first, second, third = Records(tmp_path, "a", SCHEMA).rows()
        assert first == complete({"order": 1, "item": hostile, "score": math.inf})
        assert (second["item"], second["score"]) == ("lone ? half", 0.1)
        assert math.isnan(third["score"]) and str(third["counts"]) == "[5e-324, -0.0]"
        records.compact()


@pytest.mark.slow
def test_a_very_long_row_seals_the_journal_by_its_size(tmp_path):
    records = Records(tmp_path, "a", SCHEMA)
    records.put(small(1, "x" * (33 * 2**20)))
    assert not (tmp_path / "a.parts" / "journal.jsonl").exists()
    assert [len(row["item"]) for row in records.rows()] == [33 * 2**20]


@pytest.mark.slow
def test_others_may_read_while_one_writes(tmp_path):
    writer = Records(tmp_path, "a", SCHEMA, shard_rows=10)
    readers, begun = [], []
    for order in range(57):
        writer.put(small(order))
        reader = Records(tmp_path, "a", SCHEMA, shard_rows=10)
        assert [row["order"] for row in reader.rows()] == list(range(order + 1))
        readers.append(reader)
        rows = reader.rows()
        begun.append([next(rows), rows])
    for order, (first, rest) in enumerate(begun):
        assert [row["order"] for row in [first, *rest]] == list(range(order + 1))
    for reader in readers:  # opened long ago, they see what was written since
        assert [row["order"] for row in reader.rows()] == list(range(57))


def test_reading_leaves_a_torn_journal_as_it_is(tmp_path):
    with Records(tmp_path, "a", SCHEMA) as records:
        records.put(small(1))
    journal = tmp_path / "a.parts" / "journal.jsonl"
    torn = journal.read_bytes() + b'0000 {"ord'
    journal.write_bytes(torn)
    reader = Records(tmp_path, "a", SCHEMA)
    assert [row["order"] for row in reader.rows()] == [1]
    assert journal.read_bytes() == torn


@pytest.mark.slow
def test_memory_stays_flat(tmp_path):
    schema = pa.schema([("order", pa.int64()), ("text", pa.string())])
    records = Records(tmp_path, "a", schema, shard_rows=1024)
    for order in range(2_000):
        records.put({"order": order, "text": f"{order} " * 100})
    tracemalloc.start()
    before, arrow = tracemalloc.get_traced_memory()[0], pa.total_allocated_bytes()
    for order in range(2_000, 22_000):
        records.put({"order": order, "text": f"{order} " * 100})
    grown = tracemalloc.get_traced_memory()[0] - before
    assert grown < 20_000 * 8 + 200_000  # the keys, and the set of those in the journal
    assert pa.total_allocated_bytes() - arrow < 2**20
    tracemalloc.reset_peak()
    start, held = tracemalloc.get_traced_memory()[0], 0
    for _ in records.rows():
        held = max(held, pa.total_allocated_bytes())
    assert tracemalloc.get_traced_memory()[1] - start < 6 * 2**20  # of 13 MB of text
    assert held < 8 * 2**20
    tracemalloc.stop()


@pytest.mark.slow
def test_keys_are_compact():
    tracemalloc.start()
    keys = Keys()
    for key in range(0, 300_000, 3):
        keys.add(key)
        if len(keys) % 4096 == 0:
            keys.settle()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(keys) == 100_000 and size < 2 * 2**20
    assert 299_997 in keys and 0 in keys and 1 not in keys and -1 not in keys and 2**80 not in keys and "0" not in keys
