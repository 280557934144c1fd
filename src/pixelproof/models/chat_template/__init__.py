"""Checks of a model folder's chat template, for conversations with tools and images.

`check_template(folder)` renders the conversations of an episode with the template and returns a `Finding` for each
property that training and evaluation of tool-using vision models depend on. Templates are code of others: they run in
Jinja's sandbox, and code of a model folder is never executed.
"""

from pixelproof.tools.doctor import Finding, Status

from ._check import check_template

__all__ = ["Finding", "Status", "check_template"]
