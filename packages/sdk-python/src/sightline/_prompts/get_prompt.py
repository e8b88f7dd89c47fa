from __future__ import annotations

import asyncio
import math
import os
import threading
from dataclasses import replace
from time import monotonic
from typing import Any

from sightline._capture.interruptions import let_through
from sightline._client.state import warn
from sightline._prompts.answer import Known, read_template
from sightline._prompts.ask import MAX_ASKING, Wanted, ask_platform, wanted_prompt
from sightline._prompts.disk import keep_known, read_known
from sightline._prompts.prompt import Prompt, PromptSource, Template
from sightline._settings.text_of import kind_of

_RETRY_AFTER = 10.0
"""Seconds for which a failure is remembered."""
_MAX_KEPT = 1_000
"""Prompts in memory."""


class _Entry:
    """What is known of one prompt in this process."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.prompt: Prompt | None = None
        self.said_at = -math.inf
        """When the platform said it."""
        self.next_at = -math.inf
        """Not asked again before."""
        self.is_looked_up = False
        """Whether it was looked for on disk."""
        self.asking_since: float | None = None
        self.answered = threading.Event()
        """Set once the first try is over, or nobody waits for it any more."""

    def is_asking(self, now: float) -> bool:
        return self.asking_since is not None and now - self.asking_since < 2 * MAX_ASKING


class _Prompts:
    def __init__(self) -> None:
        self._entries: dict[Wanted, _Entry] = {}
        self.begin_anew()

    def begin_anew(self) -> None:
        """In a forked process: threads that ask are the parent's, and so may be what the lock holds."""
        self._lock = threading.Lock()
        for entry in self._entries.values():
            entry.asking_since = None
            if entry.prompt is None:
                entry.answered = threading.Event()

    def get(self, wanted: Wanted, timeout: float, max_age: float) -> Prompt | None:
        entry = self._entries.get(wanted)
        now = monotonic()
        if entry is None or now >= entry.next_at:
            entry = self._refresh(wanted, now, max_age)
        if not entry.answered.is_set():
            entry.answered.wait(max(0.0, timeout))
            entry.answered.set()
        if entry.prompt is None and not entry.is_looked_up:
            self._look_up(entry)
        prompt = entry.prompt
        is_stale = wanted.version is None and monotonic() - entry.said_at > max_age
        return prompt if prompt is None or prompt.is_stale == is_stale else replace(prompt, is_stale=is_stale)

    def _refresh(self, wanted: Wanted, now: float, max_age: float) -> _Entry:
        """Has the platform asked by a thread of its own; one at a time for each prompt."""
        with self._lock:
            entry = self._entries.get(wanted)
            if entry is None:
                if len(self._entries) >= _MAX_KEPT:
                    self._entries.pop(next(iter(self._entries)))
                entry = self._entries[wanted] = _Entry(wanted)
            if now < entry.next_at or entry.is_asking(now):
                return entry
            entry.asking_since = now
        try:
            threading.Thread(target=self._ask, args=(entry, max_age), name="sightline-prompt", daemon=True).start()
        except RuntimeError:
            # The interpreter is about to end.
            entry.next_at, entry.asking_since = now + _RETRY_AFTER, None
            entry.answered.set()
        return entry

    def _ask(self, entry: _Entry, max_age: float) -> None:
        wanted = entry.wanted
        try:
            known = ask_platform(wanted)
            entry.said_at = monotonic()
            # A version never changes.
            entry.next_at = entry.said_at + max_age if wanted.version is None else math.inf
            with self._lock:
                entry.prompt = _to_prompt(wanted, known, "cache")
            entry.answered.set()
            keep_known(wanted.key(), wanted.name, known)
        except BaseException as error:
            if entry.next_at <= monotonic():
                entry.next_at = monotonic() + _RETRY_AFTER
            what = "kept on disk" if isinstance(error, OSError) and entry.said_at > 0 else "fetched"
            warn(f"prompt {wanted.name}", f'the prompt "{wanted.name}" could not be {what}: {str(error)[:300] or kind_of(error)}')
        finally:
            entry.asking_since = None
            entry.answered.set()

    def _look_up(self, entry: _Entry) -> None:
        entry.is_looked_up = True
        known = read_known(entry.wanted.key(), entry.wanted.name)
        with self._lock:
            if known is not None and entry.prompt is None:
                entry.prompt = _to_prompt(entry.wanted, known, "disk")


_prompts = _Prompts()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _prompts.begin_anew())


def get_prompt(
    name: str,
    *,
    label: str = "production",
    version: int | None = None,
    fallback: Template | None = None,
    timeout: float = 2.0,
    max_age: float = 60.0,
) -> Prompt:
    """The version of a prompt that a label means (`latest`: the newest), or the one that is asked for. Never raises, and waits
    for the platform `timeout` seconds at the most, the first time only: from then on the answer comes from memory, and is
    refreshed in the background once it is older than `max_age` seconds. While the platform is away it is what was last known in
    this process or on this machine, else `fallback`; `source` and `is_stale` say which.

    get_prompt("support/greeting").compile(name="Ada")
    """
    try:
        found = _prompts.get(wanted_prompt(name, label, version), timeout, max_age)
        if found is not None:
            return found
    except BaseException as error:
        let_through(error)
        warn("prompt", f"get_prompt() was given what it can't read: {kind_of(error)}")
    template = read_template(fallback)
    return Prompt(
        str(name), None, None if version else str(label), "none" if template is None else "fallback", True, template, {}
    )


async def aget_prompt(name: str, **options: Any) -> Prompt:
    """Does what `get_prompt` does, and lets the event loop go on while it waits the first time."""
    return await asyncio.to_thread(get_prompt, name, **options)


def _to_prompt(wanted: Wanted, known: Known, source: PromptSource) -> Prompt:
    label = wanted.label if wanted.version is None else None
    return Prompt(wanted.name, known.version, label, source, False, known.template, known.config)
