"""The last word of a producer that ended while the stream took nothing, kept in a file of its user. Said by a later process in
its place, it is how the platform learns which numbers are missing. It holds no content: the number, the counts of what was
dropped, the ids. The SDK for TypeScript keeps the same files."""

from __future__ import annotations

import json
import time
from calendar import timegm
from collections.abc import Callable, Mapping
from typing import Any

from sightline._publish.buffered_event import BufferedEvent, StreamEntry
from sightline._settings.settings import cache_folder

_MAX_KEPT = 100
_MAX_AGE = 2 * 24 * 60 * 60
"""Seconds. The platform forgets a producer after three days at the soonest, and would then take all its numbers for lost."""


def keep_goodbye(project_id: str, producer_id: str, event: BufferedEvent, report: Mapping[str, object]) -> bool:
    """Keeps a goodbye for the next start on this machine; False where that is not possible. Never raises."""
    body = json.dumps(report, separators=(",", ":"))
    goodbye = {"producer_id": producer_id, "id": event.id, "seq": event.seq, "ts": event.ts, "body": body}
    try:
        folder = cache_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if len(list(folder.iterdir())) >= _MAX_KEPT:
            return False
        path = folder / f"{project_id}.{producer_id}"
        path.touch(mode=0o600)
        path.write_text(json.dumps(goodbye))
        path.rename(f"{path}.json")
    except Exception:
        return False
    return True


def deliver_goodbyes(project_id: str, append: Callable[[StreamEntry, str], bool]) -> None:
    """Says what earlier processes of the project could not, in their place, until the stream does not take one, and forgets what
    is too old, of any project. Two that say it at once say it under the same id. Never raises."""
    try:
        for path in sorted(cache_folder().glob("*.json")):
            goodbye = _read_goodbye(path.read_text())
            if goodbye is not None:
                if not path.name.startswith(f"{project_id}."):
                    continue
                if not append(_to_entry(goodbye), goodbye["producer_id"]):
                    return
            path.unlink(missing_ok=True)
    except Exception:
        # No folder, or none that may be read: nothing was kept.
        pass


def _to_entry(goodbye: Mapping[str, Any]) -> StreamEntry:
    event = BufferedEvent("producer.bye", None, 0, goodbye["ts"])
    event.id, event.seq = goodbye["id"], goodbye["seq"]
    return StreamEntry(event, goodbye["body"].encode())


def _read_goodbye(text: str) -> Mapping[str, Any] | None:
    """None when it is too old, or not ours."""
    try:
        read: Mapping[str, Any] = json.loads(text)
        is_whole = all(isinstance(read[name], str) for name in ("producer_id", "id", "body")) and isinstance(read["seq"], int)
        said_at = timegm(time.strptime(read["ts"][:19], "%Y-%m-%dT%H:%M:%S"))
    except (ValueError, KeyError, TypeError):
        return None
    return read if is_whole and said_at > time.time() - _MAX_AGE else None
