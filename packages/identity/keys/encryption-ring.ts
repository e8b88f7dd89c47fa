import type { Clock } from "@sightline/foundation/clock";
import { appendAudit } from "#audit/audit.store.ts";
import type { Queries } from "#schema.ts";
import { countByKey, listSealedByOthers, replaceSealedValue, type SealedValue } from "./sealed-values.store.ts";
import { purposeOf, SEALED_COLUMNS, type SealedColumn } from "./sealed-values.ts";
import { SealError, type Sealer } from "./sealing.ts";

type Dependencies = { readonly queries: Queries; readonly sealer: Sealer; readonly clock: Clock };

export type RingKey = {
  readonly id: string;
  /** `missing`: values are sealed with it, but the ring does not hold it. */
  readonly use: "seals" | "opens" | "missing";
  /** Values by what they are sealed for. */
  readonly rows: Readonly<Record<string, number>>;
};

/** Every key of the ring in its order, then those that are missing there. */
export async function describeRing({ queries, sealer }: Pick<Dependencies, "queries" | "sealer">): Promise<readonly RingKey[]> {
  const counts = new Map<string, Record<string, number>>(sealer.keyIds.map((id) => [id, {}]));
  for (const column of SEALED_COLUMNS) {
    for (const { keyId, rows } of await countByKey(queries, column)) {
      counts.set(keyId, { ...counts.get(keyId), [purposeOf(column)]: rows });
    }
  }
  const [first] = sealer.keyIds;
  return [...counts].map(([id, rows]) => ({
    id,
    use: id === first ? "seals" : sealer.keyIds.includes(id) ? "opens" : "missing",
    rows: Object.fromEntries(SEALED_COLUMNS.map((column) => [purposeOf(column), rows[purposeOf(column)] ?? 0])),
  }));
}

export type Resealing = {
  /** Values sealed anew, by what they are sealed for. */
  readonly resealed: Readonly<Record<string, number>>;
  /** Values that could not be opened, and why; they are left as they are. */
  readonly unopened: readonly Unopened[];
};

type Unopened = { readonly purpose: string; readonly id: string; readonly reason: string };

const BATCH = 50;

/**
 * Seals everything anew that the ring's first key has not sealed, in small transactions: one that is broken off is taken
 * up where it was by the next call. A value that someone changes meanwhile is kept as they made it.
 */
export async function resealAll(dependencies: Dependencies): Promise<Resealing> {
  const resealed: Record<string, number> = {};
  const unopened: Unopened[] = [];
  for (const column of SEALED_COLUMNS) {
    const done = await resealColumn(dependencies, column);
    resealed[purposeOf(column)] = done.resealed;
    unopened.push(...done.unopened);
  }
  return { resealed, unopened };
}

async function resealColumn(dependencies: Dependencies, column: SealedColumn) {
  const { queries, sealer } = dependencies;
  const [keyId] = sealer.keyIds;
  const unopened: Unopened[] = [];
  let resealed = 0;
  let batch = await listSealedByOthers(queries, column, { keyId, after: "", limit: BATCH });
  for (let last = batch.at(-1); last !== undefined; last = batch.at(-1)) {
    const values = batch.map((value) => sealAnew(sealer, purposeOf(column), value));
    unopened.push(...values.filter((value) => "reason" in value));
    const anew = values.filter((value) => "anew" in value);
    resealed += await replaceAll(dependencies, column, anew);
    batch = await listSealedByOthers(queries, column, { keyId, after: last.id, limit: BATCH });
  }
  return { resealed, unopened };
}

type Anew = SealedValue & { readonly anew: string };

function sealAnew(sealer: Sealer, purpose: string, { id, sealed }: SealedValue): Anew | Unopened {
  const context = { purpose, subject: id };
  try {
    return { id, sealed, anew: sealer.seal(sealer.open(sealed, context), context) };
  } catch (error) {
    if (error instanceof SealError) {
      return { purpose, id, reason: error.message };
    }
    throw error;
  }
}

async function replaceAll({ queries, sealer, clock }: Dependencies, column: SealedColumn, values: readonly Anew[]): Promise<number> {
  return queries.transaction().execute(async (transaction) => {
    let replaced = 0;
    for (const value of values) {
      replaced += (await replaceSealedValue(transaction, column, value)) ? 1 : 0;
    }
    if (replaced > 0) {
      const details = { what: purposeOf(column), key: sealer.keyIds[0], rows: String(replaced) };
      await appendAudit(transaction, { event: "keys_rotated", at: clock.now(), details });
    }
    return replaced;
  });
}
