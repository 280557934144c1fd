from browsers import browser  # noqa: F401
