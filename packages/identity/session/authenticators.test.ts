import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from "jose";
import { z } from "zod";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccessTokenVerifier } from "@sightline/foundation/http/access-token";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { getPrincipal } from "@sightline/foundation/http/principal";
import { createSealer } from "#keys/sealed-values.ts";
import { accessTokenOf, createAccount, createIdentityFixture, logIn, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
let token: string;
let address: string;

/** One route of each class. */
function guardedRoutes(server: HttpServer): void {
  for (const auth of ["session", "admin", "session-or-password-change"]) {
    const response = { 200: z.object({ tenantId: z.string(), role: z.string() }) };
    server.get(`/guarded/${auth}`, { config: { auth }, schema: { response } }, (request) => {
      const principal = getPrincipal(request);
      return principal.kind === "user" ? { tenantId: principal.tenantId, role: principal.role } : { tenantId: "", role: "" };
    });
  }
}

beforeAll(async () => {
  subject = await createIdentityFixture({ routes: [guardedRoutes], environment: { REGISTRATION: "open" } });
  await createAccount(subject.identity, "ada@example.org");
  token = await accessTokenOf(subject.server, "ada@example.org");
  address = await subject.server.listen({ host: "127.0.0.1", port: 0 });
});

afterAll(() => subject.close());

function ask(auth: string, bearer: string) {
  return subject.server.inject({ url: `/guarded/${auth}`, headers: { authorization: `Bearer ${bearer}` } });
}

/** A token that differs from a good one as told, signed with the real key. */
async function forge(claims: object, header: object = {}): Promise<string> {
  const row = await subject.database.query.selectFrom("identity.signing_keys").selectAll().executeTakeFirstOrThrow();
  const sealer = createSealer([{ id: "k1", secret: "ring-secret-of-the-tests-0123456789abcdef" }]);
  const key = createPrivateKey({
    key: sealer.open(row.private_key, { purpose: "signing_keys.private_key", subject: row.kid }),
    format: "der",
    type: "pkcs8",
  });
  return new SignJWT({ ...decodeJwt(token), ...claims })
    .setProtectedHeader({ alg: "RS256", typ: "at+jwt", kid: row.kid, ...header })
    .sign(key);
}

describe("an access token", () => {
  test("opens what asks for a session and tells who it is", async () => {
    const [tenant] = await subject.identity.listTenants();
    for (const auth of ["session", "admin", "session-or-password-change"]) {
      const answer = await ask(auth, token);
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toEqual({ tenantId: tenant?.id, role: "admin" });
    }
  });

  test("a rebuilt one is good, so that the refusals below are for their one difference", async () => {
    expect((await ask("session", await forge({}))).statusCode).toBe(200);
  });

  test("is refused without a signature, changed, of another key, issuer, type or audience, expired, or of another epoch", async () => {
    const now = subject.clock.now().getTime() / 1000;
    const [head = "", body = "", signature = ""] = token.split(".");
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const { kid = "" } = decodeProtectedHeader(token);
    const jwks = await subject.server.inject({ url: "/.well-known/jwks.json" });
    const forged = {
      none: new UnsecuredJWT(decodeJwt(token)).encode(),
      changed: [head, Buffer.from(JSON.stringify({ ...decodeJwt(token), role: "member" })).toString("base64url"), signature].join("."),
      unsigned: [head, body, ""].join("."),
      otherKey: await new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: "RS256", typ: "at+jwt", kid }).sign(privateKey),
      unknownKeyId: await new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: "RS256", typ: "at+jwt", kid: "x" }).sign(privateKey),
      publicKeyAsSecret: await new SignJWT(decodeJwt(token))
        .setProtectedHeader({ alg: "HS256", typ: "at+jwt", kid })
        .sign(Buffer.from(jwks.body)),
      otherIssuer: await forge({ iss: "https://evil.example.com" }),
      otherType: await forge({}, { typ: "JWT" }),
      feed: await forge({}, { typ: "epochs+jwt" }),
      otherAudience: await forge({ aud: "something-else" }),
      expired: await forge({ exp: now - 31 }),
      issuedAhead: await forge({ iat: now + 60 }),
      lastingLonger: await forge({ exp: now + 10 * 365 * 24 * 3600 }),
      severalAudiences: await forge({ aud: ["sightline", "something-else"] }),
      noKeyId: await forge({}, { kid: undefined }),
      otherEpoch: await forge({ epoch: 0 }),
      otherUser: await forge({ sub: "018f3d5e-0000-7000-8000-000000000000" }),
      noSession: await forge({ sid: undefined }),
      nothing: "",
      noise: "a.b.c",
    };
    for (const [name, bearer] of Object.entries(forged)) {
      const answer = await ask("session-or-password-change", bearer);
      expect([name, answer.statusCode]).toEqual([name, 401]);
      expect(answer.json()).toMatchObject({ error: "auth_failed" });
      expect(answer.headers["www-authenticate"]).toBe("Bearer");
    }
  });

  test("of someone with a one-time password opens nothing but its replacement", async () => {
    const { oneTimePassword = "" } = await subject.identity.createAdmin({ email: "new@example.org", name: "New", tenantName: "default" });
    const limited = await accessTokenOf(subject.server, "new@example.org", oneTimePassword);

    expect((await ask("session-or-password-change", limited)).statusCode).toBe(200);
    for (const auth of ["session", "admin"]) {
      const answer = await ask(auth, limited);
      expect(answer.statusCode).toBe(403);
      expect(answer.json()).toMatchObject({ error: "password_change_required" });
    }
  });

  test("of a member opens no admin route", async () => {
    const member = { email: "member@example.org", password: "seven green lanterns", name: "Member" };
    await subject.server.inject({ method: "POST", url: "/api/v1/auth/register", payload: member });

    const answer = await ask("admin", await accessTokenOf(subject.server, "member@example.org"));

    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({ error: "admin_only" });
  });
});

describe("the other parts, who know the address of the keys alone", () => {
  const verifierOf = () =>
    createAccessTokenVerifier({
      log: silentLog,
      jwksUrl: `${address}/.well-known/jwks.json`,
      audience: "sightline",
      issuer: "http://localhost:3000",
    });

  test("accept our access token and read it as meant", async () => {
    const [tenant] = await subject.identity.listTenants();

    expect(await verifierOf().verify(token)).toEqual({
      subject: decodeJwt(token).sub,
      tenantId: tenant?.id,
      role: "admin",
      issuedAt: subject.clock.now(),
      authenticatedAt: subject.clock.now(),
      sessionId: decodeJwt(token)["sid"],
      epoch: 1,
    });
  });

  test("accept it whichever replica signed it", async () => {
    const { server } = await subject.replica();

    const other = (await logIn(server, "ada@example.org")).json<{ access_token: string }>().access_token;

    expect((await verifierOf().verify(other)).subject).toBe(decodeJwt(token).sub);
  });

  test("refuse the token of someone who has yet to replace a one-time password", async () => {
    const { oneTimePassword = "" } = await subject.identity.createAdmin({
      email: "fresh@example.org",
      name: "Fresh",
      tenantName: "default",
    });
    const limited = await accessTokenOf(subject.server, "fresh@example.org", oneTimePassword);

    await expect(verifierOf().verify(limited)).rejects.toThrow("claim aud is not accepted");
  });

  test("refuse one without a signature, changed or of another key", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const { kid = "" } = decodeProtectedHeader(token);
    const [head = "", , signature = ""] = token.split(".");
    const changed = Buffer.from(JSON.stringify({ ...decodeJwt(token), tid: "another" })).toString("base64url");

    await expect(verifierOf().verify(new UnsecuredJWT(decodeJwt(token)).encode())).rejects.toThrow("not valid");
    await expect(verifierOf().verify(`${head}.${changed}.${signature}`)).rejects.toThrow("not valid");
    await expect(
      verifierOf().verify(await new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: "RS256", kid }).sign(privateKey)),
    ).rejects.toThrow("not valid");
  });
});
