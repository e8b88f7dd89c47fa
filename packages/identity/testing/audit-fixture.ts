import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog, type Logger } from "@sightline/foundation/log";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { sql } from "kysely";
import { expect } from "vitest";
import { acceptRestore } from "#audit/accept-restore.ts";
import { readHead } from "#audit/audit-chain.store.ts";
import { appendAudit } from "#audit/audit.store.ts";
import { CHAIN_START, extendChain, type UnchainedRow } from "#audit/chain.ts";
import { createAnchors, type AnchorPlaces } from "#audit/keep-anchors.ts";
import { createOutsideAnchor } from "#audit/outside-anchor.ts";
import { verifyAudit } from "#audit/verify-audit.ts";
import type { ChainExpectations } from "#audit/walk-chain.ts";
import { createSealer, type Sealer } from "#keys/sealed-values.ts";
import { createIdentityDatabase, type IdentityDatabase } from "./identity-database.ts";

export const AUDIT_START = new Date("2026-03-01T12:00:00Z");

export const auditSealer = createSealer([{ id: "k1", secret: "ring-secret-of-the-tests-0123456789abcdef" }]);

/** A log, and the messages that it got. */
export function createLines() {
  const lines: string[] = [];
  const log = createLog({ name: "identity", level: "info", destination: { write: (line) => void lines.push(line) } });
  return { log, messages: () => lines.map((line): unknown => JSON.parse(line).msg) };
}

/** A folder of a host, none, or what signs, seals and logs there. */
type Host = Partial<AnchorPlaces> & { readonly home?: string | undefined; readonly sealer?: Sealer; readonly log?: Logger };

export type AuditFixture = Awaited<ReturnType<typeof createAuditFixture>>;

/** Audits of their own databases, hosts that sign them, and what a writer of a database does to them. */
export async function createAuditFixture() {
  const database: IdentityDatabase = await createIdentityDatabase();
  const queries = database.query;
  const folder = await mkdtemp(join(tmpdir(), "sightline-audit-"));
  let now = AUDIT_START;
  const clock = { now: () => now };

  async function writeChain(rows: readonly UnchainedRow[]): Promise<void> {
    const chained = extendChain(CHAIN_START, rows);
    await queries.deleteFrom("identity.audit").execute();
    await (chained.length === 0
      ? undefined
      : queries
          .insertInto("identity.audit")
          .values([...chained])
          .execute());
    const { id, hash } = chained.at(-1) ?? { id: 0, hash: CHAIN_START };
    await sql`delete from identity.audit_head`.execute(queries);
    await queries.insertInto("identity.audit_head").values({ last_id: id, rows: chained.length, hash }).execute();
  }

  async function empty(): Promise<void> {
    await writeChain([]);
    await queries.deleteFrom("identity.audit_anchors").execute();
    await queries.deleteFrom("identity.users").execute();
  }

  function host({ home, sealer = auditSealer, log = silentLog, file, url }: Host = {}) {
    const audited = { queries, sealer, clock, log, outside: createOutsideAnchor({ home, log }) };
    const { run, sign, check } = createAnchors({ ...audited, file, url });
    return {
      run,
      sign,
      check,
      verify: (expected?: ChainExpectations) => verifyAudit(audited, expected),
      accept: (head: string) => acceptRestore(audited, { head, by: "ada@host" }),
    };
  }

  return {
    database,
    clock,
    folder,
    host,
    makeHome: () => mkdtemp(join(folder, "host-")),
    later: (minutes: number) => void (now = new Date(now.getTime() + minutes * 60_000)),
    append: (count = 1) =>
      queries.transaction().execute(async (transaction) => {
        await appendAudit(transaction, ...Array.from({ length: count }, () => ({ event: "login_ok", at: now }) as const));
      }),
    empty,
    /** An empty database, which no host has signed, at the time of its making. */
    reset: async () => {
      now = AUDIT_START;
      await empty();
    },
    /** @returns what brings audit, signatures and time back to where they are now. */
    remember: async () => {
      const at = now;
      const rows = await queries.selectFrom("identity.audit").selectAll().orderBy("id").execute();
      const anchors = await queries.selectFrom("identity.audit_anchors").selectAll().execute();
      const users = await queries.selectFrom("identity.users").selectAll().execute();
      return async () => {
        now = at;
        await empty();
        await writeChain(rows);
        await queries.insertInto("identity.users").values(users).execute();
        await queries.insertInto("identity.audit_anchors").values(anchors).execute();
      };
    },
    head: async () => (await readHead(queries)) ?? expect.fail("The end of the chain is gone."),
    rows: () => queries.selectFrom("identity.audit").selectAll().orderBy("id").execute(),
    anchors: () => queries.selectFrom("identity.audit_anchors").selectAll().orderBy("last_id").execute(),
    /** Chains these rows anew, under numbers without gaps. */
    rewrite: (rows: readonly UnchainedRow[], firstId = 1) => writeChain(rows.map((row, index) => ({ ...row, id: firstId + index }))),
    close: async () => {
      await database.drop();
      await rm(folder, { recursive: true });
    },
  };
}
