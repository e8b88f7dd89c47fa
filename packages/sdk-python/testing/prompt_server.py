"""A platform that answers for prompts, or fails to in many ways, on loopback; it counts its connections."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress
from typing import Any

GREETING: dict[str, Any] = {
    "name": "support/greeting",
    "version": 7,
    "template": "Hello {{ name }}! {{name}} is {{mood}}.",
    "config": {"model": "gpt-x", "temperature": 0.2},
}
FAULTS = ("refused", "hung", "half", "rubbish", "other", "401", "404", "429", "500", "huge")


class PromptServer:
    def __init__(self) -> None:
        self.fault: str | None = None
        self.answer = GREETING
        self.connections = 0
        self.may_answer = threading.Event()
        """Awaited by an answer that is slow."""
        self.may_answer.set()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def break_down(self, fault: str) -> None:
        self.fault = fault
        if fault == "refused":
            self._stop_listening()

    def close(self) -> None:
        self._stop_listening()
        self.may_answer.set()
        for connection in self._open:
            connection.close()

    def _stop_listening(self) -> None:
        # Also where a thread waits in `accept`.
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _accept(self) -> None:
        try:
            while True:
                connection, _ = self._socket.accept()
                self.connections += 1
                self._open.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()
        except OSError:
            pass

    def _serve(self, connection: socket.socket) -> None:
        try:
            while b"\r\n\r\n" not in connection.recv(65_536):
                pass
            self.may_answer.wait()
            if self.fault != "hung":
                connection.sendall(self._bytes())
                connection.close()
        except OSError:
            pass

    def _bytes(self) -> bytes:
        status = self.fault if self.fault is not None and self.fault.isdigit() else "200"
        body = json.dumps({"error": "some", "message": "no"} if status != "200" else self.answer).encode()
        if self.fault == "rubbish":
            body = b"<html>\xff" * 20
        if self.fault == "other":
            body = b'{"name": "support/greeting", "version": "7", "template": [1], "config": []}'
        if self.fault == "huge":
            body = b'{"name": "' + b"x" * 20_000_000
        head = f"HTTP/1.1 {status} Told\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n".encode()
        return head + (body[: len(body) // 2] if self.fault == "half" else body)
