from __future__ import annotations

import hashlib
from typing import Any

from sightline._mask.safe_text import safe_text


def bound_reasoning(text: str, maximum: int) -> dict[str, Any]:
    """Cut at `maximum` code points. The hash of the whole text tells two cut ones apart."""
    safe = safe_text(text)
    if len(safe) <= maximum:
        return {"text": safe, "truncated": False, "original_chars": len(safe)}
    return {
        "text": safe[:maximum],
        "truncated": True,
        "original_chars": len(safe),
        "sha256": hashlib.sha256(safe.encode()).hexdigest(),
    }
