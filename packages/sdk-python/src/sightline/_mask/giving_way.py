from __future__ import annotations

from time import perf_counter, sleep

_MAX_HELD = 0.0005
_gave_way_at = [0.0]


def give_way() -> None:
    """Lets the application's threads run, which would else wait for the interpreter's own interval of 5 ms. Does nothing within
    0.5 ms of the last time, as it takes as long as a short event does."""
    if perf_counter() - _gave_way_at[0] > _MAX_HELD:
        sleep(0)
        _gave_way_at[0] = perf_counter()
