from __future__ import annotations

import hashlib
import re

MAX_PARTITIONS = 64

_LETTERS = (
    "swesyzcsaxgeuwzwvzkkwbxizbgfemgeenqrsyymedmboiiquxygawldpmicujfx"
    "zqywukjufiscojaorgkbwkmbqkgotgggtomaqhqbmknmrdxqdxnfroxzkrsoof"
)
"""Two letters for each partition from the second on, by which a Redis Cluster spreads them evenly; the same as the platform's."""


def partition_count_key(stream: str) -> str:
    """The key in which the platform says how many partitions the stream has; it is not there while there is one."""
    return _key_beside(stream, "partitions")


def contents_version_key(partition: str, project_id: str) -> str:
    """The key in which the platform says which version of a project's contents there is: another one after some were
    deleted."""
    return _key_beside(partition, f"contents:{project_id.lower()}")


def partition_key_of(stream: str, producer_id: str, count: int) -> str:
    """The key of the partition that a producer's events go to, all of them. The SDK for TypeScript and the platform choose
    alike."""
    digest = hashlib.sha256(producer_id.lower().encode()).digest()
    index = int.from_bytes(digest[:4], "big") % count
    return stream if index == 0 else f"{stream}:{{{index}{_LETTERS[2 * index - 2 : 2 * index]}}}"


def _key_beside(stream: str, name: str) -> str:
    has_tag = re.search(r"\{[^}]+\}", stream) is not None
    return f"{stream}:{name}" if has_tag else f"{{{stream}}}:{name}"
