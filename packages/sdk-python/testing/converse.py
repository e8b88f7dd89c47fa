"""An application that records a trace for each line of its input, `{"user": …, "messages": […]}`: `python converse.py <redis url>
<stream> <project>`. Prints the trace's id once all of it is on the stream."""

from __future__ import annotations

import json
import sys
import time

from sightline import close_redis_publisher, current_trace, initialize_redis_publisher, observe, trace
from sightline._client.state import state


def main(redis_url: str, stream_name: str, project_id: str) -> None:
    initialize_redis_publisher(redis_url, stream_name, project_id).wait()
    for line in sys.stdin:
        given = json.loads(line)
        with trace("chat", user_id=given["user"], input={"messages": given["messages"]}):
            reference = current_trace()
            with observe("answer", input={"messages": given["messages"]}):
                pass
        while state.metrics.buffered()[0] > 0:
            time.sleep(0.01)
        print(reference.trace_id if reference else None, flush=True)
    close_redis_publisher().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
