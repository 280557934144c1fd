"""Damaged, torn and foreign files: a sentence that names the file, and nothing deleted."""

import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pixelproof.contract import PixelProofError
from pixelproof.store import Attic, Records, journal_damage, repair_table, write_parquet, zeroed_tail

SCHEMA = pa.schema([("order", pa.int64()), ("text", pa.string()), ("score", pa.float64())])
REST = pa.table({"text": ["a", "b"], "score": [0.5, 1.0]})
REPAIR = r"run 'pixelproof runs repair .*', which keeps everything that is intact\.$"
ADVICE = r"restore it from a backup, or move it away and recreate its rows with --resume\.$"


def row(order):
    return {"order": order, "text": f"answer {order}", "score": order / 3}


@pytest.fixture
def filled(tmp_path):
    """Rows 0 to 9 compacted, 10 to 19 in two shards, 20 to 23 in the journal."""
    with Records(tmp_path, "a", SCHEMA, shard_rows=5) as records:
        for order in range(10):
            records.put(row(order))
        records.compact()
        for order in range(10, 24):
            records.put(row(order))
    assert sorted(path.name for path in (tmp_path / "a.parts").iterdir()) == [
        "journal.jsonl",
        "part-000001.parquet",
        "part-000002.parquet",
    ]
    return tmp_path


def opened(directory):
    return Records(directory, "a", SCHEMA, shard_rows=5)


def state(directory):
    return {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["a.parquet", "a.parts/part-000001.parquet"])
@pytest.mark.parametrize("content", [b"", b"PAR1", b"nonsense" * 100, "half"])
def test_a_damaged_table(filled, name, content):
    data = (filled / name).read_bytes()
    (filled / name).write_bytes(data[: len(data) // 2] if content == "half" else content)
    before = state(filled)
    with pytest.raises(PixelProofError, match=rf"The file .*{name} is damaged \(.*\): {REPAIR}"):
        opened(filled)
    assert state(filled) == before
    (filled / name).unlink()  # moved away: the rest goes on
    orders = list(opened(filled))
    assert len(orders) == (14 if name == "a.parquet" else 19)


@pytest.mark.parametrize(
    "table",
    [
        REST.append_column("order", pa.array([1, 2])).append_column("other", pa.array([1, 2])),
        REST.append_column("order", pa.array([1, 2], pa.int32())),
        REST.append_column("order", pa.array(["1", "2"])),
        REST,
        pa.table({"order": [1, 2], "text": ["a", "b"]}),
        REST.append_column("order", pa.array([2, 1])),
        REST.append_column("order", pa.array([1, 1])),
        REST.append_column("order", pa.array([1, None])),
    ],
    ids=["unknown column", "narrow key", "text key", "no key", "no score", "unsorted", "twice", "null key"],
)
def test_a_foreign_table(filled, table):
    write_parquet(filled / "a.parts" / "part-000003.parquet", table)
    with pytest.raises(PixelProofError, match=rf"part-000003.parquet cannot be used \(.*\): {ADVICE}"):
        opened(filled)


def test_a_new_column_that_must_not_be_null_makes_older_tables_foreign(filled):
    strict = SCHEMA.append(pa.field("must", pa.int64(), nullable=False))
    with pytest.raises(PixelProofError, match=rf"journal.jsonl cannot be used \(Column must .* not None\): {ADVICE}"):
        Records(filled, "a", strict)
    (filled / "a.parts" / "journal.jsonl").unlink()
    with pytest.raises(PixelProofError, match=r"other columns than expected: no must\)"):
        Records(filled, "a", strict)


def test_a_damaged_value_is_noticed_before_anything_is_read(filled):
    path = filled / "a.parts" / "part-000001.parquet"
    records = opened(filled)
    data = bytearray(path.read_bytes())
    chunk = pq.ParquetFile(path).metadata.row_group(0).column(2)
    begin = chunk.dictionary_page_offset or chunk.data_page_offset
    data[begin + chunk.total_compressed_size - 3] ^= 1
    path.write_bytes(bytes(data))
    before = state(filled)
    for act in (lambda: opened(filled), lambda: list(records.rows()), records.compact):
        with pytest.raises(PixelProofError, match=f"part-000001.parquet is damaged .*{REPAIR}"):
            act()
    assert state(filled) == before


@pytest.mark.slow
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0, 0.9999), st.integers(1, 255))
def test_any_flipped_byte_of_a_shard(filled, position, bits):
    path = filled / "a.parts" / "part-000001.parquet"
    good = path.read_bytes()
    data = bytearray(good)
    data[int(position * len(data))] ^= bits
    path.write_bytes(bytes(data))
    try:
        rows = list(opened(filled).rows())
    except PixelProofError as error:
        assert "part-000001.parquet" in str(error)
    else:
        assert rows == [row(order) for order in range(24)]
    finally:
        path.write_bytes(good)


@pytest.mark.slow
def test_every_flipped_byte_of_a_shard(filled):
    path = filled / "a.parts" / "part-000001.parquet"
    good = path.read_bytes()
    (filled / "a.parquet").unlink()
    (filled / "a.parts" / "part-000002.parquet").unlink()
    (filled / "a.parts" / "journal.jsonl").unlink()
    for position in range(len(good)):
        for bits in (1, 128):
            data = bytearray(good)
            data[position] ^= bits
            path.write_bytes(bytes(data))
            try:
                rows = list(opened(filled).rows())
            except PixelProofError:
                continue
            assert rows == [row(order) for order in range(10, 15)], f"bits {bits} of byte {position}"


@pytest.mark.slow
def test_a_journal_torn_at_any_byte_loses_the_last_row_alone(filled):
    journal = filled / "a.parts" / "journal.jsonl"
    data = journal.read_bytes()
    ends = [index + 1 for index, byte in enumerate(data) if byte == 10]
    for length in range(len(data)):
        journal.write_bytes(data[:length])
        kept = sum(end <= length for end in ends)
        assert list(opened(filled)) == list(range(20 + kept))
    journal.write_bytes(data[:-3])
    with opened(filled) as records:
        records.put(row(30))
        assert [row["order"] for row in records.rows()] == [*range(23), 30]
    assert list(opened(filled)) == [*range(23), 30]


def test_a_damaged_line_within_the_journal(filled):
    journal = filled / "a.parts" / "journal.jsonl"
    data = journal.read_bytes()
    for position in range(0, data.index(b"\n", data.index(b"\n") + 1)):
        torn = bytearray(data)
        torn[position] ^= 4
        journal.write_bytes(bytes(torn))
        with pytest.raises(
            PixelProofError, match=rf"journal.jsonl is damaged \(the checksum of line [12] is wrong\): {REPAIR}"
        ):
            opened(filled)
        assert journal.read_bytes() == torn


TORN = [bytes(4096), bytes(300) + b"1}\n", b'00000000 {"order"']


@pytest.mark.parametrize("tail", TORN, ids=["zeros", "zeros and an end", "half a line"])
def test_a_torn_end_of_the_journal_is_dropped(filled, tail):
    with (filled / "a.parts" / "journal.jsonl").open("ab") as file:
        file.write(tail)
    with opened(filled) as records:
        assert list(records) == list(range(24))
        records.put(row(24))
    assert [row["order"] for row in opened(filled).rows()] == list(range(25))


@pytest.mark.parametrize("kept", [0, 1, 150])
def test_zeros_in_place_of_rows_are_named(filled, kept):
    """They may have been acknowledged, which nobody can tell."""
    journal = filled / "a.parts" / "journal.jsonl"
    data = journal.read_bytes()
    journal.write_bytes(data[:kept] + bytes(len(data) - kept))
    rows = data[:kept].count(b"\n")
    assert list(opened(filled)) == list(range(20 + rows))
    lost = len(data) - data[:kept].rfind(b"\n") - 1
    assert zeroed_tail(journal) == lost and f"its last {lost} bytes are lost: they have zeros" in journal_damage(
        journal
    )
    (repaired,) = repair_table(filled, "a", Attic(filled))
    assert repaired.zeroed == lost and journal_damage(journal) is None
    assert (filled / "damaged" / "a.parts" / "journal.jsonl").stat().st_size == len(data)
    assert list(opened(filled)) == list(range(20 + rows))


def test_a_part_of_a_line_without_zeros_is_what_a_kill_leaves(filled):
    journal = filled / "a.parts" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-3])
    assert (
        zeroed_tail(journal) == 0 and journal_damage(journal) is None and not repair_table(filled, "a", Attic(filled))
    )
    assert zeroed_tail(filled / "nothing.jsonl") == 0


@pytest.mark.slow
def test_a_flip_in_the_last_line_is_not_a_torn_line(filled):
    """The last row was acknowledged: dropping it without a word would lose it."""
    journal = filled / "a.parts" / "journal.jsonl"
    data = journal.read_bytes()
    for position in range(data[:-1].rindex(b"\n") + 1, len(data)):
        for bit in range(8):
            flipped = bytearray(data)
            flipped[position] ^= 1 << bit
            journal.write_bytes(bytes(flipped))
            with pytest.raises(PixelProofError, match=f"journal.jsonl is damaged .*{REPAIR}"):
                opened(filled)


def test_a_journal_of_another_schema(filled):
    narrow = pa.schema([("order", pa.int64()), ("score", pa.float64())])
    shutil.rmtree(filled / "a.parts")
    (filled / "a.parquet").unlink()
    with opened(filled) as records:
        records.put(row(1))
    with pytest.raises(PixelProofError, match=rf"journal.jsonl cannot be used \(There is no column text.*{ADVICE}"):
        Records(filled, "a", narrow)


def test_files_that_are_not_ours_are_left_alone(filled):
    strange = filled / "a.parts" / "part-000001.parquet.damaged"
    strange.write_text("kept for later")
    with opened(filled) as records:
        records.compact()
        records.put(row(50))
        records.compact()
    assert strange.read_text() == "kept for later"
    assert len(opened(filled)) == 25
