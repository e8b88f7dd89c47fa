import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { time, type Timed } from "#measure.ts";
import { repository, runScript } from "#scripts.ts";
import { asked, type Texts } from "./asked.ts";
import { fillIndex, type Filled } from "./fill.ts";
import { timePeers } from "./peers.ts";
import { timeHistory } from "./history.ts";
import { checkPlans, wholeReads } from "./plans.ts";
import { serveIndex } from "./serve.ts";

/**
 * `npm run bench:retrieval -- [--keep] [--peers] /path/to/repository.git …`: searches in 10,000, 100,000 and 1,000,000 chunks of the
 * newest commits of the repositories given (of this one, when none is) and of copies of them, each leg by itself and all together through
 * `/mcp`; and what is asked of a branch of 100,000 commits. Needs the PostgreSQL at `TEST_DATABASE_URL`. `BENCH_CHUNKS=10000,100000`
 * for other sizes, `BENCH_COMMITS=2000` for another branch; nothing of either when it is empty.
 */
const TESTING = "packages/code-index/testing";
/** Chunks that differ: what is more is copies of whole repositories. */
const DISTINCT = 200_000;
const QUERIES = 40;
const AT_ONCE = [1, 8];
const GOALS: Readonly<Record<string, number>> = { bm25: 10, exact: 60, hybrid: 80 };

type LegTimes = { readonly leg: string; readonly kind: string; readonly firstMs: readonly number[]; readonly laterMs: readonly number[] };
type Row = Readonly<Record<string, string | number>>;

const server = process.env["TEST_DATABASE_URL"];
if (server === undefined) {
  throw new Error("TEST_DATABASE_URL is not set: a PostgreSQL with the extensions vector and pg_trgm.");
}
const words = process.argv.slice(2);
const given = words.filter((word) => !word.startsWith("--"));
const sizesOf = (text: string) => text.split(",").filter(Boolean).map(Number);
const sizes = sizesOf(process.env["BENCH_CHUNKS"] ?? "10000,100000,1000000");
const branches = sizesOf(process.env["BENCH_COMMITS"] ?? "100000");
const rows: Row[] = [];
const folder = await mkdtemp(join(tmpdir(), "sightline-bench-"));
try {
  for (const chunks of sizes) {
    await measure(server, chunks);
  }
  for (const commits of branches) {
    await measureHistory(server, commits);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(JSON.stringify({ goals: GOALS, rows }));

async function measure(postgresUrl: string, chunks: number): Promise<void> {
  const keep = words.includes("--keep");
  const paths = given.length === 0 ? [repository] : given;
  const filled = await fillIndex({ postgresUrl, chunks, distinct: Math.min(chunks, DISTINCT), paths, keep });
  try {
    const queries = join(folder, `${chunks}.json`);
    await writeFile(queries, await runScript(`${TESTING}/draw-queries.ts`, filled.url, filled.schema, String(QUERIES)));
    const sizesRows: Row[] = [];
    for (const atOnce of AT_ONCE) {
      sizesRows.push(...(await timeLegs(filled, queries, atOnce)));
      sizesRows.push(...(await timeHybrid(filled, queries, atOnce)));
    }
    const peers = words.includes("--peers") ? await timePeers({ ...filled, queries, folder }) : [];
    rows.push(...sizesRows, ...peers);
    console.table([...sizesRows, ...peers]);
    console.table(await checkPlans(filled));
  } finally {
    await filled.remove();
  }
}

async function measureHistory(postgresUrl: string, commits: number): Promise<void> {
  const { times, plans } = await timeHistory(postgresUrl, commits);
  const historyRows = times.map(({ what, took }) => ({ commits, what, ...percentilesOf(took) }));
  rows.push(...historyRows);
  console.table(historyRows);
  console.table(wholeReads(plans));
}

async function timeLegs({ url, tenantId, chunks }: Filled, queries: string, atOnce: number): Promise<readonly Row[]> {
  const printed = await runScript(`${TESTING}/time-legs.ts`, url, tenantId, queries, String(atOnce));
  const legs = JSON.parse(printed) as readonly LegTimes[];
  return legs.flatMap(({ leg, kind, firstMs, laterMs }) => [
    rowOf({ chunks, atOnce, what: leg, queries: `${kind}, the first time` }, firstMs),
    rowOf({ chunks, atOnce, what: leg, queries: kind }, laterMs),
  ]);
}

async function timeHybrid(filled: Filled, file: string, atOnce: number): Promise<readonly Row[]> {
  const serving = await serveIndex(filled);
  try {
    const drawn = JSON.parse(await readFile(file, "utf8")) as Texts;
    const texts = [...drawn.words, ...drawn.symbols, ...drawn.literals];
    const rounds: Timed[] = [];
    for (let round = 0; round < 3; round++) {
      rounds.push(await time(texts, atOnce, (query) => serving.call("search", { query })));
    }
    const [first, ...later] = rounds;
    const tools: Row[] = [];
    for (const { tool, kind, texts: names, given: argumentsOf } of asked(drawn)) {
      for (const when of [", the first time", ""]) {
        const timed = await time(names, atOnce, (text) => serving.call(tool, argumentsOf(text)));
        tools.push(
          rowOf({ chunks: filled.chunks, atOnce, what: tool, queries: `${kind}, through /mcp${when}` }, timed.took, timed.totalMs),
        );
      }
    }
    return [
      ...tools,
      rowOf({ chunks: filled.chunks, atOnce, what: "hybrid", queries: "all through /mcp, the first time" }, first?.took ?? []),
      rowOf(
        { chunks: filled.chunks, atOnce, what: "hybrid", queries: "all through /mcp" },
        later.flatMap(({ took }) => took),
        later.reduce((sum, { totalMs }) => sum + totalMs, 0),
      ),
    ];
  } finally {
    await serving.stop();
  }
}

type Measured = { readonly chunks: number; readonly atOnce: number; readonly what: string; readonly queries: string };

function rowOf({ chunks, atOnce, what, queries }: Measured, took: readonly number[], totalMs?: number): Row {
  const percentiles = percentilesOf(took);
  const goal = GOALS[what];
  const judged =
    goal === undefined || chunks < 1_000_000 || atOnce > 1 || queries.endsWith("first time") ? undefined : percentiles["p95 ms"] < goal;
  return {
    chunks,
    "at once": atOnce,
    what,
    queries,
    ...percentiles,
    "a second": totalMs === undefined ? "" : Math.round((took.length / totalMs) * 1_000),
    goal: judged === undefined ? "" : `${judged ? "met" : "missed"}: < ${goal} ms`,
  };
}

function percentilesOf(took: readonly number[]) {
  const sorted = took.toSorted((one, other) => one - other);
  const percentile = (share: number) => Math.round((sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1] ?? 0) * 10) / 10;
  return { "p50 ms": percentile(0.5), "p95 ms": percentile(0.95) };
}
