"""Judges a model on repositories that it was not trained on.

    python evaluate.py PAIRS_FOLDER --dev dev.txt --test test.txt MODEL.bin...

Every documented definition's comment must find its definition among all definitions of the repository. The blend's weight is
chosen on the repositories of --dev and applied to those of --test.
"""
import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import re  # noqa: E402

import numpy as np  # noqa: E402
from scipy import sparse  # noqa: E402

from data import KINDS, Repo, tokenise  # noqa: E402
from model import Model, fnv  # noqa: E402
from variants import variants_of  # noqa: E402

WEIGHTS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.3, 1.6, 2.0, 2.5, 3, 4, 5, 6, 8, 11, 15]


class Searchable:
    """BM25 with forms of words as one term, as the product's search has it; `pool` are rows of the matrix of code."""

    def __init__(self, terms, c, k1=1.2, b=0.75):
        self.terms, self.c = terms, c
        self.ids = {t: i for i, t in enumerate(terms)}
        self.csc = c.tocsc()
        length = np.asarray(c.sum(1)).ravel()
        self.norm = k1 * (1 - b + b * length / max(length.mean(), 1e-9))
        self.k1, self.n = k1, c.shape[0]

    def postings(self, term):
        i = self.ids.get(term)
        if i is None:
            return None
        s, e = self.csc.indptr[i], self.csc.indptr[i + 1]
        return self.csc.indices[s:e], self.csc.data[s:e]

    def group(self, term, forms):
        tf = np.zeros(self.n, np.float32)
        for t in [term, *(variants_of(term) if forms else [])]:
            p = self.postings(t)
            if p is not None:
                tf[p[0]] += p[1]
        return tf

    def scores(self, terms, forms=True, weights=None):
        out, share = np.zeros(self.n, np.float32), []
        for at, term in enumerate(terms):
            tf = self.group(term, forms)
            df = np.count_nonzero(tf)
            if df == 0:
                share.append((np.log(2 * self.n), None))
                continue
            idf = np.log(1 + (self.n - df + 0.5) / (df + 0.5))
            w = 1 if weights is None else weights[at]
            out += w * idf * tf * (self.k1 + 1) / (tf + self.norm)
            share.append((idf, tf > 0))
        return out, share


def overlap(share, target):
    """How much of the query's weight the target's text has."""
    return sum(i for i, has in share if has is not None and has[target]) / max(sum(i for i, _ in share), 1e-9)


def hash_table(terms, dimensions=256):
    """The idea of the product's hash embedder: pieces of words with a sign, common words for less (here by their rarity)."""
    out = np.zeros((len(terms), dimensions), np.float32)
    for i, t in enumerate(terms):
        def add(piece, w):
            h = fnv(piece)
            out[i, h % dimensions] += w if h >> 31 else -w
        add(t, 1)
        for n in (3, 4):
            for k in range(len(t) - n + 1):
                add(t[k:k + n], 0.35)
    return out


def unit(x):
    return x / (np.sqrt((x * x).sum(1, keepdims=True)) + 1e-9)


def rank_of(scores, target):
    """Ties count half."""
    s = scores[target]
    return 1 + np.count_nonzero(scores > s) + (np.count_nonzero(scores == s) - 1) / 2


def prepare(file, most, seed=5):
    r = Repo(file)
    pool = np.nonzero(np.isin(r.kind, [KINDS.index("doc"), KINDS.index("none")]))[0]
    asked = [i for i, row in enumerate(pool) if r.kind[row] == KINDS.index("doc")]
    rng = np.random.default_rng(seed)
    if len(asked) > most:
        asked = sorted(rng.choice(asked, most, replace=False))
    c = r.c[pool]
    return r, pool, asked, Searchable(r.terms, c)


def lexical(r, pool, asked, s):
    out = []
    for i in asked:
        q = r.q[pool[i]]
        terms = [r.terms[t] for t in q.indices]
        plain, _ = s.scores(terms, forms=False)
        forms, share = s.scores(terms)
        out.append((plain, forms, overlap(share, i)))
    return out


def cosines(r, pool, asked, tables, c, dampen=(np.log1p, np.sqrt)):
    tq, tc = tables
    q = r.q[pool[asked]].astype(np.float32).copy()
    q.data = dampen[0](q.data)
    c = c.astype(np.float32).copy()
    c.data = dampen[1](c.data)
    return unit(q @ tq) @ unit(c @ tc).T


def blend(bm25, cos, w):
    return bm25 / (bm25.max() + 1e-9) + w * cos


def figures(ranks):
    r = np.array(ranks, float)
    return f"r@1 {np.mean(r < 1.5):.3f} r@10 {np.mean(r <= 10):.3f} mrr {np.mean(1 / r):.3f}"


def mrr(ranks):
    return float(np.mean(1 / np.array(ranks, float)))


def judge(files, most):
    return [(f, *(p := prepare(f, most)), lexical(*p)) for f in files]


def model_cosines(judged, model, pieces=1.0):
    out = []
    for f, r, pool, asked, s, lex in judged:
        if model == "hash":
            t = hash_table(r.terms)
            df = np.bincount(s.c.indices, minlength=len(r.terms))
            t *= (0.3 + 0.7 * np.clip(np.log(s.n / (df + 1)) / np.log(s.n), 0, 1))[:, None]
            tables = (t, t)
            out.append(cosines(r, pool, asked, tables, s.c, (np.sqrt, np.sqrt)))
        else:
            tables = (model.rows_for(r.terms, "query", pieces), model.rows_for(r.terms, "code", pieces))
            out.append(cosines(r, pool, asked, tables, s.c))
    return out


def best_weight(judged, cos):
    best = (0, -1)
    for w in WEIGHTS:
        score = np.mean([mrr([rank_of(blend(lex[k][1], c[k], w), i) for k, i in enumerate(asked)]) for (_, _, _, asked, _, lex), c in zip(judged, cos)])
        if score > best[1]:
            best = (w, score)
    return best


def collect(judged, cos, w):
    """Ranks by system, for all queries, with language, repository and overlap."""
    rows = []
    for (f, r, pool, asked, s, lex), c in zip(judged, cos):
        for k, i in enumerate(asked):
            plain, forms, o = lex[k]
            rows.append((r.name, r.language[pool[i]], o, rank_of(plain, i), rank_of(forms, i), rank_of(c[k], i), rank_of(blend(forms, c[k], w), i)))
    return rows


SYSTEMS = ["bm25 plain", "bm25 forms", "cosine", "blend"]


def report(rows, detail):
    repos = sorted({x[0] for x in rows})

    def macro(which, f):
        per = [[x[3 + which] for x in rows if x[0] == n and f(x)] for n in repos]
        per = [p for p in per if p]
        a = lambda g: np.mean([g(np.array(p)) for p in per])  # noqa: E731
        return f"r@1 {a(lambda p: np.mean(p < 1.5)):.3f}  r@10 {a(lambda p: np.mean(p <= 10)):.3f}  mrr {a(lambda p: np.mean(1 / p)):.3f}"
    for title, f in (("all", lambda x: True), ("overlap < 0.3", lambda x: x[2] < 0.3), ("overlap < 0.15", lambda x: x[2] < 0.15)):
        print(f"  {title}: {sum(1 for x in rows if f(x))} queries")
        for which, name in enumerate(SYSTEMS):
            print(f"    {name:11} {macro(which, f)}")
    if detail:
        for n in repos:
            mine = [x for x in rows if x[0] == n]
            low = [x for x in mine if x[2] < 0.3]
            lang = max(set(x[1] for x in mine), key=[x[1] for x in mine].count)
            print(f"  | {n} | {lang} | {len(mine)} | " + " | ".join(f"{mrr([x[k] for x in mine]):.3f}" for k in (4, 5, 6)) + f" | {len(low)} | "
                  + " | ".join(f"{mrr([x[k] for x in low]):.3f}" if low else "-" for k in (4, 5, 6)) + " |")


def main():
    args = argparse.ArgumentParser()
    args.add_argument("pairs")
    args.add_argument("models", nargs="+", help="files, or hash")
    args.add_argument("--dev", required=True)
    args.add_argument("--test")
    args.add_argument("--most", type=int, default=300)
    args.add_argument("--pieces", type=float, default=1.0)
    args.add_argument("--detail", action="store_true")
    a = args.parse_args()
    names = lambda f: [tokenise(os.path.join(a.pairs, n + ".pickle")) for n in re.split(r"\s+", open(f).read().strip())]  # noqa: E731
    dev = judge(names(a.dev), a.most)
    test = judge(names(a.test), a.most) if a.test else None
    for m in a.models:
        model = m if m == "hash" else Model.read(m)
        cos = model_cosines(dev, model, a.pieces)
        w, score = best_weight(dev, cos)
        alone = np.mean([mrr([rank_of(c[k], i) for k, i in enumerate(x[3])]) for x, c in zip(dev, cos)])
        base = np.mean([mrr([rank_of(x[5][k][1], i) for k, i in enumerate(x[3])]) for x in dev])
        rows = collect(dev, cos, w)
        low = [x for x in rows if x[2] < 0.3]
        print(f"{m}: dev bm25 {base:.4f} cosine {alone:.4f} blend {score:.4f} at {w}; low overlap ({len(low)}) bm25 {mrr([x[4] for x in low]):.4f} "
              f"cosine {mrr([x[5] for x in low]):.4f} blend {mrr([x[6] for x in low]):.4f}", flush=True)
        if test is not None:
            report(collect(test, model_cosines(test, model, a.pieces), w), a.detail)


if __name__ == "__main__":
    main()
