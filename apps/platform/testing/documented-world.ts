import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { findPostgres } from "@sightline/foundation/testing/find-services";
import { createTestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis } from "@sightline/foundation/testing/test-redis";
import { deriveEnvironment } from "#settings/environment.ts";
import { prepare } from "#compose/prepare.ts";
import { freePort } from "./free-port.ts";
import type { Fence } from "./read-documents.ts";
import { startRoles } from "./running-roles.ts";

export type Ran = { readonly code: number | null; readonly out: string; readonly error: string };

/** A product as the documents speak of one, and a shell in which their commands find what they name. */
export type DocumentedWorld = {
  readonly run: (fence: Fence) => Promise<Ran>;
  readonly stopProduct: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const PROGRAM = fileURLToPath(new URL("../sightline.ts", import.meta.url));
/** Where the documents have each API. */
const PORTS = { IDENTITY_PORT: "8070", CODEINDEX_PORT: "8080", OBSERVABILITY_PORT: "8000", CONSOLE_PORT: "3000" };
/** For a block of several commands, on a machine that runs other tests too. */
const BLOCK_MS = 600_000;
const EMAIL = "admin@example.org";
const PASSWORD = "marmalade on the third shelf";

export async function startDocumentedWorld(): Promise<DocumentedWorld> {
  const database = await createTestDatabase();
  const redis = await createTestRedis();
  const folder = await mkdtemp(join(tmpdir(), "sightline-documents-"));
  const ports = Object.fromEntries(await Promise.all(Object.keys(PORTS).map(async (name) => [name, String(await freePort())] as const)));
  const secret = "0123456789abcdef".repeat(4);
  const restored = `restored_${randomUUID().replaceAll("-", "")}`;
  const restoredUrl = new URL(database.url);
  restoredUrl.pathname = `/${restored}`;
  const given = {
    PATH: [await writePrograms(folder), process.env["PATH"] ?? ""].join(":"),
    HOME: folder,
    NODE_COMPILE_CACHE: join(tmpdir(), "sightline-test-compiled"),
    SIGHTLINE_HOME: join(folder, ".sightline"),
    SIGHTLINE_INSTALL: "false",
    DATABASE_URL: database.url,
    OBSERVABILITY_REDIS_URL: redis.url,
    OBSERVABILITY_STREAM_NAME: `${redis.prefix}events`,
    SECRET_KEY: secret,
    API_KEY: `studio_${secret}`,
    CODEINDEX_WEBHOOK_SECRET: secret,
    ENCRYPTION_KEYS: `k1:${secret}`,
    CODEINDEX_ENCRYPTION_KEYS: `k1:${secret}`,
    ADMIN_EMAIL: EMAIL,
    ADMIN_PASSWORD: PASSWORD,
    CODEINDEX_ALLOW_FILE_URLS: "true",
    CODEINDEX_POLL_MINUTES: "0",
    ...ports,
  };
  const { environment } = deriveEnvironment(given);
  await mkdir(given.SIGHTLINE_HOME);
  await writeFile(join(given.SIGHTLINE_HOME, "secrets.env"), `API_KEY=${given.API_KEY}\n`);

  await prepare(environment, silentLog, 10, { firstAdmin: true, needsCode: true });
  const roles = await startRoles(environment);
  const close = async () => {
    await roles.stop();
    await redis.client.quit();
    await database.pool.query(`drop database if exists ${restored} with (force)`);
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  };

  try {
    const api = (variable: keyof typeof PORTS) => `http://localhost:${ports[variable]}`;
    const known = await makeWhatDocumentsName({
      identity: api("IDENTITY_PORT"),
      code: api("CODEINDEX_PORT"),
      traces: api("OBSERVABILITY_PORT"),
    });
    const variables = {
      ...given,
      ...known,
      EMAIL,
      PASSWORD,
      CLONE_URL: `file://${await makeRepository(join(folder, "shop"))}`,
      WEBHOOK_SECRET: given.CODEINDEX_WEBHOOK_SECRET,
      RESTORED: restored,
      RESTORED_URL: restoredUrl.toString(),
    };
    // The first step of exchanging a key is done by hand.
    const withNewKey = { ENCRYPTION_KEYS: `k2:${"fedcba9876543210".repeat(4)},${given.ENCRYPTION_KEYS}` };
    const idle = () => waitForJobs(api("CODEINDEX_PORT"), known.TOKEN);
    return {
      run: async ({ text, info }) => {
        const ran = await runShell(withPorts(text, ports), folder, info === "sh run" ? variables : { ...variables, ...withNewKey });
        await (info === "sh run" ? idle() : undefined);
        return ran;
      },
      stopProduct: roles.stop,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The commands as written, at the ports of this product. */
function withPorts(text: string, ports: Readonly<Record<string, string>>): string {
  return Object.entries(PORTS).reduce(
    (changed, [name, port]) => changed.replaceAll(new RegExp(`\\b${port}\\b`, "g"), ports[name] ?? port),
    text,
  );
}

async function runShell(text: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  const child = spawn("bash", ["--norc", "-euo", "pipefail", "-c", text], { cwd, env, timeout: BLOCK_MS });
  let out = "";
  let error = "";
  child.stdout.on("data", (data) => (out += String(data)));
  child.stderr.on("data", (data) => (error += String(data)));
  // What a host gives its hooks; nothing else reads it.
  child.stdin.on("error", () => undefined).end(`${"0".repeat(40)} ${"1".repeat(40)} refs/heads/main\n`);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, error };
}

/** `sightline`, and PostgreSQL's own programs of the version of the server that tests run against. */
async function writePrograms(folder: string): Promise<string> {
  const programs = join(folder, "programs");
  await mkdir(programs);
  const postgres = await findPostgres();
  const commands: [string, string][] = [["sightline", `"${process.execPath}" "${PROGRAM}"`]];
  for (const name of postgres === undefined ? [] : ["pg_dump", "pg_restore", "psql"]) {
    const { file, args } = postgres?.installation.command([`${postgres.program}/${name}`]) ?? { file: name, args: [] };
    commands.push([name, [file, ...args].join(" ")]);
  }
  for (const [name, command] of commands) {
    await writeFile(join(programs, name), `#!/bin/sh\nexec ${command} "$@"\n`);
    await chmod(join(programs, name), 0o755);
  }
  return programs;
}

async function makeRepository(folder: string): Promise<string> {
  await mkdir(join(folder, "src"), { recursive: true });
  await writeFile(join(folder, "src/retry.ts"), "export function backoff(tries: number) {\n  return 2 ** tries;\n}\n");
  const git = (...words: string[]) =>
    promisify(execFile)("git", ["-C", folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...words]);
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", ".");
  await git("commit", "--quiet", "--message=begin");
  return folder;
}

type Apis = { readonly identity: string; readonly code: string; readonly traces: string };

/** Tokens, a project and its key, by the names that the documents give them. */
async function makeWhatDocumentsName({ identity, code, traces }: Apis) {
  const { access_token: token } = await ask<{ access_token: string }>(`${identity}/login/access-token`, {
    email: EMAIL,
    password: PASSWORD,
  });
  const developer = await ask<{ token: string }>(`${code}/api/v1/developer-tokens`, { label: "documents" }, token);
  const project = await ask<{ id: string }>(`${traces}/api/v1/projects`, { name: "documents" }, token);
  const keys = `${traces}/api/v1/projects/${project.id}/keys`;
  const { key } = await ask<{ key: string }>(keys, { name: "documents", scopes: ["ingest", "read"] }, token);
  return { ACCESS_TOKEN: token, TOKEN: developer.token, PROJECT_ID: project.id, KEY: key };
}

async function ask<Answer>(url: string, body: unknown, token?: string): Promise<Answer> {
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...authorization },
    body: JSON.stringify(body),
  });
  if (!response.ok) {
    throw new Error(`${url}: ${response.status} ${await response.text()}`);
  }
  return (await response.json()) as Answer;
}

/** What a block registered is searched by the next one. */
async function waitForJobs(code: string, token: string): Promise<void> {
  const deadline = Date.now() + BLOCK_MS;
  for (;;) {
    const response = await fetch(`${code}/api/v1/jobs`, { headers: { authorization: `Bearer ${token}` } });
    const { items } = (await response.json()) as { readonly items: readonly { readonly status: string }[] };
    if (items.every(({ status }) => !["queued", "running"].includes(status))) {
      return;
    }
    if (Date.now() > deadline) {
      throw new Error(`jobs don't end: ${JSON.stringify(items)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
