"""The data set of published replies, whole and with bad rows."""

import json
import math
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from pixelproof.benches.pixelart import PixelArt
from pixelproof.benches.pixelart._dataset import COLUMNS
from pixelproof.cli import main
from pixelproof.contract import Answer, Fault, PixelProofError, Source, Usage

PUBLISHED = Source("published")
ROWS = [
    {
        "id": 7,
        "model_slug": "a/b",
        "model_name": "B",
        "example_id": 3,
        "example_name": "The planet Saturn with its rings",
        "palette": ["000000", "ffffff"],
        "grid": ["01" * 12] * 24,
        "is_appropriate": True,
        "height": 24,
        "width": 24,
        "num_colors": 2,
        "input_tokens": 400,
        "output_tokens": 640,
        "total_tokens": 1040,
        "cost": 0.25,
        "generation_time": 12.5,
    },
    {
        **dict.fromkeys(COLUMNS),
        "model_slug": "c/d",
        "example_name": "A teapot",
        "palette": ["f00"],
        "grid": ["00", "0"],
    },
]


def write(path, rows=ROWS):
    if path.suffix == ".parquet":
        parquet.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows), "utf-8")
    else:
        pandas = pytest.importorskip("pandas")
        pandas.DataFrame(rows).to_csv(path, index=False)
    return path


def recorded(path):
    bench = PixelArt()
    return bench, list(bench.items(Source("pixel-art-bench-v1", path), 0, None))


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl", ".json", ".csv"])
def test_the_data_set_of_replies_in_every_form(tmp_path, suffix):
    bench, items = recorded(write(tmp_path / f"train{suffix}"))
    assert [item.id for item in items] == [f"pixelart/pixel-art-bench-v1/1/000{index}" for index in range(2)]
    assert items[0].tags == {"model": "a/b", "subject": "saturn", "category": "space"}
    assert items[0].cluster == "saturn" and items[0].truth["grid"]
    answer = bench.recorded(items[0])
    assert answer.usage == Usage(input_tokens=400, output_tokens=640, cost=0.25, seconds=12.5)
    assert bench.score(items[0], answer, {}).notes["strict"] == "ok"
    assert bench.prompt(items[0]).text.endswith("Draw: The planet Saturn with its rings")
    assert items[1].tags == {"model": "c/d", "subject": "A teapot", "category": "other"} and items[1].truth is None
    unknown = bench.recorded(items[1])
    assert unknown.usage == Usage(cost=None)
    assert json.loads(unknown.text) == {"palette": ["f00"], "grid": ["00", "0"]}
    ceiling = bench.controls()["ceiling-truth"](items[1], None)
    assert (ceiling.failure.fault, ceiling.failure.name) == (Fault.INSTRUMENT, "no-reference")


def test_published_subjects_have_no_recorded_reply():
    bench = PixelArt()
    assert all(bench.recorded(item) is None for item in bench.items(PUBLISHED, 0, None))


def test_a_folder_is_read_file_by_file_and_n_stops_early(tmp_path):
    (tmp_path / "data").mkdir()
    for number in range(3):
        write(tmp_path / "data" / f"train-{number}.parquet", ROWS[:1])
    (tmp_path / "dataset_info.json").write_text("{}")
    bench, items = recorded(tmp_path)
    assert len(items) == 3
    assert len(list(bench.items(Source("pixel-art-bench-v1", tmp_path), 0, 2))) == 2


def test_nan_cost_is_unknown_not_free(tmp_path):
    bench, items = recorded(write(tmp_path / "x.parquet", [{**ROWS[0], "cost": math.nan}]))
    assert bench.recorded(items[0]).usage.cost is None


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        (None, None, "needs --data"),
        ("missing.parquet", None, "neither a file of pixel-art-bench-v1"),
        ("x.txt", b"hello", "neither a file of pixel-art-bench-v1"),
        ("x.parquet", b"not parquet", "cannot be read as parquet"),
        ("x.json", b"{", "cannot be read as json"),
        ("x.json", b'{"a": 1}', "no list of rows"),
        ("x.json", b"[3]", "row 1 of x.json has no named columns"),
        ("x.json", b"[" * 100_000, "cannot be read as json"),
        ("x.jsonl", b'{"palette": []}\n', "has no model_slug, example_name, grid"),
        ("x.jsonl", b"\xff\xfe", "cannot be read as jsonl"),
        ("x.csv", b"a,b\n1,2\n", "has no model_slug"),
        ("x.csv", b"model_slug,example_name,palette,grid\na,b,['0' '1'],['0']\n", "without commas"),
        ("x.csv", b"model_slug,example_name,palette,grid\na,b,[,['0']\n", "a palette that is not a list"),
        ("x.csv", b"model_slug,example_name,palette,grid\na,b,red,['0']\n", "a palette that is not a list"),
        ("x.json", json.dumps([{**ROWS[0], "grid": "0101"}]).encode(), "a grid that is not a list"),
        ("x.jsonl", b'{"palette": []\n', "row 1 of x.jsonl is not valid JSON"),
    ],
)
def test_bad_data_is_one_sentence(tmp_path, name, content, says):
    path = tmp_path / name if name else None
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PixelProofError) as error:
        recorded(path)
    message = str(error.value)
    assert says in message and message.endswith(".") and "\n" not in message


SUBJECT = ROWS[0]["example_name"]
CELLS = "['000000', 'ffffff']", str(ROWS[0]["grid"])
BAD = {
    "not a list": {**ROWS[0], "grid": "no grid today"},
    "an expression": {**ROWS[0], "palette": "[red]"},
    "one is missing": {**ROWS[0], "palette": None},
    "no subject": {**ROWS[0], "example_name": ""},
}


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl", ".json", ".csv"])
@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_a_bad_row_spoils_no_other_and_is_held_against_nobody(tmp_path, suffix, bad):
    whole = {**ROWS[0], "palette": CELLS[0], "grid": CELLS[1]} if suffix in (".parquet", ".csv") else ROWS[0]
    bad = {
        name: str(cell) if isinstance(cell, list) and suffix in (".parquet", ".csv") else cell
        for name, cell in bad.items()
    }
    bench, items = recorded(write(tmp_path / f"x{suffix}", [whole, bad, whole]))
    answers = [bench.recorded(item) for item in items]
    assert [answer.failure is None for answer in answers] == [True, False, True]
    assert answers[0].text == answers[2].text and bench.score(items[2], answers[2], {}).failure is None
    failure = answers[1].failure
    assert (failure.fault, failure.name) == (Fault.INFRASTRUCTURE, "bad-row")
    assert failure.detail.startswith(f"row 2 of x{suffix} has ") and "<" not in failure.detail
    assert items[1].tags["model"] == "a/b" and items[1].inputs["subject"] == bad["example_name"]


def test_whoever_answers_a_row_without_a_subject_is_not_measured(tmp_path):
    bench, items = recorded(write(tmp_path / "x.jsonl", [ROWS[0], BAD["no subject"], BAD["not a list"]]))
    results = [bench.score(item, Answer("{}"), {}) for item in items]
    assert [result.failure.name for result in results] == ["missing-keys", "no-subject", "missing-keys"]
    assert results[1].failure.fault is Fault.INSTRUMENT and "has no example_name" in results[1].failure.detail


def test_broken_lines_keep_their_places(tmp_path):
    good = f'a/b,{SUBJECT},"{CELLS[0]}","{CELLS[1]}"'
    lines = [
        "model_slug,example_name,palette,grid",
        "cut,off",
        good,
        "",
        good.replace(SUBJECT, '"two\nlines"'),
        "a,b,c,d,e",
        good,
    ]
    (tmp_path / "x.csv").write_text("\n".join(lines))
    (tmp_path / "x.jsonl").write_text("\n".join(["{", json.dumps(ROWS[0]), "", "3", json.dumps(ROWS[0]), '"\u2028"']))
    details = []
    for name in ("x.csv", "x.jsonl"):
        bench, items = recorded(tmp_path / name)
        failures = [bench.recorded(item).failure for item in items]
        details.append([failure and failure.detail for failure in failures])
    columns = "cells, but there are 4 columns"
    assert details[0] == [f"row 1 of x.csv has 2 {columns}", None, None, f"row 4 of x.csv has 5 {columns}", None]
    named = "of x.jsonl has no named columns"
    assert details[1] == ["row 1 of x.jsonl is not valid JSON", None, f"row 3 {named}", None, f"row 5 {named}"]


@given(st.lists(st.sampled_from([*ROWS, *BAD.values(), 3, None, {}, {"palette": b"x".hex()}]), max_size=8))
def test_nothing_is_lost_and_nothing_moves(tmp_path_factory, rows):
    path = write(tmp_path_factory.mktemp("rows") / "x.jsonl", [ROWS[0], *rows])
    bench, items = recorded(path)
    whole = [bench.recorded(item).failure is None for item in items]
    assert whole == [True, *(row in ROWS for row in rows)]
    assert [item.id for item in items] == [f"pixelart/pixel-art-bench-v1/1/{i:04d}" for i in range(len(rows) + 1)]


@pytest.mark.parametrize("name", ["model_slug", "example_name"])
@pytest.mark.parametrize("cell", [7, 0, True, ["a"], {"a": 1}, "\ud800"])
def test_a_name_that_is_no_text_makes_a_bad_row(tmp_path, name, cell):
    bench, items = recorded(write(tmp_path / "x.jsonl", [ROWS[0], {**ROWS[0], name: cell}]))
    failure = bench.recorded(items[1]).failure
    assert (failure.name, failure.detail) == ("bad-row", f"row 2 of x.jsonl has no text in {name}")
    assert bench.recorded(items[0]).failure is None


@pytest.mark.parametrize("name", ["input_tokens", "output_tokens", "cost", "generation_time"])
@pytest.mark.parametrize("number", [-0.5, -1, 1e308, 10**400, 1e9, True])
def test_an_impossible_number_is_unknown(tmp_path, name, number):
    bench, (item,) = recorded(write(tmp_path / "x.jsonl", [{**ROWS[0], name: number}]))
    usage = bench.recorded(item).usage
    field, unknown = {"cost": ("cost", None), "generation_time": ("seconds", 0.0)}.get(name, (name, 0))
    assert usage == replace(Usage(400, 640, cost=0.25, seconds=12.5), **{field: unknown})


@pytest.mark.parametrize("cost", [math.nan, "cheap", None, [1], "inf"])
def test_a_price_that_is_none_is_unknown(tmp_path, cost):
    bench, items = recorded(write(tmp_path / "x.jsonl", [{**ROWS[0], "cost": cost}]))
    assert bench.recorded(items[0]).usage == Usage(400, 640, cost=None, seconds=12.5)


@pytest.mark.slow
def test_the_table_counts_bad_rows_and_says_why(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    path = write(tmp_path / "x.jsonl", [*ROWS, BAD["an expression"], BAD["no subject"]])
    words = ["score", "pixelart", "--source", "pixel-art-bench-v1", "--data", str(path), "--out", str(tmp_path / "run")]
    for again in ([], ["--resume"]):
        with pytest.raises(SystemExit) as ended:
            main([*words, *again])
        told = capsys.readouterr().out
        assert ended.value.code == 4 and "4 planned, 2 completed" in told and "2 errored" in told
        assert "Failure bad-row: 2  for example: row 3 of x.jsonl has a palette that is not a list" in told
