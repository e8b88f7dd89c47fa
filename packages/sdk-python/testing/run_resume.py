"""Runs one leg of an agent that asks twice, in a process of its own; the checkpoints lie in a file beside the stream's name:
`python run_resume.py <redis url> <stream> <project> start|one|two`."""

from __future__ import annotations

import pickle
import sys
import tempfile
from pathlib import Path
from typing import Any

from graph_agent import EMPTY
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pause_agents import asking_graph

from sightline import close_redis_publisher, initialize_redis_publisher


def main(redis_url: str, stream_name: str, project_id: str, leg: str) -> None:
    file = Path(tempfile.gettempdir()) / f"sightline-{stream_name.replace(':', '-')}.checkpoints"
    saver = InMemorySaver()
    if leg != "start":
        storage, writes, blobs = pickle.loads(file.read_bytes())
        for thread, namespaces in storage.items():
            for namespace, saved in namespaces.items():
                saver.storage[thread][namespace].update(saved)
        saver.writes.update(writes)
        saver.blobs.update(blobs)
    initialize_redis_publisher(redis_url, stream_name, project_id).wait()
    given: Any = EMPTY if leg == "start" else Command(resume=leg)
    asking_graph("asked in three processes", saver).invoke(given, {"configurable": {"thread_id": "thread-9"}})
    close_redis_publisher().wait()
    if leg == "two":
        file.unlink()
    else:
        storage = {thread: {name: dict(saved) for name, saved in some.items()} for thread, some in saver.storage.items()}
        file.write_bytes(pickle.dumps((storage, dict(saver.writes), dict(saver.blobs))))


if __name__ == "__main__":
    main(*sys.argv[1:])
