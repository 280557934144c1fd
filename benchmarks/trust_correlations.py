"""Scores against people: coverage of the intervals of correlations, and how exactly random clickers are rejected."""

from __future__ import annotations

import functools
import multiprocessing.pool
from collections import defaultdict

import numpy as np

from pixelproof.benches.evalmi.votes import opinion_scores
from pixelproof.stats import generator, resampled_correlations
from trust_tables import table

TITLE = "Correlations with people"
METHODS = {"spearman": "SRCC", "pearson": "PLCC", "kendall": "KRCC"}
PROMPTS = (20, 50, 200)
IMAGES = (30, 60, 100, 400)
RESAMPLES = 400
_BATCHES = 8


def clustered_rows(rng: np.random.Generator, prompts: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Score and rating of 24 images per prompt; both depend on the prompt, and on a quality that differs by image."""
    clusters = np.repeat(np.arange(prompts), 24)
    of_prompt, quality = rng.normal(size=(2, prompts))[:, clusters], rng.normal(size=len(clusters))
    y = of_prompt[0] + quality + 0.5 * rng.normal(size=len(clusters))
    return 0.7 * of_prompt[0] + 0.7 * of_prompt[1] + quality + rng.normal(size=len(clusters)), y, clusters


@functools.cache
def true_values() -> dict[str, float]:
    """The correlations of the law; both variables are normal, so that Pearson's gives the others."""
    covariance, of_x, of_y = 0.7 + 1, 0.49 + 0.49 + 1 + 1, 1 + 1 + 0.25
    r = covariance / np.sqrt(of_x * of_y)
    return {"pearson": r, "spearman": 6 / np.pi * np.arcsin(r / 2), "kendall": 2 / np.pi * np.arcsin(r)}


def simulate(case: tuple[int, int, int]) -> dict[tuple[str, str], list[tuple[bool, float]]]:
    """Per method and unit of resampling: whether the interval of each data set holds the truth, and its width."""
    prompts, batch, repetitions = case
    rng, hits = generator(0, f"trust/correlations/{prompts}", batch), defaultdict(list)
    methods = list(METHODS) if prompts < 200 else ["spearman", "pearson"]
    for _ in range(repetitions):
        x, y, clusters = clustered_rows(rng, prompts)
        for unit, units in (("clustered", clusters), ("images", np.arange(len(x)))):
            for method, drawn in resampled_correlations({"x": x}, y, units, methods, RESAMPLES)["x"].items():
                interval = drawn.estimate()
                truth = true_values()[method]
                hits[method, unit].append((interval.lo <= truth <= interval.hi, interval.hi - interval.lo))
    return dict(hits)


def panels(case: tuple[int, int]) -> tuple[float, float]:
    """Share of panels in which exactly the two random clickers are rejected: by both rules, and by BT.500 alone."""
    images, repetitions = case
    exact = np.zeros(2)
    for seed in range(repetitions):
        rng = generator(0, f"trust/raters/{images}", seed)
        truth, bias, noise = rng.uniform(1, 5, images), rng.normal(0, 0.25, 14), rng.uniform(0.4, 0.8, 14)
        honest = np.clip(np.rint(truth[:, None] + bias + rng.normal(size=(images, 14)) * noise), 1, 5)
        votes = np.hstack([honest, rng.integers(1, 6, (images, 2))])
        for place, agreement in enumerate((True, False)):
            exact[place] += np.flatnonzero(opinion_scores(votes, agreement).rejected).tolist() == [14, 15]
    return tuple(exact / repetitions)  # type: ignore[return-value]


def section(scale: float, pool: multiprocessing.pool.Pool) -> tuple[str, list[str]]:
    """The tables, and the claims that failed."""
    repetitions = max(1, round(25 * scale))
    cases = [(prompts, batch, repetitions) for prompts in PROMPTS for batch in range(_BATCHES)]
    parts = dict(zip(cases, pool.map(simulate, cases, chunksize=1), strict=True))
    rows, failed, number = [], [], repetitions * _BATCHES
    for prompts in PROMPTS:
        for method, name in METHODS.items():
            cells = {}
            for unit in ("clustered", "images"):
                hits = [hit for case in cases if case[0] == prompts for hit in parts[case].get((method, unit), [])]
                if hits:
                    cells[unit] = np.mean(hits, axis=0)
            if cells:
                rows.append([str(prompts), name, *(f"{c[0]:.3f} / {c[1]:.3f}" for c in cells.values())])
                covered = cells["clustered"][0]
                if covered < 0.95 - 3 * np.sqrt(0.05 * 0.95 / number) - 0.01:
                    failed.append(f"{name} with {prompts} prompts is covered in {covered:.3f} of data sets")
    drawn = max(1, round(200 * scale))
    shares = pool.map(panels, [(images, drawn) for images in IMAGES], chunksize=1)
    failed += [
        f"With {images} images exactly the clickers are rejected in {both:.3f} of panels"
        for images, (both, _) in zip(IMAGES, shares, strict=True)
        if images >= 60 and both < 0.99
    ]
    screened = [
        [str(images), f"{both:.3f}", f"{alone:.3f}"] for images, (both, alone) in zip(IMAGES, shares, strict=True)
    ]
    text = (
        f"24 images per prompt, {number} repetitions of {RESAMPLES} resamples. *Images as independent* ignores that "
        "the images of a prompt are alike.\n\n"
        + table(["prompts", "", "clustered by prompt", "images as independent"], rows)
        + f"\n\nShare of {drawn} panels of 14 honest raters and 2 random clickers in which exactly those 2 are "
        "rejected:\n\n" + table(["images", "BT.500 and agreement", "BT.500 alone"], screened)
    )
    return text, failed
