"""Addresses and keys of services, read from the environment; keys never appear in output."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.store import printable, register_secret, scrub

OPENAI_COMPATIBLE = {"openai": "https://api.openai.com/v1", "openrouter": "https://openrouter.ai/api/v1"}
"""Services with a known address."""

_TELLING = 6
"""Letters and digits of a key, in a row, that must not be shown."""


@dataclass(frozen=True)
class Service:
    """Address and key of a service."""

    url: str
    key: str = field(repr=False)
    url_name: str
    """Environment variable of the address."""
    key_name: str
    """Environment variable of the key."""

    def __post_init__(self) -> None:
        """Have the key removed from everything that is stored, logged or printed."""
        register_secret(self.key)

    @classmethod
    def from_environment(cls, url_name: str, default_url: str | None, *key_names: str) -> Service:
        """Read address and key from the environment; the key is optional where the user sets the address.

        Raises:
            PixelProofError: The address is missing, the key for the default address is missing, or either is malformed.
        """
        given = os.environ.get(url_name, "").strip()
        url = (given or default_url or "").rstrip("/")
        if not url:
            raise PixelProofError(f"Set {url_name} to the address of the service, such as http://localhost:8000/v1.")
        if not _is_usable(url):
            raise PixelProofError(
                f"{url_name} must be a plain address such as http://localhost:8000/v1, without user, key or '?'."
            )
        key_name = next((name for name in key_names if os.environ.get(name, "").strip()), key_names[0])
        key = os.environ.get(key_name, "").strip()
        if not key and not given:
            raise PixelProofError(f"Set {' or '.join(key_names)} to your key for {urlsplit(url).netloc}.")
        if not re.fullmatch(r"[!-~]*", key):
            raise PixelProofError(f"{key_name} contains characters that no key has, such as spaces: set it again.")
        return cls(url, key, url_name, key_name)

    @classmethod
    def openai_compatible(cls, name: str) -> Service:
        """The service of that name, read from `<NAME>_BASE_URL` and `<NAME>_API_KEY`."""
        prefix = name.upper().replace("-", "_")
        if name not in OPENAI_COMPATIBLE and not os.environ.get(f"{prefix}_BASE_URL", "").strip():
            raise PixelProofError(
                f"{unknown_name('service', name, OPENAI_COMPATIBLE)} For another service, set {prefix}_BASE_URL to its "
                "address, such as http://localhost:8000/v1."
            )
        return cls.from_environment(f"{prefix}_BASE_URL", OPENAI_COMPATIBLE.get(name), f"{prefix}_API_KEY")

    @property
    def host(self) -> str:
        """Host and port, for messages."""
        return urlsplit(self.url).netloc

    def scrub(self, text: str) -> str:
        """Text of the service as one short line, with the key replaced, whole or masked with asterisks."""
        text = re.sub(r"\S*\*{3,}\S*", "[secret]", scrub(text))
        return printable(" ".join(text.split())[:300])

    def shown_host(self, host: str) -> str:
        """A host that the service named, unless a part of the key may be in it, without capitals and signs."""
        plain, key = (re.sub(r"[^a-z0-9]", "", unquote(text).lower()) for text in (host, self.key))
        if any(key[i : i + _TELLING] in plain for i in range(len(key) - _TELLING + 1)):
            return "another host"
        return self.scrub(host)


def _is_usable(url: str) -> bool:
    """Whether an address is valid and holds no credentials.

    >>> [_is_usable(url) for url in ("http://localhost:8000/v1", "https://me:secret@x/v1", "https://x/v1?key=secret")]
    [True, False, False]
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # an invalid port, an unbalanced bracket
        return False
    return usable and re.fullmatch(r"[!-~]+", url) is not None and not set("@?#") & set(url)
