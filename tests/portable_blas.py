"""The same matrix products on every x86 processor: to be imported before numpy.

OpenBLAS chooses its kernels by processor, and their last digits decide about scenes of golden records.
"""

import os
import platform

if platform.machine() in ("x86_64", "AMD64"):
    os.environ["OPENBLAS_CORETYPE"] = "Haswell"
