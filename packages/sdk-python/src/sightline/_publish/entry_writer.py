from __future__ import annotations

from collections.abc import Iterable

from sightline._event.event_text import EVENT_VERSION
from sightline._publish.buffered_event import StreamEntry

_WORDS_OF_ENTRY = 22
"""`XADD key MAXLEN ~ length *` and eight fields with their values."""


def write_entries(entries: Iterable[StreamEntry], add: bytes, project_id: str, producer_id: str) -> bytes:
    """Commands as they go to Redis, one for each entry, with its fields in the order of the schema's vectors. `add` are the words
    before the fields. The client takes longer to write the words of an event one by one than everything else takes."""
    beginning = b"*%d\r\n%b%b" % (_WORDS_OF_ENTRY, add, write_words("v", EVENT_VERSION, "id"))
    same = write_words("project_id", project_id, "producer_id", producer_id, "seq")
    types: dict[str, bytes] = {}
    pieces: list[bytes] = []
    for entry in entries:
        event = entry.source
        of_type = types.get(event.type)
        if of_type is None:
            of_type = types[event.type] = write_words("type", event.type) + same
        id_, seq, ts = event.id.encode(), b"%d" % event.seq, event.ts.encode()
        pieces.append(
            b"%b$%d\r\n%b\r\n%b$%d\r\n%b\r\n$2\r\nts\r\n$%d\r\n%b\r\n$4\r\nbody\r\n$%d\r\n"
            % (beginning, len(id_), id_, of_type, len(seq), seq, len(ts), ts, len(entry.body))
        )
        pieces += (entry.body, b"\r\n")
    return b"".join(pieces)


def write_words(*words: object) -> bytes:
    encoded = [str(word).encode() for word in words]
    return b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in encoded)
