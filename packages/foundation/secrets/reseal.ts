import { SealError, type SealContext, type Sealer } from "./sealing.ts";

export type SealedValue = { readonly id: string; readonly sealed: string; readonly context: SealContext };

/** A column of sealed values, and how they are found and replaced. */
export type SealedPlace = {
  readonly purpose: string;
  /** Counts the values that each key, of the ring or a former one, has sealed. */
  readonly countByKey: () => Promise<readonly { readonly keyId: string; readonly rows: number }[]>;
  /** Lists the values that another key than `keyId` has sealed, by their ids. */
  readonly listSealedByOthers: (page: {
    readonly keyId: string;
    readonly after: string;
    readonly limit: number;
  }) => Promise<readonly SealedValue[]>;
  /** Replaces the values that are still as they were, in one transaction. @returns how many were. */
  readonly replaceAll: (values: readonly ResealedValue[]) => Promise<number>;
};

export type ResealedValue = SealedValue & { readonly anew: string };

export type RingKey = {
  readonly id: string;
  /** `missing`: values are sealed with it, but the ring does not hold it. */
  readonly use: "seals" | "opens" | "missing";
  /** How many values it sealed, by purpose. */
  readonly rows: Readonly<Record<string, number>>;
};

/** Every key of the ring in its order, then those that are missing there. */
export async function describeRing(keyIds: readonly string[], places: readonly SealedPlace[]): Promise<readonly RingKey[]> {
  const counts = new Map<string, Record<string, number>>(keyIds.map((id) => [id, {}]));
  for (const place of places) {
    for (const { keyId, rows } of await place.countByKey()) {
      counts.set(keyId, { ...counts.get(keyId), [place.purpose]: rows });
    }
  }
  const [first] = keyIds;
  return [...counts].map(([id, rows]) => ({
    id,
    use: id === first ? "seals" : keyIds.includes(id) ? "opens" : "missing",
    rows: Object.fromEntries(places.map(({ purpose }) => [purpose, rows[purpose] ?? 0])),
  }));
}

export type Resealing = {
  /** How many values were sealed again, by purpose. */
  readonly resealed: Readonly<Record<string, number>>;
  /** Values that could not be opened, and why; they are left as they are. */
  readonly unopened: readonly Unopened[];
};

type Unopened = { readonly purpose: string; readonly id: string; readonly reason: string };

const BATCH = 50;

/**
 * Seals again everything that the ring's first key has not sealed, in small transactions: after an interruption the
 * next call goes on where it stopped. A value that somebody changes meanwhile is kept.
 */
export async function resealAll(sealer: Sealer, places: readonly SealedPlace[]): Promise<Resealing> {
  const resealed: Record<string, number> = {};
  const unopened: Unopened[] = [];
  for (const place of places) {
    const done = await resealPlace(sealer, place);
    resealed[place.purpose] = done.resealed;
    unopened.push(...done.unopened);
  }
  return { resealed, unopened };
}

async function resealPlace(sealer: Sealer, place: SealedPlace) {
  const [keyId] = sealer.keyIds;
  const unopened: Unopened[] = [];
  let resealed = 0;
  let batch = await place.listSealedByOthers({ keyId, after: "", limit: BATCH });
  for (let last = batch.at(-1); last !== undefined; last = batch.at(-1)) {
    const values = batch.map((value) => sealAnew(sealer, place.purpose, value));
    unopened.push(...values.filter((value) => "reason" in value));
    resealed += await place.replaceAll(values.filter((value) => "anew" in value));
    batch = await place.listSealedByOthers({ keyId, after: last.id, limit: BATCH });
  }
  return { resealed, unopened };
}

function sealAnew(sealer: Sealer, purpose: string, value: SealedValue): ResealedValue | Unopened {
  const { id, sealed, context } = value;
  try {
    return { ...value, anew: sealer.seal(sealer.open(sealed, context), context) };
  } catch (error) {
    if (error instanceof SealError) {
      return { purpose, id, reason: error.message };
    }
    throw error;
  }
}
