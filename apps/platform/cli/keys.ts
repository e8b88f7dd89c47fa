import { styleText } from "node:util";
import type { RingKey } from "@sightline/foundation/secrets/reseal";
import type { Identity } from "@sightline/identity";
import type { ObservabilityKeys } from "@sightline/observability";
import type { CodeIndexKeys } from "#compose/prepare.ts";
import { renderTable } from "./output/render-table.ts";
import { onParts } from "./on-database.ts";

type Keys = { readonly identity: Identity["keys"]; readonly codeIndex: CodeIndexKeys; readonly observability: ObservabilityKeys };
type SigningKeys = Awaited<ReturnType<Identity["keys"]["status"]>>["signing"];

/** `sightline keys status`: exits with 1 when a key is missing that something is sealed with. */
export function showKeys(): Promise<void> {
  return withKeys(async (keys) => {
    const rings = await readRings(keys);
    console.log(`${renderRings(rings)}\n\n${renderSigningKeys((await keys.identity.status()).signing)}`);
    process.exitCode = rings.some(({ ring }) => ring.some(({ use }) => use === "missing")) ? 1 : 0;
  });
}

/** `sightline keys rotate`: exits with 1 when something could not be opened. */
export function rotateKeys({ signing }: { readonly signing: boolean }): Promise<void> {
  return withKeys(async (keys) => (signing ? rotateSigningKey(keys.identity) : reseal(keys)));
}

async function reseal(keys: Keys): Promise<void> {
  const done = [await keys.identity.reseal(), await keys.observability.reseal(), await keys.codeIndex.reseal()];
  for (const [purpose, rows] of done.flatMap(({ resealed }) => Object.entries(resealed))) {
    console.log(`${purpose}: ${rows === 0 ? "nothing to do" : `${rows} sealed anew`}`);
  }
  const unopened = done.flatMap((ring) => ring.unopened);
  for (const { purpose, id, reason } of unopened) {
    console.error(`${purpose} of ${id} is left as it is. ${reason}`);
  }
  console.log(`\n${renderRings(await readRings(keys))}`);
  process.exitCode = unopened.length === 0 ? 0 : 1;
}

async function rotateSigningKey(keys: Identity["keys"]): Promise<void> {
  const { kid, activeFrom, isNew } = await keys.rotateSigningKey();
  console.log(
    isNew
      ? `Published the signing key ${kid}. It signs from ${activeFrom.toISOString()} on.`
      : `The signing key ${kid} already waits: it signs from ${activeFrom.toISOString()} on. No other was made.`,
  );
}

type Ring = { readonly variable: string; readonly ring: readonly RingKey[] };

async function readRings({ identity, codeIndex, observability }: Keys): Promise<readonly Ring[]> {
  return [
    { variable: "ENCRYPTION_KEYS", ring: together((await identity.status()).ring, await observability.status()) },
    { variable: "CODEINDEX_ENCRYPTION_KEYS", ring: await codeIndex.status() },
  ];
}

/** Merges the counts of two parts that seal with one ring; a key that is missing from the ring may be in either. */
function together(left: readonly RingKey[], right: readonly RingKey[]): readonly RingKey[] {
  const ids = [...new Set([...left, ...right].map(({ id }) => id))];
  return ids.flatMap((id) => {
    const [one, other] = [left, right].map((keys) => keys.find((key) => key.id === id));
    const key = one ?? other;
    return key === undefined ? [] : [{ ...key, rows: { ...one?.rows, ...other?.rows } }];
  });
}

function renderRings(rings: readonly Ring[]): string {
  return rings.map(renderRing).join("\n\n");
}

function renderRing({ variable, ring }: Ring): string {
  const title = styleText("bold", `Keys that seal secrets (${variable})`);
  if (ring.length === 0) {
    return `${title}\nnot set; nothing is sealed`;
  }
  const purposes = Object.keys(ring[0]?.rows ?? {});
  const rows = ring.map((key) => [key.id, key.use, ...purposes.map((purpose) => String(key.rows[purpose] ?? 0)), adviceOn(key, variable)]);
  return `${title}\n${renderTable(["key", "use", ...purposes, ""], rows)}`;
}

function adviceOn({ use, rows }: RingKey, variable: string): string {
  const sealed = Object.values(rows).reduce((sum, count) => sum + count, 0);
  if (use === "missing") {
    return `add it to ${variable}: what it sealed can't be opened`;
  }
  if (use === "seals") {
    return "the first: keep it";
  }
  return sealed === 0 ? "may be removed once every process knows the first" : "keep it until `sightline keys rotate` has brought it to 0";
}

const STATES = { next: "waits", signs: "signs", verifies: "verifies what it signed" } as const;

function renderSigningKeys(signing: SigningKeys): string {
  const rows = signing.map(({ kid, state, activeFrom }) => [kid, STATES[state], activeFrom.toISOString()]);
  return `${styleText("bold", "Keys that sign access tokens")}\n${renderTable(["key", "state", "signs from"], rows)}`;
}

function withKeys(work: (keys: Keys) => Promise<void>): Promise<void> {
  return onParts("keys", ({ identity, codeIndexKeys, observabilityKeys }) =>
    work({ identity: identity.keys, codeIndex: codeIndexKeys, observability: observabilityKeys }),
  );
}
