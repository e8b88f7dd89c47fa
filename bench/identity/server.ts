import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, waitUntilHealthy, withDatabase } from "#processes.ts";
import { repository, runScript } from "#scripts.ts";

/** Identity as it is started for real, in a process of its own, on a database of its own. */
export type Server = {
  readonly url: string;
  readonly databaseUrl: string;
  /** The first key of its ring, as `id:secret`. */
  readonly key: string;
  /** What it has written so far. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
};

const RUN_SQL = "packages/foundation/testing/run-sql.ts";

/** On a new database of the PostgreSQL at `postgresUrl`, or on the embedded one. */
export async function startServer(postgresUrl: string | undefined): Promise<Server> {
  const home = await mkdtemp(join(tmpdir(), "sightline-bench-"));
  const [port, embeddedPort] = [await freePort(), await freePort()];
  const name = `bench_${randomBytes(8).toString("hex")}`;
  const databaseUrl =
    postgresUrl === undefined ? `postgres://postgres@127.0.0.1:${embeddedPort}/postgres` : withDatabase(postgresUrl, name);
  if (postgresUrl !== undefined) {
    await runScript(RUN_SQL, postgresUrl, `create database ${name}`);
  }
  const key = `bench:${randomBytes(32).toString("base64url")}`;
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, ["apps/platform/sightline.ts", "start", "identity"], {
    cwd: repository,
    env: {
      PATH: process.env["PATH"],
      ...(postgresUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      // No role that is started reads it; without one a Redis would be started too.
      OBSERVABILITY_REDIS_URL: "redis://127.0.0.1:1",
      ENCRYPTION_KEYS: key,
      SECRET_KEY: randomBytes(32).toString("base64url"),
      ENVIRONMENT: "development",
      SIGHTLINE_HOME: home,
      SIGHTLINE_POSTGRES_PORT: String(embeddedPort),
      IDENTITY_PORT: String(port),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  await waitUntilHealthy(url, child);
  return {
    url,
    databaseUrl,
    key,
    output: () => output,
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      if (postgresUrl !== undefined) {
        await runScript(RUN_SQL, postgresUrl, `drop database ${name} with (force)`);
      }
      await rm(home, { recursive: true, force: true });
    },
  };
}
