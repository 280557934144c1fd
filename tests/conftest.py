from hypothesis import settings

# How long an example takes depends on what else the machine does, and says nothing about correctness.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
