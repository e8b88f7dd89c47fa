import type { Clock } from "@sightline/foundation/clock";
import type { EachOwner } from "@sightline/foundation/each-owner";
import type { Logger } from "@sightline/foundation/log";
import {
  deleteRefs,
  deleteRepositoryRows,
  deleteStrayRefs,
  deleteTenantRows,
  markedRepositories,
  markedTenants,
  noteSwept,
  stopJobs,
  tenantsToSweep,
  type MarkedRepository,
  type MarkedTenant,
} from "#store/records/deletions.store.ts";
import { dropTenant } from "./tenants.store.ts";
import { sweepTenant } from "#store/index/sweep.store.ts";
import { findTenant, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";

type Deleting = {
  readonly database: CodeIndexDatabase;
  readonly log: Logger;
  readonly clock: Clock;
  readonly each: EachOwner;
  readonly signal: AbortSignal;
};

/** How many of a kind one round deletes or sweeps. */
const ROUND = 20;

/**
 * Removes what was marked: tenants, repositories, and contents of branches that are not indexed any more. Each step may be
 * repeated, and the mark goes last, so that after a crash any indexer goes on; several may work at the same.
 *
 * @returns whether it got anything done: then more may wait.
 */
export async function deleteMarked(deleting: Deleting): Promise<boolean> {
  const { database, each, signal } = deleting;
  let done = false;
  /** One that can't be deleted now is not in the way of the others. */
  const attempt = async <Marked extends { readonly tenantId: string; readonly repoId?: string }>(
    kind: string,
    marked: readonly Marked[],
    work: (marked: Marked) => Promise<boolean>,
  ) =>
    each(marked, {
      idOf: ({ tenantId, repoId }) => `${kind} ${repoId ?? tenantId}`,
      work: async (one) => {
        done = (await work(one)) || done;
      },
      signal,
      max: ROUND,
    });
  await attempt("tenant", await markedTenants(database), (tenant) => deleteTenant(deleting, tenant));
  await attempt("repository", await markedRepositories(database), (repository) => deleteRepository(deleting, repository));
  await attempt("sweep", await tenantsToSweep(database), (due) => sweep(deleting, due));
  signal.throwIfAborted();
  return done;
}

async function deleteTenant({ database, log, clock, signal }: Deleting, tenant: MarkedTenant): Promise<boolean> {
  signal.throwIfAborted();
  if (await stopJobs(database, tenant, clock.now())) {
    return false;
  }
  await dropTenant(database, tenant, log);
  await deleteTenantRows(database, tenant, signal);
  log.info({ tenant: tenant.name }, "a tenant is deleted, with its code and its database role");
  return true;
}

async function deleteRepository({ database, log, clock, signal }: Deleting, marked: MarkedRepository): Promise<boolean> {
  signal.throwIfAborted();
  const tenant = await findTenant(database, marked.tenantId);
  if (tenant === undefined || (await stopJobs(database, marked, clock.now()))) {
    return false;
  }
  await deleteRefs(database, marked);
  await sweepTenant(database, tenant);
  await deleteRepositoryRows(database, marked, signal);
  log.info({ repository: marked.repoId }, "a repository is deleted, with its index");
  return true;
}

async function sweep({ database }: Deleting, due: { readonly tenantId: string; readonly sweepAt: Date }): Promise<boolean> {
  const tenant = await findTenant(database, due.tenantId);
  if (tenant === undefined || !(await deleteStrayRefs(database, due))) {
    return false;
  }
  await sweepTenant(database, tenant);
  await noteSwept(database, due);
  return true;
}
