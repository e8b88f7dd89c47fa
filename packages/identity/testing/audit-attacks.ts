import { readFile } from "node:fs/promises";
import { replaceFile } from "@sightline/foundation/files/replace-file";
import { expect } from "vitest";
import { makeAnchor } from "#audit/anchor.ts";
import { insertAnchor } from "#audit/anchor.store.ts";
import { outsideAnchorFile } from "#audit/outside-anchor.ts";
import { createSealer } from "#keys/sealed-values.ts";
import { AUDIT_START, auditSealer, createAuditFixture, type AuditFixture } from "./audit-fixture.ts";
import { addAccount } from "./identity-database.ts";

type Attacks = Readonly<Record<string, (audit: AuditFixture) => Promise<void>>>;

/** The database is written to by whoever has it alone: without keys, and out of reach of any folder. */
export const ATTACKS: Attacks = {
  "the chain made anew without a row, all signatures deleted": async (audit) => {
    await rewriteWithout(audit, 20);
    await deleteAnchorsAfter(audit, -1);
  },
  "the signatures alone deleted": (audit) => deleteAnchorsAfter(audit, -1),
  "the chain made anew as if it had just begun": async (audit) => {
    await audit.rewrite(await dated(audit, audit.clock.now()));
    await deleteAnchorsAfter(audit, -1);
  },
  "the chain made anew behind the signature of the empty one, with the times that its rows had": async (audit) => {
    await rewriteWithout(audit, 20);
    // Copied by the attacker on the first day.
    await insertAnchor(audit.database.query, makeAnchor(auditSealer, { lastId: 0, rows: 0, hash: Buffer.alloc(32) }, AUDIT_START));
    await deleteAnchorsAfter(audit, 0);
  },
  "the chain made anew behind an early signature, with times before it": async (audit) => {
    const rows = await audit.rows();
    await audit.rewrite([...rows.slice(0, 30), ...rows.slice(0, 20)]);
    await deleteAnchorsAfter(audit, 30);
  },
  "rows behind the signed end that are of no time": async (audit) => {
    const rows = await audit.rows();
    await audit.rewrite([...rows, ...(await dated(audit, new Date(rows[0]?.at ?? 0)))]);
  },
  "everything numbered from another start, without signatures behind": async (audit) => {
    await audit.rewrite(await audit.rows(), 1000);
  },
  "the audit emptied, and its signatures": async (audit) => {
    await audit.rewrite([]);
    await deleteAnchorsAfter(audit, -1);
  },
  "signatures of another installation, with its chain": async (audit) => {
    await audit.rewrite((await audit.rows()).slice(0, 5));
    await deleteAnchorsAfter(audit, -1);
    const other = createSealer([{ id: "k1", secret: "of-another-installation-0123456789abcdef" }]);
    await insertAnchor(audit.database.query, makeAnchor(other, await audit.head(), audit.clock.now(), { accepted: true }));
  },
  "a signature that is dated later than it was": async (audit) => {
    await audit.database.query
      .updateTable("identity.audit_anchors")
      .set({ at: new Date("2030-01-01") })
      .execute();
  },
  "a signature that says that an operator accepted it": async (audit) => {
    await audit.rewrite((await audit.rows()).slice(0, 30));
    await deleteAnchorsAfter(audit, 30);
    await audit.database.query.updateTable("identity.audit_anchors").set({ accepted: true }).execute();
  },
  "the chain cut off, its end and signatures left": async (audit) => {
    await audit.database.query.deleteFrom("identity.audit").where("id", ">", 40).execute();
  },
  "the end deleted": async (audit) => {
    await audit.database.query.deleteFrom("identity.audit_head").execute();
  },
};

/** Attacks that only an end kept outside of the database tells: all that is there was once signed, or is as a new database. */
export const ROLLBACKS: Attacks = {
  "the chain cut back to an earlier signature": async (audit) => {
    await audit.rewrite((await audit.rows()).slice(0, 40));
    await deleteAnchorsAfter(audit, 40);
  },
  "the chain cut back to an earlier signature, and half a day written anew behind it": async (audit) => {
    await audit.rewrite((await audit.rows()).filter(({ id }) => id !== 45));
    await deleteAnchorsAfter(audit, 40);
  },
  "everything deleted, the accounts too": (audit) => audit.empty(),
};

export async function deleteAnchorsAfter({ database }: AuditFixture, lastId: number): Promise<void> {
  await database.query.deleteFrom("identity.audit_anchors").where("last_id", ">", lastId).execute();
}

export async function rewriteWithout(audit: AuditFixture, id: number): Promise<void> {
  await audit.rewrite((await audit.rows()).filter((row) => row.id !== id));
}

async function dated(audit: AuditFixture, at: Date) {
  const [row] = await audit.rows();
  return Array.from({ length: 60 }, () => ({ ...(row ?? expect.fail()), at }));
}

/**
 * Two days of an installation: a row an hour, each signed by a host that keeps the last signed end. `begin` brings it back to
 * there, and makes a folder of such a host.
 */
export async function createSignedAudit() {
  const audit = await createAuditFixture();
  const first = await audit.makeHome();
  const host = audit.host({ home: first });
  await host.run();
  await addAccount(audit.database, "ada@example.org", audit.clock.now());
  for (let hour = 0; hour < 48; hour++) {
    await audit.append();
    await host.run();
    audit.later(60);
  }
  const restore = await audit.remember();
  const kept = await readFile(outsideAnchorFile(first), "utf8");
  return {
    audit,
    begin: async (): Promise<string> => {
      await restore();
      const home = await audit.makeHome();
      await replaceFile(outsideAnchorFile(home), kept);
      return home;
    },
  };
}
