"""Rating in a real browser: keys and touch, undo, reload, two windows, two raters, a phone, a server that dies."""

import re
import signal
from contextlib import contextmanager

import pytest

from apps.rating import Served, make_study, open_store, token_of

pytestmark = pytest.mark.slow

DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"
SETTLE = 400
"""Milliseconds after which a new question takes answers."""
ADMIN_PAUSE = 5000
"""Milliseconds after which the page of the administrator looks for votes."""


@contextmanager
def window(browser, url, viewport=DESKTOP, scheme="light", touch=False):
    """A page of a browser of its own, and the list of all that it should not do."""
    context = browser.new_context(viewport=viewport, color_scheme=scheme, has_touch=touch, is_mobile=touch)
    context.clock.install()  # it goes on by itself; `settle` puts it forward
    page, sins = context.new_page(), []
    watch(page, sins)
    page.goto(url)
    yield page, sins
    context.close()


def watch(page, sins):
    page.on("dialog", lambda dialog: (sins.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on("console", lambda message: sins.append(f"{message.type} {message.text}"))
    page.on("pageerror", lambda error: sins.append(f"error {error}"))


@pytest.fixture
def served(tmp_path):
    running = []

    def start(**options):
        folder = make_study(tmp_path / "study", options.pop("images", 6), options.pop("settings", {}), **options)
        running.append(Served(folder))
        running[-1].folder = folder
        return running[-1]

    yield start
    for one in running:
        one.stop(signal.SIGKILL)  # nothing is asked of the end of a server here, and a gentle one takes a second


def votes(server):
    store = open_store(server.folder)
    found = [(vote.rater, vote.question, vote.value) for vote in store.counted(("rated", "repeat", "gold"))]
    store.close()
    return found


def start(page):
    page.locator("#start").click()
    ready(page)


def ready(page, done=None):
    """Wait until the page takes an answer; if given, after so many answers."""
    if done is not None:
        page.locator("#count", has_text=re.compile(f"^{done} of ")).wait_for()
    page.locator("#stage img").first.wait_for()
    settle(page)


def settle(page):
    """Let the time pass, by the clock of the page, in which a new question takes no answer."""
    page.clock.fast_forward(SETTLE)


def press(page, key, done):
    page.keyboard.press(key)
    ready(page, done)


def test_keys_undo_and_reload(browser, served):
    server = served(settings={"votes_per_item": None})
    with window(browser, server.invite("Anna")["Anna"]) as (page, sins):
        page.locator("#training").wait_for()
        assert "token" not in page.url and page.locator("#undo").is_disabled()
        assert page.locator("#training").inner_text().count("How good does the image look?") == 1
        start(page)
        for number, key in enumerate("513", start=1):
            press(page, key, number)
        assert [value for _, _, value in votes(server)] == [5, 1, 3]
        shown = page.locator("#stage img").get_attribute("src")
        page.keyboard.press("Backspace")
        page.locator("#status", has_text="taken back").wait_for()
        ready(page, 2)
        assert page.locator("#stage img").get_attribute("src") != shown and page.locator("#undo").is_disabled()
        page.keyboard.press("Backspace")  # the one before is final
        page.wait_for_timeout(200)
        assert [value for _, _, value in votes(server)] == [5, 1]
        press(page, "4", 3)
        page.reload()
        ready(page, 3)
        assert page.locator("#stage img").get_attribute("src") == shown  # the item that was next
        page.locator("#undo").click()  # still there after a reload
        ready(page, 2)
        press(page, "2", 3)
        for key in ("x", "6", "0", "Enter"):
            page.keyboard.press(key)
        page.wait_for_timeout(200)
        assert [value for _, _, value in votes(server)] == [5, 1, 2]
        for number in (4, 5):
            press(page, "1", number)
        page.keyboard.press("1")
        page.locator("#finished").wait_for()
        assert "You can close this page" in page.locator("#finished").inner_text()
        assert len(votes(server)) == 6 and sins == []


def test_a_double_click_and_a_held_key_answer_once(browser, served):
    server = served(settings={"votes_per_item": None})
    with window(browser, server.invite("Anna")["Anna"]) as (page, sins):
        start(page)
        page.locator(".rate-answer").nth(3).dblclick()
        ready(page, 1)
        page.keyboard.down("2")
        for _ in range(5):
            page.keyboard.down("2")  # repeats, as of a key that is held
        page.keyboard.up("2")
        ready(page, 2)
        assert [value for _, _, value in votes(server)] == [4, 2] and sins == []


def test_two_windows_of_one_rater(browser, served):
    server = served(settings={"votes_per_item": None})
    with window(browser, server.invite("Anna")["Anna"]) as (page, sins):
        start(page)
        other = page.context.new_page()
        watch(other, sins)
        other.goto(server.base)
        ready(other, 0)
        press(page, "5", 1)
        other.keyboard.press("1")
        other.locator("#status", has_text="the earlier answer counts").wait_for()
        ready(other, 1)
        assert [value for _, _, value in votes(server)] == [5]
        press(other, "2", 2)
        page.keyboard.press("Backspace")  # of this window's last answer, which is final meanwhile
        page.locator("#status", has_text="final").wait_for()
        assert [value for _, _, value in votes(server)] == [5, 2] and sins == []


def test_two_raters_at_once_share_the_items(browser, served):
    server = served(settings={"votes_per_item": 1})
    links = server.invite("Anna", "Ben")
    with window(browser, links["Anna"]) as (anna, sins), window(browser, links["Ben"]) as (ben, others):
        start(anna)
        start(ben)
        for number in range(1, 4):
            anna.keyboard.press("5")
            ben.keyboard.press("1")
            if number < 3:
                ready(anna, number)
                ready(ben, number)
        for page in (anna, ben):
            page.locator("#finished").wait_for()
        store = open_store(server.folder)
        assert set(store.finished().values()) == {1} and len(store.counted()) == 6
        assert {(vote.rater, vote.value) for vote in store.counted()} == {("Anna", 5), ("Ben", 1)}
        store.close()
        assert sins == others == []


def test_a_browser_that_changes_hands_does_not_mix_votes(browser, served):
    server = served(settings={"votes_per_item": None})
    links = server.invite("Anna", "Ben")
    with window(browser, links["Anna"]) as (anna, _):
        start(anna)
        ben = anna.context.new_page()
        ben.goto(links["Ben"])
        ben.locator("#training").wait_for()
        anna.keyboard.press("5")  # a page of Anna's, with the cookie of Ben
        anna.locator("#status.wrong", has_text="reload it").wait_for()
        assert votes(server) == []


def test_questions_about_single_images_and_yes_or_no(browser, served):
    columns = {"question": [f"Is it {number}?" for number in range(4)]}
    settings = {"questions": ["perception", "correspondence", "qa"], "votes_per_item": None}
    server = served(images=4, settings=settings, columns=columns, prompts=[SCRIPT, "a second prompt"])
    with window(browser, server.invite("Anna")["Anna"]) as (page, sins):
        start(page)
        assert page.locator("#prompt").is_hidden()  # perception is judged without the prompt
        for number in range(1, 5):
            image = page.locator("#stage img").get_attribute("src")
            page.keyboard.press("4")
            page.locator("#answers button span", has_text="Not at all").wait_for()
            assert page.locator("#prompt").inner_text() in (SCRIPT, "a second prompt")
            settle(page)
            page.keyboard.press("2")
            page.locator("#question", has_text="Is it").wait_for()
            assert page.locator("#stage img").get_attribute("src") == image
            settle(page)
            page.keyboard.press("yn"[number % 2])
            if number < 4:
                ready(page, number)
        page.locator("#finished").wait_for()
        found = votes(server)
        assert [value for _, question, value in found if question == "qa"] == [0, 1, 0, 1]
        assert len(found) == 12 and sins == []  # no script of a prompt ran


def test_pairs_by_arrow_keys(browser, served):
    server = served(settings={"questions": ["preference"], "votes_per_item": None})
    keys = {"ArrowLeft": 0, "ArrowRight": 1, "ArrowDown": None}
    with window(browser, server.invite("Anna")["Anna"]) as (page, sins):
        start(page)
        expected = []
        for number, (key, place) in enumerate(keys.items(), start=1):
            images = page.locator("#stage img")
            assert images.count() == 2
            hashes = [images.nth(k).get_attribute("src").rpartition("/")[2] for k in (0, 1)]
            expected.append(None if place is None else hashes[place])
            page.keyboard.press(key)
            if number < 3:
                ready(page, number)
        page.locator("#finished").wait_for()
        store = open_store(server.folder)
        won = []
        for vote in store.counted():
            images = store.study.items[vote.item].images
            won.append(None if vote.value == 0 else images[0 if vote.value > 0 else 1].key)
        assert won == expected and sins == []
        store.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("question", ["correspondence", "preference"])
def test_a_phone(browser, served, scheme, question):
    prompt = "a very long prompt about a castle " * 12 + "a" * 80
    server = served(settings={"questions": [question], "votes_per_item": None}, prompts=[prompt] * 3)
    with window(browser, server.invite("Anna")["Anna"], PHONE, scheme, touch=True) as (page, sins):
        page.locator("#start").tap()
        ready(page)
        width, height = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        assert width <= 390 and height <= 844  # nothing to scroll, in either direction
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(19, 22, 24)"
        assert dark == (scheme == "dark")
        for button in page.locator(".rate-answer, #undo, #theme").all():
            box = button.bounding_box()
            assert box["height"] >= 44 and box["width"] >= 44 and box["x"] >= 0 and box["x"] + box["width"] <= 390
            assert box["y"] + box["height"] <= 844
        for image in page.locator("#stage img").all():
            box = image.bounding_box()
            assert box["width"] > 10 and box["x"] >= 0 and box["x"] + box["width"] <= 390
        page.locator(".rate-answer").first.tap()
        ready(page, 1)
        page.locator("#undo").tap()
        ready(page, 0)
        page.locator(".rate-answer").last.tap()
        ready(page, 1)
        assert len(votes(server)) == 1 and sins == []


def test_the_page_outlives_the_server(browser, served):
    server = served(settings={"votes_per_item": None})
    with window(browser, server.invite("Anna")["Anna"]) as (page, sins):
        start(page)
        press(page, "5", 1)
        server.stop(signal.SIGKILL)
        page.keyboard.press("3")
        page.locator("#status.wrong", has_text="Not stored yet").wait_for()
        assert [value for _, _, value in votes(server)] == [5]
        again = Served(server.folder, server.port)
        try:
            ready(page, 2)  # by itself, with the same request
            assert [value for _, _, value in votes(server)] == [5, 3]
            press(page, "1", 3)
        finally:
            again.stop()
        assert not [sin for sin in sins if "ERR_CONNECTION_REFUSED" not in sin]


def test_an_image_that_cannot_be_loaded_takes_no_answer(browser, served):
    server = served(settings={"votes_per_item": None})
    path = server.folder / "pictures"
    kept = {file: file.read_bytes() for file in path.iterdir()}
    for file in kept:
        file.unlink()
    with window(browser, server.invite("Anna")["Anna"]) as (page, _):
        page.locator("#start").click()
        page.locator("#stage button").wait_for()
        settle(page)
        page.keyboard.press("5")
        page.wait_for_timeout(200)
        assert votes_without_study(server) == 0
        for file, data in kept.items():
            file.write_bytes(data)
        page.locator("#stage button").click()
        ready(page)
        press(page, "5", 1)
        assert votes_without_study(server) == 1


def votes_without_study(server):
    import sqlite3

    with sqlite3.connect(server.folder / "votes.db") as connection:
        return connection.execute("SELECT COUNT(*) FROM votes").fetchone()[0]


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_administrator_invites_watches_and_exports(browser, served, viewport):
    server = served(settings={"votes_per_item": None, "title": SCRIPT})
    with window(browser, server.url, viewport) as (page, sins):
        page.locator("#names").fill("Anna\nBen <b>\n\n")
        page.locator("#make").click()
        page.locator("#links li").nth(1).wait_for()
        links = [page.locator("#links code").nth(k).inner_text() for k in (0, 1)]
        assert page.locator("#links b").nth(1).inner_text() == "Ben <b>" and "token" not in page.url
        page.locator("#names").fill("Anna")
        page.locator("#make").click()
        page.locator("#invite-status", has_text="taken").wait_for()
        client = server.client(token_of(links[0]))
        state = client.post("/state", {})
        item = state["queue"][0]
        vote = {"presentation": item["presentation"], "question": "perception", "attempt": 0, "value": 4}
        client.post("/vote", vote)
        page.clock.fast_forward(ADMIN_PAUSE)
        page.locator("#raters tr", has_text="Anna").locator("td", has_text=re.compile("^1$")).wait_for(timeout=10_000)
        with page.expect_download() as download:
            page.locator("a[href='/admin/export']").click()
        assert download.value.suggested_filename == "votes.zip"
        page.locator("#raters tr", has_text="Anna").locator("button", has_text="Exclude").click()
        page.locator("#raters tr", has_text="excluded").wait_for()
        assert votes(server) == [] and page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        assert [sin for sin in sins if "400 (Bad Request)" not in sin] == []
