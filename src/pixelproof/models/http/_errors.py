"""What the errors of services mean: a refusal, a moment's trouble, or a set-up that the user must put right."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime

from pixelproof.contract import Fault, PixelProofError

from ._post import Passing, Unanswered
from ._service import Service

_PASSING = {408: "timeout", 409: "api-error", 425: "api-error", 429: "rate-limit", 504: "timeout"}
_TELLING = ("code", "type", "status", "message", "reason", "reasons", "error_type", "provider_code", "quotaId")
_NO_MONEY = re.compile(r"insufficient_quota|billing_hard_limit|insufficient.credits|PerDay")
_BAD_KEY = re.compile(r"API_KEY_INVALID|invalid_api_key")
_SHUT_OUT = re.compile(r"(?i)resource has been (?:temporarily )?blocked|account .{0,40}(?:suspended|deactivated)")
_REFUSED = re.compile(
    r"(?i)content[ _-]?(?:policy|filter)|content management policy|moderation[_ ]blocked|by (?:the |our )?(?:content )?"
    r"moderation|safety[ _](?:system|violation|filter|polic)|unsafe[_ ](?:content|generation|image)|image_safety|"
    r"responsible ?ai|usage polic|violates? .{0,40}polic|prohibited[_ ]content|flagged"
)


def error_in(content: object) -> object:
    """The error in a reply, as the various services write it; None if there is none.

    >>> error_in([{"error": {"code": 429}}])
    {'code': 429}
    """
    if isinstance(content, list) and len(content) == 1:
        content = content[0]
    return content.get("error") or None if isinstance(content, Mapping) else None


def trouble(status: int, headers: Mapping[str, str], error: object, service: Service) -> Exception:
    """The exception that says what an error means.

    Args:
        status: Of the reply.
        headers: Of the reply, with names in lower case.
        error: What the reply says, as decoded from JSON, or as a text.
        service: Whose error it is.
    """
    telling = " ".join(_telling(error))
    message = service.scrub(_message(error) or telling)
    told = f"{service.host}, status {status}: {message}" if message else f"{service.host}, status {status}"
    if status == 402 or _NO_MONEY.search(telling):
        return PixelProofError(
            f"The account has no credit or quota left ({told}): add some or wait, and run again with --resume."
        )
    if status == 401 or _BAD_KEY.search(telling):  # its message may quote the key
        return PixelProofError(f"{service.host} does not accept the key: set {service.key_name} to a valid one.")
    if status not in (404, 429) and _REFUSED.search(telling) and not _SHUT_OUT.search(telling):
        return Unanswered(Fault.MODEL, "refusal", message)
    if status == 403:
        return PixelProofError(f"Access is denied ({told}): check what the key in {service.key_name} may use.")
    if status == 404:
        return PixelProofError(f"There is no such thing ({told}): check the model's name and {service.url_name}.")
    if status in _PASSING or status >= 500:
        return Passing(_PASSING.get(status, "api-error"), told, after=_asked_pause(headers, error))
    return Unanswered(Fault.INFRASTRUCTURE, "bad-request", told)


def _message(error: object) -> str:
    if isinstance(error, Mapping):
        error = error.get("message") or error.get("detail") or ""
    return error if isinstance(error, str) else json.dumps(error)


def _telling(error: object) -> Iterator[str]:
    """The strings in an error that say what happened, but none that may quote the prompt."""
    if isinstance(error, str):
        yield error
    elif isinstance(error, list):
        for value in error:
            yield from _telling(value if isinstance(value, Mapping | list) else None)
    elif isinstance(error, Mapping):
        for key, value in error.items():
            if key in _TELLING:
                yield from map(str, value if isinstance(value, list) else [value])
            elif key == "flagged_input":
                yield "flagged"
            elif isinstance(value, Mapping | list):
                yield from _telling(value)


def _asked_pause(headers: Mapping[str, str], error: object) -> float | None:
    """The seconds that a service asks for, in any of the usual ways."""
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    given = headers.get("retry-after", "")
    if (seconds := _number(given)) is not None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except (ValueError, OverflowError):
        pass
    details = error.get("details") if isinstance(error, Mapping) else None
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, Mapping) else None
        if isinstance(delay, str) and (seconds := _number(delay.removesuffix("s"))) is not None:
            return seconds
    return None


def _number(text: str | None) -> float | None:
    return float(text) if text and re.fullmatch(r"\s*\d{1,9}(\.\d+)?\s*", text) else None
