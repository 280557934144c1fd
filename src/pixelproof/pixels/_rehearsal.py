"""Uses of every compiled loop, by which they are compiled ahead of time; see `_background`."""

from __future__ import annotations

import numpy as np

from ._channel import ImageChannel
from ._channel_detection import detect_channel
from ._decoders import DECODERS
from ._decoding import nearest_distance
from ._labels import encode_labels, read_labels
from ._palette import Palette
from ._reading import read_image
from ._used_values import used_values
from ._writing import encode_png

_SIDE = 64


def rehearse() -> None:
    """Read, decode and examine small painted images: with few labels and with more than a byte holds, hard and soft."""
    rng = np.random.default_rng(0)
    for count in (6, 300):
        colours = rng.permutation(1 << 12)[:count]
        rgb = np.stack([colours >> 8, colours >> 4 & 15, colours & 15], axis=1) * 17
        palette = Palette(tuple(f"label {n}" for n in range(count)), tuple((int(r), int(g), int(b)) for r, g, b in rgb))
        labels = rng.integers(count, size=(_SIDE // 8, _SIDE // 8)).repeat(8, 0).repeat(8, 1).astype(palette.dtype)
        painted = palette.array[labels].astype(np.uint8)
        if count < 256:
            read_labels(encode_labels(labels, palette), palette)
            used_values(labels)
        sent = ImageChannel().send(painted)
        for file in (encode_png(painted), sent, encode_png(read_image(sent))):
            image = read_image(file)
            detect_channel(file.data, image)
            nearest_distance(image, palette)
            for decoder in DECODERS.values():
                decoder.decode(image, palette)
                decoder.decode(image[::-1, 1:], palette)
