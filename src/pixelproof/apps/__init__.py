"""Servers made of the web kit. They need the extra `web`."""
