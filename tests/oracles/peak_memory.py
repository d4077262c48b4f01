"""The most memory that this process has had, without that of the process which started it (`ru_maxrss` counts it)."""

import resource
from pathlib import Path

__all__ = ["peak_megabytes"]


def peak_megabytes() -> float:
    """Return the greatest resident set so far, in MB."""
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
