import type { Clock } from "@sightline/foundation/clock";
import type { EachOwner } from "@sightline/foundation/each-owner";
import type { Logger } from "@sightline/foundation/log";
import { listTenants, type CodeIndexDatabase, type Tenant } from "#store/tenancy/tenant.ts";
import {
  dropVectorIndex,
  findVectorsInUse,
  isShared,
  largeTenants,
  makeVectorIndex,
  useVectorIndex,
  vectorIndexes,
} from "#store/index/vector-index.store.ts";

type Tools = { readonly database: CodeIndexDatabase; readonly clock: Clock; readonly log: Logger; readonly each: EachOwner };

export type VectorIndexing = {
  /** With fewer vectors comparing them all is as fast. */
  readonly min: number;
  /** An index is made anew when so many vectors, and so large a part of all, are not in it. */
  readonly fresh: number;
  readonly freshShare: number;
};

const INDEXING: VectorIndexing = { min: 50_000, fresh: 25_000, freshShare: 0.1 };

/**
 * Keeps an approximate index of the vectors of each tenant that has many, of those made until a moment: what is made later is compared
 * one by one until it is worth another index, so that writing vectors never waits for one. Indexes that a process which died
 * left half made are dropped, and those it finished are used. Returns whether an index was made.
 */
export async function indexVectors(
  { database, clock, log, each }: Tools,
  signal: AbortSignal,
  indexing: VectorIndexing = INDEXING,
): Promise<boolean> {
  if (await isShared(database)) {
    return false;
  }
  let made = false;
  await each(await largeTenants(database, await listTenants(database), indexing.min / 2), {
    idOf: ({ name }) => name,
    work: async (tenant) => {
      made = (await indexTenant({ database, clock, log }, tenant, { ...indexing, signal })) || made;
    },
    signal,
  });
  signal.throwIfAborted();
  return made;
}

async function indexTenant(
  { database, clock, log }: Omit<Tools, "each">,
  indexed: Tenant,
  { min, fresh: mostFresh, freshShare, signal }: VectorIndexing & { readonly signal: AbortSignal },
): Promise<boolean> {
  const tenant = await findVectorsInUse(database, indexed);
  if (tenant === undefined) {
    return false;
  }
  const { vectors, fresh, indexes, busy } = await vectorIndexes(database, tenant, tenant.until);
  if (busy) {
    return false;
  }
  let { until } = tenant;
  const newest = indexes.filter((index) => index.valid).toSorted((one, other) => other.until.getTime() - one.until.getTime())[0];
  if (newest?.until.getTime() !== until?.getTime()) {
    until = newest?.until ?? null;
    await useVectorIndex(database, tenant, until);
  }
  for (const index of indexes.filter((one) => one !== newest)) {
    await dropVectorIndex(database, tenant, index.name);
  }
  if (until === null ? vectors < min : fresh < Math.max(mostFresh, vectors * freshShare)) {
    return false;
  }
  const began = clock.now();
  await makeVectorIndex(database, { ...tenant, until: began, bytes: sizeOf(vectors, tenant.dimensions), signal });
  await useVectorIndex(database, tenant, began);
  for (const index of indexes.filter((one) => one === newest)) {
    await dropVectorIndex(database, tenant, index.name);
  }
  log.info({ tenant: tenant.name, vectors, ms: clock.now().getTime() - began.getTime() }, "searches use a new index of the vectors");
  return true;
}

/** The memory of a graph of vectors: two bytes a number, and the neighbours. */
function sizeOf(vectors: number, dimensions: number): number {
  return vectors * (dimensions * 2 + 500) * 1.1;
}
