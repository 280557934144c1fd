"""A small application on the kit, run as a program: `python small_app.py FOLDER`; prints its address."""

import hashlib
import sys
import time
from pathlib import Path

from starlette.responses import PlainTextResponse
from starlette.routing import Route

from pixelproof.contract import PixelProofError
from pixelproof.web import Database, Page, tag
from pixelproof.web.server import Access, ContentFiles, application, bind, post_json, respond, serve

SCRIPT = """
addEventListener("DOMContentLoaded", () => document.getElementById("vote").addEventListener("click", async () => {
  const csrf = document.querySelector("meta[name=csrf-token]").content;
  const answer = await fetch("/votes", { method: "POST", headers: { "X-CSRF-Token": csrf }, body: '{"choice": 7}' });
  document.getElementById("count").textContent = (await answer.json()).votes;
}));
"""


def main(folder: Path) -> None:
    schema = "CREATE TABLE votes (id INTEGER PRIMARY KEY, choice INTEGER NOT NULL);"
    database = Database(folder / "votes.db", [schema])
    files = {hashlib.sha256(data).hexdigest(): data for data in (path.read_bytes() for path in folder.glob("*.file"))}
    wrong = {"0" * 64: b"not what it says"}

    def show(request):
        votes = len(database.read("SELECT * FROM votes"))
        button = tag("button", "Vote", id="vote", type="button")
        return respond(request, Page("Votes", tag("main", tag("p", votes, id="count"), button), scripts=[SCRIPT]))

    def vote(data):
        if not isinstance(data.get("choice"), int):
            raise PixelProofError("A vote needs a choice.")
        with database.write() as connection:
            connection.execute("INSERT INTO votes (choice) VALUES (?)", (data["choice"],))
        return {"votes": len(database.read("SELECT * FROM votes"))}

    def load(key):
        try:
            return (files | wrong)[key]
        except KeyError:
            raise PixelProofError("missing") from None

    def slow(request):
        (folder / "began").touch()
        time.sleep(1.0)
        return PlainTextResponse("done")

    def broken(request):
        raise RuntimeError("secret of the server")

    def stop():
        database.close()
        (folder / "stopped").touch()

    routes = [Route("/", show), Route("/slow", slow), Route("/broken", broken), post_json("/votes", vote)]
    app = application(routes, Access(), ContentFiles(load), [stop], max_body=1000)
    serve(app, bind(), echo=lambda text: print(text, flush=True))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
