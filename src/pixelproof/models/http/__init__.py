"""Models behind an HTTP service.

`RemoteModel` is the base of `images/`, `gemini/` and `chat/`: it posts a request to the `Endpoint` of a `Service`,
retries transient errors, and turns all others into named failures. `dig` and its variants read untrusted JSON.
"""

from ._dig import count_at, dig, dollars_at, list_at, text_at
from ._endpoint import Endpoint, Limits
from ._meter import METER, Meter
from ._post import RequestFailed
from ._remote import RemoteModel, Request, allow_failures, bad_response, no_image, refusal
from ._service import Service

__all__ = [
    "Endpoint",
    "Limits",
    "METER",
    "Meter",
    "RemoteModel",
    "Request",
    "Service",
    "RequestFailed",
    "allow_failures",
    "count_at",
    "dig",
    "dollars_at",
    "list_at",
    "no_image",
    "bad_response",
    "refusal",
    "text_at",
]
