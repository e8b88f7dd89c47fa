import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { createOrigin, moduleOf, pathOf, type Origin } from "./origin.ts";
import { startProduct, type Product } from "#product.ts";

/**
 * `npm run bench:push`: from `git push` to an answer of the search that holds what was pushed, with the API and an indexer
 * as they are started for real. Also: a forged delivery, one that comes ten times, and one that is lost.
 */
const FILES = Number(process.env["BENCH_FILES"] ?? 5_000);
const PUSHES = [
  { files: 1, pushes: 10 },
  { files: 10, pushes: 10 },
  { files: 50, pushes: 10 },
];
const GOAL_P95_MS = 5_000;
const POLL_MINUTES = 1;
const FULL_NAME = "bench/large";

type Job = {
  readonly job_id: string;
  readonly trigger: string;
  readonly created_at: string;
  readonly started_at: string;
  readonly completed_at: string;
};
type Push = {
  readonly totalMs: number;
  readonly toldMs: number;
  readonly waitedMs: number;
  readonly ranMs: number;
  readonly searchMs: number;
};

const stores = [
  { name: "PostgreSQL", url: process.env["TEST_DATABASE_URL"] },
  { name: "embedded", url: undefined },
].filter(({ name, url }) => name === "embedded" || url !== undefined);
const only = process.env["BENCH_STORE"];

const rows = [];
const checks = [];
for (const { name, url } of stores.filter((store) => only === undefined || store.name === only)) {
  const product = await startProduct(url, POLL_MINUTES);
  const webhookUrl = `${product.url}/api/v1/ingest/webhook`;
  const origin = await createOrigin(FILES, { webhookUrl, secret: product.webhookSecret, fullName: FULL_NAME });
  try {
    const began = performance.now();
    const { id } = await product.call<{ id: string }>("/repos", { full_name: FULL_NAME, clone_url: origin.url });
    await waitUntilIndexed(product, id);
    console.log(`${name}: ${origin.files} files, ${(origin.bytes / 1e6).toFixed(1)} MB, indexed in ${seconds(performance.now() - began)}`);
    const pushes: Push[] = [];
    for (const { files, pushes: count } of PUSHES) {
      const measured = [];
      for (let number = 0; number < count; number += 1) {
        measured.push(await pushOnce(product, origin, { repoId: id, files }));
      }
      pushes.push(...measured);
      rows.push({ store: name, files: String(files), ...figures(measured) });
    }
    rows.push({ store: name, files: "all", ...figures(pushes) });
    console.table(rows);
    checks.push({ store: name, ...(await checkDeliveries(product, origin, id)) });
  } catch (error) {
    console.error(product.output().slice(-20_000));
    throw error;
  } finally {
    await product.stop();
    await origin.remove();
  }
}
console.table(checks);
console.log(JSON.stringify({ files: FILES, goalP95Ms: GOAL_P95_MS, rows, checks }));

async function waitUntilIndexed(product: Product, id: string): Promise<void> {
  for (;;) {
    const repository = await product.call<{ index_status: string; last_error: string | null }>(`/repos/${id}`);
    if (repository.index_status === "ready") {
      return;
    }
    if (repository.index_status === "failed") {
      throw new Error(repository.last_error ?? "failed");
    }
    await delay(500);
  }
}

/** Changes that many files, each of which has a word that no other has, and waits until a search finds the last of them. */
async function pushOnce(product: Product, origin: Origin, { repoId, files }: { repoId: string; files: number }): Promise<Push> {
  const word = uniqueWord();
  const changed = Array.from(
    { length: files },
    (_, number) => Math.floor((number * FILES) / files + Math.random() * (FILES / files)) % FILES,
  );
  const content = Object.fromEntries(changed.map((index) => [pathOf(index), moduleOf(index, word)]));
  const began = performance.now();
  await origin.push(content);
  const toldMs = performance.now() - began;
  const searchMs = await searchUntilFound(product, word);
  const totalMs = performance.now() - began;
  const { items } = await product.call<{ items: readonly Job[] }>(`/jobs?repo_id=${repoId}&limit=1`);
  const [job] = items;
  const at = (time: string | null | undefined) => new Date(time ?? 0).getTime();
  return {
    totalMs,
    toldMs,
    waitedMs: at(job?.started_at) - at(job?.created_at),
    ranMs: at(job?.completed_at) - at(job?.started_at),
    searchMs,
  };
}

function uniqueWord(): string {
  return `unique${randomBytes(8).toString("hex")}`;
}

/** Answers how long the search took that found it. */
async function searchUntilFound(product: Product, word: string): Promise<number> {
  const deadline = Date.now() + 5 * 60_000;
  for (;;) {
    const began = performance.now();
    const { results } = await product.call<{ results: readonly { content: string }[]; legs: unknown }>("/search", {
      query: word,
      limit: 1,
    });
    if (results[0]?.content.includes(word)) {
      return performance.now() - began;
    }
    if (Date.now() > deadline) {
      throw new Error(`${word} was not found within five minutes`);
    }
    await delay(25);
  }
}

async function checkDeliveries(product: Product, origin: Origin, repoId: string) {
  const jobs = async () => (await product.call<{ items: readonly Job[] }>(`/jobs?repo_id=${repoId}&limit=200`)).items;
  const deliveries = async () => (await product.call<{ items: readonly unknown[] }>(`/webhooks/deliveries?limit=200`)).items.length;
  const before = { jobs: (await jobs()).length, deliveries: await deliveries() };
  const body = JSON.stringify({ full_name: FULL_NAME, ref: "refs/heads/main" });
  const forged = await deliver(product, body, "a secret that was guessed");
  expectEqual("a forged delivery changes nothing", { jobs: (await jobs()).length, deliveries: await deliveries() }, before);
  const id = randomUUID();
  const statuses = await Promise.all(Array.from({ length: 10 }, () => deliver(product, body, product.webhookSecret, id)));
  expectEqual("the same delivery ten times is taken", new Set(statuses), new Set([202]));
  expectEqual("the same delivery ten times makes one job", (await jobs()).length, before.jobs + 1);
  await waitUntilIdle(jobs);
  await origin.tell(false);
  const word = uniqueWord();
  const began = performance.now();
  await origin.push({ [pathOf(0)]: moduleOf(0, word) });
  await searchUntilFound(product, word);
  const lostMs = performance.now() - began;
  expectEqual("a lost delivery is found by the poll", (await jobs())[0]?.trigger, "poll");
  return {
    "forged delivery": forged,
    "jobs of ten deliveries": 1,
    "lost delivery found after": seconds(lostMs),
    "poll every": `${POLL_MINUTES} min`,
  };
}

async function waitUntilIdle(jobs: () => Promise<readonly Job[]>): Promise<void> {
  while ((await jobs()).some((job) => job.completed_at === null)) {
    await delay(200);
  }
}

async function deliver({ url }: Product, body: string, secret: string, id: string = randomUUID()): Promise<number> {
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const answer = await fetch(`${url}/api/v1/ingest/webhook`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-delivery-id": id, "x-signature-256": `sha256=${signature}` },
    body,
  });
  await answer.text();
  return answer.status;
}

function expectEqual(what: string, found: unknown, expected: unknown): void {
  const text = (value: unknown) => JSON.stringify(value instanceof Set ? [...value] : value);
  if (text(found) !== text(expected)) {
    throw new Error(`${what}: expected ${text(expected)}, found ${text(found)}`);
  }
}

function figures(pushes: readonly Push[]) {
  const of = (key: keyof Push, share: number) => {
    const sorted = pushes.map((push) => push[key]).toSorted((one, other) => one - other);
    return Math.round(sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1] ?? 0);
  };
  return {
    pushes: pushes.length,
    "p50 ms": of("totalMs", 0.5),
    "p95 ms": of("totalMs", 0.95),
    "git push p50": of("toldMs", 0.5),
    "queued p50": of("waitedMs", 0.5),
    "job p50": of("ranMs", 0.5),
    "job p95": of("ranMs", 0.95),
    "search p50": of("searchMs", 0.5),
  };
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
