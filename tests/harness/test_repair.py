"""Damaged runs: nothing wrong is ever shown, and a repair loses the damaged rows alone."""

import json
import os
import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest

import pixelproof
from harness.damaged_runs import BENCH, contents, copy_run, files_of, make, make_interrupted
from pixelproof.cli._repair import describe
from pixelproof.contract import PixelProofError, Source
from pixelproof.harness import Plan, Run, Settings, find_damage, run
from pixelproof.store import Attic, read_sealed_json, repair_parquet, repair_table, write_sealed_json
from support import Announcements, edit_json

FLIPS = 4 * int(os.environ.get("PIXELPROOF_SOAK", "3"))
FINISHED = [
    "card.json", "card.copy.json", "summary.json", "items.parquet", "answers.parquet", "judgements.parquet",
    "results.parquet", "controls.parquet", "calls.parquet", "blobs",
]  # fmt: skip
TABLES = ("answers", "judgements", "results", "calls")
INTERRUPTED = [f"{table}.parts/{file}" for table in TABLES for file in ("part-000001.parquet", "journal.jsonl")]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A finished run, an interrupted one, another to compare with, and what is read of them."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIXELPROOF_CACHE", str(folder / "cache"))
        make(folder / "finished")
        make_interrupted(folder / "interrupted")
        pixelproof.run(BENCH, "fn/support:even_odd", out=folder / "other")
        yield folder


def whole(runs, name):
    return contents(runs / name, runs / "other" if name == "finished" else None)


def flip(file, rng):
    data = bytearray(file.read_bytes())
    data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
    file.write_bytes(bytes(data))


def key(entry):
    return (entry["item"], entry["sample"]) if isinstance(entry, dict) else entry[:2]


def same_files(path, source):
    """Whether two runs are the same to the byte; then all that is read of them is the same, too."""

    def content(folder):
        files = (file for file in folder.rglob("*") if file.is_file() and file.name != ".lock")
        return {file.relative_to(folder): file.read_bytes() for file in files if "damaged" not in file.parts}

    return content(path) == content(source)


def check_repair(path, source, good, other):
    """Repair; what is left must be what was, without the answers that the report names. The number of lost answers."""
    report = pixelproof.repair(path, BENCH)
    assert not report.open and not report.unnamed and list(find_damage(path)) == []
    lost = set(report.lost.values())
    if same_files(path, source):
        return 0
    left = contents(path, other)
    rows_of = {name: sum(f.rows for f in report.files if f.path.parent.name == f"{name}.parts") for name in TABLES}
    unscored = rows_of["results"]
    for table, missing in (("answers", 0), ("rows", unscored)):
        expected = [row for row in good[table] if key(row) not in lost]
        assert all(row in expected for row in left[table]) and len(left[table]) == len(expected) - missing
    assert left["items"] == good["items"]
    assert [(r.item, r.sample) for r in left["results"]] == [key(row) for row in left["rows"]]
    if not lost and not unscored and not report.judgements:
        assert {**left, "blobs": 0} == {**good, "blobs": 0}
    if lost or report.judgements or report.files:
        assert (path / "damaged").exists()
    return len(lost) + unscored + report.judgements + rows_of["calls"]


def repair_file(path, file, good):
    """Repair one file of a table, then put it back; the number of lost rows, all others being the same."""
    lost, attic = 0, Attic(path)
    if file.suffix == ".parquet":
        assert repair_parquet(file, attic).rows == 0 and file.read_bytes() == good
    elif file.suffix == ".jsonl":
        lost = sum(repaired.rows for repaired in repair_table(path, file.parent.stem, attic))
        left = file.read_bytes().splitlines()
        assert [line for line in good.splitlines() if line in left] == left
        assert len(good.splitlines()) - len(left) == lost <= 1
    file.write_bytes(good)
    shutil.rmtree(path / "damaged", ignore_errors=True)
    return lost


def attack(runs, tmp_path, name, kind, tries, record_property):
    """Flip a bit, read everything, repair; again and again. The whole run is repaired every fifth time."""
    good = whole(runs, name)
    other = runs / "other" if name == "finished" else None
    rng = np.random.default_rng(FINISHED.index(kind) if kind in FINISHED else 100 + INTERRUPTED.index(kind))
    path = copy_run(runs / name, tmp_path / "run")
    lost = noticed = 0
    for number in range(tries):
        files = files_of(path)[kind]
        file = files[rng.integers(len(files))]
        content = file.read_bytes()
        flip(file, rng)
        try:
            assert contents(path, other) == good
        except PixelProofError as error:
            noticed += 1
            assert f"pixelproof runs repair {path}" in str(error) or (kind == "blobs" and "repair" in str(error))
        if number % 5 == 0:
            lost += check_repair(path, runs / name, good, other)
            path = copy_run(runs / name, tmp_path / "run")
        else:
            lost += repair_file(path, file, content)
    record_property("tries", tries)
    record_property("lost", lost)
    unread = {"card.json": 0.5, "summary.json": 0.5, "card.copy.json": 1}  # white space; the copy is not read
    assert noticed >= tries * (1 - unread.get(kind, 0))
    if kind.endswith((".parquet", ".json")):
        assert lost == 0
    else:
        assert lost <= tries * (2 if kind == "blobs" else 1)


@pytest.mark.soak
@pytest.mark.parametrize("kind", FINISHED)
def test_flips_in_a_finished_run(runs, tmp_path, kind, record_property, request):
    mark_row(request, kind)
    attack(runs, tmp_path, "finished", kind, FLIPS, record_property)


@pytest.mark.soak
@pytest.mark.parametrize("kind", INTERRUPTED)
def test_flips_in_an_interrupted_run(runs, tmp_path, kind, record_property, request):
    mark_row(request, kind)
    attack(runs, tmp_path, "interrupted", kind, FLIPS, record_property)


def mark_row(request, kind):
    lost = "nothing" if kind.endswith((".parquet", ".json")) else "{lost} rows, whose own bytes were damaged"
    request.node.user_properties += [("attack", f"a flipped bit in `{kind}`, then `repair`"), ("loss", lost)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["answers.parquet", "results.parquet", "summary.json", "card.json", "blobs"])
def test_a_few_flips(runs, tmp_path, kind, record_property):
    attack(runs, tmp_path, "finished", kind, 2, record_property)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["answers.parts/journal.jsonl", "results.parts/part-000001.parquet"])
def test_a_few_flips_in_an_interrupted_run(runs, tmp_path, kind, record_property):
    attack(runs, tmp_path, "interrupted", kind, 2, record_property)


@pytest.mark.slow
def test_one_flip_does_not_make_a_run_better(runs, tmp_path):
    """The value of a metric is changed where it stands in the file, as a flip of the disk would."""
    path = copy_run(runs / "finished", tmp_path / "run")
    results = path / "results.parquet"
    data = bytearray(results.read_bytes())
    chunk = next(
        column
        for column in map(pq.ParquetFile(results).metadata.row_group(0).column, range(100))
        if column.path_in_schema == "close"
    )
    begin = chunk.dictionary_page_offset or chunk.data_page_offset
    for place in range(begin, begin + chunk.total_compressed_size):
        changed = bytearray(data)
        changed[place] ^= 4
        results.write_bytes(bytes(changed))
        with pytest.raises(PixelProofError, match=r"results\.parquet is damaged .*pixelproof runs repair"):
            pixelproof.compare(path, runs / "other", bench=BENCH)


def burn(path, share=0.5):
    """Overwrite the beginning of a file: more than its redundancy can restore."""
    data = bytearray(path.read_bytes())
    length = int(len(data) * share)
    data[4 : 4 + length] = bytes(length)
    path.write_bytes(bytes(data))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["results.parquet", "controls.parquet", "items.parquet", "summary.json"])
def test_what_can_be_made_again_is_made_again(runs, tmp_path, name):
    good = whole(runs, "finished")
    path = copy_run(runs / "finished", tmp_path / "run")
    burn(path / name)
    report = pixelproof.repair(path, BENCH)
    assert report.complete and report.remade and [file.path.name for file in report.files] == [name]
    assert contents(path, runs / "other") == good
    assert (path / "damaged" / name).exists()


@pytest.mark.slow
def test_answers_beyond_repair_are_named_and_asked_again_on_request(runs, tmp_path):
    good = whole(runs, "finished")
    path = copy_run(runs / "finished", tmp_path / "run")
    burn(path / "answers.parquet", 0.9)
    report = pixelproof.repair(path, BENCH)
    assert sorted(report.lost.values()) == sorted(key(row) for row in good["answers"])  # one row group
    run = Run.open(path)
    assert report.open and "--resume" in report.open
    make(path, resume=True)
    assert contents(path, runs / "other")["results"] == good["results"]
    assert run.path == path


def zero_journals(path, tables=("answers", "results")):
    """Zeros in place of the content of journals, as of a disk that lost its pages."""
    for table in tables:
        journal = path / f"{table}.parts" / "journal.jsonl"
        journal.write_bytes(bytes(journal.stat().st_size))


@pytest.mark.slow
def test_zeros_in_place_of_acknowledged_answers_are_named(runs, tmp_path):
    path = copy_run(runs / "interrupted", tmp_path / "run")
    zero_journals(path)
    assert {file.parent.name for file, _ in find_damage(path)} == {"answers.parts", "results.parts"}
    progress = Announcements()
    plan, settings = Plan(BENCH, Source(BENCH.default_source()), samples=2), Settings(out=path, resume=True)
    done = run(plan, "fn/harness.damaged_runs:painting", judge="fn/support:rude", settings=settings, progress=progress)
    assert len(progress.texts) == 2 and all("bytes are lost: they have zeros" in text for text in progress.texts)
    assert set(progress.texts) <= set(done.card["remarks"]) and done.complete and not list(find_damage(path))


@pytest.mark.slow
def test_a_repair_of_zeros_does_not_say_that_nothing_is_lost(runs, tmp_path):
    path = copy_run(runs / "interrupted", tmp_path / "run")
    zero_journals(path)
    report = pixelproof.repair(path, bench=BENCH)
    text = "\n".join(describe(report))
    assert not report.complete and "they have zeros" in text and "--resume" in text
    assert "No answer is lost" not in text and "are intact" not in text
    assert not list(find_damage(path))


@pytest.mark.slow
def test_a_lost_image_loses_its_answer_alone(runs, tmp_path):
    path = copy_run(runs / "finished", tmp_path / "run")
    item, sample, _, [image] = list(Run.open(path).answers())[5]
    (path / "blobs" / image[:2] / image[2:]).unlink()
    report = pixelproof.repair(path, BENCH)
    assert list(report.lost.values()) == [(item, sample)]
    run = Run.open(path)
    assert run.card["state"] == "stopped" and run.summary["counts"]["completed"] == 17
    assert len(list(run.results(BENCH))) == 17
    make(path, resume=True)
    assert contents(path, runs / "other")["answers"] == whole(runs, "finished")["answers"]


def test_a_card_is_restored_from_its_copy_and_two_damaged_ones_are_a_sentence(runs, tmp_path):
    path = copy_run(runs / "finished", tmp_path / "run")
    (path / "card.json").unlink()
    assert pixelproof.repair(path, BENCH).complete and Run.open(path).complete
    for name in ("card.json", "card.copy.json"):
        burn(path / name)
    with pytest.raises(PixelProofError, match=r"card\.json and its copy are damaged .*backup"):
        pixelproof.repair(path, BENCH)


def test_repairing_what_is_intact_changes_nothing(runs, tmp_path):
    path = copy_run(runs / "finished", tmp_path / "run")
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file() and file.name != ".lock"}
    report = pixelproof.repair(path, BENCH)
    assert report.complete and not report.files and not report.remade
    assert before == {file: file.read_bytes() for file in path.rglob("*") if file.is_file() and file.name != ".lock"}


def without_checksum(path):
    """Rewrite a file of a run as another program would."""
    if path.suffix == ".parquet":
        pq.write_table(pq.read_table(path), path, compression="zstd", write_page_checksum=True)
    else:
        path.write_text(json.dumps(read_sealed_json(path)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["card.json", "summary.json", "results.parquet", "items.parquet", "controls.parquet"])
def test_a_file_without_a_checksum_is_damaged_and_made_again(runs, tmp_path, name):
    path = copy_run(runs / "finished", tmp_path / "run")
    without_checksum(path / name)
    assert [(file.name, "it has no checksum" in reason) for file, reason in find_damage(path)] == [(name, True)]
    with pytest.raises(PixelProofError, match="it has no checksum.*pixelproof runs repair"):
        contents(path, runs / "other")
    report = pixelproof.repair(path, BENCH)
    assert report.complete and [file.path.name for file in report.files] == [name] and not list(find_damage(path))
    assert contents(path, runs / "other") == whole(runs, "finished")


@pytest.mark.slow
def test_answers_without_checksums_are_lost(runs, tmp_path):
    path = copy_run(runs / "finished", tmp_path / "run")
    without_checksum(path / "answers.parquet")
    with pytest.raises(PixelProofError, match="it has no checksum.*pixelproof runs repair"):
        pixelproof.rescore(path, BENCH)
    report = pixelproof.repair(path, BENCH)
    assert not report.complete and report.lost and not list(Run.open(path).answers())


@pytest.mark.slow
@pytest.mark.parametrize("change", [lambda card: card.pop("files"), lambda card: card.pop("judge_card")])
def test_a_card_that_lacks_what_every_card_has_is_restored_from_its_copy(runs, tmp_path, change):
    path = copy_run(runs / "finished", tmp_path / "run")
    card = read_sealed_json(path / "card.json")
    change(card)
    write_sealed_json(path / "card.json", card)
    with pytest.raises(PixelProofError, match="or of another version, for it has no usable '.*pixelproof runs repair"):
        Run.open(path)
    assert [file.name for file, _ in find_damage(path)] == ["card.json"]
    assert pixelproof.repair(path, BENCH).complete and not list(find_damage(path))
    for name in ("card.json", "card.copy.json"):
        write_sealed_json(path / name, card)
    with pytest.raises(PixelProofError, match=r"its copy are damaged \(it has no usable .*\): restore one of them"):
        pixelproof.repair(path, BENCH)


@pytest.mark.slow
def test_a_missing_copy_of_the_card_is_named_and_made_again(runs, tmp_path):
    path = copy_run(runs / "finished", tmp_path / "run")
    (path / "card.copy.json").unlink()
    assert [file.name for file, _ in find_damage(path)] == ["card.copy.json"]
    assert pixelproof.repair(path, BENCH).complete and not list(find_damage(path))


@pytest.mark.slow
def test_scores_of_two_scorers_are_not_mixed(runs, tmp_path):
    path = copy_run(runs / "finished", tmp_path / "run")
    edit_json(path / "card.json", scorer="older")
    burn(path / "results.parquet")
    report = pixelproof.repair(path, BENCH)
    assert report.complete and "all results" in report.remade[-1]
    assert Run.open(path).card["scorer"] != "older"


def test_only_a_run_directory_is_repaired(tmp_path):
    with pytest.raises(PixelProofError, match="not a run directory"):
        pixelproof.repair(tmp_path, BENCH)
    assert [file.name for file in tmp_path.iterdir()] in ([], [".lock"])
    shutil.rmtree(tmp_path)
