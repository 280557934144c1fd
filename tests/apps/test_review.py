"""`pixelproof review`: proposals, decisions that survive, the page by keyboard, and exports."""

import json
import signal
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from apps.rating import Served, invoke, picture
from pixelproof.apps.review import DecisionStore, Proposal, read_batch, write_batch, write_export
from pixelproof.contract import PixelProofError

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"


class ReviewServed(Served):
    command = "review"


def make_batch(folder, count=4, text="Move the mug {} cm to the left."):
    (folder / "images").mkdir(parents=True, exist_ok=True)
    proposals = []
    for number in range(count):
        images = {}
        for name in ("before", "boxes"):
            path = f"images/{number}-{name}.png"
            (folder / path).write_bytes(picture(2 * number + (name == "boxes")))
            images[name] = path
        facts = {"operation": "move", "gate": "plausible"}
        proposals.append(Proposal(f"p{number}", text.format(number + 10), images, facts, {"box": [1, 2, 3]}))
    write_batch(folder, proposals)
    return folder


@contextmanager
def opened(folder):
    store = DecisionStore(read_batch(folder))
    try:
        yield store
    finally:
        store.close()


def test_a_batch_is_written_and_read(tmp_path):
    batch = read_batch(make_batch(tmp_path / "batch"))
    assert list(batch.proposals) == ["p0", "p1", "p2", "p3"] and batch.title == "batch"
    assert batch.proposals["p0"].more == {"box": [1, 2, 3]}
    key = batch.keys["images/0-before.png"]
    assert batch.load(key) == picture(0)
    with pytest.raises(PixelProofError, match="no such image"):
        batch.load("0" * 64)


@pytest.mark.parametrize(
    "line, words",
    [
        ("{", "line 2 is not JSON"),
        ("[]", "not a JSON object"),
        ('{"id": "x", "text": " "}', "needs 'text'"),
        ('{"id": "x", "text": "t"}', "needs 'images'"),
        ('{"id": "x", "text": "t", "images": {"a": "../x.png"}}', "no image inside"),
        ('{"id": "x", "text": "t", "images": {"a": "gone.png"}}', "no image inside"),
        ('{"id": "x", "text": "t", "images": {"a": "proposals.jsonl"}}', "no complete PNG"),
        ('{"id": "p0", "text": "t", "images": {"a": "images/0-before.png"}}', "occurs twice"),
    ],
)
def test_a_broken_line_is_refused_by_number(tmp_path, line, words):
    folder = make_batch(tmp_path, 1)
    with open(folder / "proposals.jsonl", "a") as file:
        file.write(line + "\n")
    with pytest.raises(PixelProofError, match=words):
        read_batch(folder)


def test_decisions_are_stored_once_and_the_newest_can_be_taken_back(tmp_path):
    with opened(make_batch(tmp_path)) as store:
        state = store.state()
        assert [one["id"] for one in state["queue"]] == ["p0", "p1", "p2", "p3"] and state["undo"] is None
        assert store.decide("p0", 0, "accept")["outcome"] == "stored"
        assert store.decide("p0", 0, "accept")["outcome"] == "known"
        assert store.decide("p0", 0, "reject", reason="late")["outcome"] == "decided"
        state = store.decide("p1", 0, "fix", text=" Move the cup 11 cm to the left. ")
        assert state["queue"][0]["id"] == "p2" and state["counts"] == {"accept": 1, "fix": 1, "reject": 0}
        back = store.undo(state["undo"])
        assert back["outcome"] == "undone" and back["queue"][0]["id"] == "p1" and back["queue"][0]["attempt"] == 1
        assert store.undo(state["undo"])["outcome"] == "undone", "a request that is sent again"
        assert store.undo(1)["outcome"] == "final"
        assert store.decide("p1", 1, "reject", reason="bad photograph")["outcome"] == "stored"
        assert store.decide("p1", 0, "fix", text="Move the cup 11 cm to the left.")["outcome"] == "decided"
        assert {id: one.verdict for id, one in store.decisions().items()} == {"p0": "accept", "p1": "reject"}
        assert store.decisions()["p1"].reason == "bad photograph"


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("p9", 0, "accept"), "no such proposal"),
        (("p0", 0, "maybe"), "no such proposal or verdict"),
        (("p0", 0, "fix", "Move the mug 10 cm to the left."), "needs another text"),
        (("p0", 0, "fix", "  "), "needs another text"),
        (("p0", 0, "reject"), "needs a reason"),
        (("p0", 0, "reject", "", "x" * 5000), "4000 characters"),
        (("p0", 3, "accept"), "out of order"),
    ],
)
def test_decisions_that_cannot_be(tmp_path, arguments, words):
    with opened(make_batch(tmp_path, 1)) as store:
        with pytest.raises(PixelProofError, match=words):
            store.decide(*arguments)
        assert store.decisions() == {}


def test_a_proposal_that_changes_is_shown_again_and_later_ones_come_last(tmp_path):
    with opened(make_batch(tmp_path)) as store:
        store.decide("p0", 0, "accept")
        assert [one["id"] for one in store.state("p2")["queue"]] == ["p3", "p1", "p2"]
    make_batch(tmp_path, text="Move the cup {} cm to the left.")
    with opened(tmp_path) as store:
        assert store.decisions() == {} and store.outdated() == 1 and store.state()["queue"][0]["id"] == "p0"
        assert store.decide("p0", 0, "accept")["outcome"] == "stored"


def test_a_decision_holds_for_the_pictures_and_all_fields(tmp_path):
    with opened(make_batch(tmp_path)) as store:
        for id in ("p0", "p1"):
            store.decide(id, 0, "accept")
    (tmp_path / "images/0-before.png").write_bytes(picture(77))
    lines = (tmp_path / "proposals.jsonl").read_text().splitlines()
    lines[1] = lines[1].replace("[1, 2, 3]", "[1, 2, -9]")
    (tmp_path / "proposals.jsonl").write_text("\n".join(lines))
    with opened(tmp_path) as store:
        assert store.decisions() == {} and store.outdated() == 2


def test_line_separators_inside_of_texts(tmp_path):
    make_batch(tmp_path, text="Move\u2028the mug\x85 {} cm.")
    assert len(read_batch(tmp_path).proposals) == 4


def test_exports_keep_reasons_and_fields(tmp_path):
    with opened(make_batch(tmp_path / "batch")) as store:
        store.decide("p0", 0, "accept")
        store.decide("p1", 0, "fix", "Move the cup 11 cm to the left.")
        store.decide("p2", 0, "reject", reason="bad photograph")
        done = write_export(store, tmp_path / "out")
    assert (done.accepted, done.fixed, done.rejected, done.undecided) == (2, 1, 1, 1)
    rows = {name: [json.loads(line) for line in (tmp_path / "out" / f"{name}.jsonl").read_text().splitlines()]
            for name in ("accepted", "rejected", "undecided")}  # fmt: skip
    assert [row["text"] for row in rows["accepted"]][1] == "Move the cup 11 cm to the left."
    assert rows["accepted"][1]["review"]["proposed"] == "Move the mug 11 cm to the left."
    assert rows["rejected"][0]["review"]["reason"] == "bad photograph" and rows["rejected"][0]["box"] == [1, 2, 3]
    assert [row["id"] for row in rows["undecided"]] == ["p3"]
    told = invoke("review", "export", tmp_path / "batch").output
    assert "2 accepted (1 with another text), 1 rejected, 1 undecided" in told and "rejected 1: bad photograph" in told


def test_commands_say_what_is_missing(tmp_path):
    missing = invoke("review", "serve", tmp_path)
    assert "proposals.jsonl" in str(missing.exception)
    make_batch(tmp_path, 1)
    assert "no decisions yet" in str(invoke("review", "export", tmp_path).exception)
    assert "--public" in str(invoke("review", "serve", tmp_path, "--host", "0.0.0.0").exception)


@pytest.fixture
def served(tmp_path):
    running = ReviewServed(make_batch(tmp_path / "batch", 5, SCRIPT + " {}"))
    yield running
    running.stop()


@pytest.mark.slow
def test_over_http_only_the_holder_of_the_token_decides(served):
    stranger = served.client(None)
    assert stranger.ask("/")[0] == stranger.ask("/decide", {"id": "p0"})[0] == 401
    status, page = served.admin.ask("/")
    assert status == 200 and b"Review of batch" in page and SCRIPT.encode() not in page
    for wrong in ({}, {"id": "p0", "attempt": "0", "verdict": "accept"}, {"id": 7, "attempt": 0, "verdict": "accept"}):
        status, body = served.admin.ask("/decide", wrong)
        assert status == 400 and b"Traceback" not in body
    assert served.admin.post("/decide", {"id": "p0", "attempt": 0, "verdict": "accept"})["outcome"] == "stored"
    key = served.admin.post("/state", {})["queue"][0]["images"][0]["key"]
    assert served.admin.ask(f"/files/{key}")[1] == picture(2)


@pytest.mark.slow
def test_kill_9_loses_no_acknowledged_decision(tmp_path):
    folder = make_batch(tmp_path / "batch", 30)
    running = ReviewServed(folder)
    acknowledged, problems = {}, []

    def work():
        try:
            for number in range(30):
                body = {"id": f"p{number}", "attempt": 0, "verdict": "reject", "reason": f"reason {number}"}
                while True:
                    with suppress(OSError, ConnectionError):
                        if running.admin.ask("/decide", body)[0] == 200:
                            acknowledged[f"p{number}"] = body["reason"]
                            break
                    time.sleep(0.02)
        except BaseException as error:  # noqa: BLE001
            problems.append(error)

    worker = threading.Thread(target=work)
    worker.start()
    while len(acknowledged) < 8 and not problems:
        time.sleep(0.01)
    running.process.send_signal(signal.SIGKILL)
    running.process.communicate()
    with opened(folder) as store:
        stored = {id: one.reason for id, one in store.decisions().items()}
    assert acknowledged.items() <= stored.items() and len(acknowledged) >= 8
    running = ReviewServed(folder)  # the worker goes on with the new one
    worker.join(60)
    running.stop()
    assert not problems and len(acknowledged) == 30
    with opened(folder) as store:
        assert {id: one.reason for id, one in store.decisions().items()} == acknowledged


@pytest.mark.slow
def test_a_review_by_keyboard(served, browser):
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page, sins = context.new_page(), []
    page.on("dialog", lambda dialog: (sins.append(dialog.message), dialog.dismiss()))
    page.on("pageerror", lambda error: sins.append(str(error)))
    page.on("console", lambda message: sins.append(message.text))
    page.goto(served.url)

    def at(number, done):
        for _ in range(200):
            shown = page.locator("#question").inner_text(), page.locator("#count").inner_text()
            if shown[0].endswith(f" {number + 10}") and shown[1].startswith(f"{done} of 5"):
                page.wait_for_timeout(300)
                return
            page.wait_for_timeout(25)
        pytest.fail(f"The page shows {shown}.")

    at(0, 0)
    assert page.locator("#stage img").count() == 2
    page.keyboard.press("a")
    at(1, 1)
    page.keyboard.press("f")
    page.keyboard.type("Move the cup.")
    page.keyboard.press("Enter")
    at(2, 2)
    page.keyboard.press("r")
    page.keyboard.press("3")
    at(3, 3)
    page.keyboard.press("Backspace")
    at(2, 2)
    page.keyboard.press("r")
    page.keyboard.type("a reason of mine")
    page.keyboard.press("Enter")
    at(3, 3)
    page.keyboard.press("s")
    at(4, 3)
    page.keyboard.press("a")
    at(3, 4)
    page.reload()
    at(3, 4)
    page.keyboard.press("f")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    page.locator("#finished").wait_for(state="visible")
    assert not sins
    context.close()
    with opened(read_folder(served)) as store:
        found = {id: (one.verdict, one.text, one.reason) for id, one in store.decisions().items()}
    assert found == {
        "p0": ("accept", "", ""),
        "p1": ("fix", "Move the cup.", ""),
        "p2": ("reject", "", "a reason of mine"),
        "p3": ("accept", "", ""),
        "p4": ("accept", "", ""),
    }


def read_folder(served):
    """Folder of a server, from its command line."""
    from pathlib import Path

    return Path(served.process.args[-3])
