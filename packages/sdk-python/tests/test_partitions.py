"""Which partition of the stream a producer's events go to: as the platform and the SDK for TypeScript choose."""

from __future__ import annotations

import json

import pytest
from recording import EVENTS

from sightline import initialize_redis_publisher, observe
from sightline._client.state import state
from sightline._publish.partitions import partition_count_key, partition_key_of

VECTORS = json.loads((EVENTS / "partition-vectors.json").read_text())


@pytest.mark.parametrize("vector", VECTORS["partitions"])
def test_the_partition_is_the_platforms(vector):
    for count, partition in vector["of"].items():
        key = partition_key_of("observability:events", vector["producer_id"], int(count))
        assert key == VECTORS["keys"][partition]["key"]


@pytest.mark.parametrize("vector", VECTORS["counts"])
def test_the_count_is_told_in(vector):
    assert partition_count_key(vector["stream"]) == vector["key"]


def test_a_producer_publishes_to_its_partition(idle_stream):
    client = idle_stream.server.client()
    client.set(partition_count_key(idle_stream.name), 64)
    assert idle_stream.initialize().ok
    key = partition_key_of(idle_stream.name, state.publisher.producer_id, 64)
    with observe("work"):
        pass
    read = idle_stream.read()
    assert client.xlen(key) >= 3
    assert read.events == [] or key == idle_stream.name
    client.delete(key, partition_count_key(idle_stream.name))


@pytest.mark.parametrize("told", ["", "0", "65", "x", "2.5"])
def test_what_is_no_number_of_partitions_means_the_one_stream(idle_stream, told):
    client = idle_stream.server.client()
    client.set(partition_count_key(idle_stream.name), told)
    assert idle_stream.initialize().ok
    assert len(idle_stream.read().events) >= 1
    client.delete(partition_count_key(idle_stream.name))


def test_a_user_who_may_only_publish_uses_the_one_stream(idle_stream):
    client = idle_stream.server.client()
    client.execute_command(
        "ACL", "SETUSER", "publisher", "on", ">secret", "+xadd", "+xlen", "+time", "+exists", f"~{idle_stream.name}"
    )
    url = idle_stream.server.url.replace("redis://", "redis://publisher:secret@")
    initialize_redis_publisher(url, idle_stream.name, "4f6c1c8e-3b0a-4c57-9a55-2f1f4c8f7a10").wait()
    with observe("work"):
        pass
    assert len(idle_stream.read().of_type("observation.start")) == 1
    client.execute_command("ACL", "DELUSER", "publisher")
