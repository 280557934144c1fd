"""`python -m pixelproof`."""

from pixelproof.cli import main

main()
