"""An image-answer bench: paint the bright disc of a noisy image in white on black."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pixelproof.contract import Answer, Bench, Display, Item, Metric, Prompt, Result, option
from pixelproof.pixels import AnswerImage, encode_png, read_answer
from pixelproof.stats import generator

SIDE = 48


def disc(x, y, radius):
    rows, columns = np.mgrid[:SIDE, :SIDE]
    return (columns - x) ** 2 + (rows - y) ** 2 <= radius**2


def painted(mask):
    return encode_png(np.repeat(np.where(mask, 255, 0).astype(np.uint8)[..., None], 3, axis=2))


def iou(sums):
    return sums[..., 0] / sums[..., 1]


@dataclass(frozen=True)
class Discs(Bench):
    """Paint the disc."""

    name: ClassVar = "discs"
    version: ClassVar = "1.0"
    title: ClassVar = "Paint a disc"
    sources: ClassVar = {"noise": "discs on noise, drawn from a seed"}
    metrics: ClassVar = (
        Metric("iou", "intersection over union of all pixels", pool=iou, range=(0, 1)),
        Metric("radius", "true radius in pixels", calibrated=False, higher_is_better=None),
    )
    display: ClassVar = Display(headline=("iou",), item_evidence=("photo",))

    contrast: int = option(80, "brightness of the disc above the noise")

    def items(self, source, seed, n):
        for index in range(6 if n is None else n):
            x, y, radius = (int(v) for v in generator(seed, "discs", index).integers([15, 15, 5], [33, 33, 12]))
            yield Item(f"discs/noise/1/{index:03d}", {"index": index, "seed": seed}, (x, y, radius))

    def photo(self, item):
        noise = generator(item.inputs["seed"], "discs/photo", item.inputs["index"]).normal(90, 12, (SIDE, SIDE, 3))
        return encode_png(np.clip(noise + self.contrast * disc(*item.truth)[..., None], 0, 255).astype(np.uint8))

    def prompt(self, item):
        photo = self.photo(item)
        words = "Paint the bright disc white and all else black."
        return Prompt((photo, words), wants="image", data={"photo": photo})

    def score(self, item, answer, judgements):
        image = read_answer(answer, (SIDE, SIDE))
        if not isinstance(image, AnswerImage):
            return Result(item.id, {}, failure=image)
        mask, truth = image.rgb.mean(axis=2) > 127, disc(*item.truth)
        numbers = {"iou": [int((mask & truth).sum()), int((mask | truth).sum())], "radius": item.truth[2]}
        return Result(item.id, numbers, evidence={"photo": self.photo(item), "mask": painted(mask)})

    def controls(self):
        return {
            "floor-all": lambda item, rng: Answer(images=(painted(np.ones((SIDE, SIDE), bool)),)),
            "ceiling-truth": lambda item, rng: Answer(images=(painted(disc(*item.truth)),)),
        }
