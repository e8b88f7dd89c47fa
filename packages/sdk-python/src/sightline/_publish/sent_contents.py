from __future__ import annotations

from collections import OrderedDict
from typing import Literal

_MAX_KNOWN = 10_000
_TRUSTED_FOR = 600.0
"""Seconds after which a content is sent again, so that a stream that was emptied or trimmed hides no content for long."""
_VERSION_READ_EVERY = 5.0
"""Seconds for which it is certain that the platform has kept what was sent, once it said so; it counts on no more than 10."""

Version = bytes | None | Literal["unknown"]
"""Of a project's contents; none while the platform has not said any, unknown where its word can't be read."""


class _Known:
    __slots__ = ("sent_at", "state")

    def __init__(self) -> None:
        self.state: Literal["sending", "sent", "due"] = "due"
        self.sent_at = 0.0


class SentContents:
    """The contents this producer has met and sent, in bounded memory."""

    def __init__(self) -> None:
        self._met: set[int] = set()
        self._met_before: set[int] = set()
        self._known: OrderedDict[bytes, _Known] = OrderedDict()
        self._version: Version = "unknown"
        self._version_read_at = float("-inf")

    def meet(self, fingerprint: int) -> bool:
        """Whether a content has come before, by a number made of it. What never comes again costs neither a hash nor a blob; two
        contents that share a number cost a blob too many."""
        if fingerprint in self._met or fingerprint in self._met_before:
            return True
        self._met.add(fingerprint)
        if len(self._met) >= _MAX_KNOWN:
            self._met_before, self._met = self._met, set()
        return False

    def treat(self, content: bytes, now: float) -> Literal["blob", "reference"]:
        """What to do with a content that came again, by its hash: the first time it goes as a blob that is referred to, then as
        a reference."""
        known = self._known.setdefault(content, _Known())
        self._known.move_to_end(content)
        if len(self._known) > _MAX_KNOWN:
            self._known.popitem(last=False)
        if known.state == "due" or (known.state == "sent" and now - known.sent_at > _TRUSTED_FOR):
            known.state = "sending"
            return "blob"
        return "reference"

    def confirm(self, content: bytes, now: float) -> None:
        known = self._known.get(content)
        if known is not None:
            known.state = "sent"
            known.sent_at = now

    def forget(self, content: bytes) -> None:
        """Its blob will never arrive."""
        self._known.pop(content, None)

    def is_version_due(self, now: float) -> bool:
        return now - self._version_read_at > _VERSION_READ_EVERY

    def learn(self, version: Version, now: float) -> None:
        """Takes note of the version of the project's contents, as it was then or later."""
        if version != self._version:
            self.distrust()
        self._version = version
        self._version_read_at = float("-inf") if version == "unknown" else now

    def distrust(self) -> None:
        """Nothing sent is certain to be there any more: another connection may lead to an emptied Redis, or nobody could say
        that it is."""
        for known in self._known.values():
            if known.state == "sent":
                known.state = "due"
