"""Toy plug-in: paint a disc; find a number with a tool."""
