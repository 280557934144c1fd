"""Studies, a server in a process of its own, and raters without a browser, for the tests of `pixelproof rate`."""

import csv
import http.client
import json
import signal
import subprocess
import sys
from urllib.parse import parse_qs, urlsplit

import numpy as np
from click.testing import CliRunner

from pixelproof.apps.rate import VoteStore, read_study
from pixelproof.cli._app import program
from pixelproof.pixels import encode_png
from pixelproof.web.server import new_member


def picture(number, size=(24, 32)):
    """A PNG that differs from those with other numbers."""
    image = np.random.default_rng(number).integers(0, 255, (*size, 3)).astype(np.uint8)
    image[4:-4, 4:-4] = (number * 37 % 256, number * 91 % 256, number * 53 % 256)
    return encode_png(image).data


def make_study(folder, images=6, settings=None, models=("a", "b"), prompts=None, columns=None):
    """A study folder with a table: images of models in turn, two of each prompt."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pictures").mkdir(exist_ok=True)
    rows = []
    for number in range(images):
        name = f"pictures/{number:03d}.png"
        (folder / name).write_bytes(picture(number))
        prompt = prompts[number // len(models)] if prompts else f"prompt {number // len(models)}"
        row = {"image": name, "image_id": f"i{number}", "model": models[number % len(models)], "prompt": prompt}
        rows.append(row | {name: values[number] for name, values in (columns or {}).items()})
    with open(folder / "images.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    wanted = {"title": "A study", "questions": ["perception"], "votes_per_item": 2, "repeats": 0}
    (folder / "study.json").write_text(json.dumps(wanted | (settings or {})))
    return folder


def open_store(folder, raters=(), **options):
    """The votes of a study, with raters."""
    store = VoteStore(read_study(folder), **options)
    for name in raters:
        store.add_rater(name, new_member()[1])
    return store


def answer(store, rater, choose, state=None):
    """Answer the next question of a rater; returns the new state, or None if there is none."""
    state = state or store.state(rater)
    if not state["queue"]:
        return None
    item = state["queue"][0]
    question = item["questions"][0]
    value = choose(item, question) if callable(choose) else choose
    return store.vote(rater, item["presentation"], question["question"], question["attempt"], value)


def rate_all(store, rater, choose):
    """Answer everything; returns the number of answers."""
    count, state = 0, store.state(rater)
    while (state := answer(store, rater, choose, state)) is not None:
        count += 1
    return count


def invoke(*words):
    """The exit code and output of a command of ours."""
    done = CliRunner().invoke(program, [str(word) for word in words])
    return done


class Client:
    """A rater, or the administrator, who sends requests with a token."""

    def __init__(self, host, port, token):
        self.host, self.port, self.token = host, port, token

    def ask(self, path, body=None, method=None, **headers):
        """Status and body of a response."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=20)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            if self.token and "cookie" not in headers:
                named["Authorization"] = f"Bearer {self.token}"
            data = None if body is None else json.dumps(body)
            connection.request(method or ("GET" if body is None else "POST"), path, data, named)
            response = connection.getresponse()
            self.headers = response.headers
            return response.status, response.read()
        finally:
            connection.close()

    def post(self, path, body):
        """The response to a request that must succeed."""
        status, data = self.ask(path, body)
        assert status == 200, data
        return json.loads(data)


class Served:
    """`pixelproof rate serve` in a process of its own."""

    command = "rate"

    def __init__(self, folder, port=0):
        words = ["-m", "pixelproof", self.command, "serve", str(folder), "--port", str(port)]
        self.process = subprocess.Popen(
            [sys.executable, "-u", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        while "token=" not in (line := self.process.stdout.readline()):
            assert line, self.process.stderr.read()
        self.url = line.strip()
        parts = urlsplit(self.url)
        self.host, self.port = parts.hostname, parts.port
        self.base = f"http://{self.host}:{self.port}"
        self.admin = self.client(parse_qs(parts.query)["token"][0])

    def client(self, token):
        return Client(self.host, self.port, token)

    def invite(self, *names):
        """Links by name."""
        links = self.admin.post("/admin/invite", {"names": list(names)})["links"]
        return {one["name"]: one["url"] for one in links}

    def stop(self, how=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.communicate(timeout=20)
        return self.process.returncode


def token_of(link):
    return parse_qs(urlsplit(link).query)["token"][0]
