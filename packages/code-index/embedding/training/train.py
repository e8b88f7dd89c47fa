"""Trains the table: two bags of terms, near each other when one describes the other.

    python train.py MODEL.bin PAIRS_FOLDER [--held-out names.txt] [--help]

PAIRS_FOLDER holds what pairs.py wrote. Deterministic by --seed on one thread.
"""
import argparse
import glob
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from scipy import sparse  # noqa: E402

from data import KINDS, Repo, bm25_weights, tokenise_all  # noqa: E402
from model import Model  # noqa: E402


def choose_vocabulary(repos, size, min_repos, query_factor):
    """The commonest terms that several repositories use; what questions say counts for more."""
    score, spread = {}, {}
    for r in repos:
        known = r.kind != KINDS.index("none")
        q = np.bincount(r.q[known].indices, minlength=len(r.terms))
        c = np.bincount(r.c.indices, minlength=len(r.terms))
        # No repository may fill the vocabulary with its own words.
        s = np.minimum(q, 40) * query_factor + np.minimum(c, 40)
        for i in np.nonzero(s)[0]:
            t = r.terms[i]
            score[t] = score.get(t, 0) + float(s[i])
            spread[t] = spread.get(t, 0) + 1
    terms = [t for t in score if spread[t] >= min_repos and len(t) < 40 and not (t.isdigit() and len(t) > 3)]
    terms.sort(key=lambda t: (-score[t] * spread[t] ** 0.5, t))
    return terms[:size]


def remap(m, terms, ids, weigh):
    """A repository's matrix over the model's terms, counts dampened; unknown terms are dropped."""
    to = np.array([ids.get(t, -1) for t in terms], np.int64)
    rows = np.repeat(np.arange(m.shape[0]), np.diff(m.indptr))
    cols = to[m.indices]
    keep = cols >= 0
    return sparse.csr_matrix((weigh(m.data[keep]).astype(np.float32), (rows[keep], cols[keep])), (m.shape[0], len(ids)))


def take(m, rows):
    """Indices, values and row numbers of some rows of a sparse matrix."""
    starts, ends = m.indptr[rows], m.indptr[rows + 1]
    n = ends - starts
    at = np.repeat(starts - np.concatenate([[0], np.cumsum(n)[:-1]]), n) + np.arange(n.sum())
    return m.indices[at], m.data[at], np.repeat(np.arange(len(rows)), n)


class Adam:
    """Only rows that a batch touches are moved."""

    def __init__(self, table, lr, decay):
        self.t, self.lr, self.decay = table, lr, decay
        self.m, self.v = np.zeros_like(table), np.zeros_like(table)
        self.steps = np.zeros(len(table), np.int32)

    def step(self, rows, g, factor):
        self.steps[rows] += 1
        n = self.steps[rows][:, None].astype(np.float32)
        m = self.m[rows] * 0.9 + g * 0.1
        v = self.v[rows] * 0.99 + g * g * 0.01
        self.m[rows], self.v[rows] = m, v
        if self.decay > 0:
            self.t[rows] *= 1 - self.lr * factor * self.decay
        self.t[rows] -= self.lr * factor * (m / (1 - 0.9 ** n)) / (np.sqrt(v / (1 - 0.99 ** n)) + 1e-8)


def local(cols, values, rows, size):
    unique, where = np.unique(cols, return_inverse=True)
    return unique, sparse.csr_matrix((values, (rows, where)), (size, len(unique)))


def unit(x):
    length = np.sqrt((x * x).sum(1, keepdims=True)) + 1e-6
    return x / length, length


def softmax(s):
    e = np.exp(s - s.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


class Trainer:
    def __init__(self, a, vocabulary, idf):
        rng = np.random.default_rng(a.seed)
        self.a, self.rng = a, rng
        table = rng.standard_normal((len(vocabulary), a.dimensions)).astype(np.float32) / a.dimensions ** 0.5
        table *= (0.3 + 0.7 * idf / idf.max())[:, None]
        self.code = table
        self.query = table.copy() if a.two_tables else table
        self.code_adam = Adam(self.code, a.lr, a.decay)
        self.query_adam = Adam(self.query, a.lr, a.decay) if a.two_tables else self.code_adam

    def batch(self, q, c, names, bm25, factor):
        a, rng, size = self.a, self.rng, len(names)
        (qi, qv, qr), (ci, cv, cr) = q, c
        width = len(self.code)
        if a.drop_shared > 0:
            shared = np.isin(qr * width + qi, cr * width + ci)
            # A pair is told by its other words, now and then: half of the pairs lose most of what they share.
            rate = np.where(rng.random(size) < a.drop_pairs, a.drop_shared, 0)
            gone = shared & (rng.random(len(qi)) < rate[qr])
            qi, qv, qr = qi[~gone], qv[~gone], qr[~gone]
        if a.drop_query > 0:
            keep = rng.random(len(qi)) >= a.drop_query
            qi, qv, qr = qi[keep], qv[keep], qr[keep]
        if a.drop_code > 0:
            keep = rng.random(len(ci)) >= a.drop_code
            ci, cv, cr = ci[keep], cv[keep], cr[keep]
        qu, qm = local(qi, qv, qr, size)
        cu, cm = local(ci, cv, cr, size)
        qn, ql = unit(qm @ self.query[qu])
        cn, cl = unit(cm @ self.code[cu])
        s = (qn @ cn.T) * a.scale
        if bm25 is not None:
            s += bm25
        # The same words describe both: neither is wrong.
        same = names[:, None] == names[None, :]
        np.fill_diagonal(same, False)
        s[same] = -1e4
        has = np.asarray(qm.getnnz(1) > 0).astype(np.float32)
        p = softmax(s)
        g = p * (1 - a.backward)
        loss = -(np.log(np.diag(p) + 1e-9) * has).sum() / max(has.sum(), 1)
        if a.backward > 0:
            g += softmax(s.T).T * a.backward
        g[np.diag_indices(size)] -= 1
        g *= has[:, None] * (a.scale / size)
        dq, dc = g @ cn, g.T @ qn
        du = (dq - (dq * qn).sum(1, keepdims=True) * qn) / ql
        dv = (dc - (dc * cn).sum(1, keepdims=True) * cn) / cl
        gq, gc = qm.T @ du, cm.T @ dv
        if a.two_tables:
            self.query_adam.step(qu, gq, factor)
            self.code_adam.step(cu, gc, factor)
        else:
            both, where = np.unique(np.concatenate([qu, cu]), return_inverse=True)
            total = np.zeros((len(both), self.code.shape[1]), np.float32)
            total[where[:len(qu)]] += gq
            total[where[len(qu):]] += gc
            self.code_adam.step(both, total, factor)
        return loss


def order(repo_pairs, path_key, rng, size, run):
    """Batches of one repository; runs of neighbours in them, which are the hardest to tell apart."""
    rows = repo_pairs[np.lexsort((rng.random(len(repo_pairs)), path_key[repo_pairs]))]
    offset = rng.integers(run)
    runs = [rows[:offset]] + [rows[i:i + run] for i in range(offset, len(rows), run)]
    rng.shuffle(runs)
    rows = np.concatenate(runs)
    return [rows[i:i + size] for i in range(0, len(rows), size) if len(rows[i:i + size]) >= size // 4]


def main():
    args = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    args.add_argument("model")
    args.add_argument("pairs")
    args.add_argument("--held-out", default="", help="file with names of repositories that are not trained on")
    args.add_argument("--dimensions", type=int, default=192)
    args.add_argument("--vocabulary", type=int, default=32000)
    args.add_argument("--query-factor", type=float, default=4)
    args.add_argument("--min-repos", type=int, default=3)
    args.add_argument("--two-tables", action="store_true")
    args.add_argument("--epochs", type=float, default=5)
    args.add_argument("--batch", type=int, default=512)
    args.add_argument("--run", type=int, default=16)
    args.add_argument("--lr", type=float, default=0.004)
    args.add_argument("--scale", type=float, default=20)
    args.add_argument("--backward", type=float, default=0.3)
    args.add_argument("--drop-shared", type=float, default=0.8)
    args.add_argument("--drop-pairs", type=float, default=0.5)
    args.add_argument("--drop-code", type=float, default=0.15)
    args.add_argument("--drop-query", type=float, default=0.0)
    args.add_argument("--decay", type=float, default=0.0, help="rows that a batch touches shrink by this much of the rate")
    args.add_argument("--bm25", type=float, default=0, help="weight of BM25 in the training's scores: the table learns what BM25 lacks")
    args.add_argument("--kinds", default="doc,inline,commit,name")
    args.add_argument("--cap", type=int, default=12000, help="pairs of a repository and epoch, at most")
    args.add_argument("--buckets", type=int, default=0)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--processes", type=int, default=1)
    args.add_argument("--seconds", type=float, default=1e9)
    a = args.parse_args()

    held = set(open(a.held_out).read().split()) if a.held_out else set()
    files = [f for f in sorted(glob.glob(os.path.join(a.pairs, "*.pickle"))) if os.path.basename(f).removesuffix(".pickle") not in held]
    repos = [Repo(f) for f in tokenise_all(files, a.processes)]
    vocabulary = choose_vocabulary(repos, a.vocabulary, a.min_repos, a.query_factor)
    ids = {t: i for i, t in enumerate(vocabulary)}
    wanted = [KINDS.index(k) for k in a.kinds.split(",")]
    df, total, prepared = np.zeros(len(ids)), 0, []
    for r in repos:
        pairs = np.nonzero(np.isin(r.kind, wanted))[0]
        if len(pairs) < 100:
            continue
        q = remap(r.q, r.terms, ids, np.log1p)
        c = remap(r.c, r.terms, ids, np.sqrt)
        df += np.bincount(c.indices, minlength=len(ids))
        total += c.shape[0]
        paths = {p: i for i, p in enumerate(sorted(set(r.path)))}
        key = np.array([paths[p] for p in r.path])
        names = np.array([hash_text(t) for t in r.query])
        weights = None
        if a.bm25 > 0:
            w, _ = bm25_weights(r.c)
            binary = r.q.copy()
            binary.data[:] = 1
            weights = (binary, w)
        prepared.append((q, c, pairs, key, names, weights))
    print(f"{len(prepared)} repositories, {sum(len(p[2]) for p in prepared)} pairs, {len(vocabulary)} terms", flush=True)
    idf = np.log(1 + total / (df + 1)).astype(np.float32)
    trainer = Trainer(a, vocabulary, idf)
    rng = np.random.default_rng(a.seed + 1)
    per_epoch = sum(min(a.cap, len(p[2])) for p in prepared) / a.batch
    steps, done, began, losses = per_epoch * a.epochs, 0, time.time(), []
    while done < steps:
        batches = []
        for at, p in enumerate(prepared):
            pairs = p[2] if len(p[2]) <= a.cap else rng.choice(p[2], a.cap, replace=False)
            batches += [(at, rows) for rows in order(pairs, p[3], rng, a.batch, a.run)]
        rng.shuffle(batches)
        for at, rows in batches:
            q, c, _, _, names, weights = prepared[at]
            bm25 = None
            if weights is not None:
                b = np.asarray((weights[0][rows] @ weights[1][rows].T).todense())
                bm25 = a.bm25 * b / (b.max(1, keepdims=True) + 1e-6)
            progress = max(done / steps, (time.time() - began) / a.seconds if a.seconds < 1e8 else 0)
            factor = min(1, (done + 1) / 100) * max(0.03, 1 - progress)
            losses.append(trainer.batch(take(q, rows), take(c, rows), names[rows], bm25, factor))
            done += 1
            if done % 500 == 0:
                print(f"step {done} of {steps:.0f}, loss {np.mean(losses[-500:]):.3f}, {time.time() - began:.0f} s", flush=True)
            if progress >= 1:
                break
        if progress >= 1:
            break
    model = Model.build(vocabulary, trainer.code, trainer.query if a.two_tables else None, a.buckets)
    model.write(a.model)
    print(f"{os.path.getsize(a.model)} bytes, {time.time() - began:.0f} s", flush=True)


def hash_text(text):
    h = 1469598103934665603
    for b in text.lower().encode():
        h = (h ^ b) * 1099511628211 & 0x7FFFFFFFFFFFFFFF
    return h


if __name__ == "__main__":
    main()
