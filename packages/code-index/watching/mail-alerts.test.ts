import { randomUUID } from "node:crypto";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { savedQuerySchema } from "#contract.ts";
import type { Tenant } from "#store/tenancy/tenant.ts";
import { startBuildFixture, type BuildFixture } from "#testing/build-fixture.ts";
import { addAlert } from "./alerts.store.ts";
import { mailNext } from "./mail-alerts.ts";
import { changeSavedSearch, saveSearch } from "./saved-searches.store.ts";

const FOUND = new Date("2026-01-31T12:00:00Z");

let fixture: BuildFixture;
let tenant: Tenant;
let repoId: string;
let sent: { readonly to: string; readonly subject: string; readonly text: string }[];
let addresses: Map<string, string>;
let isDown: boolean;

beforeEach(async () => {
  fixture = await startBuildFixture();
  tenant = await fixture.tenant("one");
  repoId = await fixture.register(tenant, "acme/shop", "https://example.org/acme/shop.git");
  [sent, addresses, isDown] = [[], new Map([["anna", "anna@example.org"]]), false];
});

afterEach(() => fixture.stop());

async function alert(userId: string, name: string, { commit = "c1", matches = 1, byEmail = true } = {}): Promise<void> {
  const of = { tenantId: tenant.tenantId, userId };
  const saved = await saveSearch(fixture.database, {
    ...of,
    name,
    query: savedQuerySchema.parse({ kind: "grep", query: name }),
    now: FOUND,
  });
  const id = saved?.id ?? "";
  await changeSavedSearch(fixture.database, { ...of, id }, { watch: true, by_email: byEmail });
  const lines = [{ path: "secret.ts", line: 1, text: "kingfisher" }];
  await addAlert(fixture.database, {
    tenant,
    searchId: id,
    repoId,
    ref: "main",
    base: "c0",
    commit,
    matches,
    lines,
    note: null,
    now: FOUND,
  });
}

/** Mails all that is due so many seconds after it was found, by two processes at once. */
async function mailAt(seconds: number): Promise<typeof sent> {
  const mailing = {
    publicUrl: "https://sightline.example.org/",
    addressOf: async (tenantId: string, userId: string) => (tenantId === tenant.tenantId ? addresses.get(userId) : undefined),
    send: async (mail: (typeof sent)[number]) => (isDown ? Promise.reject(new Error("down")) : void sent.push(mail)),
  };
  const clock = { now: () => new Date(FOUND.getTime() + seconds * 1_000) };
  const never = new AbortController().signal;
  const process = async () => {
    while (await mailNext({ database: fixture.database, mailing, log: silentLog, clock }, never)) {
      // The next mail.
    }
  };
  await Promise.all([process(), process()]);
  return sent.splice(0);
}

test("one mail a person and a push, with names and counts and no code", async () => {
  await alert("anna", "eval(", { matches: 3 });
  await alert("anna", "token");
  await alert("anna", "silent", { byEmail: false });
  await alert("bert", "token");
  expect(await mailAt(30)).toEqual([]);
  const [mail, ...others] = await mailAt(90);
  expect(others).toEqual([]);
  expect(mail).toMatchObject({ to: "anna@example.org", subject: "New code in acme/shop" });
  expect(mail?.text).toContain("- eval(: 3 new lines\n- token: 1 new line\n");
  expect(mail?.text).toContain("https://sightline.example.org/code");
  expect(mail?.text).not.toMatch(/silent|kingfisher|secret/);
  expect(await mailAt(1_000)).toEqual([]);
  await alert("anna", "token", { commit: "c2" });
  expect(await mailAt(1_000)).toHaveLength(1);
});

test("a mail that could not be sent is tried again, for a day; of a repository that is gone nobody is mailed", async () => {
  await alert("anna", "token");
  isDown = true;
  expect(await mailAt(90)).toEqual([]);
  isDown = false;
  expect(await mailAt(100)).toEqual([]);
  expect(await mailAt(500)).toHaveLength(1);
  await alert("anna", "token", { commit: "c2" });
  expect(await mailAt(90_000)).toEqual([]);
  await alert("anna", "token", { commit: randomUUID() });
  await sql`update codeindex.repositories set deleting_at = now()`.execute(fixture.database.query);
  expect(await mailAt(90)).toEqual([]);
});
