"""Training of our own small networks; what comes out is used by `nets/`. Needs torch, which nothing else here does."""
