import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, waitUntilHealthy } from "#processes.ts";
import { ISSUER, startIssuer } from "#product.ts";
import { processorTimeOf, processorTimesOfDatabase } from "#processor.ts";
import { repository } from "#scripts.ts";

export type Answer = { readonly items: number; readonly next: string | null; readonly ids: readonly string[] };

/** Milliseconds of the processor that the API has taken so far, and each process of its database by its id. */
export type Spent = { readonly api: number; readonly database: ReadonlyMap<number, number> };

/** Observability's API as it is started for real. */
export type Serving = {
  /** A path behind `/api/v1`, posted to with a body; answers the length, the ids and the `next_cursor` of the answer. */
  readonly ask: (path: string, body?: object) => Promise<Answer>;
  readonly spent: () => Promise<Spent>;
  readonly stop: () => Promise<void>;
};

const JSON_BODY = { "content-type": "application/json" };

export async function serveObservability(databaseUrl: string, tenantId: string): Promise<Serving> {
  const home = await mkdtemp(join(tmpdir(), "sightline-bench-"));
  const port = await freePort();
  const issuer = await startIssuer();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, ["apps/platform/sightline.ts", "start", "observability"], {
    cwd: repository,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      PATH: process.env["PATH"],
      DATABASE_URL: databaseUrl,
      // Nothing is read from it here; without one a Redis would be started too.
      OBSERVABILITY_REDIS_URL: process.env["TEST_REDIS_URL"] ?? "redis://127.0.0.1:1",
      OBSERVABILITY_STREAM_NAME: `bench-${randomBytes(8).toString("hex")}`,
      ENCRYPTION_KEYS: `bench:${randomBytes(32).toString("base64url")}`,
      SECRET_KEY: randomBytes(32).toString("base64url"),
      API_KEY: `studio_${randomBytes(32).toString("hex")}`,
      ENVIRONMENT: "development",
      SIGHTLINE_HOME: home,
      OBSERVABILITY_PORT: String(port),
      IDENTITY_JWKS_URL: issuer.url,
      PUBLIC_URL: ISSUER,
    },
  });
  await waitUntilHealthy(url, child);
  const headers = { authorization: `Bearer ${issuer.tokenFor(tenantId)}` };
  return {
    ask: async (path, given) => {
      const sent = given === undefined ? {} : { method: "POST", body: JSON.stringify(given) };
      const answer = await fetch(`${url}/api/v1${path}`, {
        ...sent,
        headers: given === undefined ? headers : { ...headers, ...JSON_BODY },
      });
      if (!answer.ok) {
        throw new Error(`${path} answered ${answer.status}: ${(await answer.text()).slice(0, 500)}`);
      }
      const body = (await answer.json()) as {
        readonly items?: readonly { readonly id?: string }[] | number;
        readonly next_cursor?: string | null;
      };
      // An experiment says how many it has.
      const items = typeof body.items === "object" ? body.items : undefined;
      const ids = (items ?? []).flatMap(({ id }) => id ?? []);
      return { items: items?.length ?? 1, next: body.next_cursor ?? null, ids };
    },
    spent: async () => ({
      api: await processorTimeOf(child.pid ?? 0),
      database: await processorTimesOfDatabase(new URL(databaseUrl).pathname.slice(1)),
    }),
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      issuer.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Of the processor, for a request. */
export function meansOf(before: Spent, after: Spent, requests: number) {
  const database = [...after.database].reduce((sum, [pid, spent]) => sum + spent - (before.database.get(pid) ?? 0), 0);
  const mean = (spent: number) => Math.round(spent / requests);
  return { "API, CPU ms": mean(after.api - before.api), "database, CPU ms": mean(database) };
}
