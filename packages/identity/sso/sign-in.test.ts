import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ask, type Person } from "#testing/administration.ts";
import { startCompanyProvider, type CompanyProvider } from "#testing/company-provider.ts";
import { signInAt } from "#testing/company-sign-in.ts";
import { createSsoAdmin, saveSso, settingsFor } from "#testing/company-tenant.ts";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
let provider: CompanyProvider;
let admin: Person;

const ANN = { sub: "ann-1", claims: { email: "Ann@acme.example", email_verified: true, name: "Ann" } };

beforeAll(async () => {
  provider = await startCompanyProvider();
  subject = await createIdentityFixture({ environment: { IDENTITY_ALLOW_PRIVATE_HOSTS: "127.0.0.1" } });
});

beforeEach(async () => {
  await subject.database.query.deleteFrom("identity.sso_providers").execute();
  await subject.database.query.deleteFrom("identity.users").execute();
  admin = await createSsoAdmin(subject, "root@sightline.example");
});

afterAll(async () => {
  await subject.close();
  await provider.stop();
});

describe("a sign-in by the company's provider", () => {
  test("makes the account just in time and opens a session of it", async () => {
    const id = await saveSso(subject, admin, settingsFor(provider));
    await provider.tell({ person: ANN });

    const answer = await signInAt(subject.server, id);

    expect(answer.json()).toMatchObject({ token_type: "bearer" });
    const { access_token: token } = answer.json<{ access_token: string }>();
    expect(decodeJwt(token)).toMatchObject({ aud: "sightline", role: "member", amr: ["sso"] });
    expect((await ask(subject.server, { token }, "GET", "/login/me")).json()).toMatchObject({ email: "Ann@acme.example", name: "Ann" });
  });
});
