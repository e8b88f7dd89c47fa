import { createOddDatabase, needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { expect, test } from "vitest";
import { ask, createAdmin, createMember, signIn } from "#testing/administration.ts";
import { createIdentityFixture } from "#testing/identity-fixture.ts";
import { identityMigrations } from "#index.ts";
import type { IdentitySchema } from "#schema.ts";

test("in a Turkish database an address is one account, found in either case", needsRealPostgres, async () => {
  const subject = await createIdentityFixture({ database: await createOddDatabase<IdentitySchema>({}, identityMigrations) });
  try {
    const admin = await createAdmin(subject, "ADMIN@INSTALL.example");
    await createMember(subject, admin, "Ipek@example.org");
    for (const email of ["admin@install.example", "Admin@Install.example"]) {
      expect((await signIn(subject, email)).id).toBe(admin.id);
    }
    const again = await ask(subject.server, admin, "POST", "/admin/users", { email: "IPEK@EXAMPLE.ORG", name: "Ipek" });
    expect(again.statusCode).toBe(409);
    const found = await ask(subject.server, admin, "GET", "/admin/users?search=INSTALL");
    expect(found.json()).toMatchObject({ users: [{ id: admin.id }] });
  } finally {
    await subject.close();
  }
});
