"""The model's file. See README.md for the format."""
import struct

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import lsmr  # noqa: F401

MAGIC = b"SLVT"
VERSION = 1


def grams(term):
    """Pieces of a word that the vocabulary lacks."""
    t = f"<{term}>"
    return [t[i:i + n] for n in (3, 4, 5) for i in range(len(t) - n + 1)]


def fnv(text):
    h = 2166136261
    for b in text.encode("utf8"):
        h = ((h ^ b) * 16777619) & 0xFFFFFFFF
    return h


def quantise(table):
    scale = np.abs(table).max(1) / 127
    scale[scale == 0] = 1e-9
    return np.clip(np.rint(table / scale[:, None]), -127, 127).astype(np.int8), scale.astype(np.float32)


def learn_buckets(vocabulary, table, count, ridge=2.0, rounds=30):
    """Vectors of pieces whose mean is near the vector of the word they are of: conjugate gradients on the normal equations."""
    words = [(i, t) for i, t in enumerate(vocabulary) if t.isalpha() and len(t) >= 4]
    rows, cols, vals = [], [], []
    for at, (_, t) in enumerate(words):
        g = grams(t)
        for piece in g:
            rows.append(at)
            cols.append(fnv(piece) % count)
            vals.append(1 / len(g))
    x = sparse.csr_matrix((np.array(vals, np.float32), (rows, cols)), (len(words), count))
    y = table[[i for i, _ in words]]
    scale = 10.0
    x = x * scale
    b = np.zeros((count, table.shape[1]), np.float32)
    r = x.T @ y
    p, old = r.copy(), (r * r).sum(0)
    for _ in range(rounds):
        ap = x.T @ (x @ p) + ridge * p
        alpha = old / ((p * ap).sum(0) + 1e-12)
        b += alpha * p
        r -= alpha * ap
        new = (r * r).sum(0)
        p = r + (new / (old + 1e-12)) * p
        old = new
    return b * scale


class Model:
    """`code` and `query` are (int8 rows, float32 scales); `query` is `code` with one table. `buckets` may be None."""

    def __init__(self, vocabulary, code, query, buckets):
        self.vocabulary, self.code, self.query, self.buckets = vocabulary, code, query, buckets
        self.ids = {t: i for i, t in enumerate(vocabulary)}
        self.dimensions = code[0].shape[1]

    @staticmethod
    def build(vocabulary, code, query, buckets):
        b = quantise(learn_buckets(vocabulary, code if query is None else query, buckets)) if buckets else None
        c = quantise(code)
        return Model(vocabulary, c, c if query is None else quantise(query), b)

    def write(self, path):
        words = "\n".join(self.vocabulary).encode("utf8")
        two = self.query is not self.code
        with open(path, "wb") as f:
            f.write(struct.pack("<4sIIIIII", MAGIC, VERSION, len(self.vocabulary), self.dimensions, 2 if two else 1,
                                0 if self.buckets is None else len(self.buckets[1]), len(words)))
            f.write(words)
            f.write(b"\0" * (-f.tell() % 4))
            for rows, scales in [self.code] + ([self.query] if two else []) + ([self.buckets] if self.buckets else []):
                f.write(scales.tobytes())
                f.write(rows.tobytes())
                f.write(b"\0" * (-f.tell() % 4))

    @staticmethod
    def read(path):
        with open(path, "rb") as f:
            data = f.read()
        magic, version, n, d, tables, buckets, length = struct.unpack_from("<4sIIIIII", data)
        assert magic == MAGIC and version == VERSION
        at = 28 + length
        vocabulary = data[28:at].decode("utf8").split("\n")
        out = []
        for size in [n] * tables + ([buckets] if buckets else []):
            at += -at % 4
            scales = np.frombuffer(data, np.float32, size, at)
            at += 4 * size
            out.append((np.frombuffer(data, np.int8, size * d, at).reshape(size, d), scales))
            at += size * d
        return Model(vocabulary, out[0], out[1] if tables == 2 else out[0], out[-1] if buckets else None)

    def table(self, purpose):
        rows, scales = self.query if purpose == "query" else self.code
        return rows.astype(np.float32) * scales[:, None]

    def bucket_table(self):
        rows, scales = self.buckets
        return rows.astype(np.float32) * scales[:, None]

    def rows_for(self, terms, purpose, pieces_weight=1.0):
        """One row for each term, zeros for what is unknown."""
        t = self.table(purpose)
        out = np.zeros((len(terms), self.dimensions), np.float32)
        b = self.bucket_table() if self.buckets is not None else None
        for i, term in enumerate(terms):
            at = self.ids.get(term)
            if at is not None:
                out[i] = t[at]
            elif b is not None and term.isalpha() and 4 <= len(term) <= 20:
                g = [fnv(p) % len(b) for p in grams(term)]
                out[i] = b[g].mean(0) * pieces_weight
        return out
