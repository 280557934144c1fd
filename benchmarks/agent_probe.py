"""Can a network answer the tasks of the agent bench from the first view? A probe that could refute "needs tools".

    python benchmarks/agent_probe.py --out probe.json                       all tasks; needs torch and a GPU
    python benchmarks/agent_probe.py --tasks read-code --views 100000

For each task, a network of about 5 million weights is trained on first views (64 × 64 pixels) with what the question
names, and tested on 4,096 others. The target is what must be known to answer: each character of a code, the colour, or
the shape. The same network on the last evidence of the oracle's chain (crops at full resolution) is the positive
control: it shows that the probe could have learnt the task. Where plates are compared, it also learns to read them.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from pixelproof.benches.agent.tasks import TASKS, Challenge
from pixelproof.stats import generator
from pixelproof.world import COLOURS
from pixelproof.world.flat import ALPHABET, SHAPES, Clip, DisplayList, contrasting_colours, lower, render, thumbnail

SEED, TEST_SEED = 101, 202
TESTED, CHUNK = 4096, 256
CROP = 64, 16
"""Width and height in pixels of a crop of the evidence; a canvas has five of them, one below the other."""
WIDTH, PLACES = 256, 80
"""Width of the network's tokens, and the largest number of them, those of a canvas."""
COMPARED = "same-code", "odd-code"
"""Tasks in which plates are compared: the evidence has all of them, in random order, and asks for the right one."""
_COLOURS, _SHAPES = list(COLOURS), list(SHAPES)
_POINT = re.compile(r"x = (\d+), y = (\d+)")


class Chunk(NamedTuple):
    """Challenges as arrays."""

    views: DisplayList
    questions: np.ndarray
    targets: np.ndarray
    """(n, heads) classes that the first view is asked for."""
    chance: np.ndarray
    """(n,) accuracy of the best answer without a look."""
    frames: DisplayList
    """Scenes of the last evidence."""
    crops: np.ndarray
    """(n, 5, 2) left and top of the crops of the evidence; −1: none."""
    evident: np.ndarray
    """(n, heads) classes that the evidence is asked for; where plates are compared, their characters follow."""


def question_vector(text: str) -> np.ndarray:
    """What a question names: up to two colours and shapes, and a point."""
    words = re.findall(r"[a-z]+", text.lower())
    vector = np.zeros(2 * (len(_COLOURS) + len(_SHAPES)) + 2, np.float32)
    for names, start in ((_COLOURS, 0), (_SHAPES, 2 * len(_COLOURS))):
        singular = (next((w for w in (word, word.removesuffix("s"), word.removesuffix("es")) if w in names), "")
                    for word in words)  # fmt: skip
        named = [names.index(word) for word in singular if word]
        for place, name in enumerate(named[:2]):
            vector[start + place * len(names) + name] = 1
    if match := _POINT.search(text):
        vector[-2:] = [int(match[1]) / 1000, int(match[2]) / 1000]
    return vector


def _plate_corner(scene: Any, id: str) -> tuple[int, int]:
    left, top, _, _ = scene.sprite(id).rectangle
    return left - 16, top


def _classes(text: str) -> list[int]:
    return [ALPHABET.index(character) for character in text]


def describe(name: str, challenge: Challenge) -> tuple[list[int], float, Any, list[tuple[int, int]], list[int]]:
    """Targets of the first view, chance, scene and crops of the last evidence, targets of the evidence."""
    frame, sprite = challenge.targets[-1] if challenge.targets else (0, "")
    scene = challenge.scene(frame)
    if challenge.length:
        classes, plates = _classes(challenge.answer), [id for _, id in challenge.targets if id.startswith("plate")]
        return classes, 1 / len(ALPHABET), scene, [_plate_corner(scene, id) for id in plates], classes
    if isinstance(challenge.world, Clip):
        lamp, ground = scene.sprite("lamp"), scene.background
        mover = next(one for one in scene.sprites if one.id == challenge.world.scene.roles["target"]).colour
        possible = set(contrasting_colours((ground.colour, ground.other))) - {"grey", "brown", mover}
        last = [_COLOURS.index(challenge.answer.split(", ")[-1])]
        return last, 1 / len(possible), scene, [(round(lamp.x) - 32, round(lamp.y) - 8)], last
    if name in COMPARED:
        plates = [one for one in scene.sprites if one.shape == "plate" and one.text]
        first = challenge.targets[0][1] if name == "same-code" else ""
        order = generator(int(scene.seed), "agent/probe", scene.index).permutation(len(plates)).tolist()
        plates = sorted((plates[place] for place in order), key=lambda plate: plate.id != first)  # the named one first
        right = challenge.answer
        slot = next(
            place
            for place, plate in enumerate(plates)
            if scene.sprite(plate.carrier or "").shape == right and plate.id != first
        )
        corners = [_plate_corner(scene, plate.id) for plate in plates]
        evident = [slot, *(number for plate in plates for number in _classes(plate.text))]
        return [_SHAPES.index(right)], 1 / (len(plates) - bool(first)), scene, corners, evident
    if name == "count-clutter":
        return [challenge.options.index(challenge.answer)], challenge.chance, scene, [], [0]
    if name == "compare-areas":
        return [challenge.options.index(challenge.answer)], 0.5, scene, [], [0]
    return [_COLOURS.index(challenge.answer)], 1 / len(_COLOURS), scene, [], [0]


def make_chunk(task: tuple[str, int, int, int]) -> Chunk:
    """Challenges of a task, as arrays."""
    name, seed, start, count = task
    made = [TASKS[name].make(seed, index, "base") for index in range(start, start + count)]
    rows = [describe(name, challenge) for challenge in made]
    crops = np.full((count, 5, 2), -1, np.int64)
    for place, row in enumerate(rows):
        for slot, corner in enumerate(row[3][:5]):
            crops[place, slot] = np.clip(corner, 0, [512 - CROP[0], 512 - CROP[1]])
    return Chunk(
        lower([challenge.first_scene for challenge in made]),
        np.stack([question_vector(challenge.question) for challenge in made]),
        np.array([row[0] for row in rows]),
        np.array([row[1] for row in rows]),
        lower([row[2] for row in rows]),
        crops,
        np.array([row[4] for row in rows]),
    )


class Probe(nn.Module):
    """A residual network for pixels, then a transformer that compares places; the question is one of its tokens."""

    def __init__(self, question: int, classes: int, heads: int) -> None:
        super().__init__()
        before, layers = 64, [nn.Conv2d(3, 64, 3, padding=1)]
        for place, width in enumerate((64, 128, WIDTH, WIDTH)):
            layers.append(_Block(before, width, 1 if place == 0 else 2))
            before = width
        self.features = nn.Sequential(*layers)
        self.places = nn.Parameter(0.02 * torch.randn(PLACES, WIDTH))
        self.asked = nn.Parameter(0.02 * torch.randn(heads, WIDTH))
        self.question = nn.Sequential(nn.Linear(question, WIDTH), nn.GELU(), nn.Linear(WIDTH, WIDTH))
        layer = nn.TransformerEncoderLayer(WIDTH, 8, 4 * WIDTH, 0.0, "gelu", batch_first=True, norm_first=True)
        self.compare = nn.TransformerEncoder(layer, 3, nn.LayerNorm(WIDTH), enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, classes)

    def forward(self, picture: torch.Tensor, question: torch.Tensor) -> torch.Tensor:
        """Logits, shape (n, heads, classes)."""
        cells = self.features(picture).flatten(2).transpose(1, 2)
        cells = cells + self.places[: cells.shape[1]]
        asked = self.asked.expand(len(picture), -1, -1)
        tokens = torch.cat([asked, self.question(question)[:, None], cells], 1)
        return self.head(self.compare(tokens)[:, : len(self.asked)])


class _Block(nn.Module):
    def __init__(self, before: int, width: int, stride: int) -> None:
        super().__init__()
        self.a, self.b = nn.Conv2d(before, width, 3, stride, 1), nn.Conv2d(width, width, 3, 1, 1)
        self.na, self.nb = nn.BatchNorm2d(width), nn.BatchNorm2d(width)
        self.skip = nn.Conv2d(before, width, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        inner = self.nb(self.b(torch.relu(self.na(self.a(x)))))
        return torch.relu(inner + self.skip(x))


def pictures_of(display: DisplayList) -> torch.Tensor:
    """Rendered scenes on the GPU."""
    return render(display.map(lambda array: torch.as_tensor(array, device="cuda")))


def canvas(pictures: torch.Tensor, crops: np.ndarray) -> torch.Tensor:
    """Crops of each picture, one below the other; black where there is none."""
    width, height = CROP
    corners = torch.as_tensor(crops, device="cuda")
    rows = corners[:, :, 1, None, None] + torch.arange(height, device="cuda")[:, None]
    columns = corners[:, :, 0, None, None] + torch.arange(width, device="cuda")
    batch = torch.arange(len(pictures), device="cuda")[:, None, None, None]
    cut = pictures[batch, rows.clamp(0), columns.clamp(0)]
    cut = torch.where((corners[:, :, 0] >= 0)[:, :, None, None, None], cut, torch.zeros_like(cut))
    return cut.flatten(1, 2)


def gather(pool: Any, name: str, seed: int, count: int) -> tuple[torch.Tensor, ...]:
    """First views, questions, targets, chance, evidence and its targets of many challenges, on the GPU."""
    jobs = [(name, seed, start, min(CHUNK, count - start)) for start in range(0, count, CHUNK)]
    parts: list[tuple[torch.Tensor, ...]] = []
    for chunk in pool.imap_unordered(make_chunk, jobs):
        views = thumbnail(pictures_of(chunk.views), 8)
        evidence = canvas(pictures_of(chunk.frames), chunk.crops)
        rest = (
            torch.as_tensor(array, device="cuda")
            for array in (chunk.questions, chunk.targets, chunk.chance, chunk.evident)
        )
        questions, targets, chance, evident = rest
        parts.append((views, questions, targets, chance, evidence, evident))
    return tuple(torch.cat(columns) for columns in zip(*parts, strict=True))


def trained_accuracy(
    train: Sequence[torch.Tensor], test: Sequence[torch.Tensor], classes: int, epochs: int, counted: int
) -> tuple[float, int]:
    """Accuracy on the test set, as the mean over the first heads, of a probe that was trained; and its weights."""
    torch.manual_seed(1)
    pictures, questions, targets = train
    probe = Probe(questions.shape[1], classes, targets.shape[1]).cuda().to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(probe.parameters(), 1e-3, weight_decay=0.02)
    batch, steps = 512, epochs * (len(pictures) // 512)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 6e-4, total_steps=steps, pct_start=0.1)
    done = 0
    while done < steps:
        for rows in torch.randperm(len(pictures), device="cuda").split(batch):
            if len(rows) < batch or done == steps:
                break
            with torch.autocast("cuda", torch.bfloat16):
                logits = probe(_scaled(pictures[rows]), questions[rows])
                loss = nn.functional.cross_entropy(logits.flatten(0, 1).float(), targets[rows].flatten())
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            schedule.step()
            done += 1
    probe.eval()
    right = []
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16):
        for rows in torch.arange(len(test[0]), device="cuda").split(batch):
            logits = probe(_scaled(test[0][rows]), test[1][rows])
            right.append((logits.argmax(-1) == test[2][rows])[:, :counted].float())
    return float(torch.cat(right).mean()), sum(weights.numel() for weights in probe.parameters())


def _scaled(pictures: torch.Tensor) -> torch.Tensor:
    return (pictures.permute(0, 3, 1, 2).float() / 127.5 - 1).contiguous(memory_format=torch.channels_last)


def measure(pool: Any, name: str, views: int, epochs: int) -> dict[str, Any]:
    """What the probe reaches on a task."""
    start = time.perf_counter()
    train, test = gather(pool, name, SEED, views), gather(pool, name, TEST_SEED, TESTED)
    made = time.perf_counter() - start
    classes = max(len(_COLOURS), len(_SHAPES), len(ALPHABET))
    seen, weights = trained_accuracy(train[:3], test[:3], classes, epochs, train[2].shape[1])
    row = {
        "task": name,
        "needs": TASKS[name].needs,
        "views": views,
        "tested": len(test[0]),
        "weights": weights,
        "chance": round(float(test[3].mean()), 4),
        "first_view": round(seen, 4),
        "standard_error": round((seen * (1 - seen) / len(test[0])) ** 0.5, 4),
    }
    if (train[4] > 0).any():
        counted = 1 if name in COMPARED else train[5].shape[1]
        evidence, tested = (train[4], train[1], train[5]), (test[4], test[1], test[5])
        known, _ = trained_accuracy(evidence, tested, classes, epochs, counted)
        row["evidence"] = round(known, 4)
    return row | {"seconds": [round(made), round(time.perf_counter() - start - made)]}


def main() -> None:
    """Train and test a probe for each task; print a row for each, and write all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="*", default=list(TASKS))
    parser.add_argument("--views", type=int, default=102_400)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--processes", type=int, default=15)
    parser.add_argument("--out", default="")
    given = parser.parse_args()
    rows = []
    with multiprocessing.get_context("spawn").Pool(given.processes) as pool:
        for name in given.tasks:
            rows.append(measure(pool, name, given.views, given.epochs))
            print(json.dumps(rows[-1]), flush=True)
            if given.out:
                with open(given.out, "w") as file:
                    json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
