"""Asking a service over HTTP.

`RemoteModel` is what `images/`, `gemini/` and `chat/` are made of: it posts a request to the `Endpoint` of a `Service`,
tries again while a failure may pass, and gives what does not pass a name. `dig` and its like look into replies that
nobody vouches for.
"""

from ._dig import count_at, dig, dollars_at, list_at, text_at
from ._endpoint import Endpoint, Limits
from ._post import Unanswered
from ._remote import RemoteModel, Request, no_image, not_understood, refusal
from ._service import Service

__all__ = [
    "Endpoint",
    "Limits",
    "RemoteModel",
    "Request",
    "Service",
    "Unanswered",
    "count_at",
    "dig",
    "dollars_at",
    "list_at",
    "no_image",
    "not_understood",
    "refusal",
    "text_at",
]
