"""What a recorded model call costs the application, beside OpenTelemetry's SDK and Langfuse's, in one run and by turns.

    python benchmarks/cost.py [ROUNDS]

Each library is measured in processes of its own (`cost_of.py`), one after the other, round by round; the table has the medians
of the rounds and of each round's ratios, in which what else the machine does then hits both. Sightline publishes to a Redis of
the benchmark's own, the others to an HTTP server that takes everything.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent / "testing"))

from redis_server import RedisServer  # noqa: E402 -- Found by the line above.

LIBRARIES = ("sightline", "opentelemetry", "langfuse", "nothing")
COLUMNS = ("p50_us", "p99_us", "cpu_us", "added_us")


class _Sink(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet."""


@contextmanager
def http_sink() -> Iterator[str]:
    code = f"import sys; sys.path.insert(0, {str(FOLDER)!r}); import cost; cost.serve()"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    process.kill()
    process.wait()


def serve() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Sink)
    print(server.server_port, flush=True)
    server.serve_forever()


def measure(library: str, sink: str) -> list[dict[str, Any]]:
    command = [sys.executable, str(FOLDER / "cost_of.py"), library, sink]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout)  # type: ignore[no-any-return]


def main(rounds: int) -> None:
    measured: dict[str, list[list[dict[str, Any]]]] = {library: [] for library in LIBRARIES}
    redis_server = RedisServer()
    with http_sink() as url:
        for _ in range(rounds):
            for library in LIBRARIES:
                measured[library].append(measure(library, redis_server.url if library == "sightline" else url))
    redis_server.stop()
    ratios_of = "Sightline / it: p50, p99, CPU, CPU with the loop"
    print(f"{'a call':<22}{'library':<15} {'p50 µs':>8} {'p99 µs':>9} {'CPU µs':>8}   {ratios_of}")
    for place, row in enumerate(measured["nothing"][0]):
        figures = {library: [turn[place] for turn in turns] for library, turns in measured.items()}
        bare = [turn["cpu_us"] for turn in figures.pop("nothing")]
        for turns in figures.values():
            for turn, loop in zip(turns, bare, strict=True):
                turn["added_us"] = turn["cpu_us"] - loop
        for library, turns in figures.items():
            p50, p99, _, added = (statistics.median(turn[column] for turn in turns) for column in COLUMNS)
            ratios = (
                statistics.median(own[column] / turn[column] for own, turn in zip(figures["sightline"], turns, strict=True))
                for column in ("p50_us", "p99_us", "added_us", "cpu_us")
            )
            compared = "" if library == "sightline" else "  ".join(f"{ratio:.2f}" for ratio in ratios)
            print(f"{row['payload']:<22}{library:<15} {p50:>8.1f} {p99:>9.1f} {added:>8.0f}   {compared}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
