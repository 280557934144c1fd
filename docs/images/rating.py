"""Make the pictures of the page about rating: `python docs/images/rating.py` writes them here. Needs Chromium."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

from pixelproof.apps.rate import VoteStore, read_study
from pixelproof.web.server import new_member
from pixelproof.world.flat import draw, make_flat

HERE = Path(__file__).parent
RATERS = ("Anna", "Ben", "Cleo", "Dan")
IMAGES = 24


def make_study(folder: Path) -> None:
    """Flat scenes of two "models", one of which is blurred."""
    rows = []
    for number in range(IMAGES):
        image = Image.fromarray(draw(make_flat(5, number // 2))).resize((384, 384))
        if number % 2:
            image = image.resize((64, 64)).resize((384, 384), Image.Resampling.BICUBIC)
        name = f"{number:02d}.png"
        image.save(folder / name)
        rows.append({"image": name, "model": "ab"[number % 2], "prompt": "a flat scene with simple shapes and letters"})
    with open(folder / "images.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    settings = {
        "title": "Flat scenes",
        "questions": ["perception", "correspondence"],
        "votes_per_item": 6,
        "repeats": 0.2,
    }
    (folder / "study.json").write_text(json.dumps(settings))


def vote(folder: Path) -> str:
    """Simulated raters, Dan without looking; returns a token of one more, who has begun."""
    now = 1_700_000_000.0
    store = VoteStore(read_study(folder), clock=lambda: now)
    draws = np.random.default_rng(0)
    model = {item.images[0].key: item.images[0].model for item in store.study.items.values()}
    for name in (*RATERS, "Eva"):
        token, key = new_member()
        store.add_rater(name, key)
        state = store.finish_training(name)
        while (
            state["queue"] and not (name == "Eva" and state["done"] == 3) and not (name == "Dan" and state["done"] > 22)
        ):
            item = state["queue"][0]
            question = item["questions"][0]
            good = 4.2 if model[item["images"][0]] == "a" else 2.0
            value = int(draws.integers(1, 6)) if name == "Dan" else int(np.clip(round(draws.normal(good, 0.7)), 1, 5))
            now += 0.4 if name == "Dan" else float(draws.uniform(2, 6))
            state = store.vote(name, item["presentation"], question["question"], question["attempt"], value)
            if name == "Eva" and state["done"] == 3 and len(state["queue"][0]["questions"]) == 2:
                first = state["queue"][0]
                state = store.vote(name, first["presentation"], "perception", 0, 4)
    store.close()
    return token


def photograph(folder: Path, token: str) -> None:
    """Screenshots of both pages, at the size of a phone and of a small window."""
    words = [sys.executable, "-um", "pixelproof", "rate", "serve", str(folder), "--port", "0"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    while "token=" not in (line := server.stdout.readline()):
        assert line, "the server did not start"
    url = line.strip()
    try:
        with sync_playwright() as play:
            flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
            browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
            page = browser.new_page(viewport={"width": 390, "height": 700}, color_scheme="light")
            page.goto(f"{url.partition('/admin')[0]}/?token={token}")
            page.locator("#stage img").wait_for()
            save(page.screenshot(), "rating-phone.webp")
            page = browser.new_page(viewport={"width": 940, "height": 800}, color_scheme="light")
            page.goto(url)
            top, bottom = (page.locator(name).bounding_box() for name in ("#agreement", "#raters"))
            clip = {"x": 0, "y": top["y"] - 24, "width": 940, "height": bottom["y"] + bottom["height"] - top["y"] + 48}
            save(page.screenshot(full_page=True, clip=clip), "rating-admin.webp")
            browser.close()
    finally:
        server.terminate()
        server.wait()


def save(png: bytes, name: str) -> None:
    """Write a screenshot as WebP or JPEG."""
    Image.open(io.BytesIO(png)).convert("RGB").save(HERE / name, quality=80, method=6)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        make_study(Path(place))
        photograph(Path(place), vote(Path(place)))
