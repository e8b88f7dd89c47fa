import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ATTACKS, createSignedAudit, deleteAnchorsAfter, ROLLBACKS } from "#testing/audit-attacks.ts";
import type { AuditFixture } from "#testing/audit-fixture.ts";

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

describe("a restored backup", () => {
  const head = async () => (await audit.host().verify()).head;

  test("is signed once an operator accepted it, for every host, and the audit tells of it", async () => {
    const away = await audit.makeHome();
    await audit.host({ home: away }).run();
    const given = await audit.host({ home }).verify();
    await ROLLBACKS["the chain cut back to an earlier signature"]?.(audit);
    const hosts = [audit.host({ home }), audit.host({ home: away })];
    await Promise.all(hosts.map(({ run }) => run()));
    await audit.append();
    expect((await audit.anchors()).at(-1)?.last_id).toBe(40);

    await hosts[0]?.accept(await head());
    for (const host of [...hosts, audit.host({ home }), audit.host({ home: away })]) {
      await host.run();
      await host.check.check();
      expect(await host.verify()).toMatchObject({ intact: true, rows: 42, acceptedAt: audit.clock.now() });
    }
    expect((await audit.rows()).at(-1)).toMatchObject({
      event: "audit_restore_accepted",
      at: audit.clock.now(),
      details: {
        by: "ada@host",
        origin: "command",
        from: `row 48, signed at 2026-03-03T11:00:00.000Z, ${given.head}`,
        to: expect.stringMatching(/^row 41, [0-9a-f]{64}$/),
      },
    });

    // Ends that are signed from now on count again, and so do those behind them.
    await audit.append();
    audit.later(1);
    await hosts[0]?.run();
    await audit.rewrite((await audit.rows()).slice(0, 42));
    await deleteAnchorsAfter(audit, 42);
    await hosts[1]?.run();
    expect((await audit.host({ home }).verify()).intact).toBe(false);
  });

  test("that is accepted is not accepted once more by whoever goes back to it", async () => {
    const away = await audit.makeHome();
    await audit.host({ home }).accept(await head());
    audit.later(1);
    await audit.append(2);
    await audit.host({ home: away }).run();
    await audit.rewrite((await audit.rows()).slice(0, 49));
    await deleteAnchorsAfter(audit, 49);
    const host = audit.host({ home: away });
    await host.run();

    expect((await host.verify()).intact).toBe(false);
  });

  test("stays refused when its rows do not fit each other, or the operator saw another head", async () => {
    const host = audit.host({ home });
    await expect(host.accept("ab".repeat(32))).rejects.toThrow("Nothing was accepted. The head that was expected is not in this chain");
    await audit.database.query.updateTable("identity.audit").set({ ip: "203.0.113.9" }).where("id", "=", 7).execute();
    const seen = (await audit.rows()).at(5)?.hash.toString("hex") ?? "";
    await expect(host.accept(seen)).rejects.toThrow("Row 7 is not what was written there");
    expect((await audit.rows()).map(({ event }) => event)).not.toContain("audit_restore_accepted");
  });

  test.each(Object.entries(ATTACKS).filter(([name]) => !/end deleted|cut off|another start/.test(name)))(
    "or whatever an operator takes for one is whole again once it is accepted: %s",
    async (_attack, attack) => {
      await attack(audit);
      const host = audit.host({ home });
      await host.run();
      await host.accept(await head());
      await audit.append();
      await host.run();

      expect(await host.verify()).toMatchObject({ intact: true });
      expect((await audit.anchors()).at(-1)?.last_id).toBe((await audit.rows()).length);
    },
  );
});
