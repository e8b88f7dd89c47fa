import { randomUUID } from "node:crypto";
import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import type { SourceAccess } from "#credentials/source-access.ts";
import { fetchHistory, type History } from "#git/history.ts";
import { readCommits } from "#git/read-commits.ts";
import {
  addCommits,
  beginHistory,
  noteHistoryError,
  showHistory,
  type Begun,
  type NewChange,
  type NewCommit,
} from "#store/index/commits.store.ts";
import { claimHistory, failHistory, finishHistory, keepHistory, releaseHistory, type ClaimedHistory } from "./history-queue.store.ts";
import { findTenant, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { settleTables } from "#store/index/settle-tables.store.ts";
import { toFailureReason } from "#indexing/tasks/interrupted.ts";
import { workOnClaim } from "#indexing/tasks/work-on-claim.ts";
import { watchAdded } from "#watching/watch-added.ts";
import { describeChanges, describeCommit } from "./describe-commit.ts";

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
      await note(tools, claimed, toFailureReason(error));
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
  const shown = { commit: newest, complete: history.complete, first, last, gone, now: clock.now() };
  await showHistory(database, begun.writer, shown);
  // Written after the build, whose end has looked at the tables.
  await settleTables(database, tenant, { paths: 0 });
  await watchAdded(tools, { ...claimed, tenant, history, signal });
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

/**
 * Kept commits keep their position and new ones come above them; unless one of them belongs below: then all are written
 * anew.
 */
function planCommits({ commits }: History, { known, lastPosition }: Begun): Plan {
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
/** Commits of a run of git, which may take only so long. */
const RUN = 2_000;

type Batch = { readonly commits: NewCommit[]; readonly changes: NewChange[] };

async function* describeInBatches(history: History, { missing, from }: Plan, signal: AbortSignal): AsyncGenerator<Batch, void, undefined> {
  let batch: Batch = { commits: [], changes: [] };
  let characters = 0;
  for (let start = 0; start < missing.length; start += RUN) {
    const run = describeRun(history, missing.slice(start, start + RUN), { signal, from: from + start });
    for await (const { commit, changes } of run) {
      batch.commits.push(commit);
      batch.changes.push(...changes);
      characters += commit.body.length + commit.paths.reduce((sum, path) => sum + path.length, 0);
      characters += changes.reduce((sum, { path }) => sum + path.length, 0);
      if (batch.commits.length >= BATCH || characters > BATCH_CHARACTERS) {
        yield batch;
        batch = { commits: [], changes: [] };
        characters = 0;
      }
    }
  }
  yield batch;
}

type Described = { readonly commit: NewCommit; readonly changes: readonly NewChange[] };

async function* describeRun(
  history: History,
  missing: readonly string[],
  { signal, from }: { readonly signal: AbortSignal; readonly from: number },
): AsyncGenerator<Described, void, undefined> {
  const changing = readCommits(history, missing, { paths: "first-parent", signal });
  let position = from;
  try {
    for await (const commit of readCommits(history, missing, { signal })) {
      const { value: changed } = await changing.next();
      position++;
      yield {
        commit: describeCommit(commit, position, changed?.pathsTotal ?? null),
        changes: changed === undefined ? [] : describeChanges(changed, position),
      };
    }
  } finally {
    await changing.return();
  }
}
