import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;

beforeAll(async () => {
  subject = await createIdentityFixture();
});

afterAll(() => subject.close());

test("a command's token is an admin's of one tenant for ten minutes, audited, and opens none of identity's own routes", async () => {
  const { identity, database, server } = subject;
  const tenant = await identity.ensureTenant("default");
  const token = await identity.issueCommandToken({ tenantId: tenant.id, purpose: "demo" });

  const claims = decodeJwt(token);
  expect(claims).toMatchObject({ aud: "sightline", tid: tenant.id, role: "admin", amr: ["command"] });
  expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(600);

  const answer = await server.inject({ url: "/login/me", headers: { authorization: `Bearer ${token}` } });
  expect(answer.statusCode).toBe(401);

  const audit = await database.query.selectFrom("identity.audit").selectAll().where("event", "=", "token_issued").execute();
  expect(audit.map(({ tenant_id: tenantId, details }) => ({ tenantId, details }))).toEqual([
    { tenantId: tenant.id, details: { purpose: "demo", jti: claims.jti } },
  ]);
});
