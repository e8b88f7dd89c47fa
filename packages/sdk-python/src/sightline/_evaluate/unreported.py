from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sightline._evaluate.api import to_bytes
from sightline._evaluate.run_item import Run
from sightline._settings.settings import cache_folder


def keep_unreported(experiment_id: str, runs: Sequence[Run]) -> Path:
    """Writes a file of runs that the platform has not taken, one a line, which only this user may read. Raises `OSError`."""
    try:
        folder = cache_folder() / "evaluations"
        folder.mkdir(parents=True, exist_ok=True)
        descriptor, path = tempfile.mkstemp(".jsonl", f"{experiment_id}-", folder)
    except OSError:
        descriptor, path = tempfile.mkstemp(".jsonl", f"{experiment_id}-")
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(to_bytes(run) + b"\n" for run in runs)
    return Path(path)


def read_unreported(experiment_id: str) -> tuple[list[Run], list[Path]]:
    """The runs that were kept, and the files that may go once they are reported. A line that was cut off is left out."""
    folders = (cache_folder() / "evaluations", Path(tempfile.gettempdir()))
    found = [path for folder in folders for path in folder.glob(f"{experiment_id}-*.jsonl")]
    # Others may write into the temporary folder, too.
    paths = [path for path in found if not hasattr(os, "getuid") or path.stat().st_uid == os.getuid()]
    # By their lines, as a run that could not be reported twice is in two files.
    runs: dict[bytes, Run] = {}
    for line in (line for path in paths for line in path.read_bytes().splitlines()):
        with suppress(ValueError):
            runs[line] = json.loads(line)
    return list(runs.values()), paths
