import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, waitUntilHealthy } from "#processes.ts";
import { ISSUER, startIssuer } from "#product.ts";
import { repository } from "#scripts.ts";

/** Observability with its consumer as they are started for real, on a PostgreSQL and a Redis of their own, and a project in it. */
export type Observability = {
  readonly url: string;
  /** Where it takes OTLP over gRPC. */
  readonly grpc: string;
  /** An API key of the project. */
  readonly key: string;
  /** Reads a path below the project; an error when the answer is none of the 2xx. */
  readonly read: <Body>(path: string) => Promise<Body>;
  readonly stop: () => Promise<void>;
};

export async function startObservability(): Promise<Observability> {
  const home = await mkdtemp(join(tmpdir(), "sightline-dialects-"));
  const [port, grpcPort, consumerPort] = [await freePort(), await freePort(), await freePort()];
  const [postgresPort, redisPort] = [await freePort(), await freePort()];
  const issuer = await startIssuer();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, ["apps/platform/sightline.ts", "start", "observability", "consumer"], {
    cwd: repository,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      PATH: process.env["PATH"],
      ENCRYPTION_KEYS: `bench:${randomBytes(32).toString("base64url")}`,
      SECRET_KEY: randomBytes(32).toString("base64url"),
      API_KEY: `studio_${randomBytes(32).toString("hex")}`,
      ENVIRONMENT: "development",
      SIGHTLINE_HOME: home,
      SIGHTLINE_POSTGRES_PORT: String(postgresPort),
      SIGHTLINE_REDIS_PORT: String(redisPort),
      OBSERVABILITY_PORT: String(port),
      OTLP_GRPC_PORT: String(grpcPort),
      OBSERVABILITY_CONSUMER_PORT: String(consumerPort),
      IDENTITY_JWKS_URL: issuer.url,
      PUBLIC_URL: ISSUER,
    },
  });
  await waitUntilHealthy(url, child);
  const authorization = `Bearer ${issuer.tokenFor("dialects")}`;
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }) };
    const answer = await fetch(`${url}/api/v1/projects${path}`, { method, headers, ...sent });
    const text = await answer.text();
    if (!answer.ok) {
      throw new Error(`${path} answered ${answer.status}: ${text}`);
    }
    return text === "" ? undefined : JSON.parse(text);
  };
  const { id } = (await call("POST", "", { name: "dialects" })) as { readonly id: string };
  const { key } = (await call("POST", `/${id}/keys`, { name: "dialects", scopes: ["ingest"] })) as { readonly key: string };
  return {
    url,
    grpc: `http://127.0.0.1:${grpcPort}`,
    key,
    read: async <Body>(path: string) => (await call("GET", `/${id}${path}`)) as Body,
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      issuer.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
