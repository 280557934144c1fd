"""Classifying the errors of services: refusals, transient errors, and configuration errors of the user."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime

from pixelproof.contract import Fault, PixelProofError

from ._post import RequestFailed, TransientFailure
from ._service import Service

_TRANSIENT = {408: "timeout", 409: "api-error", 425: "api-error", 429: "rate-limit", 504: "timeout"}
MAY_BE_BILLED = frozenset({408, 502, 504, 520, 522, 524})
"""Statuses of a gateway that gave up, while the model behind it may still be at work."""
_INFORMATIVE = ("code", "type", "status", "message", "reason", "reasons", "error_type", "provider_code", "quotaId")
_NO_CREDIT = re.compile(r"insufficient_quota|billing_hard_limit|insufficient.credits|PerDay")
_BAD_KEY = re.compile(r"API_KEY_INVALID|invalid_api_key")
_ACCOUNT_BLOCKED = re.compile(
    r"(?i)resource has been (?:temporarily )?blocked|account .{0,40}(?:suspended|deactivated)"
)
_REFUSED = re.compile(
    r"(?i)content[ _-]?(?:policy|filter)|content management policy|moderation[_ ]blocked|by (?:the |our )?(?:content )?"
    r"moderation|safety[ _](?:system|violation|filter|polic)|unsafe[_ ](?:content|generation|image)|image_safety|"
    r"responsible ?ai|usage polic|violates? .{0,40}polic|prohibited[_ ]content|flagged"
)


def find_error(content: object) -> object:
    """The error object of a reply, in any of the formats of the services; None if there is none.

    >>> find_error([{"error": {"code": 429}}])
    {'code': 429}
    """
    if isinstance(content, list) and len(content) == 1:
        content = content[0]
    return content.get("error") or None if isinstance(content, Mapping) else None


def classify_error(status: int, headers: Mapping[str, str], error: object, service: Service) -> Exception:
    """Return the exception that an error of a service stands for.

    Args:
        status: HTTP status of the reply.
        headers: Headers of the reply, with lower-case names.
        error: The error object of the reply, decoded from JSON, or its text.
        service: The service that replied.
    """
    reasons = " ".join(_reason_strings(error))
    message = service.scrub(_message(error) or reasons)
    summary = f"{service.host}, status {status}: {message}" if message else f"{service.host}, status {status}"
    if status == 402 or _NO_CREDIT.search(reasons):
        return PixelProofError(
            f"The account has no credit or quota left ({summary}): add credit or wait, then run again with --resume."
        )
    if status == 401 or _BAD_KEY.search(reasons):  # the service's own message may quote the key
        return PixelProofError(f"{service.host} does not accept the key: set {service.key_name} to a valid key.")
    if status not in (404, 429) and _REFUSED.search(reasons) and not _ACCOUNT_BLOCKED.search(reasons):
        return RequestFailed(Fault.MODEL, "refusal", message, billable=False)
    if status == 403:
        return PixelProofError(f"Access is denied ({summary}): check what the key in {service.key_name} may use.")
    if status == 404:
        return PixelProofError(f"Not found ({summary}): check the model's name and {service.url_name}.")
    if status in _TRANSIENT or status >= 500:
        after, billable = _requested_pause(headers, error), status in MAY_BE_BILLED
        return TransientFailure(_TRANSIENT.get(status, "api-error"), summary, after=after, billable=billable)
    return RequestFailed(Fault.INFRASTRUCTURE, "bad-request", summary, billable=False)


def _message(error: object) -> str:
    if isinstance(error, Mapping):
        error = error.get("message") or error.get("detail") or ""
    return error if isinstance(error, str) else json.dumps(error)


def _reason_strings(error: object) -> Iterator[str]:
    """The strings in an error that classify it, without fields that may quote the prompt."""
    if isinstance(error, str):
        yield error
    elif isinstance(error, list):
        for value in error:
            yield from _reason_strings(value if isinstance(value, Mapping | list) else None)
    elif isinstance(error, Mapping):
        for key, value in error.items():
            if key in _INFORMATIVE:
                yield from map(str, value if isinstance(value, list) else [value])
            elif key == "flagged_input":
                yield "flagged"
            elif isinstance(value, Mapping | list):
                yield from _reason_strings(value)


def _requested_pause(headers: Mapping[str, str], error: object) -> float | None:
    """The pause that a service requests, in seconds, in any of the usual formats."""
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
