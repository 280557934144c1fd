"""The page as a whole, from real runs."""

import json
import re
import shutil
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

from benches.arena.folders import make
from pixelproof.benches.arena import Arena
from pixelproof.cli import main
from pixelproof.contract import Item, PixelProofError, Source
from pixelproof.harness import Plan, Run, Settings, run
from pixelproof.report import _shots, write_report
from pixelproof.report._ranks import rank_ranges
from pixelproof.report._relations import _square, correlations, descriptions, efforts
from pixelproof.report._shots import collect
from pixelproof.stats import Pairs, correlation, flip_test, holm
from report.opening import open_views
from support import Guess, edit_json


def gallery_data(text):
    (block,) = re.findall(r'<script type="application/json" id="gallery-data">(.*?)</script>', text, re.DOTALL)
    return json.loads(block)


@pytest.fixture(scope="module")
def document(drawings):
    runs = [drawings / name for name in ("moody", "noise", "truth")]
    return write_report(runs, drawings / "report.html").read_text()


@pytest.mark.slow
def test_the_page_has_every_section(document):
    for identity in (
        "leaderboard",
        "gallery-section",
        "outcomes",
        "panel-1",
        "effort",
        "profile",
        "correlations",
        "runs",
    ):
        assert f'<section id="{identity}"' in document and f'href="#{identity}"' in document


@pytest.mark.slow
def test_the_headline_is_that_of_the_summary(document, drawings):
    found = Run.open(drawings / "moody").summary["metrics"]["lenient.renders"]
    board = document.partition("<h4>lenient.renders</h4>")[2].partition("</table>")[0]
    row = next(part for part in board.split("<tr") if "moody" in part)
    assert f'<td class="number value">{found["value"]:.2f}</td>' in row
    assert f"{found['lo']:.2f} to {found['hi']:.2f}" in row and f">{found['n']}</td>" in row
    assert "A floor control reaches the ceiling here" in document  # noise renders as well as any drawing


@pytest.mark.slow
def test_the_gallery_has_every_answer_and_every_picture_once(document, drawings):
    data = gallery_data(document)
    assert [row["label"] for row in data["rows"]][:3] == ["mario", "rainbow", "sun"]
    assert [[len(cell) for cell in row["cells"]] for row in data["rows"]] == [[2, 2, 2]] * 7
    keys = {
        key
        for name in ("moody", "noise", "truth")
        for r in Run.open(drawings / name).results()
        for key in r.evidence.values()
    }
    assert len(data["images"]) == len(set(data["images"])) == len(keys)
    texts = {(i, s): a.text for i, s, a, _ in Run.open(drawings / "moody").answers()}
    for row in data["rows"]:
        for shot in row["cells"][0]:
            assert shot[8] == texts[row["item"], shot[0]] and shot[9] == len(shot[8])


@pytest.mark.slow
def test_the_same_runs_give_the_same_page(document, drawings, tmp_path):
    runs = [drawings / name for name in ("moody", "noise", "truth")]
    assert write_report(runs, tmp_path / "again.html").read_text() == document


@pytest.mark.slow
def test_the_page_does_not_tell_where_it_was_made(document, drawings):
    assert str(drawings) not in document


@pytest.mark.slow
def test_ranks_are_those_of_the_pairwise_tests(guess):
    paths = [guess("even", "fn/support:even_odd"), guess("random", "fn/support:counting")]
    paths += [guess("right", "control/ceiling-truth"), guess("wrong", "control/wrong")]
    views = open_views(paths, Guess())
    metric = Guess.metrics[0]
    by_run = {view.key: np.array([r.metrics["close"] for r in view.run.results(Guess())]) for view in views}
    pairs = list(combinations("ABCD", 2))
    adjusted = holm([flip_test(Pairs.of_means(by_run[a], by_run[b])).p for a, b in pairs])
    apart = {frozenset(pair) for pair, p in zip(pairs, adjusted, strict=True) if p <= 0.05}
    assert 0 < len(apart) < len(pairs)
    expected = {}
    for key in "ABCD":
        better = sum(by_run[o].mean() > by_run[key].mean() for o in "ABCD" if frozenset((o, key)) in apart)
        worse = sum(by_run[o].mean() < by_run[key].mean() for o in "ABCD" if frozenset((o, key)) in apart)
        expected[key] = (1 + better, 4 - worse)
    assert rank_ranges(views, [metric])["close"] == expected


@pytest.mark.slow
def test_models_are_ranked_and_controls_are_not(guess, tmp_path):
    paths = [guess("even", "fn/support:even_odd"), guess("random", "fn/support:counting"), guess("c", "control/wrong")]
    text = write_report(paths, tmp_path / "r.html", Guess()).read_text()
    board = text.partition("<h4>close</h4>")[2].partition("</table>")[0]
    ranks = re.findall(r'data-name="rank">([^<]*)<', board)
    assert len(ranks) == 3 and ranks[0] and ranks[1] and ranks[2] == ""
    alone = write_report(paths[:1], tmp_path / "one.html", Guess()).read_text()
    assert 'class="board unranked"' in alone


@pytest.mark.slow
def test_two_models_that_draw_are_ranked_by_every_headline_metric(drawings, tmp_path):
    runs = [drawings / name for name in ("moody", "tidy")]
    common = set.intersection(*(set(Run.open(run).summary["metrics"]) for run in runs))
    assert {"recognised", "recogniser.abstained", "lenient.renders"} <= common
    views = open_views(runs)
    ranked = rank_ranges(views, views[0].bench.metrics)
    assert set(ranked) == {metric.name for metric in views[0].bench.metrics}
    assert ranked["lenient.renders"] == {"A": (2, 2), "B": (1, 1)}
    assert rank_ranges(views, []) == {}
    page = write_report(runs, tmp_path / "r.html").read_text()
    board = page.partition("<h4>recognised</h4>")[2].partition("</table>")[0]
    assert board.count("moody") and board.count("tidy") and "No ranks are given" not in page


def test_an_item_says_the_tags_that_its_label_does_not():
    item = Item("b/s/1/0003", {}, cluster="volcano", tags={"subject": "volcano", "checked": "no", "kind": ""})
    assert _shots._about(item, "volcano") == _shots._about(item, "volcano · 0003") == "checked no"


@pytest.mark.slow
def test_runs_that_other_code_scored_are_pointed_out(guess, tmp_path):
    paths = [guess("a", "fn/support:even_odd"), guess("b", "fn/support:counting")]
    said = "not all scored by the same code"
    assert said not in write_report(paths, tmp_path / "r.html", Guess()).read_text()
    edit_json(paths[1] / "card.json", scorer="older")
    assert said in write_report(paths, tmp_path / "r.html", Guess()).read_text().partition('class="board-figure"')[0]


@pytest.mark.slow
@pytest.mark.parametrize("table", ["results", "answers", "items"])
def test_a_run_that_has_lost_something_is_refused(guess, tmp_path, table):
    path = guess("a", "fn/support:even_odd")
    (path / f"{table}.parquet").unlink()
    with pytest.raises(PixelProofError, match=r"rescore|--resume|repair"):
        write_report([path], tmp_path / "r.html", Guess())


@pytest.mark.slow
def test_only_an_older_report_is_replaced(guess, tmp_path):
    path = guess("a", "fn/support:even_odd")
    card = (path / "card.json").read_bytes()
    mine = tmp_path / "mine.html"
    mine.write_text("<p>written by hand")
    (tmp_path / "full" / "report.html").mkdir(parents=True)
    for out in (path / "card.json", path, mine, tmp_path / "full"):
        with pytest.raises(PixelProofError, match="--out"):
            write_report([path], out, Guess())
    assert (path / "card.json").read_bytes() == card and mine.read_text() == "<p>written by hand"
    report = write_report([path], tmp_path / "r.html", Guess())
    assert write_report([path], report, Guess()) == report


@pytest.mark.slow
def test_a_directory_gets_a_page_of_the_usual_name(guess, tmp_path):
    path = guess("a", "fn/support:even_odd")
    (tmp_path / "pages").mkdir()
    assert write_report([path], tmp_path / "pages", Guess()) == tmp_path / "pages" / "report.html"
    assert write_report([path], tmp_path / "pages", Guess()).read_bytes()[:15] == b"<!doctype html>"
    assert write_report([path], f"{tmp_path}/new/pages/", Guess()) == tmp_path / "new" / "pages" / "report.html"
    assert write_report([path], tmp_path / "name", Guess()).is_file()


@pytest.mark.slow
def test_the_header_says_what_was_measured(document, guess, tmp_path):
    assert "source published · 3 runs · 7 items · 42 answers" in document.partition("</header>")[0]
    paths = [guess("a", "fn/support:even_odd", limit=1), guess("b", "fn/support:counting", limit=1)]
    text = write_report(paths, tmp_path / "r.html", Guess()).read_text()
    assert "2 runs · 1 item · 2 answers" in text.partition("</header>")[0]


@pytest.mark.slow
def test_what_is_incomplete_is_said_first(guess, tmp_path):
    text = write_report([guess("a", "fn/support:mixed")], tmp_path / "r.html", Guess()).read_text()
    assert "is incomplete: its numbers cover only the answers that exist" in text.partition('class="board-figure"')[0]
    assert "instrument fault" in text


@pytest.mark.slow
def test_correlations_are_clustered(guess):
    (view,) = open_views([guess("a", "fn/support:counting", samples=3, cluster_size=4)], Guess())
    rows = view.rows
    found = _square([rows.metrics["close"], rows.metrics["hit"]], rows.clusters)
    assert (
        found[0][1] == found[1][0] == correlation(rows.metrics["close"], rows.metrics["hit"], rows.clusters, "spearman")
    )
    assert found[0][1] != correlation(rows.metrics["close"], rows.metrics["hit"], None, "spearman")
    assert "60 answers in 5 clusters" in correlations(
        view
    ) and "because constant: length, reply length" in correlations(view)


@pytest.mark.slow
def test_a_run_without_variation_correlates_with_nothing(guess):
    assert correlations(open_views([guess("a", "control/ceiling-truth")], Guess())[0]) is None


@pytest.mark.slow
def test_only_bounded_descriptions_make_a_radar(drawings, guess):
    text = descriptions(open_views([drawings / "noise"]))
    assert "edge density" in text and "descriptive quality" not in text
    assert descriptions(open_views([guess("a", "control/ceiling-truth")], Guess())) is None


@pytest.mark.slow
def test_intervals_of_a_radar_stay_within_its_rim(tmp_path, own_cache):
    """The colours of exact masks do not drift at all, but a drift has no upper limit, and so has its interval."""
    bench = Arena(**{**make(tmp_path, 6), "generated": ""})
    done = run(
        Plan(bench, Source("folder")), "control/ceiling-truth", settings=Settings(out=tmp_path / "run", calibrate=0)
    )
    drift = done.summary["metrics"]["audit.drift"]
    assert drift["value"] == 0 and drift["hi"] > 1
    text = descriptions(open_views([done.path], bench))
    assert "stray" in text and "drift" not in text
    root = ElementTree.fromstring(re.search(r"<svg.*?</svg>", text, re.DOTALL)[0])
    _, _, width, height = map(float, root.get("viewBox").split())
    bars = [line for line in root.iter() if line.get("class") == "interval"]
    assert bars and all(0 <= float(bar.get(x)) <= width for bar in bars for x in ("x1", "x2"))
    assert all(0 <= float(bar.get(y)) <= height for bar in bars for y in ("y1", "y2"))


@pytest.mark.slow
def test_effort_uses_time_where_there_is_no_price(guess):
    paths = [guess("a", "fn/support:even_odd"), guess("b", "fn/support:counting")]
    text = efforts(open_views(paths, Guess()))
    assert "characters per reply" in text and "seconds per answer" in text and "dollars" not in text
    assert text.count("<svg") == 4  # two headline metrics


@pytest.mark.slow
def test_a_page_keeps_to_its_size_and_says_so(drawings, monkeypatch):
    views = open_views([drawings / "noise", drawings / "truth"])
    whole = collect(views, 40_000_000)
    assert not whole.remarks
    size = sum(map(len, whole.images))
    part = collect(views, int(size * 5 / 4 / 2))
    assert 0 < sum(map(len, part.images)) <= size / 2
    lacking = [any(shot.left_out for cell in row.cells for shot in cell) for row in part.rows]
    assert any(lacking) and not all(lacking)
    assert f"{sum(lacking)} items of 7 lack some or all of their images" in part.remarks[0]
    monkeypatch.setattr(_shots, "MOST_ANSWERS", 12)
    few = collect(views, 40_000_000)
    assert len(few.rows) == 3 and "3 of 7 items, evenly chosen" in few.remarks[0]


@pytest.mark.slow
def test_long_texts_are_cut_and_their_length_is_kept(drawings, monkeypatch):
    monkeypatch.setattr(_shots, "_LONGEST_TEXT", 50)
    monkeypatch.setattr(_shots, "_SHORTEST_TEXT", 50)
    shots = [shot for row in collect(open_views([drawings / "noise"]), 10**7).rows for shot in row.cells[0]]
    assert all(len(shot.text) == 50 < shot.length for shot in shots)


@pytest.mark.slow
def test_a_lost_picture_is_not_the_end(drawings, tmp_path):
    shutil.copytree(drawings / "truth", tmp_path / "truth")
    shutil.rmtree(tmp_path / "truth" / "blobs")
    said = []
    text = write_report([tmp_path / "truth"], tmp_path / "r.html", warn=said.append).read_text()
    assert "7 images could not be read" in text
    assert len(said) == 1 and "The run truth lacks 7 of its 7 images" in said[0] and "pixelproof data pull" in said[0]
    assert "The run truth lacks 7 of its 7 images" in text


@pytest.mark.slow
def test_the_file_that_cannot_be_written_is_named(drawings, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PixelProofError, match=r"Cannot write .*choose another --out"):
        write_report([drawings / "noise"], tmp_path / "file" / "r.html")


@pytest.mark.slow
def test_the_command(drawings, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    noise = str(drawings / "noise")
    for words, code in (
        (["report", noise], 0),
        (["report", noise, "--out", "pages/"], 0),
        (["report", "nowhere"], 3),
        (["report"], 2),
    ):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert (ended.value.code or 0) == code
    told = capsys.readouterr()
    assert "report.html (" in told.out and "nowhere" in told.err
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "pages" / "report.html").read_bytes() == (tmp_path / "report.html").read_bytes()


@pytest.mark.slow
def test_estimates_without_an_interval_are_drawn_without_one(guess, tmp_path):
    path = guess("one", "fn/support:even_odd", limit=1)
    text = write_report([path], tmp_path / "r.html", Guess()).read_text()
    assert "nan" not in re.sub(r"<script.*?</script>|<style.*?</style>", "", text, flags=re.DOTALL)
