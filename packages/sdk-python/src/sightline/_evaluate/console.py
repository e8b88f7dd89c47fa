from __future__ import annotations

import sys

_PERCENT = 10


class Teller:
    """Says on the error output what runs; what was said before, once."""

    def __init__(self) -> None:
        self._said: set[str] = set()
        self._told_percent = 0
        self._is_line_open = False

    def say(self, message: str, *, once: str | None = None) -> None:
        if once is not None:
            if once in self._said:
                return
            self._said.add(once)
        self._write(f"Sightline: {message}\n")

    def progress(self, done: int, total: int, notes: str) -> None:
        """One line that changes in a terminal; elsewhere a line for every tenth."""
        line = f"{done}/{total} runs{notes}"
        if sys.stderr is not None and sys.stderr.isatty():
            self._write(f"\rSightline: {line}\x1b[K")
            self._is_line_open = True
            return
        percent = 100 * done // max(1, total)
        if percent >= self._told_percent + _PERCENT:
            self._told_percent = percent - percent % _PERCENT
            self._write(f"Sightline: {line}\n")

    def end_line(self) -> None:
        if self._is_line_open:
            self._is_line_open = False
            self._write("\n")

    def _write(self, text: str) -> None:
        try:
            if self._is_line_open and not text.startswith(("\r", "\n")):
                text = f"\n{text}"
                self._is_line_open = False
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError):
            # Nobody reads it; what is evaluated is not disturbed.
            pass
