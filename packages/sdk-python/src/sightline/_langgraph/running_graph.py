from __future__ import annotations

import sys
from typing import Any

from langchain_core.callbacks import manager

try:
    from langgraph.pregel import Pregel
except ImportError:
    Pregel = None  # type: ignore[assignment,misc]

_CALLBACKS = manager.__file__
_OWN = __file__.rsplit("_langgraph", 1)[0]
_MAX_FRAMES = 12


def find_starting_graph() -> Any:
    """The graph whose run a handler is being told of; None when it is another kind of run.

    LangGraph for Python says nothing of a run but its name, so the caller of the callbacks is looked at: the first frame that
    is neither this package's nor LangChain's callback manager's is the `stream` of the graph itself.
    """
    if Pregel is None:
        return None
    frame = sys._getframe(1)
    for _ in range(_MAX_FRAMES):
        file = frame.f_code.co_filename
        if file != _CALLBACKS and not file.startswith(_OWN):
            graph = frame.f_locals.get("self")
            return graph if isinstance(graph, Pregel) else None
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return None
