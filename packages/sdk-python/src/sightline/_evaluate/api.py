from __future__ import annotations

import json
import os
import random
import time
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit

from sightline._evaluate.errors import EvaluationError, RefusedError
from sightline._settings.settings import UUID

CALL_TIMEOUT = 30.0
TRIES = 6
FIRST_WAIT = 0.5
_NOT_NOW = frozenset({429, 502, 503, 504})
_NOT_ALLOWED = frozenset({401, 403})
_PAGE = 100

Answer = dict[str, Any]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would take the key to whatever host it names."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


OPENER = urllib.request.build_opener(_NoRedirect)


class Api:
    """The platform's API for one project, asked in the caller's thread. Whatever fails for now is tried again."""

    def __init__(self, url: str | None, key: str | None, project_id: str | None) -> None:
        """What is not given comes from the variables; all that is missing is named at once."""
        self.url = (url or os.environ.get("OBS_API_URL", "")).rstrip("/")
        self.project_id = (project_id or os.environ.get("OBS_PROJECT_ID", "")).lower()
        key = key or os.environ.get("OBS_API_KEY", "")
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        is_web = urlsplit(self.url).scheme in {"http", "https"}
        is_given = {
            "the platform's address (api_url or OBS_API_URL; http:// or https://)": is_web,
            "an API key with the scope evaluate (api_key or OBS_API_KEY)": key,
            "the project's id (project_id or OBS_PROJECT_ID; a UUID)": UUID.fullmatch(self.project_id),
        }
        if not all(is_given.values()):
            raise EvaluationError(f"An evaluation needs {', '.join(what for what, given in is_given.items() if not given)}.")

    def address(self, path: str) -> str:
        return f"{self.url}/api/v1/projects/{self.project_id}{path}"

    def get(self, path: str, **query: Any) -> Answer:
        given = urlencode({name: value for name, value in query.items() if value is not None})
        return self._ask(urllib.request.Request(f"{self.address(path)}?{given}", headers=self._headers))

    def post(self, path: str, body: Answer) -> Answer:
        return self._ask(urllib.request.Request(self.address(path), to_bytes(body), self._headers))

    def pages(self, path: str, **query: Any) -> Iterator[Any]:
        """All entries of a list."""
        page: Answer = {"next_cursor": None}
        while "items" not in page or page["next_cursor"] is not None:
            page = self.get(path, limit=_PAGE, cursor=page["next_cursor"], **query)
            yield from page["items"]

    def _ask(self, request: urllib.request.Request) -> Answer:
        failure = ""
        for number in range(TRIES):
            if number > 0:
                time.sleep(FIRST_WAIT * 2 ** (number - 1) * random.uniform(0.8, 1.2))
            try:
                with OPENER.open(request, timeout=CALL_TIMEOUT) as response:
                    answer: Answer = json.loads(response.read())
                    return answer
            except HTTPError as error:
                if error.code not in _NOT_NOW:
                    raise _read_refusal(error) from None
                failure = f"{error.code} {error.reason}"
            except (OSError, HTTPException) as error:
                failure = str(error) or type(error).__name__
            except ValueError as error:
                raise EvaluationError(f"{self.url} (OBS_API_URL) does not answer as the platform does: {error}.") from None
        raise EvaluationError(f"{self.url} (OBS_API_URL) was asked {TRIES} times and did not answer: {failure}.")


def to_bytes(value: Any) -> bytes:
    """Half of a pair of surrogates, which no encoding has, becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(errors="replace")


def _read_refusal(error: HTTPError) -> RefusedError:
    hint = " (api_key or OBS_API_KEY is to be a key with the scope evaluate)" if error.code in _NOT_ALLOWED else ""
    try:
        body = json.loads(error.read())
        details = "; ".join(f"{each['path']}: {each['message']}" for each in body.get("details", [])[:3])
        return RefusedError(f"{body['message']}{details and f' ({details})'}{hint}", error.code)
    except (OSError, HTTPException, ValueError, KeyError, TypeError, AttributeError):
        return RefusedError(f"The platform answered {error.code} {error.reason}.{hint}", error.code)
