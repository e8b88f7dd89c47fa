import type { Push, PushedBranch, CodeIndexTables } from "#schema.ts";
import type { Kysely } from "kysely";
import type { DeliveryOutcome } from "./deliveries.store.ts";
import { enqueueJob } from "#store/records/jobs.store.ts";
import { countPush, type WatchedRepository } from "./pushes.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

type Known = {
  readonly default_branch: string | null;
  readonly branches: readonly string[];
  readonly wanted: boolean;
};

export type PlannedJob = {
  /** `undefined` means the default branch, whatever it is called by then. */
  readonly ref: string | undefined;
  readonly commit: string | null;
};

type Plan = {
  readonly jobs: readonly PlannedJob[];
  /** Branches whose searches are behind by this push. */
  readonly counted: readonly { readonly branch: string; readonly isDefault: boolean; readonly commit: string | null }[];
  /** Why something was left out. */
  readonly reasons: readonly string[];
};

/**
 * What a push asks for. A job looks at the host itself and indexes what is the newest commit then: so a lost, late or
 * repeated delivery does no harm, nor does one that lies; and a branch that a job does not find loses its index.
 */
function planJobs(push: Push, known: Known): Plan {
  if (!known.wanted) {
    return { jobs: [], counted: [], reasons: ["an index of the repository was not asked for yet"] };
  }
  const jobs = new Map<string | undefined, PlannedJob>();
  const counted: Plan["counted"][number][] = [];
  const reasons: string[] = [];
  const [current, next] = [known.default_branch, push.default_branch];
  if (current !== null && next !== null && current !== next) {
    jobs.set(undefined, { ref: undefined, commit: null });
  }
  for (const change of push.changes) {
    const { branch, after: commit, deleted } = change;
    const isDefault = branch === (current ?? next) || branch === next;
    const reason = reasonToIgnore(change, { isDefault, known });
    if (reason !== undefined) {
      reasons.push(reason);
      continue;
    }
    const ref = isDefault ? undefined : branch;
    jobs.set(ref, { ref, commit });
    if (!deleted) {
      counted.push({ branch, isDefault, commit });
    }
  }
  if (push.changes.length === 0 && jobs.size === 0) {
    reasons.push("no branch was pushed to: tags are not indexed");
  }
  return { jobs: [...jobs.values()], counted, reasons };
}

function reasonToIgnore({ branch, deleted }: PushedBranch, { isDefault, known }: { readonly isDefault: boolean; readonly known: Known }) {
  if (isDefault) {
    return deleted ? `${branch} is the default branch: its index is kept though it was deleted` : undefined;
  }
  return known.branches.includes(branch) ? undefined : `${branch} is not among the repository's branches to index`;
}

type Acting = {
  readonly repository: WatchedRepository;
  readonly push: Push;
  /** False for one that is replayed: it was counted when it arrived. */
  readonly counts: boolean;
  readonly now: Date;
};

/** Queues the jobs that a push asks for, within the caller's transaction. */
export async function actOnPush(
  database: CodeIndexDatabase,
  transaction: Kysely<CodeIndexTables>,
  { repository, push, counts, now }: Acting,
): Promise<DeliveryOutcome> {
  const plan = planJobs(push, repository);
  for (const pushed of counts ? plan.counted.toSorted(byBranch) : []) {
    await countPush(transaction, { repository, ...pushed });
  }
  const jobIds: string[] = [];
  for (const { ref, commit } of plan.jobs.toSorted((one, other) => (one.ref ?? "").localeCompare(other.ref ?? ""))) {
    const asked = { tenantId: repository.tenant_id, repoId: repository.id, mode: "incremental", trigger: "webhook" } as const;
    const job = await enqueueJob({ ...database, query: transaction }, { ...asked, ref, commit, now });
    jobIds.push(job.job_id);
  }
  return { status: jobIds.length > 0 ? "accepted" : "ignored", reason: inShort(plan.reasons), jobIds };
}

/** Rows are locked in one order, whatever order a push names them in. */
function byBranch(one: { readonly branch: string }, other: { readonly branch: string }): number {
  return one.branch < other.branch ? -1 : 1;
}

const SHOWN = 3;

function inShort(reasons: readonly string[]): string {
  const more = reasons.length - SHOWN;
  return [...reasons.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}
