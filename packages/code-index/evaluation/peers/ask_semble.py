"""Asks semble's BM25 and its ranking, without its model, which would have to be downloaded.

Reads {"directory", "queries": [{"text", "within"}]}, writes the places found for each: [{"path", "start_line", "end_line"}].
"""

import json
import sys
from pathlib import Path

import numpy
from semble.index.create import create_index_from_path
from semble.search import search

PLACES = 50


class NoModel:
    dim = 1

    def encode(self, texts, **_):
        return numpy.zeros((len(texts), 1), dtype=numpy.float32)


class NoVectors:
    def query(self, *_, **__):
        return [([], [])]


given = json.load(sys.stdin)
root = Path(given["directory"]).resolve()
bm25, _, chunks, _ = create_index_from_path(root, NoModel(), display_root=root)


def ask(text, within):
    selector = numpy.array([index for index, chunk in enumerate(chunks) if chunk.file_path.startswith(within)], dtype=int)
    found = search(text, NoModel(), NoVectors(), bm25, chunks, PLACES, alpha=0.0, selector=selector)
    return [{"path": each.chunk.file_path, "start_line": each.chunk.start_line, "end_line": each.chunk.end_line} for each in found]


json.dump([ask(query["text"], query.get("within", "")) for query in given["queries"]], sys.stdout)
