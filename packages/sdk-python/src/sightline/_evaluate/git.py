from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass

_TIMEOUT = 5.0
_MAX_NAME_LENGTH = 200
# Builds check out a commit, and say its branch in one of these.
_BRANCH_VARIABLES = ("GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "BUILDKITE_BRANCH", "BRANCH_NAME")


@dataclass(frozen=True, slots=True)
class Checkout:
    branch: str | None = None
    commit: str | None = None
    is_dirty: bool = False

    def __str__(self) -> str:
        if self.commit is None:
            return "no commit"
        return f"{self.branch or 'no branch'} @ {self.commit[:7]}{', with changes' if self.is_dirty else ''}"


def read_checkout() -> Checkout:
    """What of the application's code runs, by the git of the working directory and `OBS_COMMIT`. Never raises."""
    commit = os.environ.get("OBS_COMMIT") or _git("rev-parse", "HEAD")
    branch = _git("rev-parse", "--abbrev-ref", "HEAD")
    if branch in {None, "HEAD"}:
        branch = next((os.environ[name] for name in _BRANCH_VARIABLES if os.environ.get(name)), None)
    is_dirty = bool(_git("status", "--porcelain", "--untracked-files=no"))
    return Checkout(branch and branch[:_MAX_NAME_LENGTH], commit and commit[:_MAX_NAME_LENGTH], is_dirty)


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, timeout=_TIMEOUT, check=True, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(errors="replace").strip() or None
