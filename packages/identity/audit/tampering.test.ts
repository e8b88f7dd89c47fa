import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ATTACKS, createSignedAudit, ROLLBACKS } from "#testing/audit-attacks.ts";
import { createLines, type AuditFixture } from "#testing/audit-fixture.ts";
import { addAccount } from "#testing/identity-database.ts";

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

describe.each(["on a host that kept its last signed end", "on a new host without any"])("a process that starts %s", (which) => {
  const isKept = which.includes("kept");

  test.each(Object.entries({ ...ATTACKS, ...(isKept ? ROLLBACKS : {}) }))(
    "signs nothing, and verification fails: %s",
    async (_attack, attack) => {
      const { log, messages } = createLines();
      await attack(audit);
      const before = await audit.anchors();

      const hosts = Array.from({ length: 2 }, () => audit.host({ home: isKept ? home : undefined, log }));
      for (let minute = 0; minute < 2; minute++) {
        await Promise.all(hosts.map(({ run }) => run()));
      }

      expect(await audit.anchors()).toEqual(before);
      for (const { verify, check } of hosts) {
        expect(await verify()).toMatchObject({ intact: false, problem: expect.stringMatching(/\.$/) });
        await expect(check.check()).rejects.toThrow(/chain|signature|signed|audit/);
      }
      // Once a process, however often it looks.
      expect(messages().filter((message) => String(message).includes("sightline audit verify"))).toHaveLength(2);
      await audit.host({ home: isKept ? home : undefined }).run();
      expect(await audit.anchors()).toEqual(before);
    },
  );

  test("and finds nothing wrong goes on to sign", async () => {
    const { log, messages } = createLines();
    const host = audit.host({ home: isKept ? home : undefined, log });
    await audit.append();
    await host.run();
    await host.run();

    expect((await audit.anchors()).at(-1)?.last_id).toBe(49);
    expect(await host.verify()).toMatchObject({ intact: true, rows: 49 });
    await host.check.check();
    expect(messages()).toEqual(isKept ? [] : ["no signed end of the audit is kept outside of the database; see: sightline doctor"]);
  });
});

describe.each(Object.entries(ROLLBACKS))("%s", (_name, attack) => {
  test("is not found by a host without a folder that was not there before: documented", async () => {
    await attack(audit);
    const host = audit.host();
    await host.run();

    expect((await host.verify()).intact).toBe(true);
  });

  test("is found by a running process without a folder", async () => {
    const host = audit.host();
    await host.run();
    await attack(audit);
    await host.run();

    expect((await host.verify()).intact).toBe(false);
  });
});

test("two replicas, each with a folder, and a new one with an empty one sign a new database at once, and find it whole", async () => {
  await audit.reset();
  const homes = await Promise.all([audit.makeHome(), audit.makeHome(), audit.makeHome()]);
  const first = homes.slice(0, 2).map((own) => audit.host({ home: own }));
  await Promise.all(first.map(({ run }) => run()));
  await addAccount(audit.database, "ada@example.org", audit.clock.now());
  await audit.append(3);
  const all = homes.map((own) => audit.host({ home: own }));
  await Promise.all(all.map(({ run }) => run()));

  expect((await audit.anchors()).map(({ last_id: lastId }) => lastId)).toEqual([0, 3]);
  for (const { verify, check } of [...first, ...all]) {
    expect((await verify()).intact).toBe(true);
    await check.check();
  }
});

test("a database that is new is refused where an account is older than its audit", async () => {
  await audit.reset();
  await addAccount(audit.database, "ada@example.org", audit.clock.now());
  const host = audit.host();
  await host.run();

  expect(await audit.anchors()).toEqual([]);
  expect((await host.verify()).problem).toContain("the audit was emptied");
});
