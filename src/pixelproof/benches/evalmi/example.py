"""A small data set of made-up votes, to try the commands and to test them. Nobody rated anything."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator

NAME = "made-up votes"
GENERATORS, PROMPTS, RATERS = 6, 40, 12
TASKS = ("single_class", "counting", "colors", "position")
_SPREAD = {"perception": (0.9, 0.3, 0.5), "correspondence": (0.4, 0.6, 0.7)}
"""Target → standard deviations of generators, of prompts, and of the rest, in levels of the votes."""


def write_example(folder: Path, seed: int = 0) -> None:
    """Write made-up votes and scores: images.csv, prompts.csv, votes-*.csv, scores.csv and name.txt.

    The score `looks` knows the image with an error; `knows_generator` knows who made it, and nothing else.

    Raises:
        PixelProofError: The folder cannot be written to, or has other files.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()) and not (folder / "name.txt").is_file():
            raise PixelProofError(f"{folder} is not empty: choose another folder.")
        _write(folder, seed)
    except OSError as error:
        raise PixelProofError(f"{folder} cannot be written to ({error.strerror}): choose another folder.") from error


def _write(folder: Path, seed: int) -> None:
    images = [f"gen{m}/{p + 1:03d}.png" for m in range(GENERATORS) for p in range(PROMPTS)]
    votes, quality = {}, {}
    for target, spread in _SPREAD.items():
        quality[target], votes[target] = _made_up(generator(seed, f"evalmi/example/{target}"), spread)
    means = {target: of_target.mean(axis=1) for target, of_target in votes.items()}
    rated = zip(images, means["perception"], means["correspondence"], strict=True)
    rows = [[image, image[:4], k % PROMPTS + 1, *two, int(two[1] > 3)] for k, (image, *two) in enumerate(rated)]
    _table(folder / "images.csv", ["image_id", "model", "prompt_id", *means, "qa"], rows)
    prompts = [[p + 1, TASKS[p % len(TASKS)], f"a made-up prompt, number {p + 1}"] for p in range(PROMPTS)]
    _table(folder / "prompts.csv", ["prompt_id", "task", "prompt"], prompts)
    for target, of_target in votes.items():
        cast = [[f"rater{r + 1:02d}", images[k], int(vote)] for (k, r), vote in np.ndenumerate(of_target)]
        _table(folder / f"votes-{target}.csv", ["rater", "image_id", "score"], cast)
    rng = generator(seed, "evalmi/example/scores")
    looks = quality["perception"] + quality["correspondence"] / 4 + rng.normal(0, 0.35, len(images))
    known = np.repeat(means["perception"].reshape(GENERATORS, PROMPTS).mean(axis=1), PROMPTS)
    scores = [[image, f"{looks[k]:.4f}", f"{known[k]:.4f}"] for k, image in enumerate(images)]
    _table(folder / "scores.csv", ["image_id", "looks", "knows_generator"], scores)
    (folder / "name.txt").write_text(f"{NAME}\n", "utf-8")


def _made_up(rng: np.random.Generator, spread: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Quality of every image, and votes from 1 to 5 of raters with a bias and an inconsistency each."""
    sizes = (GENERATORS, PROMPTS, GENERATORS * PROMPTS)
    of_generator, of_prompt, rest = (rng.normal(0, s, n) for s, n in zip(spread, sizes, strict=True))
    quality = np.repeat(of_generator, PROMPTS) + np.tile(of_prompt, GENERATORS) + rest
    bias, noise = rng.normal(0, 0.3, RATERS), rng.uniform(0.5, 0.9, RATERS)
    felt = 3 + quality[:, None] + bias + rng.normal(0, 1, (len(quality), RATERS)) * noise
    return quality, np.clip(np.rint(felt), 1, 5)


def _table(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
