import { createPublicKey } from "node:crypto";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;

beforeEach(async () => {
  subject = await createIdentityFixture({ withoutSigningKey: true });
});

afterEach(() => subject.close());

function storedKeys() {
  return subject.database.query.selectFrom("identity.signing_keys").selectAll().execute();
}

describe("signing keys", () => {
  test("replicas that start at once agree on one key of 3072 bits", needsRealPostgres, async () => {
    const replicas = await Promise.all(Array.from({ length: 4 }, () => subject.replica()));

    await Promise.all(replicas.map(({ identity }) => identity.start()));

    expect(await storedKeys()).toHaveLength(1);
    const published = await Promise.all(replicas.map(({ server }) => server.inject({ url: "/.well-known/jwks.json" })));
    expect(new Set(published.map(({ body }) => body)).size).toBe(1);
    const [key] = published[0]?.json<{ keys: [{ kty: string; n: string; e: string }] }>().keys ?? [];
    expect(createPublicKey({ key: { ...key }, format: "jwk" }).asymmetricKeyDetails?.modulusLength).toBe(3072);
  });

  test("a second start keeps the key", async () => {
    await subject.identity.start();
    const before = await storedKeys();
    const { identity } = await subject.replica();
    await identity.start();

    expect(await storedKeys()).toEqual(before);
  });

  test("the private key is stored sealed", async () => {
    await subject.identity.start();

    const [key] = await storedKeys();

    expect(key?.private_key).toMatch(/^v1\.k1\./);
    expect(JSON.stringify(key)).not.toMatch(/PRIVATE|"d"/);
  });

  test("a start with another key ring fails, says what to do, and makes no new key", async () => {
    await subject.identity.start();
    const { identity } = await subject.replica({ environment: { ENCRYPTION_KEYS: "k9:another-secret-0123456789-0123456789" } });

    await expect(identity.start()).rejects.toThrow("sealed with the key k1, which ENCRYPTION_KEYS does not hold. Add it there.");
    await expect(identity.checks.find(({ name }) => name === "signing-key")?.check()).rejects.toThrow("ENCRYPTION_KEYS");
    expect(await storedKeys()).toHaveLength(1);
  });

  test("all checks pass on a started identity", async () => {
    await subject.identity.start();

    for (const { check } of subject.identity.checks) {
      await expect(check()).resolves.toBeUndefined();
    }
  });
});

test("GET /.well-known/jwks.json publishes the public half alone, to be cached for minutes", async () => {
  const answer = await subject.server.inject({ url: "/.well-known/jwks.json" });

  expect(answer.statusCode).toBe(200);
  expect(answer.headers["cache-control"]).toBe("public, max-age=300");
  expect(answer.json()).toEqual({
    keys: [{ kty: "RSA", kid: expect.any(String), use: "sig", alg: "RS256", n: expect.any(String), e: "AQAB" }],
  });
});

test("GET /.well-known/oauth-authorization-server names the issuer of the tokens and where their keys are", async () => {
  const answer = await subject.server.inject({ url: "/.well-known/oauth-authorization-server" });

  expect(answer.json()).toMatchObject({
    issuer: "http://localhost:3000",
    token_endpoint: "http://localhost:3000/api/identity/oauth/token",
    jwks_uri: "http://localhost:3000/api/identity/.well-known/jwks.json",
    grant_types_supported: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange"],
  });
});

test("GET /docs/json describes every route in a sentence", async () => {
  const { paths } = (await subject.server.inject({ url: "/docs/json" })).json<{ paths: Record<string, Record<string, object>> }>();

  expect(Object.keys(paths)).toContain("/.well-known/credential-epochs");
  for (const [path, operations] of Object.entries(paths)) {
    for (const operation of Object.values(operations)) {
      expect(operation, path).toMatchObject({ summary: expect.stringMatching(/^\S.{5,}/), tags: [expect.any(String)] });
    }
  }
});
