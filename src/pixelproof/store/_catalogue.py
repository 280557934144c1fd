"""The catalogue of assets: what each is, under which licence, which bytes it has, and who carries it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Literal

from pixelproof.contract import PixelProofError

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
    """Who carries an asset."""

    kind: Kind
    package: str = ""
    version: str = ""
    take: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Folder in the package → patterns of the files below it, in which `*` stands for slashes too."""
    skip: Sequence[str] = ()
    """Patterns of files to leave out."""
    parts: int = 1
    """Packages that the file is cut into; `{n}` in the other fields is the number, from 1."""
    size: int = 0
    """Bytes to download."""
    builds: bool = False
    """There is no wheel, so pip runs the package's build script to read its metadata."""
    repo: str = ""
    file: str = ""
    revision: str = ""

    @property
    def words(self) -> str:
        """The source as the user reads it."""
        named = replace(self, package=self.package.format(n=f"1…{self.parts}")) if self.parts > 1 else self
        return _WORDS[self.kind].format(named)

    @property
    def client(self) -> str:
        """The program that fetches it; empty: none is needed."""
        return _CLIENTS.get(self.kind, "")

    def each(self) -> list[Carrier]:
        """One source per package, in order."""
        return [self] if self.parts == 1 else [self._part(n) for n in range(1, self.parts + 1)]

    def _part(self, n: int) -> Carrier:
        take = {folder.format(n=n): [name.format(n=n) for name in names] for folder, names in self.take.items()}
        size = self.size // self.parts
        return replace(self, package=self.package.format(n=n), take=take, parts=1, size=size)

    def place(self, member: str) -> str | None:
        """The path that a file of the package gets in the asset, or None if it is not part of it.

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
        """The name of the archive that carries the asset, as a pattern."""
        package = re.sub("[-_.]+", "?", self.package)
        version = self.version.rpartition(":")[2]  # without the epoch, which file names lack or encode
        return {
            "pypi": f"{package}-{version}.tar.gz" if self.builds else f"{package}-{version}-*.whl",
            "npm": f"{self.package.removeprefix('@').replace('/', '-')}-{version}.tgz",
            "debian": f"{self.package}_*{version}_*.deb",
            "debian-source": f"{self.package}_{version.rpartition('-')[0]}.orig.tar.*[z2]",
            "hub": self.file.rpartition("/")[2],
            "installed": "",
        }[self.kind]


@dataclass(frozen=True)
class Asset:
    """A file or a folder that is not ours: known by its content, fetched only when asked for."""

    name: str
    about: str
    licence: str
    """SPDX expression."""
    terms: str
    """Who gives that licence, and what else a user should know of it."""
    project: str
    size: int
    """Bytes on disk."""
    sha256: str
    """Of the file; of a folder, the digest of its sorted (path, sha256) pairs."""
    sources: tuple[Carrier, ...]
    """In order of preference."""
    file: str = ""
    """Name of the file; empty: the asset is a folder."""
    files: int = 1

    def fingerprint(self, hashes: Mapping[str, str]) -> str:
        """What `sha256` is to be equal to, from the hash of each file."""
        return hashes.get(self.file, "") if self.file else digest(sorted(hashes.items()))


@cache
def assets() -> Mapping[str, Asset]:
    """All assets by name, in the order of the catalogue."""
    entries = json.loads(MANIFEST.read_text("utf-8"))
    made = [Asset(**{**entry, "sources": tuple(Carrier(**s) for s in entry["sources"])}) for entry in entries]
    return {asset.name: asset for asset in made}


def find_asset(name: str | Asset) -> Asset:
    """An asset by name; an asset itself is found already.

    Raises:
        PixelProofError: There is none.
    """
    if isinstance(name, Asset):
        return name
    if name in assets():
        return assets()[name]
    raise PixelProofError(f"There is no asset {name!r}: choose one of {', '.join(assets())}.")
