"""Training loops, in torch: loaded by the command `pixelproof train` alone. What they make runs without torch."""
