import { styleText } from "node:util";
import { createLog } from "@sightline/foundation/log";
import { prepare, withParts, type Identity } from "#prepare.ts";
import { renderTable } from "#render-table.ts";
import { onDatabase } from "./on-database.ts";

type Status = Awaited<ReturnType<Identity["keys"]["status"]>>;
type RingKey = Status["ring"][number];

/** `sightline keys status`: exits with 1 when a key is missing that something is sealed with. */
export function showKeys(): Promise<void> {
  return withKeys(async (keys) => {
    const { ring, signing } = await keys.status();
    console.log(`${renderRing(ring)}\n\n${renderSigningKeys(signing)}`);
    process.exitCode = ring.some(({ use }) => use === "missing") ? 1 : 0;
  });
}

/** `sightline keys rotate`: exits with 1 when something could not be opened. */
export function rotateKeys({ signing }: { readonly signing: boolean }): Promise<void> {
  return withKeys(async (keys) => (signing ? rotateSigningKey(keys) : reseal(keys)));
}

async function reseal(keys: Identity["keys"]): Promise<void> {
  const { resealed, unopened } = await keys.reseal();
  for (const [purpose, rows] of Object.entries(resealed)) {
    console.log(`${purpose}: ${rows === 0 ? "nothing to do" : `${rows} sealed anew`}`);
  }
  for (const { purpose, id, reason } of unopened) {
    console.error(`${purpose} of ${id} is left as it is. ${reason}`);
  }
  console.log(`\n${renderRing((await keys.status()).ring)}`);
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

function renderRing(ring: readonly RingKey[]): string {
  const purposes = Object.keys(ring[0]?.rows ?? {});
  const rows = ring.map((key) => [key.id, key.use, ...purposes.map((purpose) => String(key.rows[purpose] ?? 0)), adviceOn(key)]);
  return `${styleText("bold", "Keys that seal secrets (ENCRYPTION_KEYS)")}\n${renderTable(["key", "use", ...purposes, ""], rows)}`;
}

function adviceOn({ use, rows }: RingKey): string {
  const sealed = Object.values(rows).reduce((sum, count) => sum + count, 0);
  if (use === "missing") {
    return "add it to ENCRYPTION_KEYS: what it sealed can't be opened";
  }
  if (use === "seals") {
    return "the first: keep it";
  }
  return sealed === 0 ? "may be removed once every process knows the first" : "keep it until `sightline keys rotate` has brought it to 0";
}

const STATES = { next: "waits", signs: "signs", verifies: "verifies what it signed" } as const;

function renderSigningKeys(signing: Status["signing"]): string {
  const rows = signing.map(({ kid, state, activeFrom }) => [kid, STATES[state], activeFrom.toISOString()]);
  return `${styleText("bold", "Keys that sign access tokens")}\n${renderTable(["key", "state", "signs from"], rows)}`;
}

function withKeys(work: (keys: Identity["keys"]) => Promise<void>): Promise<void> {
  return onDatabase(async ({ environment, platform }) => {
    const log = createLog({ name: "keys", level: "warn", destination: process.stderr });
    await prepare(environment, log, platform.SIGHTLINE_WAIT_SECONDS, { firstAdmin: false });
    await withParts(environment, log, ({ identity }) => work(identity.keys));
  });
}
