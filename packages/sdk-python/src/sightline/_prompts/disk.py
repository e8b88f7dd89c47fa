"""What the platform last said of a prompt, in a file of this user. The SDK for TypeScript keeps the same files."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path

from sightline._prompts.answer import Known, read_answer
from sightline._settings.settings import cache_folder

MAX_FILE_BYTES = 8 * 1024 * 1024


def keep_known(key: str, name: str, known: Known) -> None:
    """Raises OSError where nothing can be written."""
    path = _path_of(key)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Made for its user alone, and moved into its place whole.
    file, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(file, "w", encoding="utf-8") as written:
            json.dump({"name": name, **known._asdict()}, written)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read_known(key: str, name: str) -> Known | None:
    try:
        with _path_of(key).open("rb") as file:
            return read_answer(json.loads(file.read(MAX_FILE_BYTES)), name)
    except (OSError, ValueError, RecursionError):
        return None


def _path_of(key: str) -> Path:
    return cache_folder() / "prompts" / f"{hashlib.sha256(key.encode(errors='replace')).hexdigest()}.json"
