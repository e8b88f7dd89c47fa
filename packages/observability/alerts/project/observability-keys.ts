import type { Database } from "@sightline/foundation/database/database";
import { describeRing, resealAll, type Resealing, type RingKey, type SealedPlace } from "@sightline/foundation/secrets/reseal";
import { sealedColumn } from "@sightline/foundation/secrets/sealed-columns.store";
import type { EncryptionRing, SealContext } from "@sightline/foundation/secrets/sealing";
import type { ObservabilitySchema } from "#schema.ts";
import { createRingSealer, modelKeyContext } from "#store/ring-sealer.ts";
import { secretContext, urlContext } from "./channel-secrets.ts";

export type ObservabilityKeys = {
  /** Counts what each key of the ring has sealed in observability. */
  readonly status: () => Promise<readonly RingKey[]>;
  /** Seals again everything that the ring's first key has not sealed. */
  readonly reseal: () => Promise<Resealing>;
};

type Options = { readonly database: Database<ObservabilitySchema>; readonly ring: EncryptionRing };

/** Opens observability's sealed values for the command line. */
export function createObservabilityKeys({ database, ring }: Options): ObservabilityKeys {
  const sealer = createRingSealer(ring);
  const placeOf = (table: string, column: string, contextOf: (id: string) => SealContext): SealedPlace =>
    sealedColumn({ query: database.query, table, column, purpose: contextOf("").purpose, contextOf: ({ id }) => contextOf(id) });
  const channels = "observability.alert_channels";
  const places = [
    placeOf(channels, "sealed_url", urlContext),
    placeOf(channels, "sealed_secret", secretContext),
    placeOf("observability.model_connections", "sealed_key", modelKeyContext),
  ];
  return { status: () => describeRing(sealer.keyIds, places), reseal: () => resealAll(sealer, places) };
}
