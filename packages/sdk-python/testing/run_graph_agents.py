"""Runs the agents as an application would, each twice: `python run_graph_agents.py <redis url> <stream> <project>`. Prints what
is known of the runs."""

from __future__ import annotations

import json
import sys

from fault_agents import FAULT_AGENTS
from nested_agents import NESTED_AGENTS
from pause_agents import PAUSE_AGENTS
from routing_agents import ROUTING_AGENTS

from sightline import close_redis_publisher, initialize_redis_publisher

ROUNDS = 2


def main(redis_url: str, stream_name: str, project_id: str) -> None:
    found = initialize_redis_publisher(redis_url, stream_name, project_id).wait()
    if not found.ok:
        raise SystemExit(found.reason)
    truths = []
    for agent in (*ROUTING_AGENTS, *NESTED_AGENTS, *FAULT_AGENTS, *PAUSE_AGENTS):
        for turn in range(1, ROUNDS + 1):
            trace_name = f"{agent.name} #{turn}"
            agent.run(trace_name)
            truths.append(
                {
                    "name": agent.name,
                    "traceName": trace_name,
                    "status": agent.status,
                    "taken": agent.taken,
                    "traces": agent.traces,
                }
            )
    close_redis_publisher().wait()
    print(json.dumps(truths))


if __name__ == "__main__":
    main(*sys.argv[1:])
