from hypothesis import settings

from browsers import browser  # noqa: F401

# How long an example takes depends on what else the machine does, and says nothing about correctness.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
