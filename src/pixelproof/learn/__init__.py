"""Training loops, in torch. Nothing imports them but the command `pixelproof train`; what they make runs without torch."""
