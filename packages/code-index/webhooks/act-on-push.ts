import type { Kysely } from "kysely";
import type { CodeIndexTables, Push } from "#schema.ts";
import type { DeliveryOutcome } from "./deliveries.store.ts";
import { enqueueJob } from "#store/records/jobs.store.ts";
import { countPush, type WatchedRepository } from "./pushes.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { planJobs } from "./plan-jobs.ts";

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
    const job = await enqueueJob(
      { ...database, query: transaction },
      {
        tenantId: repository.tenant_id,
        repoId: repository.id,
        mode: "incremental",
        trigger: "webhook",
        now,
        ...(ref === undefined ? {} : { ref }),
        ...(commit === null ? {} : { commit }),
      },
    );
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
