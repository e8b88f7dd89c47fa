"""An application that records traces until its input ends: `python produce.py <redis url> <stream> <project> <traces a second>`.
Prints how many it recorded, and what its publisher says of them, as JSON."""

from __future__ import annotations

import json
import sys
import threading
import time

from sightline import close_redis_publisher, initialize_redis_publisher, observe, trace
from sightline._client.state import state


def main(redis_url: str, stream_name: str, project_id: str, rate: str) -> None:
    initialize_redis_publisher(redis_url, stream_name, project_id).wait()
    publisher = state.publisher
    assert publisher is not None
    ended = threading.Event()

    def wait_for_end() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait_for_end, daemon=True).start()
    recorded = 0
    while not ended.is_set():
        with trace(f"trace {recorded}", input={"number": recorded}) as run, observe("step"):
            run.output = recorded
        recorded += 1
        time.sleep(1 / float(rate))
    deadline = time.monotonic() + 60
    while state.metrics.buffered()[0] > 0 and time.monotonic() < deadline:
        time.sleep(0.05)
    close_redis_publisher().wait()
    print(
        json.dumps(
            {
                "producer": publisher.producer_id,
                "recorded": recorded,
                "last": publisher.last_sequence,
                "dropped": sum(state.metrics.dropped.values()),
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
