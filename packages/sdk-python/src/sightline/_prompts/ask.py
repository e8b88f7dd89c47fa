from __future__ import annotations

import json
import os
import time
import urllib.request
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit

from sightline._client.state import state
from sightline._evaluate.api import OPENER
from sightline._prompts.answer import Known, read_answer
from sightline._prompts.disk import MAX_FILE_BYTES

MAX_ASKING = 30.0
"""Seconds in which an answer is to be whole, whoever still waits for it."""


class Wanted(NamedTuple):
    """Which prompt of which project."""

    url: str
    project_id: str
    name: str
    label: str
    version: int | None

    def key(self) -> str:
        """As both SDKs have it."""
        return "\n".join([self.url, self.project_id, self.name, self.label if self.version is None else str(self.version)])


def wanted_prompt(name: str, label: str, version: int | None) -> Wanted:
    """Traces go to the publisher's project, so that is the prompt's."""
    publisher = state.publisher
    project_id = os.environ.get("OBS_PROJECT_ID", "") if publisher is None else publisher.settings.project_id
    return Wanted(os.environ.get("OBS_API_URL", "").rstrip("/"), project_id.lower(), name, label, version)


def ask_platform(wanted: Wanted) -> Known:
    """Raises what goes wrong, said in its text."""
    key = os.environ.get("OBS_API_KEY", "")
    if urlsplit(wanted.url).scheme not in {"http", "https"} or not key or not wanted.project_id:
        raise ValueError("OBS_API_URL, OBS_API_KEY (a key with the scope prompts) and OBS_PROJECT_ID are needed")
    asked = {"name": wanted.name, **({"label": wanted.label} if wanted.version is None else {"version": wanted.version})}
    address = f"{wanted.url}/api/v1/projects/{wanted.project_id}/prompts/resolve?{urlencode(asked)}"
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {key}"})
    until, body = time.monotonic() + MAX_ASKING, b""
    try:
        with OPENER.open(request, timeout=MAX_ASKING) as response:
            while piece := response.read1(65_536):
                body += piece
                if len(body) > MAX_FILE_BYTES or time.monotonic() > until:
                    raise ValueError("the answer is too long, or takes too long")
    except HTTPError as error:
        with error:
            raise ValueError(f"the platform answered {error.code} {error.reason}") from None
    known = read_answer(json.loads(body), wanted.name)
    if known is None:
        raise ValueError("the answer is no prompt")
    return known
