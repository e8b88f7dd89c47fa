from __future__ import annotations

import sys

_STEP = 10


class Teller:
    """Says on the error output what runs, each thing once."""

    def __init__(self) -> None:
        self._said: set[str] = set()
        self._told_percent = 0
        self._is_line_open = False

    def say(self, message: str) -> None:
        if message not in self._said:
            self._said.add(message)
            self._write(f"Sightline: {message}\n")

    def progress(self, done: int, total: int, notes: str) -> None:
        """One line that changes in a terminal; elsewhere a line for every tenth."""
        percent = 100 * done // max(1, total)
        if sys.stderr is not None and sys.stderr.isatty():
            self._write(f"\rSightline: {done}/{total} runs{notes}\x1b[K")
        elif percent >= self._told_percent + _STEP:
            self._told_percent = percent - percent % _STEP
            self._write(f"Sightline: {done}/{total} runs{notes}\n")

    def end_line(self) -> None:
        self._write("")

    def _write(self, text: str) -> None:
        if self._is_line_open and not text.startswith("\r"):
            text = f"\n{text}"
        self._is_line_open = text.startswith("\r")
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError):
            # Nobody reads it; what is evaluated is not disturbed.
            pass
