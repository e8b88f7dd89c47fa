"""How processes end and multiply, each in a process of its own."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from recording import PROJECT_ID
from redis_server import free_port
from stream import Stream

SOURCES = f"{Path(__file__).parents[1] / 'src'}"


def run(stream: Stream, code: str, *, url: str | None = None, wait: bool = True, stderr: int = subprocess.PIPE, **more: str):
    begin = "import sightline, os, sys, time\nfrom sightline import *\n"
    environment = {
        **os.environ,
        "PYTHONPATH": SOURCES,
        "OBS_REDIS_URL": url or stream.server.url,
        "OBS_PROJECT_ID": PROJECT_ID,
        "OBS_STREAM_NAME": stream.name,
        **more,
    }
    process = subprocess.Popen(
        [sys.executable, "-X", "dev", "-W", "error", "-c", begin + textwrap.dedent(code)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )
    if not wait:
        return process
    try:
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert (process.returncode, err or "") == (0, "")
    return out


def terminate_when_ready(stream: Stream, code: str) -> tuple[int, str]:
    """Sends SIGTERM when the program prints that it is ready; how it ended, and what it complained of."""
    process = run(stream, code, wait=False)
    try:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=10)
    finally:
        process.kill()
    return process.returncode, err


def names(stream: Stream) -> list[str]:
    return sorted(trace["name"] for trace in stream.read().traces)


def test_a_process_that_runs_out_of_work_sends_what_is_left(idle_stream: Stream):
    run(idle_stream, "initialize_redis_publisher()\nfor n in range(500):\n    with trace('t'): pass")
    recorded = idle_stream.read()
    assert len(recorded.traces) == 500
    assert len(recorded.of_type("producer.bye")) == 1


def test_a_close_that_nobody_waits_for_sends_what_is_left(idle_stream: Stream):
    run(idle_stream, "initialize_redis_publisher()\nwith trace('t'): pass\nclose_redis_publisher()")
    assert names(idle_stream) == ["t"]


@pytest.mark.parametrize("ending", ["sys.exit(0)", "pass"])
def test_it_ends_within_the_deadline_when_redis_refuses(idle_stream: Stream, ending: str):
    url = f"redis://127.0.0.1:{free_port()}"
    code = f"initialize_redis_publisher()\nwith trace('t'): pass\nprint('ready', flush=True)\n{ending}"
    process = run(idle_stream, code, url=url, wait=False)
    assert process.stdout.readline() == "ready\n"
    started_at = time.monotonic()
    process.communicate(timeout=20)
    assert process.returncode == 0
    assert time.monotonic() - started_at < 4


def test_sigterm_sends_what_is_left_and_ends_by_the_signal(idle_stream: Stream):
    ended = terminate_when_ready(
        idle_stream,
        """
        initialize_redis_publisher().wait()
        with trace("before"):
            pass
        print("ready", flush=True)
        time.sleep(60)
        """,
    )
    assert ended == (-signal.SIGTERM, "")
    assert names(idle_stream) == ["before"]


def test_uvicorn_which_raises_the_signal_again_ends_by_it(idle_stream: Stream):
    """At once, as without the SDK; it is not an end by itself, in which the interpreter takes all modules apart."""
    ended = terminate_when_ready(
        idle_stream,
        """
        import uvicorn
        initialize_redis_publisher().wait()
        async def app(scope, receive, send):
            while scope["type"] == "lifespan":
                message = await receive()
                if message["type"] == "lifespan.startup":
                    with trace("started"): pass
                    print("ready", flush=True)
                await send({"type": message["type"] + ".complete"})
        uvicorn.run(app, port=0, log_level="error")
        """,
    )
    assert ended == (-signal.SIGTERM, "")
    assert names(idle_stream) == ["started"]


ENDED_IN_LIFESPAN = """
    import uvicorn
    async def app(scope, receive, send):
        while scope["type"] == "lifespan":
            message = await receive()
            if message["type"] == "lifespan.startup":
                await initialize_redis_publisher()
            else:
                with trace("started"): pass
                os.kill(os.getpid(), signal.SIGTERM)
            await send({"type": message["type"] + ".complete"})
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    server.should_exit = True
    server.run()
    """
ENDED_BY_ITSELF = """
    def end(number, frame):
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
    signal.signal(signal.SIGTERM, end)
    initialize_redis_publisher().wait()
    with trace("started"): pass
    os.kill(os.getpid(), signal.SIGTERM)
    """


@pytest.mark.parametrize("code", [ENDED_IN_LIFESPAN, ENDED_BY_ITSELF], ids=["uvicorn's lifespan", "a handler of its own"])
def test_a_program_that_handles_sigterm_before_the_set_up_sends_what_it_recorded(idle_stream: Stream, code: str):
    """uvicorn captures the signal before `lifespan` begins, puts the default back and raises it again; others end at once."""
    process = run(idle_stream, "import signal\n" + textwrap.dedent(code), wait=False)
    _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (-signal.SIGTERM, "")
    assert names(idle_stream) == ["started"]


def test_sigterm_reaches_the_application_though_nothing_can_be_sent(idle_stream: Stream):
    code = """
        import signal
        signal.signal(signal.SIGTERM, lambda *_: os._exit(7))
        initialize_redis_publisher()
        from sightline._client.state import state
        with state.publisher._queue._lock, trace("t"):
            print("ready", flush=True)
            time.sleep(60)
        """
    assert terminate_when_ready(idle_stream, code) == (7, "")


def test_the_application_s_own_handling_of_sigterm_stays(idle_stream: Stream):
    returncode, _ = terminate_when_ready(
        idle_stream,
        """
        import signal
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
        initialize_redis_publisher().wait()
        with trace("t"):
            pass
        print("ready", flush=True)
        time.sleep(60)
        """,
    )
    assert returncode == 7
    assert names(idle_stream) == ["t"]


def test_forked_processes_are_producers_of_their_own(idle_stream: Stream):
    """As the workers of gunicorn and Celery are, after a set-up in their parent."""
    run(
        idle_stream,
        """
        initialize_redis_publisher().wait()
        with trace("parent"):
            for number in range(4):
                if os.fork() == 0:
                    with observe(f"child {number}"):
                        pass
                    close_redis_publisher().wait()
                    os._exit(0)
            for _ in range(4):
                os.wait()
        """,
    )
    recorded = idle_stream.read()
    assert names(idle_stream) == ["parent"]
    assert sorted(start["name"] for start in recorded.starts) == [f"child {number}" for number in range(4)]
    producers = {event["producer_id"] for event in recorded.events}
    assert len(producers) == 5
    for producer in producers:
        numbers = [event["seq"] for event in recorded.events if event["producer_id"] == producer]
        assert numbers == list(range(1, len(numbers) + 1))
    assert len({event["id"] for event in recorded.events}) == len(recorded.events)


def test_a_fork_while_threads_record_does_not_hang(idle_stream: Stream):
    run(
        idle_stream,
        """
        import threading
        initialize_redis_publisher().wait()
        ended = threading.Event()
        def work():
            while not ended.is_set():
                with trace("busy"): pass
                time.sleep(0.001)
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads: thread.start()
        for _ in range(20):
            if os.fork() == 0:
                with trace("child"): pass
                close_redis_publisher().wait()
                os._exit(0)
        for _ in range(20): assert os.wait()[1] == 0
        ended.set()
        for thread in threads: thread.join()
        """.replace("import threading\n", "import threading, warnings; warnings.simplefilter('ignore')\n", 1),
    )
    assert names(idle_stream).count("child") == 20


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_children_of_multiprocessing_send_what_is_left(idle_stream: Stream, tmp_path: Path, method: str):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import multiprocessing, warnings
            warnings.simplefilter("ignore")
            from sightline import initialize_redis_publisher, trace

            def work(number):
                if {method!r} == "spawn":
                    initialize_redis_publisher()
                with trace(f"child {{number}}"):
                    pass

            if __name__ == "__main__":
                initialize_redis_publisher().wait()
                processes = [multiprocessing.get_context({method!r}).Process(target=work, args=(n,)) for n in range(3)]
                for process in processes: process.start()
                for process in processes: process.join(15)
                assert [process.exitcode for process in processes] == [0, 0, 0]
            """
        )
    )
    run(idle_stream, f"import runpy; sys.argv = [{str(script)!r}]; runpy.run_path({str(script)!r}, run_name='__main__')")
    assert names(idle_stream) == ["child 0", "child 1", "child 2"]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("pool", ["ProcessPoolExecutor", "Pool"])
def test_a_pool_whose_workers_set_up_by_themselves_sends_what_is_left(
    idle_stream: Stream, tmp_path: Path, method: str, pool: str
):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import concurrent.futures, multiprocessing, warnings
            warnings.simplefilter("ignore")
            from sightline import initialize_redis_publisher, trace

            def work(number):
                with trace(f"child {{number}}"):
                    pass

            if __name__ == "__main__":
                context = multiprocessing.get_context({method!r})
                if {pool!r} == "Pool":
                    pool = context.Pool(2, initializer=initialize_redis_publisher)
                    pool.map(work, range(8))
                    pool.close()
                    pool.join()
                else:
                    with concurrent.futures.ProcessPoolExecutor(2, context, initializer=initialize_redis_publisher) as pool:
                        list(pool.map(work, range(8)))
            """
        )
    )
    run(idle_stream, f"import runpy; sys.argv = [{str(script)!r}]; runpy.run_path({str(script)!r}, run_name='__main__')")
    recorded = idle_stream.read()
    assert sorted(trace["name"] for trace in recorded.traces) == [f"child {number}" for number in range(8)]
    assert len(recorded.trace_ends) == 8


def test_in_a_terminal_it_says_where_its_first_trace_is_once(idle_stream: Stream):
    def said(**more: str) -> str:
        terminal, stderr = pty.openpty()
        code = """
        initialize_redis_publisher().wait()
        with trace("first"): pass
        with trace("second"): pass
        """
        watched = {"CI": "", "PYTEST_CURRENT_TEST": "", "OBS_CONSOLE_URL": "https://sightline.acme.dev/"}
        run(idle_stream, code, stderr=stderr, **{**watched, **more})
        os.close(stderr)
        try:
            return os.read(terminal, 1000).decode()
        except OSError:
            return ""
        finally:
            os.close(terminal)

    address = f"https://sightline.acme.dev/projects/{PROJECT_ID}/traces/"
    line = said()
    first = next(trace for trace in idle_stream.read().traces if trace["name"] == "first")
    assert line == f"Sightline: {address}{first['trace_id']}\r\n"
    assert said(CI="true") == said(OBS_CONSOLE_URL="") == ""


def test_switched_off_it_costs_no_thread_and_no_import(idle_stream: Stream):
    out = run(
        idle_stream,
        """
        import threading
        assert not initialize_redis_publisher().wait().enabled
        with trace("t"): pass
        print(threading.active_count(), "langgraph" in sys.modules, "langchain_core" in sys.modules, "openai" in sys.modules)
        """,
        OBS_ENABLED="false",
    )
    assert out == "1 False False False\n"
    assert names(idle_stream) == []


def test_a_destructor_and_a_signal_handler_may_record(idle_stream: Stream):
    run(
        idle_stream,
        """
        import gc, signal, threading
        initialize_redis_publisher().wait()
        dead = []
        class Dying:
            def __del__(self):
                dead.append(1)
                with trace("dying"): pass
        signal.signal(signal.SIGUSR1, lambda *_: trace("signal").__call__(lambda: None)())
        ended = threading.Event()
        def poke():
            while not ended.is_set():
                os.kill(os.getpid(), signal.SIGUSR1)
                time.sleep(0.004)
        poking = threading.Thread(target=poke); poking.start()
        for _ in range(500):
            cycle = [Dying()]; cycle.append(cycle)
            with trace("t", input=cycle[:1]): pass
        ended.set(); poking.join()
        del cycle
        while len(dead) < 500: gc.collect()
        time.sleep(0.1)
        """,
    )
    found = names(idle_stream)
    assert found.count("t") == 500
    assert found.count("dying") == 500
    assert found.count("signal") > 0
