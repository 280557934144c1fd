"""A net: everything brighter than the mean of darkest and brightest."""

import numpy as np

from pixelproof.contract import Answer
from pixelproof.nets import require_data
from pixelproof.pixels import encode_png, read_image


class Threshold:
    """Paints bright pixels white."""

    def answer(self, prompt, rng):
        grey = read_image(require_data(prompt, "photo")).mean(axis=2)
        mask = grey > (grey.min() + grey.max()) / 2
        return Answer(images=(encode_png(np.repeat(np.where(mask, 255, 0).astype(np.uint8)[..., None], 3, axis=2)),))

    def card(self):
        return {"rule": "middle of the range"}
