"""Images with a table of prompts, and judges that are simple functions."""

import csv

import numpy as np

from pixelproof.pixels import encode_png, read_image

WORDS = ("bad", "poor", "fair", "good", "excellent")


def write_images(folder, count):
    """Grey images of rising brightness, and a table of them."""
    with (folder / "images.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["image_id", "prompt"])
        for number in range(count):
            level = 255 * number // max(1, count - 1)
            (folder / f"{number:02d}.png").write_bytes(encode_png(np.full((8, 8, 3), level, np.uint8)).data)
            writer.writerow([f"{number:02d}.png", f"grey {number}"])
    return folder / "images.csv"


def brightness(prompt):
    """A level by the mean of the image."""
    return WORDS[min(4, int(read_image(prompt.parts[0]).mean() // 51))]


def rambling(prompt):
    """No level for dark images, and an error for the darkest."""
    mean = read_image(prompt.parts[0]).mean()
    if mean == 0:
        raise RuntimeError("too dark")
    return "I like it." if mean < 100 else brightness(prompt)


REPLY = [""]
"""What `unreadable` says of grey images."""


def unreadable(prompt):
    """Judges images of controls, and says something else of grey ones."""
    image = read_image(prompt.parts[0])
    if image.min() == image.max() == 99:
        return REPLY[0]
    return "yes" if "Answer yes or no" in prompt.parts[-1] else brightness(prompt)


def sometimes_grey(prompt, item_id):
    """A model that draws nothing for a third of the items."""
    return "no image" if int(item_id[-1]) % 3 == 0 else np.full((32, 32, 3), 99, np.uint8)
