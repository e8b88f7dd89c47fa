import { spawn, type ChildProcess } from "node:child_process";
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { freePort, waitUntilHealthy, withDatabase } from "#processes.ts";
import { repository, runScript } from "#scripts.ts";

/** Calls `/api/v1` and answers the body; an error when the answer is none of the 2xx. */
export type Call = <Body>(path: string, body?: object) => Promise<Body>;

/** The code index's API and an indexer as they are started for real, in processes of their own, on a database of their own. */
export type Product = {
  readonly url: string;
  readonly webhookSecret: string;
  readonly databaseUrl: string;
  /** Of the process that started the others. */
  readonly pid: number;
  /** Calls as an admin of the tenant `bench`. */
  readonly call: Call;
  /** The same for another address of the API. */
  readonly callAt: (url: string) => Call;
  /** Adds a tenant and calls as its admin. */
  readonly addTenant: (name: string) => Promise<Call>;
  readonly output: () => string;
  /** One more process of the API alone, with a folder and a port of its own, and with what was compiled before; the caller ends it. */
  readonly startApi: (folder: string, port: number, compiled: string | undefined) => ChildProcess;
  readonly stop: () => Promise<void>;
};

const RUN_SQL = "packages/foundation/testing/run-sql.ts";
const run = promisify(execFile);

/** On a new database of the PostgreSQL at `postgresUrl`, or on the embedded one. */
export async function startProduct(postgresUrl: string | undefined, pollMinutes: number): Promise<Product> {
  const home = await mkdtemp(join(tmpdir(), "sightline-bench-"));
  const [port, embeddedPort] = [await freePort(), await freePort()];
  const name = `bench_${randomBytes(8).toString("hex")}`;
  if (postgresUrl !== undefined) {
    await runScript(RUN_SQL, postgresUrl, `create database ${name}`);
  }
  const issuer = await startIssuer();
  const webhookSecret = randomBytes(32).toString("base64url");
  const databaseUrl =
    postgresUrl === undefined ? `postgres://postgres@127.0.0.1:${embeddedPort}/postgres` : withDatabase(postgresUrl, name);
  const environment = {
    PATH: process.env["PATH"],
    ...(postgresUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    // No role that is started reads it; without one a Redis would be started too.
    OBSERVABILITY_REDIS_URL: "redis://127.0.0.1:1",
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString("base64url")}`,
    SECRET_KEY: randomBytes(32).toString("base64url"),
    ENVIRONMENT: "development",
    SIGHTLINE_HOME: home,
    SIGHTLINE_POSTGRES_PORT: String(embeddedPort),
    CODEINDEX_PORT: String(port),
    CODEINDEX_JWT_JWKS_URL: issuer.url,
    CODEINDEX_WEBHOOK_SECRET: webhookSecret,
    CODEINDEX_ALLOW_FILE_URLS: "true",
    CODEINDEX_POLL_MINUTES: String(pollMinutes),
  };
  const command = "apps/platform/sightline.ts";
  const child = spawn(process.execPath, [command, "start", "code-index", "indexer"], {
    cwd: repository,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const url = `http://127.0.0.1:${port}`;
  await waitUntilHealthy(url, child);
  const addTenant = async (tenant: string): Promise<(at: string) => Call> => {
    const added = await run(process.execPath, [command, "tenant", "add", tenant], { cwd: repository, env: environment });
    const tenantId = /\(([0-9a-f-]{36})\)/.exec(added.stdout)?.[1] ?? "";
    return (at) => (path, body) => call(`${at}/api/v1${path}`, issuer.tokenFor(tenantId), body);
  };
  const callAt = await addTenant("bench");
  return {
    url,
    webhookSecret,
    databaseUrl,
    pid: child.pid ?? 0,
    call: callAt(url),
    callAt,
    addTenant: async (tenant) => (await addTenant(tenant))(url),
    output: () => output,
    startApi: (folder, ownPort, compiled) =>
      spawn(process.execPath, [command, "start", "code-index"], {
        cwd: repository,
        env: {
          ...environment,
          SIGHTLINE_HOME: folder,
          CODEINDEX_PORT: String(ownPort),
          ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled }),
        },
        stdio: ["ignore", "ignore", "inherit"],
      }),
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      issuer.close();
      if (postgresUrl !== undefined) {
        await runScript(RUN_SQL, postgresUrl, `drop database ${name} with (force)`);
      }
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function call<Body>(url: string, token: string, body: object | undefined): Promise<Body> {
  const answer = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) {
    throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  }
  return (await answer.json()) as Body;
}

/** Where identity would be reached. */
export const ISSUER = "http://localhost:3000";

/** Signs access tokens and publishes its key, as identity does. */
export async function startIssuer() {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keys = JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "bench", alg: "RS256", use: "sig" }] });
  const server = createServer((_request, response) => void response.setHeader("content-type", "application/json").end(keys));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString("base64url");
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/jwks`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
    tokenFor: (tenantId: string) => {
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: ISSUER, sub: "bench", tid: tenantId, aud: "sightline", role: "admin", iat: now, exp: now + 3600 };
      const signed = `${part({ alg: "RS256", kid: "bench", typ: "at+jwt" })}.${part(claims)}`;
      return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
    },
  };
}
