from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_REFERENCE = re.compile(r"ref: (refs/\S+)")
_REMOTE = re.compile(r"\[remote \"origin\"\][^\[]*?\burl\s*=\s*(\S+)")
_MAX_REPOSITORY_LENGTH = 200


class CodeOrigin(NamedTuple):
    root: Path
    repo: str | None
    commit: str | None


@lru_cache(maxsize=1000)
def find_code_origin(folder: str) -> CodeOrigin:
    """The repository a folder lies in: `OBS_REPO` and `OBS_COMMIT` if set, else what its `.git` says. Runs no git."""
    path = Path(folder)
    root = next((place for place in (path, *path.parents) if (place / ".git").exists()), None)
    repo, commit = _read_git(root) if root is not None else (None, None)
    variables = os.environ
    return CodeOrigin(
        root=Path.cwd() if root is None else root,
        repo=variables.get("OBS_REPO") or repo,
        commit=variables.get("OBS_COMMIT") or commit,
    )


def path_in_repository(file: str, root: Path) -> str:
    """With forward slashes; the whole path for files outside of it."""
    try:
        return Path(file).relative_to(root).as_posix()
    except ValueError:
        return file


def _read_git(root: Path) -> tuple[str | None, str | None]:
    try:
        folder = _git_folder(root)
        shared = _read_text(folder / "commondir")
        common = folder if shared is None else (folder / shared).resolve()
        return _remote_name(_read_text(common / "config") or ""), _head_commit(folder, common)
    except (OSError, UnicodeDecodeError):
        return None, None


def _git_folder(root: Path) -> Path:
    """In a worktree `.git` is a file that names the folder."""
    path = root / ".git"
    return path if path.is_dir() else root / path.read_text().removeprefix("gitdir:").strip()


def _head_commit(folder: Path, common: Path) -> str | None:
    head = _read_text(folder / "HEAD") or ""
    reference = _REFERENCE.match(head)
    if reference is None:
        return _as_commit(head)
    name = reference[1]
    packed = (_read_text(common / "packed-refs") or "").splitlines()
    line = next((line for line in packed if line.endswith(f" {name}")), "")
    return _as_commit(_read_text(folder / name)) or _as_commit(_read_text(common / name)) or _as_commit(line.split(" ", 1)[0])


def _remote_name(config: str) -> str | None:
    """The remote without scheme, credentials and `.git`: `github.com/owner/name`."""
    found = _REMOTE.search(config)
    if found is None:
        return None
    name = re.sub(r"^[a-z+]+://", "", found[1], flags=re.IGNORECASE)
    name = re.sub(r"^[^@/]*@", "", name)
    name = re.sub(r"^([^:/]+):(?!\d+/)", r"\1/", name)
    return name.removesuffix(".git")[:_MAX_REPOSITORY_LENGTH]


def _as_commit(text: str | None) -> str | None:
    return text if text is not None and _COMMIT.fullmatch(text) else None


def _read_text(path: Path) -> str | None:
    return path.read_text().strip() if path.is_file() else None
