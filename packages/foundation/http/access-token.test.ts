import { silentLog } from "#testing/silent-log.ts";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { promisify } from "node:util";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createLog } from "#log.ts";
import { AccessTokenError, createAccessTokenVerifier, type AccessTokenVerifier } from "./access-token.ts";

const AUDIENCE = "sightline";
const ISSUER = "https://sightline.example";

/** `undefined` takes a claim away. */
type Claims = Readonly<Record<string, unknown>>;
type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

let signing: KeyPair;
let foreign: KeyPair;
let published: readonly object[];
let fetches: number;
let isDown: boolean;
let jwks: Server;
let jwksUrl: string;
let verifier: AccessTokenVerifier;

beforeAll(async () => {
  signing = await generateKeyPair("RS256", { extractable: true });
  foreign = await generateKeyPair("RS256");
  jwks = createServer((_request, response) => {
    fetches += 1;
    if (isDown) {
      response.writeHead(503).end();
      return;
    }
    response.setHeader("content-type", "application/json").end(JSON.stringify({ keys: published }));
  }).listen(0, "127.0.0.1");
  await once(jwks, "listening");
  const address = jwks.address();
  jwksUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/jwks`;
});

afterAll(() => {
  jwks.close();
});

beforeEach(async () => {
  fetches = 0;
  isDown = false;
  published = [{ ...(await exportJWK(signing.publicKey)), kid: "one", alg: "RS256", use: "sig" }];
  verifier = createAccessTokenVerifier({ log: silentLog, jwksUrl, audience: AUDIENCE, issuer: ISSUER });
});

afterEach(() => void vi.useRealTimers());

describe("a token that identity signed", () => {
  test("tells subject, tenant, role, session and when it was proven", async () => {
    const claims = await verifier.verify(await sign({ role: "admin", sid: "s1", epoch: 3, auth_time: 1_700_000_000 }));
    expect(claims).toMatchObject({ subject: "ada", tenantId: "t1", role: "admin", sessionId: "s1", epoch: 3 });
    expect(claims.authenticatedAt).toEqual(new Date(1_700_000_000_000));
  });

  test("is a member's when it names no role, authenticated when it was issued", async () => {
    const claims = await verifier.verify(await sign({}));
    expect(claims.role).toBe("member");
    expect(claims.authenticatedAt).toEqual(claims.issuedAt);
  });

  test("is accepted from any issuer when none is asked for", async () => {
    const anyIssuer = createAccessTokenVerifier({ log: silentLog, jwksUrl, audience: AUDIENCE });
    await expect(anyIssuer.verify(await sign({ iss: "https://elsewhere.example" }))).resolves.toMatchObject({ subject: "ada" });
  });

  test("costs one fetch of the keys, however many come", async () => {
    await Promise.all(Array.from({ length: 10 }, async () => verifier.verify(await sign({}))));
    expect(fetches).toBe(1);
  });
});

describe("a token of an app", () => {
  const aud = "https://code.example/mcp";
  const grantId = "0198c0de-0000-7000-8000-000000000001";
  const repository = "0198c0de-0000-7000-8000-000000000002";
  const app: Claims = { aud, sid: grantId, epoch: 1, traces: false };
  const verify = async (claims: Claims) => {
    const forApps = createAccessTokenVerifier({ log: silentLog, jwksUrl, audience: AUDIENCE, appAudience: aud, issuer: ISSUER });
    return forApps.verify(await sign(claims));
  };

  test("tells what it was allowed, and is no token of a session", async () => {
    await expect(verify(app)).resolves.toMatchObject({
      subject: "ada",
      app: { grantId, repositories: undefined, traces: false, evaluation: false },
    });
    const kept = { ...app, repositories: [repository], traces: true, evaluation: true };
    await expect(verify(kept)).resolves.toMatchObject({ app: { repositories: [repository], traces: true, evaluation: true } });
  });

  test("leaves those of sessions as they are, whatever else they claim", async () => {
    const claims = await verify({ sid: grantId, epoch: 1, traces: false, repositories: [repository] });
    expect(claims.app).toBeUndefined();
  });

  test.each<readonly [string, Claims]>([
    ["says less, with its audience in a list", { ...app, aud: [aud], traces: undefined }],
    ["is for sessions as well", { ...app, aud: [aud, AUDIENCE] }],
    ["does not say whether it opens traces", { ...app, traces: undefined }],
    ["names no grant", { ...app, sid: undefined }],
    ["names no epoch", { ...app, epoch: undefined }],
    ["is kept to nothing", { ...app, repositories: [] }],
    ["is kept to what is no list", { ...app, repositories: repository }],
  ])("is refused when it %s", async (_what, claims) => {
    await expect(verify(claims)).rejects.toThrow(AccessTokenError);
  });

  test("is refused where apps are not let in", async () => {
    await expect(verifier.verify(await sign(app))).rejects.toThrow(AccessTokenError);
  });
});

describe("a refused token", () => {
  test.each<[string, Claims, string]>([
    ["has expired", { exp: secondsFromNow(-31) }, "the access token has expired; log in again"],
    ["is for another audience", { aud: "elsewhere" }, "the access token's claim aud is not accepted"],
    ["is from another issuer", { iss: "https://elsewhere.example" }, "the access token's claim iss is not accepted"],
    ["names no tenant", { tid: undefined }, "the access token's claim tid is not accepted"],
    ["names no subject", { sub: undefined }, "the access token's claim sub is not accepted"],
    ["never expires", { exp: undefined }, "the access token's claim exp is not accepted"],
    ["does not say when it was issued", { iat: undefined }, "the access token's claim iat is not accepted"],
    ["is not valid yet", { nbf: secondsFromNow(60) }, "the access token's claim nbf is not accepted"],
    ["was issued in the future", { iat: secondsFromNow(60) }, "the access token's claim iat is not accepted"],
    ["was issued more than an hour ago", { iat: secondsFromNow(-3_700), nbf: undefined }, "the access token has expired; log in again"],
    ["is to last for longer than an hour", { exp: secondsFromNow(3_700) }, "the access token's claim exp is not accepted"],
    ["is for several audiences", { aud: [AUDIENCE, "elsewhere"] }, "the access token's claim aud is not accepted"],
    ["names an empty tenant", { tid: "" }, "a required claim of the access token is missing or malformed"],
    ["names an unknown role", { role: "root" }, "a required claim of the access token is missing or malformed"],
  ])("%s", async (_case, claims, reason) => {
    await expect(verifier.verify(await sign(claims))).rejects.toThrow(new AccessTokenError(reason));
  });

  test("with its one audience in a list is what it is without the list", async () => {
    expect(await verifier.verify(await sign({ aud: [AUDIENCE] }))).toMatchObject({ subject: "ada" });
    await expect(verifier.verify(await sign({ aud: [AUDIENCE, AUDIENCE] }))).rejects.toThrow(AccessTokenError);
    await expect(verifier.verify(await sign({ aud: [] }))).rejects.toThrow(AccessTokenError);
  });

  test("a clock that is half a minute off is forgiven", async () => {
    await expect(verifier.verify(await sign({ exp: secondsFromNow(-20) }))).resolves.toMatchObject({ subject: "ada" });
  });

  test("one that has expired since then counted at that time, and before it was issued at none", async () => {
    const token = await sign({ iat: secondsFromNow(-120), nbf: secondsFromNow(-120), exp: secondsFromNow(-60) });
    await expect(verifier.verify(token)).rejects.toThrow("the access token has expired");
    await expect(verifier.verify(token, new Date(Date.now() - 90_000))).resolves.toMatchObject({ subject: "ada" });
    await expect(verifier.verify(token, new Date(Date.now() - 600_000))).rejects.toThrow(AccessTokenError);
  });

  test("does not say which key it was signed with", async () => {
    await expectInvalid(await new SignJWT(claimsOf({})).setProtectedHeader({ alg: "RS256" }).sign(signing.privateKey));
  });

  test("has no signature (alg none)", async () => {
    await expectInvalid(new UnsecuredJWT(claimsOf({})).encode());
  });

  test("is signed with the public key as an HMAC secret", async () => {
    const header = Buffer.from(JSON.stringify({ alg: "HS256", kid: "one" })).toString("base64url");
    const body = `${header}.${Buffer.from(JSON.stringify(claimsOf({}))).toString("base64url")}`;
    const signature = createHmac("sha256", await exportSPKI(signing.publicKey))
      .update(body)
      .digest("base64url");
    await expectInvalid(`${body}.${signature}`);
  });

  test("is signed with a key of someone else's under the name of ours", async () => {
    await expectInvalid(await sign({}, foreign.privateKey));
  });

  test("names a key that is not published", async () => {
    await expectInvalid(await sign({}, signing.privateKey, "two"));
  });

  test("was changed after it was signed", async () => {
    const [header, , signature] = (await sign({})).split(".");
    await expectInvalid(`${header}.${Buffer.from(JSON.stringify(claimsOf({ role: "admin" }))).toString("base64url")}.${signature}`);
  });

  test.each(["", "abc", "a.b.c", `${"x".repeat(10_000)}.x.x`])("is not a token at all: %#", async (token) => {
    await expectInvalid(token);
  });
});

describe("signing keys", () => {
  test("that rotate are fetched again when a new one is named", async () => {
    await verifier.verify(await sign({}));
    const next = await generateKeyPair("RS256", { extractable: true });
    const rotating = createAccessTokenVerifier({ log: silentLog, jwksUrl, audience: AUDIENCE });
    published = [...published, { ...(await exportJWK(next.publicKey)), kid: "two", alg: "RS256", use: "sig" }];
    await expect(rotating.verify(await sign({}, next.privateKey, "two"))).resolves.toMatchObject({ subject: "ada" });
  });

  test("that cannot be fetched any more are good for as long as the tokens they signed, and no longer", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const later = async (minutes: number) => {
      vi.setSystemTime(Date.now() + minutes * 60_000);
      return verifier.verify(await sign({ exp: secondsFromNow(60) }));
    };
    await later(0);
    published = [];
    await expect(later(9)).resolves.toMatchObject({ subject: "ada" });
    await expect(later(2)).resolves.toMatchObject({ subject: "ada" });
    await vi.waitFor(async () => expect(later(0)).rejects.toThrow("the access token is not valid"));

    published = [{ ...(await exportJWK(signing.publicKey)), kid: "one", alg: "RS256", use: "sig" }];
    await expect(later(1)).resolves.toMatchObject({ subject: "ada" });
    isDown = true;
    await expect(later(65)).resolves.toMatchObject({ subject: "ada" });
    await expect(later(6)).rejects.toThrow("the signing keys could not be fetched");
  });

  test("that cannot be fetched refuse the token and say so", async () => {
    const down = createAccessTokenVerifier({ log: silentLog, jwksUrl: "http://127.0.0.1:1/jwks", audience: AUDIENCE });
    await expect(down.verify(await sign({}))).rejects.toThrow(new AccessTokenError("the signing keys could not be fetched"));
  });

  test("that cannot be fetched are one warning a minute, however many tokens come", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const lines: unknown[] = [];
    const log = createLog({ name: "test", level: "info", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
    const gone = createServer().listen(0, "127.0.0.1");
    await once(gone, "listening");
    const address = gone.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/jwks`;
    await promisify(gone.close.bind(gone))();
    const down = createAccessTokenVerifier({ log, jwksUrl: url, audience: AUDIENCE });
    const refuseTen = async () => {
      for (let count = 0; count < 10; count++) {
        await expect(down.verify(await sign({}))).rejects.toThrow(AccessTokenError);
      }
    };
    await refuseTen();
    expect(lines).toEqual([
      expect.objectContaining({
        level: "warn",
        msg: expect.stringContaining("the signing keys of access tokens can't be fetched"),
        url,
        reason: expect.stringContaining("ECONNREFUSED"),
      }),
    ]);
    vi.setSystemTime(Date.now() + 61_000);
    await refuseTen();
    expect(lines).toHaveLength(2);
    await expectInvalid("not a token");
    expect(lines).toHaveLength(2);
  });

  test.each([
    ["an error page", 503, "<html>"],
    ["something that is not a key set", 200, '{"keys":"none"}'],
  ])("that answer with %s refuse the token as not fetched", async (_case, status, body) => {
    const broken = createServer((_request, response) => response.writeHead(status, { "content-type": "application/json" }).end(body));
    await once(broken.listen(0, "127.0.0.1"), "listening");
    const address = broken.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/jwks`;
    await expect(createAccessTokenVerifier({ log: silentLog, jwksUrl: url, audience: AUDIENCE }).verify(await sign({}))).rejects.toThrow(
      new AccessTokenError("the signing keys could not be fetched"),
    );
    broken.close();
  });
});

function claimsOf(claims: Claims): JWTPayload {
  const all = { sub: "ada", tid: "t1", aud: AUDIENCE, iss: ISSUER, iat: secondsFromNow(0), exp: secondsFromNow(60), ...claims };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

async function sign(claims: Claims, key = signing.privateKey, kid = "one"): Promise<string> {
  return new SignJWT(claimsOf(claims)).setProtectedHeader({ alg: "RS256", kid }).sign(key);
}

async function expectInvalid(token: string): Promise<void> {
  await expect(verifier.verify(token)).rejects.toThrow(new AccessTokenError("the access token is not valid"));
}

function secondsFromNow(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}
