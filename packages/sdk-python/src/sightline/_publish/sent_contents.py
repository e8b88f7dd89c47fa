from __future__ import annotations

from collections import OrderedDict
from typing import Literal

_MAX_KNOWN = 10_000
_TRUSTED_FOR = 600.0
"""Seconds after which a content is sent again, so that a stream that was emptied or trimmed hides no content for long, and
retention may count from here."""


class _Known:
    __slots__ = ("sent_at", "state")

    def __init__(self, state: Literal["seen", "sending", "sent"]) -> None:
        self.state = state
        self.sent_at = 0.0


class SentContents:
    """The contents this producer has sent, by their hash, in bounded memory."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, _Known] = OrderedDict()

    def meet(self, content: bytes, now: float) -> Literal["inline", "blob", "reference"]:
        """What to do with a content: the first time it goes as it is, the second time as a blob that is referred to, then as
        a reference. So what never comes again costs no blob."""
        known = self._known.get(content)
        if known is None:
            self._known[content] = _Known("seen")
            if len(self._known) > _MAX_KNOWN:
                self._known.popitem(last=False)
            return "inline"
        self._known.move_to_end(content)
        if known.state == "seen" or (known.state == "sent" and now - known.sent_at > _TRUSTED_FOR):
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

    def distrust(self) -> None:
        """Nothing sent is certain to be there any more: another connection may lead to an emptied Redis."""
        for known in self._known.values():
            if known.state == "sent":
                known.state = "seen"
