from __future__ import annotations

import inspect
import sys
import sysconfig
from functools import lru_cache, partial
from pathlib import Path
from types import CodeType
from typing import Any

from sightline._capture.code_origin import find_code_origin, path_in_repository

_OWN_FOLDER = str(Path(__file__).parent.parent)
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_MAX_FRAMES = 12
_MAX_PATH_LENGTH = 4096
_MAX_NAME_LENGTH = 500

CodeReference = dict[str, Any]
"""`{repo, commit, file, line, function}` as the event schema has it."""


def call_site() -> CodeReference | None:
    """The line of the application's code that is calling; None when no frame is the application's."""
    frame = sys._getframe(1)
    for _ in range(_MAX_FRAMES):
        code = frame.f_code
        if is_application(code.co_filename):
            return reference(code.co_filename, frame.f_lineno, name_of(code))
        if frame.f_back is None:
            break
        frame = frame.f_back
    return None


def definition_site(function: Any) -> CodeReference | None:
    """Where a function, a method, a partial or an object with `__call__` is defined; None when it says nothing."""
    while isinstance(function, partial):
        function = function.func
    unwrapped = inspect.unwrap(function) if callable(function) else function
    code = getattr(getattr(unwrapped, "__func__", unwrapped), "__code__", None)
    if code is None:
        code = getattr(vars(type(unwrapped)).get("__call__"), "__code__", None)
    if code is None or not is_application(code.co_filename):
        return None
    return reference(code.co_filename, code.co_firstlineno, name_of(code))


def is_own(file: str) -> bool:
    """Whether it is this package's."""
    return file.startswith(_OWN_FOLDER)


def name_of(code: CodeType) -> str:
    return code.co_qualname.rsplit("<locals>.", 1)[-1][:_MAX_NAME_LENGTH]


@lru_cache(maxsize=1000)
def is_application(file: str) -> bool:
    if is_own(file) or file.startswith("<") or "site-packages" in file or "dist-packages" in file:
        return False
    return not file.startswith(_LIBRARIES)


@lru_cache(maxsize=4000)
def reference(file: str, line: int, name: str) -> CodeReference:
    path = str(Path(file).absolute())
    root, repo, commit = find_code_origin(str(Path(path).parent))
    reference: CodeReference = {
        "repo": repo,
        "commit": commit,
        "file": path_in_repository(path, root)[:_MAX_PATH_LENGTH],
        "line": max(1, line),
        "function": name,
    }
    return {key: value for key, value in reference.items() if value is not None}
