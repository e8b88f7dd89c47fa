import { generateKeyPairSync } from "node:crypto";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { systemClock } from "@sightline/foundation/clock";
import { createLog } from "@sightline/foundation/log";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { listBranches } from "#git/branches.ts";
import { createCertificate, type Certificate } from "@sightline/foundation/testing/certificates";
import { startGitHttpsServer, type GitHttpsServer } from "#testing/git-https-server.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { startCodeIndex, type RunningCodeIndex } from "#testing/running-code-index.ts";
import { testConfig } from "#testing/test-config.ts";
import { createSourceAccess, type SourceAccess } from "./source-access.ts";

const TOKEN = "t0ken-that-nobody-may-see";
const OTHER_TOKEN = "0ther-t0ken-that-nobody-may-see";
const signal = new AbortController().signal;
const trusted = getCACertificates("default");
const logged: string[] = [];

let index: RunningCodeIndex;
let sources: SourceAccess;
let certificate: Certificate;
let repository: GitRepository;
let host: GitHttpsServer;
let good = TOKEN;
let deployKey: string;

beforeAll(async () => {
  const log = createLog({ name: "test", level: "debug", destination: { write: (line) => void logged.push(line) } });
  index = await startCodeIndex({ log });
  certificate = await createCertificate();
  vi.stubEnv("GIT_SSL_CAINFO", certificate.file);
  setDefaultCACertificates([...trusted, certificate.certificate.toString()]);
  repository = await createGitRepository();
  await repository.commit({ "a.txt": "one" });
  host = await startGitHttpsServer({
    certificate,
    directory: repository.directory,
    password: (_user, password) => password === good,
    answer: (request, response) => {
      if (request.url?.startsWith("/api/v3/app/installations/7/") !== true) {
        return false;
      }
      response.writeHead(201).end(JSON.stringify({ token: good, expires_at: new Date(Date.now() + 3_600_000).toISOString() }));
      return true;
    },
  });
  sources = createSourceAccess({ config: testConfig("unused"), database: index.database, log, clock: systemClock });
  deployKey = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
});

afterAll(async () => {
  vi.unstubAllEnvs();
  setDefaultCACertificates(trusted);
  await host.close();
  await index.stop();
  await repository.remove();
  await certificate.remove();
});

beforeEach(async () => {
  good = TOKEN;
  await index.database.query.deleteFrom("codeindex.credentials").execute();
});

type Call = {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly url?: string;
  readonly payload?: object;
  readonly tenantId?: string;
};

async function call({ method = "POST", url = "/api/v1/credentials", payload, tenantId }: Call) {
  const answer = await index.server.inject({
    method,
    url,
    headers: index.asAdmin(tenantId),
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: answer.statusCode, body: answer.json<Record<string, unknown>>(), text: answer.body };
}

async function add(changes: object = {}, tenantId?: string): Promise<string> {
  const payload = { name: `c-${newId()}`, kind: "token", host: host.host, secret: TOKEN, ...changes };
  const { status, body } = await call({ payload, ...(tenantId === undefined ? {} : { tenantId }) });
  expect(status).toBe(201);
  return String(body["id"]);
}

function tryOut(id: string, cloneUrl = `https://${host.host}/o/r.git`) {
  return call({ url: `/api/v1/credentials/${id}/test`, payload: { clone_url: cloneUrl } });
}

async function register(credentialId?: string, cloneUrl = `https://${host.host}/o/r.git`, tenantId = "one") {
  const repoId = newId();
  await index.database.query
    .insertInto("codeindex.repositories")
    .values({ id: repoId, tenant_id: tenantId, full_name: `o/${repoId}`, clone_url: cloneUrl, credential_id: credentialId ?? null })
    .execute();
  return { tenantId, repoId, cloneUrl };
}

function reach(repository_: Awaited<ReturnType<typeof register>>) {
  return sources.reach(repository_, signal, (remote) => listBranches(remote, { signal }));
}

test("a credential is stored, listed, tried out, given another secret and deleted, and its secret is never told", async () => {
  const id = await add({ name: "main", username: "bot" });
  const listed = await call({ method: "GET" });
  expect(listed.body).toMatchObject({
    items: [{ id, name: "main", kind: "token", host: host.host, username: "bot", last_used_at: null, last_error: null }],
  });
  expect(await tryOut(id)).toMatchObject({
    status: 200,
    body: { ok: true, default_branch: "main", message: expect.stringContaining("1 branch") },
  });
  good = OTHER_TOKEN;
  const message = expect.stringContaining(`${host.host} did not accept the credential main`);
  expect(await tryOut(id)).toMatchObject({ status: 200, body: { ok: false, message, default_branch: null } });
  const failed = await call({ method: "GET" });
  expect(failed.body).toMatchObject({
    items: [{ last_used_at: expect.any(String), last_error: expect.stringMatching(/authentication|username/i) }],
  });
  expect(await call({ method: "PUT", url: `/api/v1/credentials/${id}`, payload: { secret: OTHER_TOKEN } })).toMatchObject({ status: 200 });
  expect(await tryOut(id)).toMatchObject({ body: { ok: true } });
  expect(await call({ method: "DELETE", url: `/api/v1/credentials/${id}` })).toMatchObject({ status: 200 });
  expect(await call({ method: "DELETE", url: `/api/v1/credentials/${id}` })).toMatchObject({
    status: 404,
    body: { error: "credential_not_found" },
  });
});

test("a secret is in no answer, log line or row", async () => {
  const secrets = [TOKEN, Buffer.from(`x-access-token:${TOKEN}`).toString("base64"), deployKey.split("\n")[1] ?? ""];
  const id = await add();
  const answers = [
    await tryOut(id),
    await tryOut(await add({ kind: "deploy_key", secret: deployKey }), `ssh://git@${host.host}/o/r.git`),
    await call({ method: "PUT", url: `/api/v1/credentials/${id}`, payload: { secret: TOKEN } }),
    await call({ payload: { name: "bad", kind: "deploy_key", host: "a.example", secret: TOKEN } }),
    await call({ payload: { name: "bad", kind: "none", host: "a.example", secret: TOKEN } }),
    await call({ method: "GET" }),
  ];
  const texts = [...answers.map(({ text }) => text), ...logged, await everyRow()];
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(20);
    expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  }
});

async function everyRow(): Promise<string> {
  const { rows } = await index.database.pool.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname !~ '^(pg_|information_schema)'",
  );
  const contents = await Promise.all(
    rows.map(({ name }) => index.database.pool.query(`select row_to_json(t)::text as row from ${name} t`)),
  );
  return JSON.stringify(contents.map((content) => content.rows));
}

test("a repository is opened by the credential chosen for it, before its host's newest one", async () => {
  const chosen = await add();
  await add({ secret: OTHER_TOKEN });
  expect(await reach(await register(chosen))).toMatchObject({ defaultBranch: "main" });
  await expect(reach(await register())).rejects.toMatchObject({ problem: "access_refused" });
  good = OTHER_TOKEN;
  expect(await reach(await register())).toMatchObject({ defaultBranch: "main" });
  await call({ method: "DELETE", url: `/api/v1/credentials/${chosen}` });
  expect(await reach(await register())).toMatchObject({ defaultBranch: "main" });
});

test("without a credential the error says that one is missing", async () => {
  await expect(reach(await register())).rejects.toMatchObject({
    message: expect.stringContaining(`No credential is stored for ${host.host}`),
  });
});

test("a credential is shown to no host but its own, whoever asks", async () => {
  const id = await add({ host: "github.com" });
  const before = host.requests.length;
  await expect(reach(await register(id))).rejects.toMatchObject({
    problem: "access_refused",
    message: expect.stringContaining("is for github.com"),
  });
  expect(await tryOut(id)).toMatchObject({ body: { ok: false, message: expect.stringContaining("is for github.com") } });
  expect(await tryOut(id, repository.url)).toMatchObject({ body: { ok: false } });
  expect(host.requests.length).toBe(before);
  expect(await tryOut(id, "https://user:pass@github.com/a")).toMatchObject({ status: 400, body: { error: "invalid_clone_url" } });
});

test("another tenant's credential is neither found nor used", async () => {
  const id = await add({}, "two");
  const missing = { status: 404, body: { error: "credential_not_found" } };
  expect(await tryOut(id)).toMatchObject(missing);
  expect(await call({ method: "PUT", url: `/api/v1/credentials/${id}`, payload: { secret: "x" } })).toMatchObject(missing);
  expect(await call({ method: "DELETE", url: `/api/v1/credentials/${id}` })).toMatchObject(missing);
  expect(await call({ method: "GET" })).toMatchObject({ body: { items: [] } });
  await expect(reach(await register(id))).rejects.toMatchObject({ message: expect.stringContaining("No credential is stored") });
  expect(await reach(await register(id, undefined, "two"))).toMatchObject({ defaultBranch: "main" });
});

test("a sealed secret that somebody moved to another tenant, credential or host does not open", async () => {
  const [id, victim] = [await add({ host: "github.com" }, "two"), await add({ host: "github.com" })];
  await index.database.query.updateTable("codeindex.credentials").set({ host: host.host }).where("id", "=", victim).execute();
  expect(await tryOut(victim)).toMatchObject({ body: { ok: false, message: expect.stringContaining("does not open") } });
  const stolen = await index.database.query
    .selectFrom("codeindex.credentials")
    .select("sealed_secret")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  await index.database.query.updateTable("codeindex.credentials").set(stolen).where("id", "=", victim).execute();
  expect(await tryOut(victim)).toMatchObject({ body: { ok: false, message: expect.stringContaining("does not open") } });
});

test("a GitHub App opens a repository with a token that is made for it", async () => {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  const id = await add({ kind: "github_app", app_id: "1", installation_id: "7", secret: privateKey });
  expect(await tryOut(id)).toMatchObject({ body: { ok: true } });
  expect(await reach(await register())).toMatchObject({ defaultBranch: "main" });
  const unknown = await add({ kind: "github_app", app_id: "1", installation_id: "8", secret: privateKey });
  expect(await tryOut(unknown)).toMatchObject({ body: { ok: false, message: expect.stringMatching(/GitHub gave the app no token/) } });
});

test("two of one name are not possible, also at once", async () => {
  const payload = { name: "same", kind: "token", host: "a.example", secret: "x" };
  const answers = await Promise.all(Array.from({ length: 4 }, () => call({ payload })));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409]);
});

test("more than three at once are not tried out for a tenant", async () => {
  const id = await add();
  const tried = await Promise.all(Array.from({ length: 8 }, () => tryOut(id)));
  expect(tried.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(tried.filter(({ status, body }) => status === 429 && body["error"] === "too_many_tests")).toHaveLength(5);
  expect(await tryOut(id)).toMatchObject({ status: 200, body: { ok: true } });
});

test.for([
  [{ kind: "deploy_key", secret: "ssh-ed25519 AAAAC3Nz me@example" }, "public part"],
  [{ kind: "deploy_key", secret: encrypted() }, "passphrase"],
  [
    { kind: "github_app", app_id: "1", installation_id: "2", secret: "-----BEGIN RSA PRIVATE KEY-----\nno\n-----END RSA PRIVATE KEY-----" },
    "PEM",
  ],
  [{ secret: "two words" }, "no spaces"],
  [{ secret: "a\r\nX-Evil: b" }, "no spaces"],
  [{ username: "a:b" }, "no colon"],
] as const)("%j is refused with a reason", async ([changes, reason]) => {
  const payload = { name: "n", kind: "token", host: "a.example", secret: "x", ...changes };
  expect(await call({ payload })).toMatchObject({ status: 400, body: { message: expect.stringContaining(reason) } });
});

function encrypted(): string {
  const { privateKey } = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" },
  });
  return privateKey;
}

test.for([
  { kind: "github_app" },
  { host: "https://a.example" },
  { host: "-oProxyCommand=x" },
  { name: "" },
  { name: "a\0b" },
  { secret: "" },
])("%j is no credential", async (changes) => {
  const payload = { name: "n", kind: "token", host: "a.example", secret: "x", ...changes };
  expect(await call({ payload })).toMatchObject({ status: 400 });
});

test("members and developer tokens don't come near credentials", async () => {
  const id = await add();
  const member = { authorization: `Bearer ${index.issue({ tid: "one", role: "member" })}` };
  const developer = { authorization: `Bearer ${await index.createToken()}` };
  for (const headers of [member, developer, {}]) {
    for (const [method, url] of [
      ["GET", "/api/v1/credentials"],
      ["DELETE", `/api/v1/credentials/${id}`],
      ["POST", `/api/v1/credentials/${id}/test`],
    ] as const) {
      const answer = await index.server.inject({ method, url, headers, ...(method === "POST" ? { payload: { clone_url: "x" } } : {}) });
      expect([401, 403]).toContain(answer.statusCode);
    }
  }
});
