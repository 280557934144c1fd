"""Run directories with something missing: a sentence that names the file, whatever is done with them."""

import io
import json
import re
import shutil

import pyarrow.parquet as pq
import pytest
from rich.console import Console

import pixelproof
from pixelproof.cli._tables import print_comparison, print_summary
from pixelproof.contract import PixelProofError
from pixelproof.harness import Run
from pixelproof.report import write_report
from pixelproof.store import read_sealed_json, write_parquet, write_sealed_json
from support import Guess, edit_json, list_files

BENCH = Guess(n=12)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIXELPROOF_CACHE", str(folder / "cache"))
        pixelproof.run(BENCH, "fn/support:even_odd", out=folder / "run")
    return folder / "run"


@pytest.fixture
def damaged(whole, tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(whole.parent / "cache"))
    return shutil.copytree(whole, tmp_path / "run")


def paths(content, prefix=()):
    """Every place in JSON, but only one of the metrics, which are all alike."""
    for key, value in content.items():
        yield (*prefix, key)
        if isinstance(value, dict) and key not in ("hit", "pooled", "polite", "length", "even"):
            yield from paths(value, (*prefix, key))


def without(content, path):
    """A copy of JSON that lacks what is at a path."""
    if len(path) == 1:
        return {key: value for key, value in content.items() if key != path[0]}
    return {**content, path[0]: without(content[path[0]], path[1:])}


def store(run, name, content):
    """Write a file as PixelProof would, with the checksum of what it has."""
    write_sealed_json(run / name, content)
    if name == "summary.json":
        list_files(run)


def look(run, other):
    """All that shows numbers; True if it does, False if it says in a sentence that it cannot."""
    console = Console(file=io.StringIO())
    try:
        print_summary(console, Run.open(run), BENCH, everything=True)
        print_comparison(console, pixelproof.compare(run, other, bench=BENCH))
        return True
    except PixelProofError as error:
        said = str(error)
        assert "run" in said and "Error" not in said and said.endswith(".") and "\n" not in said
        return False


@pytest.mark.slow
@pytest.mark.parametrize("name", ["card.json", "summary.json"])
def test_whatever_is_missing_from_a_file_is_told_or_not_needed(whole, damaged, name):
    content, blind = read_sealed_json(whole / name), set()
    for path in paths(content):
        store(damaged, name, without(content, path))
        if not look(damaged, whole):
            blind.add(".".join(path))
    needed = {
        "card.json": {
            "bench",
            "options",
            "source",
            "source.data",
            "model",
            "decoding.arm",
            "samples",
            "state",
            "files",
            "scorer",
            "judge_card",
        },
        "summary.json": {
            "counts",
            "counts.planned",
            "counts.abstained",
            "metrics",
            "metrics.close.value",
            "metrics.close.bounds",
            "groups.parity.odd.close.n",
            "channel",
            "confusion",
        },
    }
    assert needed[name] <= blind


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "card.json",
            {"format": 1, "bench": "guess"},
            r"run/card\.json is damaged or of another version, for it has no usable 'source.name': ",
        ),
        ("card.json", "{", r"The card of .*run cannot be read .*: run 'pixelproof runs repair .*run', which restores"),
        ("card.json", {}, r"it is not the card of a run: run 'pixelproof runs repair"),
        (
            "card.json",
            "[]",
            r"The card of .*run cannot be read \(it has no checksum\): run 'pixelproof runs repair .*run'",
        ),
        ("summary.json", {}, r"cannot be read \(it has no usable 'bench'\): run 'pixelproof runs repair .*run', which"),
        (
            "summary.json",
            "[]",
            r"summary\.json is damaged \(it has no checksum\): run 'pixelproof runs repair",
        ),
    ],
)
def test_the_sentence_says_what_to_do(damaged, name, content, said):
    if isinstance(content, str):
        (damaged / name).write_text(content)
    else:
        store(damaged, name, content)
    with pytest.raises(PixelProofError, match=said):
        assert Run.open(damaged).summary


def test_wrong_values_are_as_bad_as_none(whole, damaged):
    for wrong in ({"groups": {"parity": 3}}, {"metrics": {"close": 3}}, {"counts": {"planned": "many"}}):
        shutil.copyfile(whole / "summary.json", damaged / "summary.json")
        edit_json(damaged / "summary.json", **wrong)
        with pytest.raises(PixelProofError, match=f"no usable '{next(iter(wrong))}|no usable 'close: value"):
            assert Run.open(damaged).summary


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "column"),
    [("items", "cluster"), ("results", "status"), ("results", "hit"), ("controls", "control"), ("controls", "hit")],
)
def test_a_table_without_a_column_is_told_and_made_again(whole, damaged, table, column):
    write_parquet(damaged / f"{table}.parquet", pq.read_table(whole / f"{table}.parquet").drop_columns([column]))
    list_files(damaged)
    if (table, column) != ("controls", "hit"):  # a control need not have every metric
        with pytest.raises(
            PixelProofError, match=rf"{table}\.parquet is damaged .*no column '{column}': .*rescore .*run'"
        ):
            pixelproof.compare(damaged, whole, bench=BENCH)
    pixelproof.rescore(damaged, BENCH)
    assert look(damaged, whole) and pq.read_table(damaged / f"{table}.parquet") == pq.read_table(
        whole / f"{table}.parquet"
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["card.json", "summary.json"])
def test_reports_and_resumed_runs_as_well(whole, damaged, tmp_path, name):
    content = json.loads((whole / name).read_text())
    for path in paths(content):
        acts = [
            lambda: write_report([damaged], tmp_path / "report.html", BENCH),
            lambda: pixelproof.rescore(damaged, BENCH),
            lambda: pixelproof.run(BENCH, "fn/support:even_odd", out=damaged, resume=True),
        ]
        for act in acts[: 1 if name == "summary.json" and len(path) > 1 else 3]:  # the others make a summary anew
            (damaged / name).write_text(json.dumps(without(content, path)))
            try:
                act()
            except PixelProofError as error:
                assert "Error" not in str(error) and str(error).endswith(".")


def other_column(path):
    table = pq.read_table(path)
    pq.write_table(table.append_column("hit.harder", table["hit"]), path)


def flipped_page(path):
    data = bytearray(path.read_bytes())
    place = pq.ParquetFile(path).metadata.row_group(0).column(3).data_page_offset
    data[place + 30] ^= 0xFF
    path.write_bytes(data)


HURT = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "junk": lambda path: path.write_bytes(b"PAR1junk"),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-40]),
    "other column": other_column,
    "flipped page": flipped_page,
}


@pytest.mark.slow
@pytest.mark.parametrize("hurt", HURT.values(), ids=HURT)
def test_results_are_made_again_whatever_happened_to_them(whole, damaged, tmp_path, hurt):
    results = damaged / "results.parquet"
    hurt(results)
    for act in (
        lambda: pixelproof.compare(damaged, whole, bench=BENCH),
        lambda: list(Run.open(damaged).results(BENCH)),
        lambda: write_report([damaged], tmp_path / "report.html", BENCH),
    ):
        try:
            act()
        except PixelProofError as error:
            assert re.search(f"'pixelproof runs (repair|rescore) {damaged}'", str(error))
            assert str(error).count("(") == str(error).count(")")
    pixelproof.repair(damaged, BENCH)
    assert pq.read_table(results) == pq.read_table(whole / "results.parquet")
    assert (damaged / "summary.json").read_bytes() == (whole / "summary.json").read_bytes()


@pytest.mark.slow
def test_damaged_parts_of_results_are_dropped_as_well(whole, damaged):
    (damaged / "results.parts").mkdir()
    (damaged / "results.parts" / "part-000001.parquet").write_bytes(b"PAR1junk")
    pixelproof.repair(damaged, BENCH)
    assert look(damaged, whole) and not list(damaged.glob("results.parts/*"))


def test_results_that_cannot_be_made_again_are_left_alone(damaged):
    (damaged / "results.parquet").write_bytes(b"PAR1junk")
    with pytest.raises(PixelProofError, match=r"results\.parquet is damaged \(it does not end like a Parquet file\)"):
        pixelproof.rescore(damaged, BENCH)
    assert (damaged / "results.parquet").read_bytes() == b"PAR1junk"
