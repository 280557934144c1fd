"""Models behind an HTTP service.

`RemoteModel` is the base of `images/`, `gemini/` and `chat/`: it posts a request to the `Endpoint` of a `Service`,
retries transient errors, and turns all others into named failures. `dig` and its variants read untrusted JSON.
"""

from ._dig import dig, list_at, text_at
from ._endpoint import Endpoint, Limits
from ._errors import MAY_BE_BILLED
from ._meter import METER, Meter
from ._post import RequestFailed
from ._remote import RemoteModel, Request, allow_failures, bad_response, no_image, refusal
from ._service import Service
from ._usage import Stated, read_usage

__all__ = [
    "Endpoint",
    "Limits",
    "MAY_BE_BILLED",
    "METER",
    "Meter",
    "RemoteModel",
    "Request",
    "Service",
    "RequestFailed",
    "Stated",
    "allow_failures",
    "dig",
    "list_at",
    "no_image",
    "bad_response",
    "read_usage",
    "refusal",
    "text_at",
]
