import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from "jose";
import { Registry } from "prom-client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { nameInFeed } from "./credential-epochs.ts";
import { AccessTokenError, createAccessTokenVerifier, type StartedVerifier } from "./access-token.ts";
import { createLog } from "#log.ts";

const ISSUER = "https://sightline.example";
const POLL_MS = 10;
const EPOCH_REASON = "the account has changed since the access token was issued; log in again";
const SESSION_REASON = "the session of the access token has ended; log in again";

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

let ours: KeyPair;
let foreign: KeyPair;
let server: Server;
let address: string;
/** What the feed answers; undefined leaves the question open. */
let feed: (() => Promise<string | undefined>) | undefined;
let reads: number;
let lines: string[];
let verifier: StartedVerifier;
let metrics: Registry;

beforeAll(async () => {
  ours = await generateKeyPair("RS256", { extractable: true });
  foreign = await generateKeyPair("RS256");
  const keys = [{ ...(await exportJWK(ours.publicKey)), kid: "one", alg: "RS256", use: "sig" }];
  server = createServer((request, response) => {
    if (request.url === "/keys") {
      response.setHeader("content-type", "application/json").end(JSON.stringify({ keys }));
      return;
    }
    reads += 1;
    if (feed === undefined) {
      response.writeHead(503).end("down");
      return;
    }
    void feed().then((text) => (text === undefined ? undefined : response.end(text)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  address = `http://127.0.0.1:${typeof bound === "object" ? bound?.port : 0}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  reads = 0;
  lines = [];
  metrics = new Registry();
  const log = createLog({ name: "test", level: "info", destination: { write: (line) => void lines.push(line) } });
  verifier = createAccessTokenVerifier({
    log,
    jwksUrl: `${address}/keys`,
    audience: "sightline",
    issuer: ISSUER,
    type: "at+jwt",
    epochs: { url: `${address}/feed`, metrics, intervalMs: POLL_MS },
  });
});

afterEach(() => verifier.stop());

function now(): number {
  return Math.floor(Date.now() / 1000);
}

function feedOf(content: JWTPayload, { typ = "epochs+jwt", key = ours.privateKey } = {}) {
  const payload = { iss: ISSUER, iat: now(), exp: now() + 120, epochs: {}, sessions: [], ...content };
  return () => new SignJWT(payload).setProtectedHeader({ alg: "RS256", kid: "one", typ }).sign(key);
}

function token(claims: JWTPayload = {}): Promise<string> {
  const all = { iss: ISSUER, aud: "sightline", sub: "ada", tid: "t1", iat: now(), exp: now() + 60, epoch: 3, sid: "s1", ...claims };
  return new SignJWT(all).setProtectedHeader({ alg: "RS256", kid: "one", typ: "at+jwt" }).sign(ours.privateKey);
}

async function expectRefused(text: string, reason: string): Promise<void> {
  await expect(verifier.verify(text)).rejects.toThrow(new AccessTokenError(reason));
}

/** Until the feed was read, well or badly, and looked at. */
async function readAgain(): Promise<void> {
  const before = reads;
  await vi.waitFor(() => expect(reads).toBeGreaterThan(before + 1), { interval: 5, timeout: 10_000 });
}

describe("a token that the feed tells of", () => {
  test("is refused when its account's epoch is higher by now, with the reason", async () => {
    feed = feedOf({ epochs: { [nameInFeed("ada")]: 4 } });
    await verifier.start();

    await expectRefused(await token({ epoch: 3 }), EPOCH_REASON);
    await expect(verifier.verify(await token({ epoch: 4 }))).resolves.toMatchObject({ subject: "ada" });
    await expect(verifier.verify(await token({ sub: "bob", epoch: 1 }))).resolves.toMatchObject({ subject: "bob" });
  });

  test("is refused when it names no epoch although its account's was raised", async () => {
    feed = feedOf({ epochs: { [nameInFeed("ada")]: 2 } });
    await verifier.start();
    await expectRefused(await token({ epoch: undefined }), EPOCH_REASON);
  });

  test("is refused when its session has ended", async () => {
    feed = feedOf({ sessions: [nameInFeed("s1")] });
    await verifier.start();

    await expectRefused(await token({ sid: "s1" }), SESSION_REASON);
    await expect(verifier.verify(await token({ sid: "s2" }))).resolves.toMatchObject({ sessionId: "s2" });
  });

  test("is refused from the next reading on", async () => {
    feed = feedOf({});
    await verifier.start();
    const text = await token();
    await verifier.verify(text);

    feed = feedOf({ sessions: [nameInFeed("s1")] });
    await readAgain();
    await expectRefused(text, SESSION_REASON);
  });
});

test("tokens of another type or issuer are refused, whatever the feed says", async () => {
  feed = feedOf({});
  await verifier.start();
  const plain = new SignJWT({ iss: ISSUER, aud: "sightline", sub: "ada", tid: "t1", iat: now(), exp: now() + 60 });
  await expectRefused(
    await plain.setProtectedHeader({ alg: "RS256", kid: "one", typ: "JWT" }).sign(ours.privateKey),
    "the access token's claim typ is not accepted",
  );
  await expectRefused(await token({ iss: "https://elsewhere.example" }), "the access token's claim iss is not accepted");
  await expect(verifier.verify(await token({ iss: `${ISSUER}/` }))).resolves.toMatchObject({ subject: "ada" });
  await expect(verifier.verify((await feed()) ?? "")).rejects.toThrow(AccessTokenError);
});

describe("a feed that can't be read", () => {
  test("from the start leaves tokens to their signatures, is complained of once, and is found when it comes", async () => {
    feed = undefined;
    await verifier.start();
    const complaints = () => lines.filter((line) => line.includes("can't be read"));
    // Whoever serves it may be starting, too.
    await vi.waitFor(() => expect(reads).toBe(4), { interval: 1 });
    expect(complaints()).toEqual([]);
    await expect(verifier.verify(await token())).resolves.toMatchObject({ subject: "ada" });
    await vi.waitFor(() => expect(complaints()).toHaveLength(1), { interval: 5 });
    expect(complaints()[0]).toContain("it answered 503");
    expect(complaints()[0]).toContain("until then tokens are valid until they expire");
    expect(await metrics.metrics()).toContain("sightline_credential_epochs_age_seconds -1");

    feed = feedOf({ sessions: [nameInFeed("s1")] });
    await vi.waitFor(async () => expectRefused(await token(), SESSION_REASON), { interval: 5, timeout: 10_000 });
    expect(complaints()).toHaveLength(1);
    expect(lines.at(-1)).toContain("is read again");
    expect(await metrics.metrics()).not.toContain("sightline_credential_epochs_age_seconds -1");
  });

  test("any more leaves what it said last", async () => {
    feed = feedOf({ sessions: [nameInFeed("s1")] });
    await verifier.start();
    feed = undefined;
    await readAgain();
    await expectRefused(await token(), SESSION_REASON);
  });

  test.each<[string, () => Promise<string>]>([
    ["is signed with someone else's key", () => feedOf({}, { key: foreign.privateKey })()],
    ["is not signed", async () => new UnsecuredJWT({ iss: ISSUER, iat: now(), exp: now() + 60, epochs: {}, sessions: [] }).encode()],
    ["is an access token", () => feedOf({}, { typ: "at+jwt" })()],
    ["is another issuer's", () => feedOf({ iss: "https://elsewhere.example" })()],
    ["is over", () => feedOf({ iat: now() - 300, exp: now() - 60 })()],
    ["is one of a moment ago", () => feedOf({ iat: now() - 20 })()],
    ["lacks the sessions", () => feedOf({ sessions: undefined })()],
    ["is no feed at all", async () => "<html>"],
  ])("because it %s changes nothing", async (_case, other) => {
    feed = feedOf({ sessions: [nameInFeed("s1")] });
    await verifier.start();
    feed = other;
    await readAgain();
    await expectRefused(await token(), SESSION_REASON);
  });

  test("because nobody answers does not keep the part from starting, nor from stopping", async () => {
    feed = async () => undefined;
    const starting = verifier.start();
    // A reading that the test before broke off may still arrive.
    await vi.waitFor(() => expect(reads).toBeGreaterThan(0));
    await verifier.stop();
    await starting;
    await expect(verifier.verify(await token())).resolves.toMatchObject({ subject: "ada" });
  });
});

test("a stopped verifier reads no more", async () => {
  feed = feedOf({});
  await verifier.start();
  await readAgain();
  await verifier.stop();
  const before = reads;
  const another = vi.waitFor(() => expect(reads, "readings").toBeGreaterThan(before), { interval: POLL_MS, timeout: 10 * POLL_MS });
  await expect(another).rejects.toThrow("readings");
});
