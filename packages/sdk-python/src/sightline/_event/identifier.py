from __future__ import annotations

import os
import threading
from time import time_ns

_COUNTER_LIMIT = 0xFFF
_POOL_SIZE = 4096


class _IdentifierSource:
    """UUIDv7 (RFC 9562) that grow within this process even inside one millisecond, as the 12 bits after the version count."""

    def __init__(self) -> None:
        # A destructor that runs in between may ask for one, in the same thread.
        self._lock = threading.RLock()
        self._millisecond = 0
        self._counter = 0
        self._pool = b""
        self._used = _POOL_SIZE

    def next(self) -> str:
        with self._lock:
            now = time_ns() // 1_000_000
            if now > self._millisecond:
                self._millisecond = now
                self._counter = 0
            elif self._counter < _COUNTER_LIMIT:
                self._counter += 1
            else:
                self._millisecond += 1
                self._counter = 0
            millisecond, counter = self._millisecond, self._counter
            if self._used == _POOL_SIZE:
                self._pool = os.urandom(_POOL_SIZE)
                self._used = 0
            random = int.from_bytes(self._pool[self._used : self._used + 8]) & 0x3FFF_FFFF_FFFF_FFFF
            self._used += 8
        text = f"{millisecond << 80 | 0x7 << 76 | counter << 64 | 0x2 << 62 | random:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def begin_anew(self) -> None:
        """In a forked process: the thread that held the lock may not exist, and the same pool would give the same numbers."""
        self._lock = threading.RLock()
        self._used = _POOL_SIZE


_source = _IdentifierSource()
create_identifier = _source.next

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_source.begin_anew)
