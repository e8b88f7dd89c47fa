from __future__ import annotations

import logging
from time import monotonic

INTERVAL = 60.0
MAX_REASONS = 200
"""Reasons that name what an application gave have no end; those beyond are one together."""

DEFAULT_LOGGER = logging.getLogger("sightline")


class Warnings:
    """Says each reason at most once a minute, and never lets a logger's own failure out."""

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._last_said: dict[str, float] = {}

    def say(self, reason: str, message: str) -> None:
        now = monotonic()
        if reason not in self._last_said and len(self._last_said) >= MAX_REASONS:
            reason = "others"
        if now - self._last_said.get(reason, -INTERVAL) < INTERVAL:
            return
        self._last_said[reason] = now
        try:
            self._logger.warning("[sightline] %s", message)
        except Exception:
            # The application's logger failing is not a reason to disturb the application.
            pass
