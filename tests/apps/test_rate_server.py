"""The server of a study: who may do what, what is served, and what is left after kill -9."""

import http.client
import json
import os
import random
import signal
import threading
import time
from contextlib import suppress

import pytest

from apps.rating import Client, Served, invoke, make_study, open_store, picture, token_of
from pixelproof.contract import PixelProofError
from pixelproof.web.server import check_address

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server") / "study"
    settings = {"title": SCRIPT, "training": {"text": [SCRIPT]}, "votes_per_item": None}
    make_study(folder, 4, settings, prompts=[SCRIPT, "\"'><img src=x onerror=alert(1)>"])
    running = Served(folder)
    running.folder = folder
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def anna(served):
    return served.client(token_of(served.invite("Anna")["Anna"]))


def sign_in(served, client):
    """Cookie and CSRF token, as a browser gets them."""
    stranger = Client(served.host, served.port, None)
    home = "/admin" if client is served.admin else "/"
    status, _ = stranger.ask(f"{home}?token={client.token}")
    cookie = stranger.headers["Set-Cookie"].partition(";")[0]
    assert status == 200 and stranger.headers["Refresh"] == f"0; url={home}"
    page = stranger.ask(home, cookie=cookie)[1].decode()
    return cookie, page.partition('name="csrf-token" content="')[2].partition('"')[0]


def head(state, value=3):
    item = state["queue"][0]
    question = item["questions"][0]
    return {"presentation": item["presentation"], "attempt": question["attempt"], "value": value} | {
        "question": question["question"]
    }


def test_each_has_a_part_of_the_server(served, anna):
    stranger = Client(served.host, served.port, None)
    for path in ("/", "/admin", "/admin/export", "/files/" + "0" * 64):
        assert stranger.ask(path)[0] == 401
    assert anna.ask("/")[0] == 200 and served.admin.ask("/admin")[0] == 200
    assert anna.ask("/admin")[0] == anna.ask("/admin/export")[0] == served.admin.ask("/")[0] == 401
    assert anna.ask("/admin/invite", {"names": ["Eve"]})[0] == 401
    assert anna.ask("/admin/rater", {"rater": "Anna", "action": "link"})[0] == 401
    assert served.admin.ask("/vote", {})[0] == served.admin.ask("/state", {})[0] == 401
    assert anna.ask("/state", method="GET")[0] == 405  # what changes something is a POST


def test_a_vote_over_http(served, anna):
    state = anna.post("/state", {})
    vote = head(state)
    assert anna.post("/vote", vote)["outcome"] == "stored"
    assert anna.post("/vote", vote)["outcome"] == "known"
    undo = anna.post("/state", {})["undo"]
    assert anna.post("/undo", {"vote": undo})["outcome"] == "undone"
    for wrong in ({}, vote | {"value": "3"}, vote | {"value": 3.5}, vote | {"value": True}, vote | {"value": 10**30},
                  vote | {"presentation": None}, vote | {"question": ["perception"]}):  # fmt: skip
        status, body = anna.ask("/vote", wrong)
        assert status == 400 and b"Traceback" not in body, wrong
    assert open_store(served.folder).counted() == []


def test_only_pages_of_ours_change_something(served):
    client = served.client(token_of(served.invite("Bea")["Bea"]))
    cookie, csrf = sign_in(served, client)
    own = {"cookie": cookie, "x_csrf_token": csrf}
    other = sign_in(served, served.client(token_of(served.invite("Carl")["Carl"])))
    for refused in ({"cookie": cookie}, own | {"x_csrf_token": "x"}, own | {"x_csrf_token": other[1]},
                    own | {"origin": "http://evil.example"}, own | {"sec_fetch_site": "cross-site"}):  # fmt: skip
        for path in ("/state", "/vote", "/undo", "/trained"):
            assert client.ask(path, {}, **refused)[0] == 403
    assert client.ask("/state", {}, **own)[0] == 200
    admin_cookie, admin_csrf = sign_in(served, served.admin)
    body = {"names": ["Dora"]}
    assert served.admin.ask("/admin/invite", body, cookie=admin_cookie)[0] == 403
    assert served.admin.ask("/admin/invite", body, cookie=admin_cookie, x_csrf_token=csrf)[0] == 403
    assert served.admin.ask("/admin/invite", body, cookie=cookie, x_csrf_token=csrf)[0] == 401
    assert served.admin.ask("/admin/invite", body, cookie=admin_cookie, x_csrf_token=admin_csrf)[0] == 200


def test_names_and_links(served):
    link = served.invite("Zoë <b>")["Zoë <b>"]
    client = served.client(token_of(link))
    assert client.ask("/")[0] == 200 and link.startswith(served.base)
    for names in (["Zoë <b>"], ["x", "x"], [], [7], "abc", ["\x00"], ["x" * 100], ["n"] * 201):
        assert served.admin.ask("/admin/invite", {"names": names})[0] == 400
    renewed = served.admin.post("/admin/rater", {"rater": "Zoë <b>", "action": "link"})["links"][0]["url"]
    assert client.ask("/")[0] == 401 and served.client(token_of(renewed)).ask("/")[0] == 200
    served.admin.post("/admin/rater", {"rater": "Zoë <b>", "action": "closed"})
    assert served.client(token_of(renewed)).ask("/")[0] == 401
    assert served.admin.ask("/admin/rater", {"rater": "Zoë <b>", "action": "promote"})[0] == 400
    page = served.admin.ask("/admin")[1].decode()
    assert "Zoë &lt;b&gt;" in page and token_of(renewed) not in page


def test_tokens_are_stored_as_hashes(served):
    link = served.invite("Hash")["Hash"]
    token = token_of(link)
    cookie = sign_in(served, served.client(token))[0].partition("=")[2]
    for path in served.folder.glob("votes.db*"):
        data = path.read_bytes()
        assert token.encode() not in data and cookie.encode() not in data
        assert served.admin.token.encode() not in data


def test_texts_stay_texts(served, anna):
    for client, path in ((anna, "/"), (served.admin, "/admin")):
        page = client.ask(path)[1].decode()
        assert SCRIPT not in page and "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        policy = client.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "img-src 'self' data:" in policy


@pytest.mark.attack("paths outside of the images of a study, on the server that collects votes")
def test_images_are_found_by_their_hash_alone(served, anna, record_property):
    key = anna.post("/state", {})["queue"][0]["images"][0]
    status, body = anna.ask(f"/files/{key}")
    assert status == 200 and body in [picture(number) for number in range(4)]
    assert anna.headers["Content-Type"] == "image/png" and "immutable" in anna.headers["Cache-Control"]
    attacks = [
        "/files/../study.json", "/files/..%2fstudy.json", "/files/%2e%2e/votes.db", "/files/votes.db", "/votes.db",
        "/files/pictures/000.png", "/pictures/000.png", "/study.json", "/images.csv", "/files/" + key.upper(),
        "/files/" + key + "%00", "/files//etc/passwd", "/files/" + "0" * 64, "/../../etc/passwd", "/admin/../files/x",
    ]  # fmt: skip
    for path in attacks:
        assert anna.ask(path)[0] in (401, 404), path
    record_property("tries", len(attacks))


def test_a_single_token_cannot_send_everything(served):
    client = served.client(token_of(served.invite("Fast")["Fast"]))
    statuses = [client.ask("/state", {})[0] for _ in range(130)]
    assert statuses.count(429) >= 5 and statuses[0] == 200
    assert int(client.headers["Retry-After"] or 1) >= 1
    other = served.client(token_of(served.invite("Slow")["Slow"]))
    assert other.ask("/state", {})[0] == 200  # others are not affected


@pytest.mark.slow
def test_guesses_are_limited(tmp_path):
    running = Served(make_study(tmp_path, 2))
    guess = Client(running.host, running.port, "guess")
    assert {guess.ask("/", cookie="x")[0] for _ in range(70)} == {401, 429}
    assert running.admin.ask("/admin")[0] == 200  # the address is not locked out
    assert running.stop() == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--host", "0.0.0.0"], "add --public"),
        (["--host", "192.168.0.7"], "add --public"),
        (["--host", "0.0.0.0", "--public"], "add --url"),
        (["--url", "rate.example.org"], "such as https://rate.example.org"),
        (["--url", "https://example.org/rate"], "without a path"),
        (["--ask", "percepton"], "did you mean 'perception'"),
        (["--ask", "correspondence"], "no image has one"),
    ],
)
def test_what_serve_refuses(tmp_path, words, message):
    (tmp_path / "x.png").write_bytes(picture(0))
    done = invoke("rate", "serve", tmp_path, *words)
    assert isinstance(done.exception, PixelProofError) and message in str(done.exception)
    assert not (tmp_path / "study.json").exists() and not (tmp_path / "votes.db").exists()


def test_addresses():
    check_address("127.0.0.1", False, "")
    check_address("::1", False, "https://rate.example.org")
    check_address("0.0.0.0", True, "http://192.168.0.7:8766")
    with pytest.raises(PixelProofError, match="--public"):
        check_address("example.org", False, "")


@pytest.mark.slow
def test_a_study_has_one_server_and_its_settings_stay(tmp_path):
    folder = make_study(tmp_path, 2)
    running = Served(folder)
    done = invoke("rate", "serve", folder, "--port", 0)
    assert "Another process" in str(done.exception)
    assert "edit it in place of" in str(invoke("rate", "serve", folder, "--votes", 3).exception)
    told = invoke("rate", "invite", folder, "Eve", "--url", running.base)  # beside the server
    assert told.exit_code == 0 and served_state(running, told.output.split("\t")[1].strip())["queue"]
    assert "already" in str(invoke("rate", "invite", folder, "Eve").exception)
    assert running.stop(signal.SIGTERM) == 0


def served_state(running, link):
    return running.client(token_of(link)).post("/state", {})


class Rater(threading.Thread):
    """Rates until nothing is left; answers that the server acknowledged are noted."""

    def __init__(self, client, number):
        super().__init__(daemon=True)
        self.client, self.draws = client, random.Random(number)
        self.acknowledged, self.problem = {}, None

    def send(self, path, body):
        """Until there is a response; a request that fails is sent again as it is."""
        while True:
            try:
                status, data = self.client.ask(path, body)
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
                continue
            if status == 200:
                return json.loads(data)
            assert status in (429, 503), data
            time.sleep(0.1)

    def run(self):
        try:
            state = self.send("/state", {})
            while state["queue"] or state["later"]:
                if not state["queue"]:
                    time.sleep(0.1)
                    state = self.send("/state", {})
                    continue
                vote = head(state, self.draws.randint(1, 5))
                state = self.send("/vote", vote)
                if state["outcome"] in ("stored", "known"):
                    key = vote["presentation"], vote["question"], vote["attempt"]
                    assert key not in self.acknowledged
                    self.acknowledged[key] = vote["value"]
                if self.draws.random() < 0.1:
                    with suppress(OSError, http.client.HTTPException):
                        self.client.ask("/vote", vote)  # a second click that comes late
        except BaseException as error:  # noqa: BLE001
            self.problem = error


def rate_through_kills(folder, raters, kills, images, votes, pause):
    """Raters work while the server is killed again and again; returns the number of acknowledged answers."""
    make_study(folder, images, {"votes_per_item": votes, "questions": ["perception", "correspondence"]})
    running = Served(folder)
    port = running.port
    links = running.invite(*(f"r{number}" for number in range(raters)))
    working = [Rater(running.client(token_of(link)), number) for number, link in enumerate(links.values())]
    for rater in working:
        rater.start()
    for _ in range(kills):
        time.sleep(pause)
        running.process.send_signal(signal.SIGKILL)
        running.process.communicate()
        running = Served(folder, port)
    for rater in working:
        rater.join(300)
        assert rater.problem is None and not rater.is_alive(), rater.problem
    running.stop(signal.SIGKILL)
    store = open_store(folder)
    rows = store.database.read("SELECT presentation, question, attempt, value FROM votes WHERE withdrawn = 0")
    stored = [((row[0], row[1], row[2]), row[3]) for row in rows]
    acknowledged = {key: value for rater in working for key, value in rater.acknowledged.items()}
    assert len(stored) == len(dict(stored))
    assert dict(stored) == acknowledged  # each once, with its value; nothing else
    assert set(store.finished().values()) == {votes} and len(stored) == images * votes * 2
    store.close()
    return len(acknowledged)


@pytest.mark.slow
def test_kill_9_loses_no_acknowledged_vote_and_counts_none_twice(tmp_path):
    rate_through_kills(tmp_path / "study", raters=4, kills=1, images=12, votes=3, pause=0.2)


@pytest.mark.soak
@pytest.mark.attack("kill -9 of the server that collects votes, while raters vote", lost="no acknowledged vote")
def test_kill_9_while_raters_vote_again_and_again(tmp_path, record_property):
    size = int(os.environ.get("PIXELPROOF_SOAK", "3"))
    kills = max(2, size // 5)
    raters, votes, pause = (50, 10, 2.0) if size >= 25 else (8, 4, 0.4)
    rate_through_kills(tmp_path / "study", raters, kills, 20 * kills, votes, pause)
    record_property("tries", kills)
