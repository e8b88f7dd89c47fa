import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { jwtVerify } from "jose";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createCertificate, type Certificate } from "@sightline/foundation/testing/certificates";
import { startGithubAppApi, type GithubAppApi } from "#testing/github-app-api.ts";
import { createInstallationTokens } from "./installation-tokens.ts";

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2_048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  // As GitHub hands it out.
  privateKeyEncoding: { type: "pkcs1", format: "pem" },
});
const trusted = getCACertificates("default");
const signal = new AbortController().signal;

let certificate: Certificate;
let api: GithubAppApi | undefined;
let now = new Date("2026-06-01T12:00:00Z");
const clock = { now: () => now };

beforeAll(async () => {
  certificate = await createCertificate();
  setDefaultCACertificates([...trusted, certificate.certificate.toString()]);
});

afterAll(async () => {
  setDefaultCACertificates(trusted);
  await certificate.remove();
});

afterEach(async () => {
  await api?.close();
  now = new Date("2026-06-01T12:00:00Z");
});

async function start(answer: Parameters<typeof startGithubAppApi>[1], allowPrivateHosts: readonly string[] = ["localhost"]) {
  api = await startGithubAppApi(certificate, answer);
  const installation = { host: api.host, appId: "1234", installationId: "99", privateKey };
  const tokens = createInstallationTokens({ clock, allowPrivateHosts });
  return { api, tokens, tokenFor: (key = "a") => tokens.tokenFor(key, installation, signal) };
}

const mint: Parameters<typeof startGithubAppApi>[1] = (_request, response, number) => {
  const expires = new Date(now.getTime() + 3_600_000).toISOString();
  response.writeHead(201).end(JSON.stringify({ token: `ghs_${number}`, expires_at: expires }));
};

test("an app's key is exchanged for a token that reads contents and nothing else", async () => {
  const { api: asked, tokenFor } = await start(mint);
  expect(await tokenFor()).toBe("ghs_1");
  const [request] = asked.requests;
  expect(request).toMatchObject({ path: "/api/v3/app/installations/99/access_tokens", body: { permissions: { contents: "read" } } });
  const proof = request?.authorization.replace(/^Bearer /, "") ?? "";
  const { payload, protectedHeader } = await jwtVerify(proof, createPublicKey(privateKey), { currentDate: now });
  expect(protectedHeader.alg).toBe("RS256");
  expect(payload.iss).toBe("1234");
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBeLessThanOrEqual(600);
});

test("a token is used until five minutes before its end, by whom it was made for, and one that was refused is not", async () => {
  const { tokens, tokenFor } = await start(mint);
  expect(await tokenFor()).toBe("ghs_1");
  now = new Date("2026-06-01T12:54:00Z");
  expect(await tokenFor()).toBe("ghs_1");
  expect(await tokenFor("b")).toBe("ghs_2");
  now = new Date("2026-06-01T12:56:00Z");
  expect(await tokenFor()).toBe("ghs_3");
  tokens.forget("a");
  expect(await tokenFor()).toBe("ghs_4");
});

test.for([
  [401, { message: "A JSON web token could not be decoded" }, false],
  [404, { message: "Not Found" }, false],
  [403, { message: "API rate limit exceeded" }, true],
  [502, "<html>", true],
  [201, { token: "no end" }, true],
  [201, { token: "with\nline", expires_at: "2026-06-01T13:00:00Z" }, true],
] as const)("an answer of %i with %j is an error with GitHub's own words", async ([status, body, transient]) => {
  const { tokenFor } = await start((_request, response) =>
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body)),
  );
  const words = typeof body === "object" && "message" in body ? body.message : String(status);
  await expect(tokenFor()).rejects.toMatchObject({ name: "SourceError", transient, message: expect.stringContaining(words) });
});

test("an API in a private network is not asked unless that is allowed, and a redirect is not followed", async () => {
  const refused = await start(mint, []);
  await expect(refused.tokenFor()).rejects.toMatchObject({ problem: "address_refused" });
  expect(refused.api.requests).toEqual([]);
  await refused.api.close();
  const redirecting = await start((_request, response) => response.writeHead(307, { location: "https://localhost:1/" }).end());
  await expect(redirecting.tokenFor()).rejects.toMatchObject({ message: expect.stringContaining("307") });
});

test("an endless answer and a connection that breaks are errors that may pass", async () => {
  const endless = await start((_request, response) => {
    response.writeHead(201);
    response.write("x".repeat(3_000_000));
  });
  await expect(endless.tokenFor()).rejects.toMatchObject({ transient: true, message: expect.stringContaining("too long") });
  await endless.api.close();
  const broken = await start((_request, response) => void response.destroy());
  await expect(broken.tokenFor()).rejects.toMatchObject({ transient: true, fromRemote: true });
});
