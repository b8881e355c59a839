"""A made-up driver library for one GPU, which the real binding can load."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

# The driver's library as far as a reading needs it. While the file GPU_LOST names is there, the GPU
# is lost; what is left out with -D is what an older driver lacks.
LIBRARY = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef struct { unsigned long long total, free, used; } memory_t;
typedef struct { unsigned int gpu, memory; } utilization_t;
static int lost(void) { return getenv("GPU_LOST") && !access(getenv("GPU_LOST"), F_OK) ? 15 : 0; }
int nvmlInitWithFlags(unsigned flags) { return 0; }
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = 1; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **handle) { *handle = &strcpy; return 0; }
int nvmlDeviceGetName(void *h, char *name, unsigned n) { strcpy(name, "NVIDIA Fake"); return 0; }
#ifndef NO_MEMORY
int nvmlDeviceGetMemoryInfo(void *h, memory_t *m) {
    m->total = 24ULL << 30; m->used = 6ULL << 30; m->free = 18ULL << 30; return lost();
}
#endif
#ifndef NO_UTILISATION
int nvmlDeviceGetUtilizationRates(void *h, utilization_t *u) { u->gpu = 91; return lost(); }
#endif
const char *nvmlErrorString(int code) { return "GPU is lost"; }
"""


def build(folder: Path, flags: Sequence[str] = ()) -> None:
    """Compile it as ``libnvidia-ml.so.1`` in a folder, which then goes into LD_LIBRARY_PATH."""
    source = folder / "nvml.c"
    source.write_text(LIBRARY, encoding="utf-8")
    library = folder / "libnvidia-ml.so.1"
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", *flags, "-o", library, source], check=True)
