import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSignedAudit, deleteAnchorsAfter, rewriteWithout } from "#testing/audit-attacks.ts";
import { createLines, type AuditFixture } from "#testing/audit-fixture.ts";
import { createSealer } from "#keys/sealed-values.ts";
import { makeAnchor } from "./anchor.ts";
import { insertAnchor } from "./anchor.store.ts";
import { outsideAnchorFile } from "./outside-anchor.ts";

let audit: AuditFixture;
let begin: () => Promise<string>;
let home: string;

beforeAll(async () => {
  ({ audit, begin } = await createSignedAudit());
});

beforeEach(async () => {
  home = await begin();
});

afterAll(() => audit.close());

describe("the file of a host", () => {
  test("is for its owner alone, whole, and goes on from where a killed process left it", async () => {
    const file = outsideAnchorFile(home);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ last_id: 48 });
    // Killed between the signature and the file.
    await audit.append();
    await audit.host().run();
    const two = [audit.host({ home }), audit.host({ home })];
    await Promise.all(two.map(({ run }) => run()));

    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ last_id: 49 });
    expect(await readdir(home)).toEqual(["audit-signed-end.json"]);
    expect((await two[0]?.verify())?.intact).toBe(true);
  });

  test("ahead of a database that lost its last commits is a restore to accept", async () => {
    await audit.append();
    await audit.host({ home }).run();
    await audit.rewrite((await audit.rows()).slice(0, 48));
    await deleteAnchorsAfter(audit, 48);
    const host = audit.host({ home });
    await host.run();

    expect((await host.verify()).problem).toContain("Rows 49 to 49");
  });

  test.each([
    ["is a folder", async () => ({ home: join(home, "file", "none") })],
    ["is none that can be made", async () => ({ home: "/proc/none" })],
  ])("that %s is said once, and signing goes on without", async (_why, place) => {
    await writeFile(join(home, "file"), "");
    const { log, messages } = createLines();
    const host = audit.host({ ...(await place()), log });
    for (let minute = 0; minute < 3; minute++) {
      await audit.append();
      await host.run();
    }

    expect(messages()).toEqual(["no signed end of the audit is kept outside of the database; see: sightline doctor"]);
    expect((await audit.anchors()).at(-1)?.last_id).toBe(51);
  });

  test("that holds no signed end is written anew", async () => {
    await writeFile(outsideAnchorFile(home), "half of");
    await audit.host({ home }).run();

    expect(JSON.parse(await readFile(outsideAnchorFile(home), "utf8"))).toMatchObject({ last_id: 48 });
  });

  test("counts after the keys were exchanged while the host was away", async () => {
    const next = createSealer([{ id: "k2", secret: "next-secret-of-the-tests-0123456789abcdef" }]);
    await deleteAnchorsAfter(audit, -1);
    await insertAnchor(audit.database.query, makeAnchor(next, await audit.head(), audit.clock.now()));
    const host = audit.host({ home, sealer: next });
    await audit.append();
    await host.run();
    expect((await host.verify()).intact).toBe(true);

    await rewriteWithout(audit, 20);
    await host.run();
    expect((await host.verify()).intact).toBe(false);
  });
});
