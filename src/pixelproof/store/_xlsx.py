"""The first sheet of an XLSX file, without a spreadsheet library: text, numbers, no formulas or dates."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from pixelproof.contract import PixelProofError

_NS = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
MOST_BYTES = 500_000_000
"""Of one part after decompression: a larger one is refused."""


def read_xlsx(path: Path) -> Mapping[str, list[Any]]:
    """Read the first sheet; its first row has the column names.

    Raises:
        PixelProofError: The file is no XLSX file, or has no header.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            strings = _shared_strings(archive)
            rows = list(_rows(archive, strings))
    except (zipfile.BadZipFile, ElementTree.ParseError, KeyError, IndexError) as error:
        raise PixelProofError(f"{path} cannot be read as an XLSX file: {error}.") from None
    if not rows:
        raise PixelProofError(f"{path}: the first sheet is empty.")
    header = {place: str(name) for place, name in rows[0].items() if name is not None}
    return {name: [row.get(place) for row in rows[1:]] for place, name in header.items()}


def _part(archive: zipfile.ZipFile, name: str) -> Any:
    if archive.getinfo(name).file_size > MOST_BYTES:
        raise PixelProofError(f"{archive.filename}: {name} has over {MOST_BYTES:,} bytes; export the sheet as CSV.")
    return archive.open(name)


def _shared_strings(archive: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in archive.namelist():
        return []
    texts = []
    with _part(archive, "xl/sharedStrings.xml") as stream:
        for _, node in ElementTree.iterparse(stream):
            if node.tag == f"{_NS}si":
                texts.append("".join(part.text or "" for part in node.iter(f"{_NS}t")))
                node.clear()
    return texts


def _rows(archive: zipfile.ZipFile, strings: list[str]) -> Iterator[dict[str, Any]]:
    sheets = sorted(name for name in archive.namelist() if re.fullmatch(r"xl/worksheets/sheet\d+\.xml", name))
    with _part(archive, sheets[0]) as stream:
        for _, node in ElementTree.iterparse(stream):
            if node.tag == f"{_NS}row":
                yield {_letters(cell): _value(cell, strings) for cell in node.iter(f"{_NS}c")}
                node.clear()


def _letters(cell: ElementTree.Element) -> str:
    return cell.get("r", "").rstrip("0123456789")


def _value(cell: ElementTree.Element, strings: list[str]) -> Any:
    if cell.get("t") == "inlineStr":
        text = "".join(part.text or "" for part in cell.iter(f"{_NS}t"))
        return text or None
    value = cell.findtext(f"{_NS}v")
    if value is None:
        return None
    if cell.get("t") == "s":
        return strings[int(value)]
    return value if cell.get("t") in ("str", "e") else float(value)
