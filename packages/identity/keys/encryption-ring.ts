import type { Clock } from "@sightline/foundation/clock";
import {
  describeRing as describeRingOf,
  resealAll as resealAllOf,
  type Resealing,
  type RingKey,
  type SealedPlace,
} from "@sightline/foundation/secrets/encryption-ring";
import { appendAudit } from "#audit/audit.store.ts";
import type { Queries } from "#schema.ts";
import { countByKey, listSealedByOthers, replaceSealedValue } from "./sealed-values.store.ts";
import type { Sealer } from "./sealed-values.ts";
import { purposeOf, SEALED_COLUMNS, type SealedColumn } from "./sealed-values.ts";

type Dependencies = { readonly queries: Queries; readonly sealer: Sealer; readonly clock: Clock };

/** Every key of the ring in its order, then those that are missing there. */
export function describeRing(dependencies: Dependencies): Promise<readonly RingKey[]> {
  return describeRingOf(dependencies.sealer.keyIds, placesOf(dependencies));
}

/** Seals everything anew that the ring's first key has not sealed. */
export function resealAll(dependencies: Dependencies): Promise<Resealing> {
  return resealAllOf(dependencies.sealer, placesOf(dependencies));
}

function placesOf(dependencies: Dependencies): readonly SealedPlace[] {
  return SEALED_COLUMNS.map((column) => placeOf(dependencies, column));
}

function placeOf({ queries, sealer, clock }: Dependencies, column: SealedColumn): SealedPlace {
  const purpose = purposeOf(column);
  return {
    purpose,
    countByKey: () => countByKey(queries, column),
    listSealedByOthers: async (page) => {
      const values = await listSealedByOthers(queries, column, page);
      return values.map((value) => ({ ...value, context: { purpose, subject: value.id } }));
    },
    replaceAll: (values) =>
      queries.transaction().execute(async (transaction) => {
        let replaced = 0;
        for (const value of values) {
          replaced += (await replaceSealedValue(transaction, column, value)) ? 1 : 0;
        }
        if (replaced > 0) {
          const details = { what: purpose, key: sealer.keyIds[0], rows: String(replaced) };
          await appendAudit(transaction, { event: "keys_rotated", at: clock.now(), details });
        }
        return replaced;
      }),
  };
}
