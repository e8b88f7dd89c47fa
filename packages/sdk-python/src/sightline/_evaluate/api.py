from __future__ import annotations

import json
import os
import random
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from typing import Any
from urllib.parse import urlencode, urlsplit

from sightline._evaluate.errors import EvaluationError, PlatformAwayError, RefusedError
from sightline._settings.settings import UUID
from sightline._settings.version import SDK_VERSION

CALL_TIMEOUT = 30.0
TRIES = 6
FIRST_WAIT = 0.5
_NOT_NOW = frozenset({429, 502, 503, 504})
_NOT_ALLOWED = frozenset({401, 403})
_PAGE = 100

Answer = dict[str, Any]


class Api:
    """The platform's API for one project, asked in the caller's thread. Every call is safe to repeat, or is made once."""

    def __init__(self, url: str | None, key: str | None, project_id: str | None) -> None:
        """What is not given comes from the variables; all that is missing is named at once."""
        self.url = (url or os.environ.get("OBS_API_URL", "")).rstrip("/")
        self._key = key or os.environ.get("OBS_API_KEY", "")
        self.project_id = (project_id or os.environ.get("OBS_PROJECT_ID", "")).lower()
        problems = []
        if urlsplit(self.url).scheme not in {"http", "https"}:
            problems.append("the platform's address (api_url or OBS_API_URL; http:// or https://)")
        if not self._key:
            problems.append("an API key with the scope evaluate (api_key or OBS_API_KEY)")
        if not UUID.fullmatch(self.project_id):
            problems.append("the project's id (project_id or OBS_PROJECT_ID; a UUID)")
        if problems:
            raise EvaluationError(f"An evaluation needs {', '.join(problems)}.")

    def path(self, path: str) -> str:
        return f"{self.url}/api/v1/projects/{self.project_id}{path}"

    def get(self, path: str, **query: Any) -> Answer:
        given = urlencode({name: value for name, value in query.items() if value is not None})
        return self._ask("GET", f"{self.path(path)}?{given}", None, TRIES)

    def post(self, path: str, body: Answer, *, tries: int = TRIES) -> Answer:
        return self._ask("POST", self.path(path), to_bytes(body), tries)

    def pages(self, path: str, **query: Any) -> Iterator[Any]:
        """All entries of a list."""
        cursor = None
        while True:
            page = self.get(path, limit=_PAGE, cursor=cursor, **query)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def _ask(self, method: str, url: str, body: bytes | None, tries: int) -> Answer:
        failure = ""
        for number in range(tries):
            if number > 0:
                time.sleep(FIRST_WAIT * 2 ** (number - 1) * random.uniform(0.8, 1.2))
            try:
                return self._send(method, url, body)
            except urllib.error.HTTPError as error:
                refusal = _read_refusal(error)
                if error.code not in _NOT_NOW:
                    raise refusal from None
                failure = str(refusal)
            except (OSError, HTTPException) as error:
                failure = str(getattr(error, "reason", "") or error or type(error).__name__)
            except ValueError as error:
                raise EvaluationError(f"{self.url} is not the platform's address (OBS_API_URL): {error}.") from None
        raise PlatformAwayError(f"{self.url} (OBS_API_URL) was asked {tries} times and did not answer: {failure}")

    def _send(self, method: str, url: str, body: bytes | None) -> Answer:
        headers = {"Authorization": f"Bearer {self._key}", "User-Agent": f"sightline-sdk/{SDK_VERSION}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(url, data=body, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=CALL_TIMEOUT) as response:
            answer: Answer = json.loads(response.read())
            return answer


def to_bytes(value: Any) -> bytes:
    """Half of a pair of surrogates, which no encoding has, becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(errors="replace")


def _read_refusal(error: urllib.error.HTTPError) -> RefusedError:
    try:
        body = json.loads(error.read())
        details = "; ".join(f"{each['path']}: {each['message']}" for each in body.get("details", [])[:3])
        message = f"{body['message']}{f' ({details})' if details else ''}"
        hint = " (api_key or OBS_API_KEY is to be a key with the scope evaluate)" if error.code in _NOT_ALLOWED else ""
        return RefusedError(message + hint, error.code)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return RefusedError(f"The platform answered {error.code} {error.reason}.", error.code)
