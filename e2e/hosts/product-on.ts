import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeSecrets } from "#make-secrets.ts";
import type { Network } from "./network.ts";
import { start, type Started } from "./processes-on.ts";
import type { Stores } from "./stores.ts";

export const repository: string = fileURLToPath(new URL("../..", import.meta.url));
export const admin = { email: "admin@example.org", password: "seven green lanterns" };
const UP = /Ctrl-C stops everything/;
const START_MS = 300_000;

/** What all hosts of one product are told. */
export function sharedEnvironment({ databaseUrl, redisUrl }: Stores): Readonly<Record<string, string>> {
  return {
    PATH: process.env["PATH"] ?? "",
    ENVIRONMENT: "development",
    NODE_COMPILE_CACHE: join(tmpdir(), "sightline-test-compiled"),
    SIGHTLINE_HOST: "0.0.0.0",
    DATABASE_URL: databaseUrl,
    OBSERVABILITY_REDIS_URL: redisUrl,
    PUBLIC_URL: "http://sightline.test:3000",
    CODEINDEX_PUBLIC_URL: "http://sightline.test:8080",
    CODEINDEX_ALLOW_FILE_URLS: "true",
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    ...makeSecrets(),
  };
}

/** Every role on a host, on the ports that they have by default. */
export async function startProductOn(network: Network, host: string, shared: Readonly<Record<string, string>>) {
  const home = await mkdtemp(join(tmpdir(), "sightline-host-"));
  const node = [process.execPath, "--require", "./apps/platform/demand-node.cjs", "apps/platform/sightline.ts", "start"];
  const product: Started = start([...network.on(host), ...node], { ...shared, SIGHTLINE_HOME: home }, repository);
  await product.printed(UP, START_MS);
  return { ...product, remove: () => rm(home, { recursive: true, force: true }) };
}
