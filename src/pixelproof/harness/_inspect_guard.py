"""A guard around providers of Inspect: every attempt of a call is metered, and keys are removed from what it gives.

Inspect retries calls on its own, and each attempt may be billed, so the guard is inside of its retries. Retries of the
provider's own client would be inside of the guard, so they are switched off; Inspect's are left. Inspect also writes
replies, exceptions and log messages to its log before we receive them, so keys are removed where they arise.
"""

from __future__ import annotations

import json
import logging
import re
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inspect_ai.model import GenerateConfig
from inspect_ai.model import Model as InspectModel
from pydantic import BaseModel

from pixelproof.harness._inspect_providers import NativeAPI
from pixelproof.models import MAY_BE_BILLED, METER, Meter, read_usage
from pixelproof.store import scrub

_GUARDED = "_pixelproof_guarded"
_QUOTED = re.compile(r"input_value=.*?(?=, input_type=|\Z)", re.DOTALL)
"""A value that pydantic quotes without its middle, so that a key in it is not recognised."""
_NOT_SENT = ("ConnectError", "ConnectTimeout", "ConnectionRefusedError", "gaierror", "PrerequisiteError")
"""Names of exceptions of HTTP clients that could not send a request."""


class RetryRefused(Exception):  # noqa: N818 - it is what happened
    """The budget does not allow another attempt."""


def guard(model: InspectModel) -> InspectModel:
    """The same model, metered and without keys; our own models do both themselves."""
    api: Any = model.api
    if isinstance(api, NativeAPI) or getattr(api, _GUARDED, False):
        return model
    generate = api.generate
    clean_warnings()

    async def guarded(*arguments: Any, **named: Any) -> Any:
        meter = METER.get()
        if meter is not None and not meter.sending():
            raise RetryRefused("the budget does not allow another attempt")
        _send_once(api)
        if meter is not None and meter.limited:
            arguments, named = tuple(map(_without_probe, arguments)), {k: _without_probe(v) for k, v in named.items()}
        try:
            result = await generate(*arguments, **named)
        except Exception as error:
            _meter_reply(meter, error)
            raise without_keys(error) from None
        _meter_reply(meter, *(result[:2] if isinstance(result, tuple) else (result,)))
        return tuple(map(_clean, result)) if isinstance(result, tuple) else _clean(result)

    api.generate = guarded
    setattr(api, _GUARDED, True)
    return model


def _meter_reply(meter: Meter | None, reply: Any, call: Any = None) -> None:
    """Report the usage that a raw reply or an exception states, and whether the request was declined."""
    if meter is None:
        return
    links = list(_chain(reply)) if isinstance(reply, Exception) else [call]
    bodies = [_body_of(getattr(link, name, None)) for link in links for name in ("response", "body", "details")]
    meter.report_usage(read_usage(*bodies).least)
    if isinstance(reply, Exception) and not may_be_billed(reply):
        meter.declined()


def _body_of(response: Any) -> Any:
    """The body of a response of an HTTP client, decoded from JSON; anything else as it is."""
    try:
        return json.loads(response.text)
    except Exception:  # no response, not JSON, or not yet read
        return response


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and its causes."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        yield error
        seen.append(error)
        error = error.__cause__ or error.__context__


def _send_once(api: Any) -> None:
    """Switch off the retries of a provider's client: before every attempt, because Inspect replaces clients."""
    client: Any = getattr(api, "client", None)
    if isinstance(getattr(client, "max_retries", None), int):
        client.max_retries = 0


def _without_probe(argument: Any) -> Any:
    """Settings that keep a provider from asking the model for a greeting, to find out whether it sums up its reasoning.

    Such a request has no limit of tokens, and no reservation.
    """
    if isinstance(argument, GenerateConfig) and argument.reasoning_summary is None:
        return argument.model_copy(update={"reasoning_summary": "none"})
    return argument


def _clean(value: Any) -> Any:
    """An output, a call or an exception of a provider without keys."""
    if isinstance(value, Exception):
        return without_keys(value)
    if not isinstance(value, BaseModel):
        return value
    dumped = value.model_dump()
    cleaned = scrub(dumped)
    return value if cleaned is dumped else type(value).model_validate(cleaned)


def without_keys(error: Exception) -> Exception:
    """The exception with keys removed from its texts and those of its causes.

    Its type stays, because providers decide by it whether to retry; if a key hides where it cannot be removed, a plain
    exception with the cleaned text replaces it.
    """
    for link in _chain(error):
        link.args = scrub(link.args)
        for name, value in list(vars(link).items()):
            if isinstance(value, str | list | tuple | dict) and (cleaned := scrub(value)) is not value:
                setattr(link, name, cleaned)
    written = "".join(traceback.format_exception(error)) + repr(error)
    if scrub(written) == written:
        return error
    status = getattr(error, "status_code", None)
    plain = RuntimeError(scrub(f"{type(error).__name__}: {error}"))
    if isinstance(status, int):
        plain.status_code = status  # type: ignore[attr-defined]
    return plain


@contextmanager
def clean_logs() -> Iterator[None]:
    """Remove keys from all records of `logging`, which Inspect writes to its log and to a trace file."""
    make = logging.getLogRecordFactory()

    def record(*arguments: Any, **named: Any) -> logging.LogRecord:
        made = make(*arguments, **named)
        text = made.getMessage()
        if (cleaned := scrub(text)) != text:
            made.msg, made.args = cleaned, None
        if made.exc_info and isinstance(made.exc_info[1], Exception):
            error = without_keys(made.exc_info[1])
            made.exc_info = (type(error), error, made.exc_info[2])
        return made

    logging.setLogRecordFactory(record)
    try:
        yield
    finally:
        logging.setLogRecordFactory(make)


def clean_warnings() -> None:
    """Remove keys, and values that pydantic quotes in part, from all warnings of this process; once is enough."""
    show: Any = warnings.showwarning
    if getattr(show, _GUARDED, False):
        return

    def shown(message: Warning | str, *arguments: Any, **named: Any) -> None:
        text = str(message)
        cleaned = scrub(_QUOTED.sub("input_value=…", text))
        show(message if cleaned == text else cleaned, *arguments, **named)

    setattr(shown, _GUARDED, True)
    warnings.showwarning = shown


def may_be_billed(error: BaseException) -> bool:
    """Whether a service may bill a call that ended with an exception: not if it was declined or never sent."""
    for link in _chain(error):
        response = getattr(link, "response", None)
        status = getattr(link, "status_code", None) or getattr(response, "status_code", None)
        status = status or getattr(link, "code", None)
        if isinstance(status, int) and 300 <= status < 600:
            return status in MAY_BE_BILLED
        if type(link).__name__ in _NOT_SENT:
            return False
    return True
