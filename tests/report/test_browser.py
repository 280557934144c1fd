"""The page in a real browser: nothing in it runs, nothing leaves, and it can be used by keyboard and on a phone."""

import csv
from contextlib import contextmanager
from itertools import count

import pytest

from pixelproof.benches import get_bench
from pixelproof.contract import Source
from pixelproof.harness import Plan, Settings, run
from pixelproof.report import write_report
from pixelproof.store import read_sealed_json, write_sealed_json
from report.hostile import CORPUS, Hostile, poisoned_card

pytestmark = pytest.mark.slow

DESKTOP, PHONE = (1280, 900), (390, 844)


@contextmanager
def opened(browser, path, size=DESKTOP, scheme="light"):
    """A page, and the list of all that it should not do."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    page, sins = context.new_page(), []
    page.on("dialog", lambda dialog: (sins.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on("console", lambda message: sins.append(f"{message.type} {message.text}"))
    page.on("pageerror", lambda error: sins.append(f"error {error}"))
    page.on("request", lambda r: None if r.url.startswith(("file:", "data:")) else sins.append(f"request {r.url}"))
    page.on("popup", lambda popup: sins.append(f"popup {popup.url}"))
    page.goto(path.as_uri())
    yield page, sins
    context.close()


def plain(text):
    """As a browser shows it: white space runs together, and NUL is nothing or a replacement character."""
    return " ".join(text.replace("\0", "").replace("\ufffd", "").split())


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    numbers = count()
    source = f"all {CORPUS[0]}"  # runs of one page have one source
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIXELPROOF_CACHE", str(folder / "cache"))
        for name, model in (
            ("a", "fn/report.hostile:attack"),
            ("b", "control/floor-a"),
            ("c", "fn/report.hostile:attack"),
        ):
            run(Plan(Hostile(), Source("all"), samples=2), model, settings=Settings(out=folder / name))
            card = folder / name / "card.json"
            poisoned = poisoned_card(read_sealed_json(card), numbers)
            poisoned["source"]["name"] = source
            write_sealed_json(card, poisoned)
    return write_report([folder / name for name in "abc"], folder / "report.html", Hostile())


@pytest.fixture(scope="module")
def report(drawings):
    return write_report([drawings / name for name in ("moody", "noise", "truth")], drawings / "browser.html")


# In the page, since a round trip per shot takes most of the time.
TEXT_OF_ALL_SHOTS = """async (shots) => {
  const dialog = document.querySelector('.lightbox');
  const texts = [];
  for (let shot = 0; shot < shots; shot += 1) {
    dialog.querySelectorAll('details').forEach((one) => { one.open = true; });
    texts.push(dialog.innerText);
    dialog.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
    await new Promise((done) => setTimeout(done));
  }
  return texts.join(' ');
}"""

# As a reader would, with what the page does about it before the next one.
SEARCH_FOR_ALL = """async (texts) => {
  const search = document.querySelector('.gallery-search');
  const pause = () => new Promise((done) => setTimeout(done));
  for (const text of texts) {
    search.value = text;
    search.dispatchEvent(new InputEvent('input', { bubbles: true }));
    await pause();
  }
  const buttons = [...document.querySelectorAll('[data-search]')];
  for (const button of buttons) {
    button.click();
    await pause();
  }
  return buttons.length;
}"""


@pytest.mark.attack("scripts and addresses in the text of models, benches and cards, on a page in a browser")
def test_attacks_stay_text(browser, hostile_page, record_property):
    with opened(browser, hostile_page) as (page, sins):
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        while page.locator(".gallery-more").is_visible():
            page.locator(".gallery-more").click()
        seen = page.locator("body").inner_text()
        page.locator(".shot").first.click()
        shots = int(page.locator(".lightbox-title small").inner_text().rpartition(" ")[2])
        seen += page.evaluate(TEXT_OF_ALL_SHOTS, shots)
        page.keyboard.press("Escape")
        assert page.evaluate(SEARCH_FOR_ALL, CORPUS) > 10
        page.wait_for_timeout(300)
        assert sins == []
        assert shots == 3 * 2 * len(CORPUS)
        record_property("tries", shots)
        assert [text for text in CORPUS if plain(text) not in plain(seen)] == []  # every attack can be read
        strangers = (
            "iframe, form, base, object, embed, math, style ~ style, link[rel=stylesheet], img[src=x], dialog ~ dialog"
        )
        assert page.locator(strangers).count() == 0
        assert page.locator("script").count() == 2  # ours, and the data
        names = page.evaluate("[...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames())")
        assert not [name for name in names if name.startswith("on")]
        assert names.count("style") == 1  # the number of columns of the gallery


@pytest.mark.attack("scripts put into a finished page, in a browser")
def test_what_gets_past_everything_else_meets_the_policy(browser, report, tmp_path):
    """Even a page that somebody has tampered with runs nothing and fetches nothing."""
    attack = "<script>alert(1)</script><img src=x onerror=alert(2)><img src=https://example.invalid/a.png>"
    spoiled = tmp_path / "spoiled.html"
    spoiled.write_text(report.read_text().replace("<main data-gallery-scope>", "<main data-gallery-scope>" + attack, 1))
    with opened(browser, spoiled) as (page, sins):
        page.wait_for_timeout(300)
        assert not [sin for sin in sins if sin.startswith(("dialog", "popup"))]
        assert sum("Content Security Policy" in sin for sin in sins) >= 3


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_does_nothing_wrong(browser, report, size, scheme):
    with opened(browser, report, size, scheme) as (page, sins):
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(19, 22, 24)"
        assert dark == (scheme == "dark")
        page.locator("#theme").click()
        assert (page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(19, 22, 24)") != dark
        assert sins == []


def test_on_a_phone_the_pictures_of_an_item_stand_side_by_side(browser, tmp_path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
        plan = Plan(get_bench("pixelart"), Source("published"), limit=2)
        models = ("floor-noise", "floor-blank", "floor-rows", "floor-example", "ceiling-truth")
        runs = [run(plan, f"control/{name}", settings=Settings(out=tmp_path / name)).path for name in models]
    with opened(browser, write_report(runs, tmp_path / "r.html"), PHONE) as (page, _):
        boxes = [shot.bounding_box() for shot in page.locator(".gallery-row").nth(1).locator(".shot").all()]
        assert len(boxes) == 5 and len({round(box["y"]) for box in boxes}) == 1
        assert min(box["width"] for box in boxes) >= 60 and max(box["x"] + box["width"] for box in boxes) <= PHONE[0]


def test_wide_tables_scroll_on_a_phone(browser, report):
    with opened(browser, report, PHONE) as (page, _):
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        wide = page.locator(".wide").all()
        assert len(wide) > 5 and page.locator("table:not(.board)").count() == page.locator(".wide table").count()
        for box in wide:
            box.evaluate("(one) => { one.scrollLeft = 1e6; }")
            end = box.evaluate("(one) => one.firstElementChild.getBoundingClientRect().right")
            assert end <= PHONE[0], box.get_attribute("aria-label")


def test_the_gallery_by_keyboard(browser, report):
    with opened(browser, report) as (page, sins):
        first = page.locator(".shot").first
        first.focus()
        page.keyboard.press("Enter")
        title = page.locator(".lightbox-title")
        assert page.locator(".lightbox").is_visible() and "sample 1 · 1 of 42" in title.inner_text()
        for key, told in (
            ("ArrowRight", "sample 2 · 2 of"),
            ("ArrowDown", "rainbow"),
            ("ArrowUp", "mario"),
            ("ArrowLeft", "1 of"),
        ):
            page.keyboard.press(key)
            assert told in title.inner_text()
        page.keyboard.press("ArrowLeft")
        assert "42 of 42" in title.inner_text()
        page.keyboard.press("Escape")
        assert not page.locator(".lightbox").is_visible()
        assert first.evaluate("(one) => one === document.activeElement")
        assert sins == []


def test_the_numbers_are_downloaded_as_csv(browser, report):
    with opened(browser, report) as (page, sins):
        with page.expect_download() as download:
            page.locator(".gallery-csv").click()
        with open(download.value.path(), newline="") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == 42 and {row["label"] for row in rows} >= {"mario", "rainbow"}
        assert {row["strict.renders"] for row in rows} == {"0", "1"} and {row["run"] for row in rows} == {"A", "B", "C"}
        assert sins == []


def test_the_prompt_stands_beside_a_reply_without_an_image(browser, report):
    with opened(browser, report) as (page, _):
        page.locator(".gallery-order").select_option("only")
        page.locator(".shot:has(.excerpt)").first.click()
        boxes = [page.locator(f".lightbox-body h4:text('{name}')").first.bounding_box() for name in ("Prompt", "Reply")]
        assert boxes[0]["x"] + 100 < boxes[1]["x"]


def test_the_first_screen_says_what_was_found(browser, report):
    with opened(browser, report) as (page, _):
        finding = page.locator(".finding").first
        assert finding.bounding_box()["y"] < 300 and page.locator(".lead .interval-bar").first.bounding_box()["y"] < 500
        images = page.locator(".lead-answers img")
        assert 2 <= images.count() <= 6 and images.first.bounding_box()["y"] < 800
        assert not page.locator("#effort figure").first.is_visible()
        page.locator('nav a[href="#effort"]').click()
        page.locator("#effort figure").first.wait_for()


def test_the_gallery_shows_failures_first(browser, report):
    with opened(browser, report) as (page, _):
        page.locator(".gallery-order").select_option("failures")
        failed = [row.locator(".shot.failed").count() for row in page.locator(".gallery-row:not(.gallery-head)").all()]
        assert failed == sorted(failed, reverse=True) and len(failed) == 7
        page.locator(".gallery-order").select_option("only")
        assert page.locator(".shot").count() == page.locator(".shot.failed").count() == sum(failed) > 0
        page.locator(".gallery-order").select_option("asked")
        page.locator(".gallery-search").fill("nature")
        assert page.locator(".gallery-label").all_inner_texts()[0].startswith("rainbow")
        assert page.locator(".gallery-count").inner_text() == "2 of 7 items"


def test_an_outcome_leads_to_its_answers(browser, report):
    with opened(browser, report) as (page, _):
        page.locator('nav a[href="#outcomes"]').click()  # opens the section
        button = page.locator("[data-search]").first
        button.wait_for()
        name = button.inner_text()
        button.click()
        assert page.locator(".gallery-search").input_value() == name
        rows = page.locator(".gallery-row:not(.gallery-head)").all()
        assert rows and all(name in row.inner_text() for row in rows)


def test_pictures_are_drawn(browser, report):
    with opened(browser, report) as (page, _):
        sizes = page.evaluate("[...document.querySelectorAll('.shot img')].map((one) => one.naturalWidth)")
        assert len(sizes) > 28 and min(sizes) >= 240
        page.locator(".gallery-row").nth(1).locator(".shot").last.click()
        assert (
            page.locator(".lightbox figure img").get_attribute("alt").startswith("drawing of mario by control/ceiling")
        )
