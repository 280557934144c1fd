"""Verification of everything that is at a URL."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from pixelproof.contract import PixelProofError
from pixelproof.store._urls import parse_url

from ._download import verify
from ._log import Pack, StoredFile, read_last
from ._objects import DamagedObject, Objects
from ._views import prefixes_of

_CONNECTIONS = 8


def find_damaged(url: str) -> Iterator[tuple[str, str]]:
    """Objects of the runs and sets at or below a URL that are damaged, with the reason; all of them are downloaded.

    Raises:
        PixelProofError: There is no run and no set, or nothing can be listed.
    """
    location = parse_url(url)
    prefixes = prefixes_of(Objects(location).sizes())
    if not prefixes:
        raise PixelProofError(f"There is no run and no set at {location.url}: correct the URL.")
    for objects in (Objects(location / prefix) for prefix in prefixes):
        try:
            manifest = read_last(objects)
        except PixelProofError as error:
            yield _damage(error, objects.url)
            continue
        entries: list[StoredFile | Pack] = [*manifest.files.values(), *manifest.packs]
        with ThreadPoolExecutor(_CONNECTIONS) as threads:
            for entry, future in [(entry, threads.submit(verify, objects, entry)) for entry in entries]:
                try:
                    future.result()
                except PixelProofError as error:
                    yield _damage(error, f"{objects.url}/{entry.object}")


def _damage(error: PixelProofError, place: str) -> tuple[str, str]:
    return (error.place, error.reason) if isinstance(error, DamagedObject) else (place, str(error))
