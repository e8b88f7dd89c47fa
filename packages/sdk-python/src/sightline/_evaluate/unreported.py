from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sightline._evaluate.api import to_bytes
from sightline._evaluate.run_item import Run
from sightline._settings.settings import cache_folder


def keep_unreported(experiment_id: str, runs: Sequence[Run]) -> Path:
    """Adds runs to the file of those that the platform has not taken, one a line. Only this user may read it."""
    for folder in _folders():
        path = folder / f"{experiment_id}.jsonl"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab") as file:
                file.writelines(to_bytes(run) + b"\n" for run in runs)
        except OSError:
            continue
        return path
    raise OSError("no file can be written, neither in the cache nor in the temporary folder")


def read_unreported(experiment_id: str) -> tuple[list[Run], list[Path]]:
    """The runs that were kept, and the files that may go once they are reported. A line that was cut off is left out."""
    runs: list[Run] = []
    paths = [path for folder in _folders() if (path := folder / f"{experiment_id}.jsonl").is_file()]
    for path in paths:
        for line in path.read_bytes().splitlines():
            try:
                runs.append(json.loads(line))
            except ValueError:
                continue
    return runs, paths


def _folders() -> tuple[Path, ...]:
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return cache_folder() / "evaluations", Path(tempfile.gettempdir()) / f"sightline-evaluations-{user}"
