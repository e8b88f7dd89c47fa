from __future__ import annotations

import os
import subprocess
from typing import NamedTuple

_TIMEOUT = 5.0
_MAX_NAME_LENGTH = 100
# Builds check out a commit, and say its branch in one of these.
_BRANCH_VARIABLES = ("GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "BUILDKITE_BRANCH", "BRANCH_NAME")


class Checkout(NamedTuple):
    branch: str | None
    commit: str | None
    is_dirty: bool


def read_checkout() -> Checkout:
    """What of the application's code runs, by the git of the working directory and `OBS_COMMIT`. Never raises."""
    branch = _git("rev-parse", "--abbrev-ref", "HEAD")
    if branch in {None, "HEAD"}:
        branch = next((os.environ[name] for name in _BRANCH_VARIABLES if os.environ.get(name)), None)
    commit = os.environ.get("OBS_COMMIT") or _git("rev-parse", "HEAD")
    is_dirty = _git("status", "--porcelain", "--untracked-files=no") is not None
    return Checkout(branch and branch[:_MAX_NAME_LENGTH], commit and commit[:_MAX_NAME_LENGTH], is_dirty)


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, timeout=_TIMEOUT, check=True, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(errors="replace").strip() or None
