from __future__ import annotations

import json
import random
import threading
import time

import pytest

from sightline._publish.event_queue import EventQueue


class Drops:
    def __init__(self):
        self.by_reason: dict[str, int] = {}

    def __call__(self, reason, count):
        self.by_reason[reason] = self.by_reason.get(reason, 0) + count


@pytest.fixture
def drops():
    return Drops()


def take(queue: EventQueue, events: int = 10_000):
    queue.write(10_000, 1 << 30)
    return queue.take(events, 1 << 30)


def bodies(entries):
    return [json.loads(entry.body) for entry in entries]


LONG = [{"role": "user", "content": "word " * 100}]


def test_numbers_are_given_in_the_order_of_the_stream(drops):
    queue = EventQueue(1 << 30, 100, drops)
    for number in range(5):
        queue.add("score", {"name": str(number)}, 10)
    entries = take(queue)
    assert [entry.source.seq for entry in entries] == [1, 2, 3, 4, 5]
    queue.settle(entries, entries[2:])
    again = take(queue)
    assert [(entry.source.seq, entry.source.id) for entry in again] == [
        (entry.source.seq, entry.source.id) for entry in entries[2:]
    ]


def test_the_oldest_are_dropped_and_leave_a_gap(drops):
    queue = EventQueue(1 << 30, 3, drops)
    for number in range(5):
        queue.add("score", {"name": str(number)}, 10)
    assert [entry.source.seq for entry in take(queue)] == [3, 4, 5]
    assert drops.by_reason == {"buffer_full": 2}


def test_bytes_bound_the_buffer_before_and_after_writing(drops):
    queue = EventQueue(100_000, 10_000, drops)
    for _ in range(1000):
        queue.add("score", {"output": "x" * 1000}, 1000)
        assert queue.held_bytes <= 100_000
        if random.random() < 0.2:
            queue.write(10_000, 1 << 30)
            assert queue.held_bytes <= 100_000
    assert drops.by_reason["buffer_full"] == 1000 - queue.events


def test_contents_are_sent_again_when_the_platform_names_another_version_or_nobody_can_say_that_they_are_kept(drops):
    queue = EventQueue(1 << 30, 100, drops)

    def sent():
        queue.add("trace.start", {"input": LONG}, 10)
        entries = take(queue)
        queue.settle(entries, [])
        return [entry.source.type for entry in entries]

    blob, reference = ["blob", "trace.start"], ["trace.start"]
    queue.learn_version(None, time.monotonic())
    assert [sent(), sent(), sent()] == [["trace.start"], blob, reference]
    queue.learn_version(b"a", time.monotonic())
    assert [sent(), sent()] == [blob, reference]
    queue.learn_version(b"a", time.monotonic())
    assert sent() == reference
    queue.learn_version(b"a", time.monotonic() - 6)
    assert [sent(), sent()] == [blob, blob]
    queue.learn_version("unknown", time.monotonic())
    assert [sent(), sent()] == [blob, blob]


def test_a_content_that_comes_again_goes_once_as_a_blob(drops):
    queue = EventQueue(1 << 30, 100, drops)
    for _ in range(3):
        queue.add("trace.start", {"input": {"messages": LONG}}, 10)
    entries = take(queue)
    assert [entry.source.type for entry in entries] == ["trace.start", "blob", "trace.start", "trace.start"]
    first, blob, second, third = bodies(entries)
    assert first["input"]["messages"] == LONG
    assert blob["content"] == LONG[0]
    assert second["input"]["messages"] == third["input"]["messages"] == [{"$blob": blob["sha256"]}]
    queue.settle(entries, [])
    queue.reconnected()
    queue.add("trace.start", {"input": {"messages": LONG}}, 10)
    assert [entry.source.type for entry in take(queue)] == ["blob", "trace.start"]


def test_a_blob_that_was_dropped_is_forgotten(drops):
    queue = EventQueue(1 << 30, 3, drops)
    queue.learn_version(None, time.monotonic())
    for _ in range(2):
        queue.add("trace.start", {"input": LONG}, 10)
    entries = take(queue)
    for _ in range(3):
        queue.add("score", {"name": "x"}, 10)
    queue.settle(entries, entries)
    for _ in range(3):
        queue.settle(take(queue), [])
    queue.add("trace.start", {"input": LONG}, 10)
    assert [entry.source.type for entry in take(queue)] == ["trace.start"]


def test_what_cannot_be_written_is_counted(drops):
    queue = EventQueue(1 << 30, 10, drops)
    queue.add("score", {"name": object()}, 10)
    queue.add("score", {"name": "fine"}, 10)
    assert [entry.source.seq for entry in take(queue)] == [2]
    assert drops.by_reason == {"unserializable": 1}


def test_an_application_s_own_reference_leaves_as_another_key():
    from sightline._mask.safe_text import safe_key

    assert safe_key("$blob") == "$$blob"


@pytest.mark.parametrize("seed", [random.randrange(1 << 30) for _ in range(3)])
def test_threads_that_add_while_one_takes_lose_nothing_unreported(drops, seed):
    queue = EventQueue(50_000, 300, drops)
    chance = random.Random(seed)
    barrier = threading.Barrier(5)
    sent: list[int] = []
    ended = threading.Event()

    def add():
        barrier.wait()
        for number in range(2000):
            queue.add("score", {"name": str(number)}, 30)

    def drain():
        barrier.wait()
        while not ended.is_set() or queue.events:
            queue.write(10_000, 1 << 30)
            entries = queue.take(chance.randrange(1, 50), 1 << 20)
            unsent = entries[chance.randrange(len(entries) + 1) :] if chance.random() < 0.5 and not ended.is_set() else []
            kept = {id(entry) for entry in unsent}
            sent.extend(entry.source.seq for entry in entries if id(entry) not in kept)
            queue.settle(entries, unsent)

    threads = [threading.Thread(target=add) for _ in range(4)]
    drainer = threading.Thread(target=drain)
    for thread in (*threads, drainer):
        thread.start()
    for thread in threads:
        thread.join()
    ended.set()
    drainer.join(20)
    assert len(sent) == len(set(sent))
    assert len(sent) + drops.by_reason.get("buffer_full", 0) == 8000
    assert max(sent) <= 8000
