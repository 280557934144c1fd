"""Storage on URLs (`s3://`, `gs://`, `memory://`): folders of immutable objects under a log of manifests.

Nothing of it is imported before a URL is used.
"""

from ._check import find_damaged
from ._copies import LocalCopy, clear_copies, local_copies
from ._folder import RemoteFolder
from ._objects import DamagedObject
from ._transfer import pull, push
from ._views import RemoteBlobs, remote_blobs, view
from ._writing import working_copy

__all__ = [
    "DamagedObject",
    "LocalCopy",
    "RemoteBlobs",
    "RemoteFolder",
    "clear_copies",
    "find_damaged",
    "local_copies",
    "pull",
    "push",
    "remote_blobs",
    "view",
    "working_copy",
]
