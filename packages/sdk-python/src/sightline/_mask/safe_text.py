from __future__ import annotations

from sightline._mask.secret_texts import mask_text

MAX_KEY_LENGTH = 256


def safe_text(text: str) -> str:
    """Text that PostgreSQL takes: no NUL, no half of a surrogate pair."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def safe_key(key: str) -> str:
    """A key as it may leave the process: maps are sometimes keyed by secrets."""
    masked = mask_text(safe_text(key[:MAX_KEY_LENGTH]))
    # A reference to a content is the SDK's own word; what the application calls so is another thing.
    return "$$blob" if masked == "$blob" else masked
