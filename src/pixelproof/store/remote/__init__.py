"""Storage on URLs (`s3://`, `gs://`, `memory://`): folders of immutable objects under a log of manifests.

Nothing of it is imported before a URL is used.
"""

from ._folder import RemoteFolder
from ._transfer import pull, push
from ._views import RemoteBlobs, remote_blobs, view
from ._writing import working_copy

__all__ = ["RemoteBlobs", "RemoteFolder", "pull", "push", "remote_blobs", "view", "working_copy"]
