import { randomUUID } from "node:crypto";
import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import type { SourceAccess } from "#credentials/source-access.ts";
import { fetchHistory, type History } from "#git/history.ts";
import { readCommits } from "#git/read-commits.ts";
import { addCommits, beginHistory, noteHistoryError, showHistory, type Begun, type NewCommit } from "#store/index/commits.store.ts";
import { claimHistory, failHistory, finishHistory, keepHistory, releaseHistory, type ClaimedHistory } from "./history-queue.store.ts";
import { findTenant, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { reasonOf } from "#indexing/tasks/interrupted.ts";
import { workOnClaim } from "#indexing/tasks/work-on-claim.ts";
import { describeCommit } from "./describe-commit.ts";

export type HistoryTools = {
  readonly database: CodeIndexDatabase;
  readonly sources: SourceAccess;
  readonly dataDir: string;
  /** What the history of one repository may grow to on the disk. */
  readonly mirrorBytes: number;
  /** Commits of each branch. */
  readonly depth: number;
  readonly log: Logger;
  readonly clock: Clock;
};

/** Brings a branch's history up to the indexed commit; false when none is due. No job waits for it, and none fails with it. */
export async function keepOneHistory(tools: HistoryTools, stopping: AbortSignal): Promise<boolean> {
  const { database, clock, log, depth } = tools;
  const claimed = await claimHistory(database, { workerId: randomUUID(), depth, now: clock.now() });
  if (claimed === undefined) {
    return false;
  }
  const of = { repository: claimed.repoId, branch: claimed.ref };
  await workOnClaim(stopping, {
    keep: () => keepHistory(database, { ...claimed, now: clock.now() }),
    work: async (signal) => {
      const commits = await bringUp(tools, claimed, signal);
      await finishHistory(database, { ...claimed, depth });
      log.debug({ ...of, commits }, "the history of a branch is up to date");
    },
    release: () => releaseHistory(database, claimed),
    fail: async (error) => {
      log.warn({ err: error, ...of }, "the history of a branch could not be fetched, trying again later");
      await note(tools, claimed, reasonOf(error));
      await failHistory(database, { ...claimed, now: clock.now() });
    },
  });
  return true;
}

async function note({ database }: HistoryTools, { tenantId, repoId, ref }: ClaimedHistory, error: string): Promise<void> {
  const tenant = await findTenant(database, tenantId);
  if (tenant !== undefined) {
    await noteHistoryError(database, { tenant, repoId, ref, error });
  }
}

async function bringUp(tools: HistoryTools, claimed: ClaimedHistory, signal: AbortSignal): Promise<number> {
  const { database, sources, dataDir, mirrorBytes: maxBytes, depth, clock } = tools;
  const { repoId, ref, commit } = claimed;
  const tenant = await findTenant(database, claimed.tenantId);
  if (tenant === undefined) {
    return 0;
  }
  const history = await sources.reach(claimed, signal, (remote) =>
    fetchHistory({ ...remote, dataDir, repoId, ref, commit, depth, maxBytes, signal }),
  );
  const begun = await beginHistory(database, { tenant, repoId, ref });
  if (begun === undefined) {
    return 0;
  }
  const plan = planCommits(history, begun);
  for await (const batch of describeInBatches(history, plan, signal)) {
    signal.throwIfAborted();
    await addCommits(database, begun.writer, batch);
  }
  const { first, last, gone } = plan;
  const newest = history.commits[0] ?? null;
  await showHistory(database, begun.writer, { commit: newest, complete: history.complete, first, last, gone, now: clock.now() });
  return plan.missing.length;
}

type Plan = {
  /** To be written, the oldest first, from the position after `from`. */
  readonly missing: readonly string[];
  readonly from: number;
  readonly first: number;
  readonly last: number;
  readonly gone: readonly number[];
};

/** What is kept keeps its position and new commits come above it; unless one of them belongs below: then all are written anew. */
function planCommits({ commits }: Pick<History, "commits">, { known, lastPosition }: Pick<Begun, "known" | "lastPosition">): Plan {
  const wanted = new Set(commits);
  const kept = known.filter(({ commit }) => wanted.has(commit));
  const have = new Set(kept.map(({ commit }) => commit));
  const parents = new Set(kept.flatMap((commit) => commit.parents));
  const isAnew = commits.some((commit) => !have.has(commit) && parents.has(commit));
  const missing = commits.filter((commit) => isAnew || !have.has(commit)).toReversed();
  const last = lastPosition + missing.length;
  const lowest = isAnew ? undefined : kept.at(-1)?.position;
  return {
    missing,
    from: lastPosition,
    first: lowest ?? lastPosition + 1,
    last,
    gone: isAnew ? [] : known.filter(({ commit }) => !wanted.has(commit)).map(({ position }) => position),
  };
}

/** Commits of a statement, and the characters of their texts and paths. */
const BATCH = 200;
const BATCH_CHARACTERS = 2_000_000;

async function* describeInBatches(
  history: History,
  { missing, from }: Plan,
  signal: AbortSignal,
): AsyncGenerator<readonly NewCommit[], void, undefined> {
  let batch: NewCommit[] = [];
  let characters = 0;
  let position = from;
  for await (const commit of readCommits(history, missing, { signal })) {
    const described = describeCommit(commit, ++position);
    batch.push(described);
    characters += described.body.length + described.paths.reduce((sum, path) => sum + path.length, 0);
    if (batch.length >= BATCH || characters > BATCH_CHARACTERS) {
      yield batch;
      batch = [];
      characters = 0;
    }
  }
  yield batch;
}
