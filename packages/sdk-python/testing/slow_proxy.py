"""A way to Redis on which everything takes its time."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def slow_proxy(port: int, delay: float) -> Iterator[int]:
    """Its port. Each stretch of bytes is passed on `delay` seconds later, in both directions."""
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.create_connection(("127.0.0.1", port))
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=pump, args=(source, sink), daemon=True).start()

    def pump(source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                time.sleep(delay)
                sink.sendall(data)
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    threading.Thread(target=accept, daemon=True).start()
    with listener:
        yield listener.getsockname()[1]


@contextmanager
def black_hole() -> Iterator[int]:
    """A port that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=16) as listener:
        yield listener.getsockname()[1]
