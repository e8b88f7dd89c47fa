from __future__ import annotations

import time
from time import time_ns

_last: tuple[int, str] = (0, "")


def timestamp() -> str:
    """Now, in ISO 8601 and UTC, to the millisecond. The text up to the second is made once a second."""
    global _last
    now = time_ns() // 1_000_000
    second, millisecond = divmod(now, 1000)
    known, text = _last
    if known != second:
        text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
        _last = (second, text)
    return f"{text}.{millisecond:03d}Z"
