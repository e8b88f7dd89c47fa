"""Pairs as numbers: terms of queries and of code, one table a repository."""
import os
import pickle
import re
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from scipy import sparse

from terms import terms_of

KINDS = ["doc", "inline", "commit", "name", "none"]
#: Copies of other projects inside these repositories, some of them in evaluation sets.
COPIES = re.compile(r"(^|/)(nlohmann|fmt|spdlog|catch2?|jinja2?|abseil|absl|leveldb|redis|libuv|zlib|curl|chardet|lua/src|okhttp(-protocols)?|rmccue/requests)(/|\.hpp|\.h$)", re.I)
MAX_CODE_TERMS = 220


def tokenise(file):
    """Saved next to the pairs as <name>.terms."""
    out = file.removesuffix(".pickle") + ".terms"
    if os.path.exists(out):
        return out
    with open(file, "rb") as f:
        records = [r for r in pickle.load(f) if not COPIES.search(r[2])]
    ids: dict[str, int] = {}
    qp, qi, qc, cp, ci, cc, meta = [0], [], [], [0], [], [], []
    for kind, language, path, start, end, query, code, _ in records:
        for text, indices, counts, ptr in ((query, qi, qc, qp), (code, ci, cc, cp)):
            found = Counter(terms_of(text)).most_common()
            for term, n in found:
                indices.append(ids.setdefault(term, len(ids)))
                counts.append(n)
            ptr.append(len(indices))
        meta.append((KINDS.index(kind), language, path, start, end, query))
    with open(out, "wb") as f:
        pickle.dump({
            "terms": list(ids), "meta": meta,
            "q": (np.array(qp), np.array(qi, np.int32), np.array(qc, np.float32)),
            "c": (np.array(cp), np.array(ci, np.int32), np.array(cc, np.float32)),
        }, f, protocol=4)
    return out


def tokenise_all(files, processes=1):
    with ProcessPoolExecutor(processes) as pool:
        return list(pool.map(tokenise, files))


class Repo:
    """A repository's pairs; `q` and `c` are matrices of counts over the repository's own terms."""

    def __init__(self, file):
        with open(file, "rb") as f:
            d = pickle.load(f)
        self.name = os.path.basename(file).removesuffix(".terms")
        self.terms, meta = d["terms"], d["meta"]
        n, v = len(meta), len(self.terms)
        self.q = sparse.csr_matrix((d["q"][2], d["q"][1], d["q"][0]), (n, v))
        self.c = sparse.csr_matrix((d["c"][2], d["c"][1], d["c"][0]), (n, v))
        self.kind = np.array([m[0] for m in meta], np.int8)
        self.language = [m[1] for m in meta]
        self.path = [m[2] for m in meta]
        self.lines = [(m[3], m[4]) for m in meta]
        self.query = [m[5] for m in meta]


def bm25_weights(counts, k1=1.2, b=0.75):
    """The matrix whose product with a query's terms is BM25."""
    m = counts.tocsr().astype(np.float32)
    n = m.shape[0]
    df = np.bincount(m.indices, minlength=m.shape[1])
    idf = np.log(1 + (n - df + 0.5) / (df + 0.5)).astype(np.float32)
    length = np.asarray(m.sum(1)).ravel()
    norm = k1 * (1 - b + b * length / max(length.mean(), 1e-9))
    rows = np.repeat(np.arange(n), np.diff(m.indptr))
    data = idf[m.indices] * m.data * (k1 + 1) / (m.data + norm[rows])
    return sparse.csr_matrix((data.astype(np.float32), m.indices, m.indptr), m.shape), idf
