"""OCR: PP-OCRv6 through onnxruntime, and Tesseract."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from PIL import Image

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.nets import TextReader
from pixelproof.pixels import Box, encode_png
from pixelproof.store import find_asset, import_extra

from ._backends import Line, Pixels

Detection = Literal["auto", "always", "never"]
_ENLARGED, _TALLEST = 4, 64
"""Crops are enlarged by this factor before they are read, up to this height in pixels."""
_LINE_HEIGHT, _TALLEST_LINE = 48, 128
"""Crops of at most the first height in pixels are taken for one line, unless detection is demanded; those of at most
the second, if no line is detected."""
_LEAST = 0.3
"""Probability of its characters from which a crop that is taken for a line is text."""
_MARGIN = 16
"""Pixels of background around the picture that Tesseract gets."""
_FRAME = 20
"""Difference of a line at the border of a crop from its ground, per channel, from which it does not belong to it."""
_DEEPEST, _FILLED = 2, 0.9
"""Lines at each side that may be surroundings, and the share of their pixels that then differs from the ground."""
_SMALLEST_FRAMED = 12
"""Height in pixels of crops from which filled sides are a frame; letters of a smaller crop fill them, too."""
_PATIENCE = 30.0
"""Seconds for one run of Tesseract."""


class RapidOcrReader:
    """The PP-OCRv6 models that RapidOCR distributes (asset `rapidocr-models`), loaded at the first call.

    Args:
        alphabet: The characters that occur, for plates of a known font; empty: all.
        detect: Whether lines are searched in the crop: `never` takes the crop for one line, `auto` does so for crops
            of the height of a line.

    Raises:
        PixelProofError: onnxruntime or OpenCV is missing, or there is no such kind of detection.
    """

    name = "rapidocr"

    def __init__(self, alphabet: str = "", detect: Detection = "auto") -> None:
        if detect not in get_args(Detection):
            raise unknown_name("kind of detection", detect, get_args(Detection))
        self.alphabet, self.detect = "".join(sorted(set(alphabet))), detect
        libraries = [import_extra(module, "tools", "OCR") for module in ("onnxruntime", "cv2")]
        weights = find_asset(TextReader.asset).sha256[:12]
        versions = " ".join(f"{library.__name__} {library.__version__}" for library in libraries)
        self.version = f"3 {weights} {versions} {detect} {self.alphabet or 'any'}"

    @cached_property
    def _net(self) -> TextReader:
        return TextReader()

    def read(self, crop: Pixels, box: Box, frame: int) -> Sequence[Line]:
        """Read one line, or search for lines."""
        height, width = crop.shape[:2]
        if self.detect == "never" or (self.detect == "auto" and height <= _LINE_HEIGHT):
            return self._read_whole(crop)
        lines = self._net.read(crop, self.alphabet)
        if not lines and self.detect == "auto" and height <= _TALLEST_LINE:
            return self._read_whole(crop)  # the detector misses text that fills its picture
        return [Line(line.text, _around(line.corners, width, height), round(line.score, 2)) for line in lines]

    def _read_whole(self, crop: Pixels) -> list[Line]:
        """The crop as one line, unless it is hardly text."""
        text, score = self._net.recognise(_enlarged(_with_margin(_without_frame(crop))), self.alphabet)
        box = (0, 0, crop.shape[1], crop.shape[0])
        return [Line(text.strip(), box, round(score, 2))] if text.strip() and score >= _LEAST else []


def _enlarged(crop: Pixels) -> Pixels:
    """Enlarge a small crop by Lanczos: networks read small letters better than interpolated ones."""
    height, width = crop.shape[:2]
    if height >= _TALLEST:
        return crop
    size = max(1, width * _ENLARGED), max(1, height * _ENLARGED)
    return np.asarray(Image.fromarray(np.ascontiguousarray(crop)).resize(size, Image.Resampling.LANCZOS))


def _around(corners: Sequence[tuple[float, float]], width: int, height: int) -> Box:
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    left, top = min(max(int(min(xs)), 0), width - 1), min(max(int(min(ys)), 0), height - 1)
    return left, top, min(max(round(max(xs)), left + 1), width), min(max(round(max(ys)), top + 1), height)


class TesseractReader:
    """The program `tesseract` with its English model, as a process per call.

    Args:
        alphabet: The characters that occur; empty: all.
        line: Whether every crop is taken for one line (`--psm 7`), not for a block of text (`--psm 6`).

    Raises:
        PixelProofError: The program is not installed.
    """

    name = "tesseract"

    def __init__(self, alphabet: str = "", line: bool | None = None) -> None:
        program = shutil.which("tesseract")
        if program is None:
            raise PixelProofError(
                "OCR by tesseract needs the program: apt-get install tesseract-ocr, or choose rapidocr."
            )
        self._program, self.alphabet, self.line = program, "".join(sorted(set(alphabet))), line
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=_PATIENCE)
        found = re.search(r"tesseract v?(\S+)", done.stdout + done.stderr)
        self.version = f"2 {found[1] if found else 'unknown'} {line} {self.alphabet or 'any'}"

    def read(self, crop: Pixels, box: Box, frame: int) -> Sequence[Line]:
        """Lines of words that belong together, with the mean confidence of the words."""
        page, scale = _page(crop)
        single = crop.shape[0] <= _LINE_HEIGHT if self.line is None else self.line
        command = [self._program, "stdin", "stdout", "--psm", "7" if single else "6"]
        if self.alphabet:
            command += ["-c", f"tessedit_char_whitelist={self.alphabet}"]
        data = encode_png(page, effort=1).data
        done = subprocess.run([*command, "tsv"], input=data, capture_output=True, timeout=_PATIENCE)
        if done.returncode:
            reason = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise PixelProofError(f"tesseract failed ({' '.join(reason)}): check that its language data is installed.")
        return _lines_of(done.stdout.decode("utf-8", "replace"), scale)


def _page(crop: Pixels) -> tuple[Pixels, float]:
    """The crop as Tesseract expects pages: grey, dark on light, with a margin; and its enlargement."""
    enlarged = np.asarray(Image.fromarray(_enlarged(_without_frame(crop))).convert("L"))
    light = enlarged if float(np.median(enlarged)) >= 128 else 255 - enlarged
    page = np.pad(light, _MARGIN, constant_values=int(np.median(light)))
    return np.ascontiguousarray(page, np.uint8), enlarged.shape[0] / crop.shape[0]


def _without_frame(crop: Pixels) -> Pixels:
    """The crop without pixels of its surroundings at the border, which would be read as a frame.

    A box in thousandths is rounded outwards, so it includes some. The stem of a letter may fill a side, too: a line
    between the colours of ground and text is removed only if a horizontal and a vertical side are filled.
    """
    if min(crop.shape[:2]) < 2 * _DEEPEST + 1:
        return crop
    ground = np.median(crop.reshape(-1, 3), axis=0)
    differs = abs(crop - ground).max(axis=2) > _FRAME
    inside = slice(_DEEPEST, -_DEEPEST), slice(_DEEPEST, -_DEEPEST)
    letters = crop[inside][differs[inside]]
    ink = np.median(letters, axis=0) - ground if len(letters) else np.zeros(3)
    lines = (*range(_DEEPEST), *range(-_DEEPEST, 0))
    rows = [line for line in lines if differs[line].mean() >= _FILLED]
    columns = [line for line in lines if differs[:, line].mean() >= _FILLED]
    framed = bool(rows and columns) and crop.shape[0] >= _SMALLEST_FRAMED
    clean = crop.copy()
    for line in (*(clean[row] for row in rows), *(clean[:, column] for column in columns)):
        colour = np.median(line, axis=0) - ground
        share = min(max(float(colour @ ink) / max(float(ink @ ink), 1.0), 0.0), 1.0)
        if framed or abs(colour - share * ink).max() > _FRAME:
            line[:] = ground.astype(np.uint8)
    return clean


def _with_margin(crop: Pixels) -> Pixels:
    """The crop with a margin of its ground, which the network needs around letters that touch the border."""
    down, across = max(crop.shape[0] // 4, 1), max(crop.shape[0], 1)
    border = np.concatenate([crop[0], crop[-1], crop[:, 0], crop[:, -1]])
    wide = np.empty((crop.shape[0] + 2 * down, crop.shape[1] + 2 * across, 3), np.uint8)
    wide[:] = np.median(border, axis=0).astype(np.uint8)
    wide[down:-down, across:-across] = crop
    return wide


def _lines_of(table: str, scale: float) -> list[Line]:
    r"""Lines of the TSV output of tesseract.

    >>> words = ["5", "1", "1", "1", "1", "1", "24", "20", "40", "20", "90", "AB"], ["5", "1", "1", "1", "1", "2",
    ...     "76", "20", "20", "20", "70", "C"]
    >>> _lines_of("level\n" + "\n".join("\t".join(row) for row in words), 4.0)
    [Line(text='AB C', box=(2, 1, 20, 6), conf=0.8)]
    """
    words: dict[tuple[str, ...], list[list[str]]] = {}
    for row in (line.split("\t") for line in table.splitlines()[1:]):
        if len(row) == 12 and row[0] == "5" and row[11].strip():
            words.setdefault(tuple(row[2:5]), []).append(row)
    lines = []
    for rows in words.values():
        sides = np.array([[float(value) for value in row[6:10]] for row in rows])
        low, high = sides[:, :2].min(axis=0), (sides[:, :2] + sides[:, 2:]).max(axis=0)
        low, high = np.maximum(low - _MARGIN, 0), np.maximum(high - _MARGIN, 1)
        left, top, right, bottom = (int(value) for value in (*(low // scale), *(-(-high // scale))))
        conf = float(np.mean([float(row[10]) for row in rows])) / 100
        lines.append(Line(" ".join(row[11] for row in rows), (left, top, right, bottom), round(max(conf, 0.0), 2)))
    return lines
