import { execFile, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { indexNow } from "#index-now.ts";
import { freePort } from "#processes.ts";
import { startProduct } from "#product.ts";
import { repository } from "#scripts.ts";

/**
 * `npm run bench:cold-start`: from the start of a process of the code index's API with an empty folder, as where it scales to
 * zero, to its first answers: from a checkout, and as in the image, which brings its code compiled. The index is of this
 * repository, in the PostgreSQL at `TEST_DATABASE_URL`.
 */
const TIMES = Number(process.env["BENCH_TIMES"] ?? 10);
const GOAL_MS = 3_000;
const QUERY = "how does a crashed process get restarted";

const postgresUrl = process.env["TEST_DATABASE_URL"];
if (postgresUrl === undefined) {
  throw new Error("Set TEST_DATABASE_URL to a PostgreSQL with pgvector: what scales to zero has no database of its own.");
}
const run = promisify(execFile);
const compiled = await mkdtemp(join(tmpdir(), "sightline-compiled-"));
const product = await startProduct(postgresUrl, 60);
try {
  const { id } = await product.call<{ id: string }>("/repos", { full_name: "bench/cold", clone_url: `file://${repository}` });
  console.log(`indexed in ${(await indexNow(product.call, id, "full")).toFixed(1)} s`);
  await run(process.execPath, ["apps/platform/compose/compile-roles.ts"], {
    cwd: repository,
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compiled },
  });
  const rows = [];
  for (let number = 0; number < TIMES; number += 1) {
    rows.push({ from: "checkout", ...(await startCold(undefined)) }, { from: "image", ...(await startCold(compiled)) });
  }
  console.table(rows.toSorted((one, other) => one.from.localeCompare(other.from)));
  const slowest = Math.max(...rows.filter(({ from }) => from === "image").map((row) => row["first search, ms"]));
  console.log(`slowest first search as in the image ${slowest} ms, goal ${GOAL_MS} ms`);
  process.exitCode = slowest <= GOAL_MS ? 0 : 1;
} finally {
  await product.stop();
  await rm(compiled, { recursive: true, force: true });
}

async function startCold(compiledBefore: string | undefined) {
  const folder = await mkdtemp(join(tmpdir(), "sightline-cold-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const child = product.startApi(folder, port, compiledBefore);
  try {
    await waitUntilOpen(`${url}/health`, child);
    const open = performance.now();
    const search = product.callAt(url);
    const { results } = await search<{ results: readonly unknown[] }>("/search", { query: QUERY });
    const first = performance.now();
    await search("/search", { query: QUERY });
    const second = performance.now();
    if (results.length === 0) {
      throw new Error("the first search found nothing");
    }
    return {
      "health, ms": Math.round(open - began),
      "first search, ms": Math.round(first - began),
      "of which the search, ms": Math.round(first - open),
      "second search, ms": Math.round(second - first),
    };
  } finally {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}

async function waitUntilOpen(address: string, child: ChildProcess): Promise<void> {
  while (
    !(await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) {
      throw new Error(`the process ended with ${child.exitCode}`);
    }
    await delay(10);
  }
}
