import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startBalancer } from "./balancer.ts";
import { makeSecrets } from "./make-secrets.ts";
import { freePorts, makePlace, startProduct, type Product, type Stage } from "./product.ts";

const RUN_SQL = fileURLToPath(new URL("../packages/foundation/testing/run-sql.ts", import.meta.url));
const SERVICES = ["IDENTITY", "CODEINDEX", "OBSERVABILITY", "CONSOLE"] as const;

/**
 * The product twice, each with every role, over one database and one Redis, behind addresses at which the two take the requests
 * in turn. The database is made on the PostgreSQL at `TEST_DATABASE_URL`.
 */
export async function startReplicas(words: readonly string[]): Promise<Stage> {
  const postgres = process.env["TEST_DATABASE_URL"];
  if (postgres === undefined) {
    throw new Error("Set TEST_DATABASE_URL: replicas need a PostgreSQL that several processes share.");
  }
  const stack = new AsyncDisposableStack();
  try {
    const product = await startTwice(postgres, words, stack);
    return { product, end: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** What is to be undone is put on the stack. */
async function startTwice(postgres: string, words: readonly string[], stack: AsyncDisposableStack): Promise<Product> {
  const name = `replicas_${randomBytes(8).toString("hex")}`;
  await runSql(postgres, `create database ${name}`);
  stack.defer(() => runSql(postgres, `drop database ${name} with (force)`));
  const places = [await makePlace(), await makePlace()] as const;
  places.forEach(({ remove }) => stack.defer(remove));
  const ports = await freePorts(SERVICES.length);
  for (const [index, service] of SERVICES.entries()) {
    const replicas = places.map(({ environment }) => Number(environment[`${service}_PORT`]));
    const balancer = await startBalancer(ports[index] ?? 0, replicas);
    stack.defer(async () => {
      await balancer.stop();
      console.log(`${service}: ${balancer.counts().join(" and ")} requests`);
      if (balancer.counts().includes(0)) {
        throw new Error(`One replica of ${service} was never asked.`);
      }
    });
  }

  const shared = environmentOf(withDatabase(postgres, name), ports);
  const [first, second] = places;
  const product = await startProduct({ ...first, environment: { ...first.environment, ...shared } }, words);
  stack.defer(async () => void (await product.interrupt()));
  // The first one's own is the Redis of both.
  const redis = { OBSERVABILITY_REDIS_URL: `redis://127.0.0.1:${first.environment["SIGHTLINE_REDIS_PORT"]}` };
  const replica = await startProduct({ ...second, environment: { ...second.environment, ...shared, ...redis } });
  stack.defer(async () => void (await replica.interrupt()));
  return {
    ...product,
    consoleUrl: shared.PUBLIC_URL,
    codeIndexUrl: shared.CODEINDEX_PUBLIC_URL,
    observabilityUrl: shared.OBSERVABILITY_PUBLIC_URL,
    output: () => `${product.output()}\n${replica.output()}`,
  };
}

function environmentOf(databaseUrl: string, ports: readonly number[]) {
  const [identity, codeIndex, observability, console] = ports.map((port) => `http://localhost:${port}`);
  return {
    DATABASE_URL: databaseUrl,
    IDENTITY_URL: identity ?? "",
    CODEINDEX_URL: codeIndex ?? "",
    OBSERVABILITY_URL: observability ?? "",
    PUBLIC_URL: console ?? "",
    CODEINDEX_PUBLIC_URL: codeIndex ?? "",
    OBSERVABILITY_PUBLIC_URL: observability ?? "",
    ...makeSecrets(),
  };
}

function withDatabase(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.toString();
}

async function runSql(url: string, statement: string): Promise<void> {
  await promisify(execFile)(process.execPath, [RUN_SQL, url, statement]);
}
