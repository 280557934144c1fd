"""Programs of a checkout that are not distributed: how our networks are trained, and lifters that need torch."""
