"""Runs whose answers are pictures: what the page shows of the item, of the answer, of classes and of samples."""

import re
import shutil

import pytest

from pixelproof.contract import Source
from pixelproof.harness import Plan, Run, Settings, run
from pixelproof.report import write_report
from pixelproof.report._breakdown import group_table, sampling_table
from pixelproof.report._leaderboard import headline_metrics
from pixelproof.report._shots import collect
from pixelproof.web import data_uri
from report.opening import open_views
from report.paint import SIDE, Paint, rows_right
from support import edit_json


@pytest.fixture(scope="module")
def painted(tmp_path_factory):
    """Paints in a directory: by a model, twice per item; the same with other truths; by a control."""
    folder = tmp_path_factory.mktemp("paint")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIXELPROOF_CACHE", str(folder / "cache"))
        for name, model, bench, samples in (
            ("model", "fn/report.paint:painter", Paint(), 2),
            ("tinted", "fn/report.paint:painter", Paint(tint=3), 1),
            ("black", "control/floor-black", Paint(), 1),
        ):
            run(Plan(bench, Source("greys"), samples=samples), model, settings=Settings(out=folder / name))
    return folder


@pytest.fixture(scope="module")
def document(painted):
    return write_report([painted / "model", painted / "black"], painted / "r.html", Paint())


def body(document):
    return re.sub(r"<(script|style)\b.*?</\1>|<pre.*?</pre>", "", document.read_text(), flags=re.DOTALL)


@pytest.mark.slow
def test_metrics_that_nobody_has_are_nowhere(document, painted):
    views = open_views([painted / "model"], Paint())
    assert [metric.name for metric in headline_metrics(views)] == ["share", "right"]
    assert "never" not in body(document) and "<h4>share</h4>" in body(document)


@pytest.mark.slow
def test_where_there_is_no_value_at_all_the_names_stay(painted, tmp_path):
    shutil.copytree(painted / "black", tmp_path / "empty")
    edit_json(tmp_path / "empty" / "summary.json", metrics={}, groups={})
    names = [metric.name for metric in headline_metrics(open_views([tmp_path / "empty"], Paint()))]
    assert names == list(Paint.display.headline)


@pytest.mark.parametrize("runs", [["model"], ["model", "black"]])
def test_pictures_of_the_item_stand_once_in_its_row(painted, runs):
    found = collect(open_views([painted / name for name in runs], Paint()), 10**7)
    answers = {(i, s): keys for i, s, _, keys in Run.open(painted / "model").answers()}
    for row in found.rows:
        seen = any(not shot.kind for cell in row.cells for shot in cell)
        assert [name for name, _ in row.given] == (["photo", "truth"] if seen else [])
        for shot in (shot for cell in row.cells for shot in cell if not shot.kind):
            names = [name for name, _ in shot.images]
            assert names[:2] == ["answer", "errors"]  # the painted picture stands for the answer
            assert names[2:] == (["earlier answer 1"] if len(shot.images) == 3 else [])
        for shot in (shot for shot in row.cells[0] if not shot.kind):
            last = Run.open(painted / "model").blob(answers[row.item, shot.sample][-1])
            assert found.images[shot.images[0][1]] == data_uri(last)
    assert len(found.images) == len(set(found.images))


def test_truths_that_differ_stay_with_their_answers(painted):
    for row in collect(open_views([painted / "model", painted / "tinted"], Paint()), 10**7).rows:
        refused = row.item.endswith("07")
        assert [name for name, _ in row.given] == ([] if refused else ["photo"])
        truths = [dict(shot.images).get("truth") for cell in row.cells for shot in cell]
        assert truths == [None] * 3 if refused else truths[0] == truths[1] != truths[2]


def test_classes_come_the_best_first_and_are_folded(painted):
    (view,) = open_views([painted / "model"], Paint())
    groups = view.summary["groups"]["class"]
    text = group_table(view, "class", groups)
    names = re.findall(r"<bdi>(.*?)</bdi>", text)
    expected = {i: rows_right(i) + rows_right(i, 1) for i in range(25) if i != 7}
    told = [int(name.removeprefix("grey ")) for name in names]
    assert [expected.get(i, 0) for i in told] == sorted((expected.get(i, 0) for i in told), reverse=True)
    shown, folded = text.split("<details")
    assert shown.count("<bdi>") == 20 and folded.count("<bdi>") == len(groups) - 20
    assert f"{len(groups) - 20} more of {len(groups)} rows" in folded and "never" not in text


def test_groups_of_items_keep_their_order_and_have_the_headline(painted):
    (view,) = open_views([painted / "model"], Paint())
    text = group_table(view, "half", view.summary["groups"]["half"])
    assert re.findall(r"<bdi>(.*?)</bdi>", text) == list(view.summary["groups"]["half"])
    assert re.findall(r'class="number">([a-z.]+)</th>', text) == ["share", "right", "n"]
    value = view.summary["groups"]["half"]["odd"]["share"]["value"]
    assert f"{value:.2f} (" in text and "<details" not in text


def test_samples_have_a_table_where_there_are_several(painted):
    several, single = (open_views([painted / name], Paint())[0].summary["sampling"] for name in ("model", "black"))
    assert sampling_table(single) is None
    text = sampling_table(several)
    (found,) = (several[name] for name in several if name == "right")
    assert "Best of 2" in text and f">{found['spread']:.3f}<" in text and f">{found['best']['2']['value']:.2f}" in text
    assert f"{found['best_of_first']['1']:.2f}, {found['best_of_first']['2']:.2f}" in text


def test_remarks_of_the_card_are_told_first_and_as_text(document):
    part = body(document).partition('class="run-body">')[2]
    assert part.startswith('<p class="note remark">These greys &lt;b&gt;were&lt;/b&gt; mixed by hand.</p>')


@pytest.mark.slow
def test_the_worst_come_first_and_errors_are_one_choice_away(browser, document):
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(document.as_uri())
    page.locator(".gallery-order").select_option("worst")
    while page.locator(".gallery-more").is_visible():
        page.locator(".gallery-more").click()
    labels = page.locator(".gallery-row:not(.gallery-head) .gallery-label").evaluate_all(
        "(all) => all.map((one) => Number(one.firstChild.textContent))"
    )
    # Of the model alone: the control is not judged, and the refusal counts as the worst value there is.
    expected = [0 if i == 7 else (rows_right(i) + rows_right(i, 1)) / 2 / SIDE for i in labels]
    assert len(labels) == 25 and expected == sorted(expected) and labels != sorted(labels)
    shot = page.locator(".gallery-row", has_text=re.compile("^24")).locator(".shot").first
    assert float(shot.locator(".score").inner_text()) == pytest.approx(rows_right(24) / SIDE, abs=1e-3)
    before = shot.locator("img").get_attribute("src")
    page.locator(".gallery-view").select_option("errors")
    assert page.locator(".gallery-row", has_text=re.compile("^24")).locator("img").nth(2).get_attribute("src") != before


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
def test_the_lightbox_shows_all_pictures_alike_and_one_large(browser, document, width):
    page = browser.new_context(viewport={"width": width, "height": 844}).new_page()
    page.goto(document.as_uri())
    page.locator(".shot").first.click()

    def boxes():
        return {
            figure.get_attribute("data-name"): figure.locator("img").bounding_box()
            for figure in page.locator(".lightbox figure").all()
        }

    grid = boxes()
    assert list(grid) == ["photo", "truth", "answer", "errors", "earlier answer 1"]
    assert len({(round(box["width"]), round(box["height"])) for box in grid.values()}) == 1
    columns = len({round(box["x"]) for box in grid.values()})
    assert columns == (3 if width == 1280 else 1)
    page.keyboard.press("4")
    large = boxes()
    assert large["errors"]["y"] < min(box["y"] for name, box in large.items() if name != "errors")
    if width == 1280:
        assert large["errors"]["height"] > 2 * large["photo"]["height"]
        assert large["photo"]["y"] + large["photo"]["height"] < 844  # all in one view
    page.keyboard.press("ArrowRight")  # the choice stays
    assert page.locator(".lightbox figure.large").get_attribute("data-name") == "errors"
    page.keyboard.press("4")
    assert page.locator(".lightbox figure.large").count() == 0
    page.keyboard.press("Escape")
    page.locator(".own").nth(1).click()
    assert page.locator(".lightbox figure.large").get_attribute("data-name") == "truth"
