"""What is left is sent when the process ends, and a forked process gets a publisher of its own."""

from __future__ import annotations

import _thread
import atexit
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from functools import partial
from multiprocessing import util as multiprocessing_util
from types import FrameType

from sightline._client.state import state
from sightline._publish.publisher import Publisher
from sightline._settings.metrics import Metrics

_EXIT_PRIORITY = 10
_MAX_WAIT = 0.2


class _Hooks:
    """Installed once for the process and kept: what they do depends on the publisher of that moment."""

    def __init__(self) -> None:
        self.close: Callable[[], None] = lambda: None
        self.is_installed = False


_hooks = _Hooks()


def install_exit_hooks(close: Callable[[], None]) -> None:
    """Sends what is left when the process ends or is asked to. Where the application handles SIGTERM itself, what was recorded
    so far is sent before it is told; where it does not, the process ends by the signal, a flush later."""
    _hooks.close = close
    if not _hooks.is_installed:
        _hooks.is_installed = True
        atexit.register(_close_at_exit)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_begin_anew)
        # A child of multiprocessing ends without `atexit`: one that is forked later, and this process, where a pool's
        # initializer sets it up.
        multiprocessing_util.register_after_fork(_hooks, _close_with_child)
        if multiprocessing.parent_process() is not None:
            _close_with_child(_hooks)
    if threading.current_thread() is threading.main_thread():
        _handle_terminate(signal.getsignal(signal.SIGTERM))


def _handle_terminate(own: object) -> None:
    if own is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _on_terminate)
    elif callable(own) and own is not _on_terminate and getattr(own, "func", None) is not _tell_application:
        # What is there now may end the process by the signal without any other sign: uvicorn puts back what it found at its
        # start, the default where this set-up is made in `lifespan`, and raises the signal again.
        signal.signal(signal.SIGTERM, partial(_tell_application, own))


def _close_at_exit() -> None:
    _hooks.close()


def _close_with_child(_hooks_of_child: object) -> None:
    multiprocessing_util.Finalize(None, _close_at_exit, exitpriority=_EXIT_PRIORITY)


def _begin_anew() -> None:
    """In a forked process: threads, locks, connections and the events that wait are the parent's. This one is another producer
    with the same settings, which announces itself with its first event."""
    state.changing = threading.RLock()
    publisher = state.publisher
    if publisher is not None:
        state.metrics = Metrics()
        state.publisher = Publisher(publisher.settings, state.metrics)


def _tell_application(own: Callable[[int, FrameType | None], object], number: int, frame: FrameType | None) -> None:
    publisher = state.publisher
    if publisher is not None:
        # The interrupted code may hold any lock, so a thread of its own asks, and nobody waits for it for long.
        sent = _thread.allocate_lock()
        sent.acquire()
        _thread.start_new_thread(_send_at_once, (publisher, sent))
        sent.acquire(timeout=_MAX_WAIT)
    own(number, frame)


def _send_at_once(publisher: Publisher, sent: _thread.LockType) -> None:
    publisher.send_at_once().add_done_callback(lambda _: sent.release())


def _on_terminate(number: int, _frame: FrameType | None) -> None:
    # The flush waits for a thread that may need what the interrupted code holds, so it is not waited for here. Code that ends by
    # itself meanwhile, as uvicorn does when it raises the signal again, waits for this thread and not the other way round: else
    # the interpreter would take itself apart, which takes far longer, and end as if nobody had asked it to.
    signal.signal(number, signal.SIG_DFL)
    threading.Thread(target=_flush_and_end, args=(number,), name="sightline-exit").start()


def _flush_and_end(number: int) -> None:
    _hooks.close()
    os.kill(os.getpid(), number)
