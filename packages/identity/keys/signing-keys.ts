import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import type { z } from "zod";
import type { jwksSchema } from "#contract.ts";
import { addSigningKey, type SigningKeyDependencies } from "./add-signing-key.ts";
import { type Sealer, signingKeyContext } from "./sealed-values.ts";
import { listSigningKeys, type SigningKeyRecord } from "./signing-keys.store.ts";

type PublicKey = z.infer<typeof jwksSchema>["keys"][number];

export type SigningKeys = ReturnType<typeof createSigningKeys>;

type Loaded = {
  readonly at: number;
  readonly active: { readonly kid: string; readonly privateKey: KeyObject };
  readonly verifying: ReadonlyMap<string, KeyObject>;
  readonly published: readonly PublicKey[];
};

/** How long a replica may use cached keys before it reads them again. */
const FRESH_MS = 60_000;
/** An unknown key id makes the cache reload, but not for every forged token. */
const LOOK_AGAIN_MS = 5_000;

export function createSigningKeys(dependencies: SigningKeyDependencies) {
  const { queries, sealer, clock } = dependencies;
  let loaded: Loaded | undefined;
  let loading: Promise<Loaded> | undefined;

  async function load(): Promise<Loaded> {
    let records = await listSigningKeys(queries);
    if (records.length === 0) {
      await addSigningKey(dependencies, { unlessSince: new Date(0) });
      records = await listSigningKeys(queries);
    }
    return open(records, loaded, sealer, clock.now());
  }

  async function current(freshMs: number): Promise<Loaded> {
    if (loaded !== undefined && clock.now().getTime() - loaded.at < freshMs) {
      return loaded;
    }
    loading ??= load().finally(() => (loading = undefined));
    loaded = await loading;
    return loaded;
  }

  return {
    /** The key to sign with. Made at the first call on an empty database: replicas agree on one. */
    active: async () => (await current(FRESH_MS)).active,
    /** The key that verifies tokens of this `kid`; `undefined` when it was never published or is retired. */
    verifying: async (kid: string) => (await current(FRESH_MS)).verifying.get(kid) ?? (await current(LOOK_AGAIN_MS)).verifying.get(kid),
    published: async () => (await current(FRESH_MS)).published,
  };
}

function open(records: readonly SigningKeyRecord[], before: Loaded | undefined, sealer: Sealer, now: Date): Loaded {
  // A key from a replica whose clock runs ahead is used early rather than not at all.
  const newest = signingKeyAt(records, now) ?? records.at(-1);
  if (newest === undefined) {
    throw new Error("The signing key that was stored just now is not there.");
  }
  return {
    at: now.getTime(),
    active: before?.active.kid === newest.kid ? before.active : openPrivateKey(newest, sealer),
    verifying: new Map(records.map(({ kid, public_jwk: jwk }) => [kid, createPublicKey({ key: jwk, format: "jwk" })])),
    published: records.map(({ kid, public_jwk: { kty, n, e } }) => ({ kty, kid, use: "sig", alg: "RS256", n, e })),
  };
}

/** Finds the newest key that is active already. */
export function signingKeyAt(records: readonly SigningKeyRecord[], now: Date): SigningKeyRecord | undefined {
  return records.find((record) => record.active_from <= now);
}

function openPrivateKey({ kid, private_key: sealed }: SigningKeyRecord, sealer: Sealer): { kid: string; privateKey: KeyObject } {
  const der = sealer.open(sealed, signingKeyContext(kid));
  return { kid, privateKey: createPrivateKey({ key: der, format: "der", type: "pkcs8" }) };
}
