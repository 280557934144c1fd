"""Reports of several benches, sources and seeds; folders of runs; runs that have not ended."""

import json
import re
import shutil

import pytest

from pixelproof.contract import PixelProofError, Source
from pixelproof.harness import Plan, Run, Settings, partial_summary, run
from pixelproof.report import _find, open_groups, render, run_directories, write_report
from report.paint import Paint
from report.test_report import gallery_data
from support import Guess, edit_json


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Runs of two benches, with two seeds of one of them, in a folder of folders."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIXELPROOF_CACHE", str(folder / "cache"))
        for name, bench, source, seed, model in (
            ("guess/seed0", Guess(), "digits", 0, "fn/support:even_odd"),
            ("guess/other", Guess(), "digits", 0, "fn/support:counting"),
            ("guess/floor", Guess(), "digits", 0, "control/floor-five"),
            ("guess/seed1", Guess(), "digits", 1, "fn/support:even_odd"),
            ("paint/model", Paint(), "greys", 0, "fn/report.paint:painter"),
        ):
            run(Plan(bench, Source(source), seed), model, settings=Settings(out=folder / name))
    return folder


@pytest.fixture
def both(monkeypatch):
    """Both benches as if they were installed."""
    benches = {"guess": Guess, "paint": Paint}
    monkeypatch.setattr("pixelproof.report._groups.bench_of", lambda card: benches[card.bench](**card.options))


@pytest.mark.slow
def test_runs_are_grouped_by_bench_source_and_seed(folder, both):
    groups = open_groups(run_directories([folder]))
    names = [[view.run.path.name for view in group.views] for group in groups]
    assert names == [["other", "seed0", "floor"], ["seed1"], ["model"]]
    assert [group.distinction for group in groups] == ["seed 0", "seed 1", ""]
    assert groups[0].title == "Guess a digit (seed 0)" and groups[1].name == "guess: seed 1"
    assert groups[2].title == "Paint it grey" and groups[2].name == "paint"
    assert [view.key for view in groups[0].views] == ["A", "B", "C"] and groups[1].views[0].key == "A"


@pytest.mark.slow
def test_versions_that_are_not_comparable_are_apart(folder, tmp_path):
    shutil.copytree(folder / "guess" / "seed0", tmp_path / "new")
    edit_json(tmp_path / "new" / "card.json", version="2.0")
    assert len(open_groups([folder / "guess" / "seed0", tmp_path / "new"], Guess())) == 2


@pytest.mark.parametrize(
    ("names", "groups"),
    [
        ([{"close", "pooled"}, {"pooled", "hit"}], [[0, 1]]),
        ([{"close"}, {"pooled"}], [[0], [1]]),
        ([{"close"}, {"pooled"}, {"close", "pooled"}], [[0, 1, 2]]),
        ([{"close"}, {"hit"}], [[0, 1]]),  # no headline at all: its options decide
        ([{"close"}, set()], [[0, 1]]),
        ([set(), {"close"}, {"pooled"}], [[0, 1], [2]]),
    ],
)
def test_runs_stand_together_if_they_share_a_headline_metric(folder, tmp_path, names, groups):
    for i, kept in enumerate(names):
        shutil.copytree(folder / "guess" / "seed0", tmp_path / str(i))
        summary = json.loads((tmp_path / str(i) / "summary.json").read_text())
        metrics = {name: value for name, value in summary["metrics"].items() if name in kept}
        edit_json(tmp_path / str(i) / "summary.json", metrics=metrics)
    found = open_groups([tmp_path / str(i) for i in range(len(names))], Guess())
    assert [[int(view.run.path.name) for view in group.views] for group in found] == groups


@pytest.mark.slow
def test_the_overview_has_the_calibrated_headline_of_every_bench(folder, both, tmp_path):
    text = write_report([folder], tmp_path / "r.html").read_text()
    table = text.partition('<section id="overview"')[2].partition("</table>")[0]
    assert re.findall(r'href="#(bench-\d)"', table) == ["bench-1", "bench-2", "bench-3"]
    rows = {re.search(r"<bdi>(.*?)</bdi>", row)[1].replace("<wbr>", ""): row for row in table.split("<tr>")[2:]}
    assert list(rows) == ["fn/support:counting", "fn/support:even_odd", "fn/report.paint:painter"]  # no controls
    for place, name in ((0, "guess/seed0"), (1, "guess/seed1")):
        found = Run.open(folder / name).summary["metrics"]["close"]["calibrated"]
        cell = rows["fn/support:even_odd"].split("<td")[1:][place]
        assert f"<b>{found['value']:.2f}</b>".replace("-", "−") in cell
        assert f"{found['lo']:.2f} to {found['hi']:.2f}".replace("-", "−") in cell and "faults 0" in cell
    assert rows["fn/support:even_odd"].rstrip("</tbody>").count("<td></td>") == 1  # it has not painted
    refused = rows["fn/report.paint:painter"]
    assert 'class="aside faults">faults 4' in refused  # one refusal in 25


@pytest.mark.slow
def test_every_group_has_its_own_sections_and_gallery(folder, both):
    page = str(render(open_groups(run_directories([folder]))).html())
    for i in (1, 2, 3):
        for name in ("leaderboard", "gallery-section", "outcomes", "runs"):
            assert page.count(f'<section id="bench-{i}-{name}"') == 1 and f'href="#bench-{i}-{name}"' in page
    assert len(re.findall(r'id="bench-\d-gallery-data"', page)) == 3
    assert len(re.findall(r'id="([^"]+)"', page)) == len(set(re.findall(r'id="([^"]+)"', page)))


def test_a_folder_is_searched_and_each_run_is_shown_once(folder):
    runs = run_directories([folder / "guess" / "seed1", folder])
    assert [path.name for path in runs] == ["seed1", "floor", "other", "seed0", "model"]
    assert run_directories([folder / "guess", folder / "guess" / ".." / "guess"]) == run_directories([folder / "guess"])


def test_a_run_inside_a_run_and_hidden_folders_are_left_out(folder, tmp_path):
    shutil.copytree(folder / "guess" / "seed0", tmp_path / "a")
    shutil.copytree(folder / "guess" / "seed0", tmp_path / "a" / "copy")
    shutil.copytree(folder / "guess" / "seed0", tmp_path / ".trash" / "b")
    assert run_directories([tmp_path]) == [tmp_path / "a"]


def test_folders_without_runs_and_with_too_many_are_explained(folder, tmp_path, monkeypatch):
    with pytest.raises(PixelProofError, match="is not a run directory and contains none"):
        run_directories([tmp_path])
    monkeypatch.setattr(_find, "MAX_RUNS", 4)
    with pytest.raises(PixelProofError, match="at most 4 runs"):
        run_directories([folder])
    with pytest.raises(PixelProofError, match="nowhere is not a directory"):
        run_directories([tmp_path / "nowhere"])
    with pytest.raises(PixelProofError, match="at least one"):
        open_groups([])


def interrupt(path, keep):
    """Make a whole run look like one in progress: its first results and answers are in journals, the rest is gone."""
    from pixelproof.harness._rows import ANSWER_SCHEMA, result_schema
    from pixelproof.store import Records
    from pixelproof.store._holder import Holder

    for name, schema in (("results", result_schema(Guess.metrics)), ("answers", ANSWER_SCHEMA)):
        with Records(path, name, schema) as table:
            rows = list(table.rows())[:keep]
        (path / f"{name}.parquet").unlink()
        with Records(path, name, schema) as table:
            for row in rows:
                table.put(row)
    for name in ("summary.json", "controls.parquet"):
        (path / name).unlink()
    edit_json(path / "card.json", state="running", ledger=None)
    (path / ".lock").write_bytes(Holder.here().encoded())  # as the process of the run does


@pytest.mark.slow
@pytest.mark.parametrize("keep", [0, 1, 8])
def test_a_run_in_progress_shows_what_it_has(folder, tmp_path, keep):
    shutil.copytree(folder / "guess" / "seed0", tmp_path / "run")
    interrupt(tmp_path / "run", keep)
    before = sorted(path.stat().st_mtime_ns for path in (tmp_path / "run").rglob("*"))
    text = write_report([tmp_path / "run"], tmp_path / "r.html", Guess()).read_text()
    assert f"is running: {keep} of 20 answers so far" in text
    assert sum(len(cell) for row in gallery_data(text)["rows"] for cell in row["cells"]) == keep
    assert sorted(path.stat().st_mtime_ns for path in (tmp_path / "run").rglob("*")) == before


def test_a_partial_summary_is_the_summary_of_those_answers(folder, tmp_path):
    shutil.copytree(folder / "guess" / "seed0", tmp_path / "run")
    interrupt(tmp_path / "run", 8)
    opened = Run.open(tmp_path / "run")
    found = partial_summary(opened, Guess())
    values = [result.metrics["close"] for result in opened.results(Guess())]
    assert len(values) == 8 and found["metrics"]["close"]["value"] == pytest.approx(sum(values) / 8)
    assert found["counts"]["planned"] == 20 and found["counts"]["completed"] == 8
    assert found["metrics"]["close"]["floor"] is None and found["metrics"]["close"]["calibrated"] is None


@pytest.mark.slow
def test_a_run_in_progress_stands_beside_others(folder, tmp_path):
    shutil.copytree(folder / "guess" / "seed0", tmp_path / "run")
    interrupt(tmp_path / "run", 0)
    (group,) = open_groups([folder / "guess" / "other", tmp_path / "run", folder / "guess" / "floor"], Guess())
    assert len(group.views) == 3
    assert "is running" in render([group]).html()


@pytest.mark.slow
def test_many_answers_get_a_page_per_bench_in_a_directory(folder, both, tmp_path, monkeypatch):
    said = []
    few = write_report([folder], f"{tmp_path}/few/")
    assert [path.name for path in few.parent.iterdir()] == ["report.html"]
    monkeypatch.setattr("pixelproof.report._report.ONE_PAGE", 80)
    index = write_report([folder], f"{tmp_path}/many/", say=said.append)
    pages = sorted(path.name for path in index.parent.iterdir())
    assert pages == ["guess-1.html", "guess-2.html", "paint.html", "report.html"]
    front = index.read_text()
    assert all(f'href="{name}"' in front for name in pages[:3]) and front.count('<article class="lead">') == 3
    assert "gallery-data" not in front and 1 <= len(said) <= 3 and all(sentence in front for sentence in said)
    for name in pages[:3]:
        page = (index.parent / name).read_text()
        assert 'href="report.html"' in page and "gallery-data" in page and page.count('<article class="lead">') == 1
    one_file = write_report([folder], tmp_path / "one.html").read_text()
    assert len(re.findall(r'id="bench-\d-gallery-data"', one_file)) == 3
    (index.parent / "paint.html").write_text("<p>written by hand")
    with pytest.raises(PixelProofError, match="paint.html exists and is not a report"):
        write_report([folder], f"{tmp_path}/many/")
