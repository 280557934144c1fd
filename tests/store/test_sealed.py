"""Seals of Parquet files: every flip is noticed, and single damage is undone to the byte."""

import json
import random
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pixelproof.contract import PixelProofError
from pixelproof.store import (
    Attic,
    DamagedFile,
    Records,
    read_parquet,
    read_sealed_json,
    repair_parquet,
    repair_table,
    write_parquet,
    write_sealed_json,
)

SCHEMA = pa.schema([("order", pa.int64()), ("text", pa.string()), ("score", pa.float64())])


def table(rows, start=0, seed=0):
    rng = random.Random(seed)
    texts = [rng.randbytes(rng.randrange(20, 60)).hex() for _ in range(rows)]
    return pa.table([range(start, start + rows), texts, [rng.random() for _ in range(rows)]], schema=SCHEMA)


def groups(count, rows):
    return [table(rows, rows * number, number) for number in range(count)]


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    """A file of 8 row groups of 40 rows."""
    path = tmp_path_factory.mktemp("sealed") / "a.parquet"
    write_parquet(path, groups(8, 40), SCHEMA)
    return path


@pytest.fixture
def copy(sealed, tmp_path):
    return shutil.copyfile(sealed, tmp_path / "a.parquet")


def test_a_sealed_file_is_a_parquet_file_for_everybody(sealed):
    assert pq.read_table(sealed) == pa.concat_tables(groups(8, 40)) == read_parquet(sealed)
    assert pq.read_table(sealed, filters=[("order", "=", 77)])["order"].to_pylist() == [77]


@pytest.mark.slow
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0, 1, exclude_max=True), st.integers(0, 7))
def test_any_flip_is_noticed_and_undone_to_the_byte(sealed, tmp_path, position, bit):
    good = sealed.read_bytes()
    path = tmp_path / "a.parquet"
    flipped = bytearray(good)
    flipped[int(position * len(good))] ^= 1 << bit
    path.write_bytes(bytes(flipped))
    with pytest.raises(DamagedFile, match=r"a\.parquet is damaged .*pixelproof runs repair"):
        read_parquet(path)
    repair = repair_parquet(path, Attic(tmp_path))
    assert repair.rows == 0 and path.read_bytes() == good
    assert max((tmp_path / "damaged").iterdir(), key=lambda file: file.stat().st_mtime_ns).read_bytes() == flipped


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0, 0.95), st.sampled_from(["zeros", "noise"]))
def test_a_burst_of_a_thirtieth_of_the_file_is_undone(sealed, tmp_path, position, kind):
    good = sealed.read_bytes()
    begin, length = int(position * len(good)), len(good) // 30
    burst = bytes(length) if kind == "zeros" else np.random.default_rng(1).bytes(length)
    path = tmp_path / "a.parquet"
    path.write_bytes(good[:begin] + burst + good[begin + length :])
    repair = repair_parquet(path, Attic(tmp_path))
    assert repair.rows == 0 and path.read_bytes() == good


def test_what_cannot_be_undone_loses_its_row_group_alone(copy, sealed):
    data = bytearray(sealed.read_bytes())
    group = pq.ParquetFile(sealed).metadata.row_group(3).column(1)
    end = group.data_page_offset + group.total_compressed_size
    data[end - 1500 : end] = bytes(1500)
    stripes = -(-(data.index(b"PIXELPROOFSEAL01") // 512 + 1) // 16)
    other = end - 1500 + 512 * stripes  # in the stripes of the first burst
    assert other < pq.ParquetFile(sealed).metadata.row_group(5).column(0).data_page_offset
    data[other : other + 1500] = bytes(1500)
    copy.write_bytes(bytes(data))
    repair = repair_parquet(copy, Attic(copy.parent))
    kept = read_parquet(copy)["order"].to_pylist()
    lost = sorted(set(range(320)) - set(kept))
    assert 40 <= repair.rows == len(lost) <= 120 and {order // 40 for order in lost} <= {3, 4, 5}
    assert all(any(first <= order <= last for first, last in repair.ranges) for order in lost)
    assert read_parquet(copy) == pa.concat_tables(groups(8, 40)).take(kept)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"nonsense" * 100])
def test_a_file_without_anything_is_moved_away(copy, content):
    copy.write_bytes(content)
    repair = repair_parquet(copy, Attic(copy.parent))
    assert repair.rows is None and not copy.exists()
    assert (copy.parent / "damaged" / "a.parquet").read_bytes() == content


@pytest.mark.parametrize("checksums", [True, False])
def test_a_file_of_another_program_cannot_be_verified_and_is_moved_away(tmp_path, checksums):
    path = tmp_path / "a.parquet"
    pq.write_table(table(50), path, write_page_checksum=checksums)
    with pytest.raises(DamagedFile, match="it has no checksums"):
        read_parquet(path)
    repair = repair_parquet(path, Attic(tmp_path))
    assert repair.rows is None and repair.problem == "it has no checksums" and not path.exists()
    assert pq.read_table(tmp_path / "damaged" / "a.parquet") == table(50)


def test_a_file_whose_seal_is_broken_is_not_one_without(copy, sealed):
    data = bytearray(sealed.read_bytes())
    data[data.rindex(b"PIXELPROOFSEAL01")] ^= 1
    copy.write_bytes(bytes(data))
    with pytest.raises(DamagedFile, match="its seal is broken"):
        read_parquet(copy)


def flipped_everywhere(path, step=1):
    good = path.read_bytes()
    for position in [*range(0, len(good), step), *(at for at, byte in enumerate(good) if byte == 10)]:
        flipped = bytearray(good)
        flipped[position] ^= 1 << position % 8
        path.write_bytes(bytes(flipped))
        yield position
    path.write_bytes(good)


@pytest.mark.slow
def test_any_flip_of_a_journal_loses_one_row_at_most(tmp_path):
    def filled(directory):
        with Records(directory, "a", SCHEMA) as records:
            for row in table(6).to_pylist():
                records.put(row)

    filled(tmp_path)
    journal = tmp_path / "a.parts" / "journal.jsonl"
    rows = table(6).to_pylist()
    for _ in flipped_everywhere(journal, step=13):
        with pytest.raises(DamagedFile, match=r"journal\.jsonl is damaged"):
            Records(tmp_path, "a", SCHEMA)
        [repair] = repair_table(tmp_path, "a", Attic(tmp_path))
        kept = list(Records(tmp_path, "a", SCHEMA).rows())
        assert repair.rows == 6 - len(kept) <= 1 and [row for row in rows if row in kept] == kept
        shutil.rmtree(tmp_path / "damaged")


def test_any_flip_of_sealed_json_is_noticed_or_changes_white_space(tmp_path):
    path = tmp_path / "card.json"
    content = {"model": "x", "counts": {"planned": 7, "lo": 0.25, "hi": None}, "tags": ["ä", True]}
    write_sealed_json(path, content)
    assert read_sealed_json(path) == content
    noticed = 0
    for _ in flipped_everywhere(path):
        try:
            assert read_sealed_json(path) == content
        except ValueError:
            noticed += 1
    assert noticed > 100


@pytest.mark.parametrize("content", [{"model": "x"}, ["x"], "x", None])
def test_json_without_a_seal_is_refused(tmp_path, content):
    (tmp_path / "card.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match="it has no checksum"):
        read_sealed_json(tmp_path / "card.json")


def test_writers_fail_in_a_sentence_where_the_attic_cannot_be_made(copy):
    copy.write_bytes(copy.read_bytes()[:-1] + b"2")
    (copy.parent / "damaged").write_text("a file")
    with pytest.raises(PixelProofError, match="Cannot write"):
        repair_parquet(copy, Attic(copy.parent))
    assert copy.exists()
