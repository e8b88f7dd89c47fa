from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from sightline._replay.session import Call


def send_recorded(post: Callable[..., Any], call: Call, path: str, request: Mapping[str, Any]) -> Any:
    """What the client makes of the recorded answer, which it reads as it reads every answer, without a network."""
    http = call.answer["http"]
    if http is None:
        return call.value()
    client: Any = post.__self__  # type: ignore[attr-defined]
    # The library that this version of the client sends by.
    names = [kind.__module__.partition(".")[0] for kind in type(client._client).__mro__]
    library: Any = importlib.import_module(next(name for name in names if name.startswith("httpx")))

    def respond(_request: Any) -> Any:
        kind = "text/event-stream" if http["is_stream"] and http["status"] == _OK else "application/json"
        return library.Response(http["status"], headers={"content-type": kind}, content=http["body"].encode())

    kind = library.AsyncClient if inspect.iscoroutinefunction(post) else library.Client
    fresh = type(client).copy(client, http_client=kind(transport=library.MockTransport(respond)), max_retries=0)
    return fresh.post(path, **request)


_OK = 200
