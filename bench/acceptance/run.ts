import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { indexNow } from "#index-now.ts";
import { peakOfIndexer, resetPeak } from "#memory.ts";
import { startProduct, type Call } from "#product.ts";
import { runScript } from "#scripts.ts";
import { checkHistory } from "./history.ts";
import { createOrigin, type Origin } from "./origin.ts";
import { changedTables, digestTables, indexBytes, query } from "./tables.ts";

/**
 * `npm run acceptance -- repository.git … --walk repository.git …`: indexes repositories by the product as it is started for real and
 * compares every file with git; walks the newest commits of others one by one and compares the end with a build of the last. Fails
 * when anything differs.
 */
const COMMITS = 50;

type Checked = {
  readonly files: number;
  readonly bytes: number;
  readonly searchableFiles: number;
  readonly searchableBytes: number;
  readonly chunks: number;
  readonly symbols: number;
  readonly references: number;
  readonly notUtf8: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly problems: number;
  readonly shown: readonly string[];
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { walk: { type: "string", multiple: true, default: [] }, seed: { type: "string", default: String(randomInt(1_000_000)) } },
});
const problems: string[] = [];
const indexed: object[] = [];
const histories: object[] = [];
const walked: object[] = [];
const product = await startProduct(process.env["TEST_DATABASE_URL"], 0);
try {
  for (const [number, path] of positionals.entries()) {
    await withOrigin(path, async (origin) => void indexed.push(await index(origin, `index_${number}`)));
    console.table(indexed);
    console.table(histories);
  }
  for (const [number, path] of values.walk.entries()) {
    await withOrigin(path, async (origin) => void walked.push(await walk(origin, `walk_${number}`)));
    console.table(walked);
  }
} finally {
  await product.stop();
}
console.log(JSON.stringify({ indexed, histories, walked, problems }));
process.exitCode = problems.length > 0 ? 1 : 0;

async function withOrigin(path: string, work: (origin: Origin) => Promise<void>): Promise<void> {
  const origin = await createOrigin(path);
  try {
    await work(origin);
  } catch (error) {
    console.error(product.output().slice(-20_000));
    tell([`${origin.name}: ${error instanceof Error ? error.message : String(error)}`]);
  } finally {
    await origin.remove();
  }
}

function tell(found: readonly string[]): void {
  problems.push(...found);
  for (const problem of found) {
    console.error(problem);
  }
}

/** In a tenant of its own, so that sizes are this repository's. */
async function index(origin: Origin, tenant: string): Promise<object> {
  const { databaseUrl } = product;
  const schema = `tenant_${tenant}`;
  const call = await product.addTenant(tenant);
  const [commit = ""] = await origin.newest(1);
  await origin.setBranch(commit);
  const id = await register(call, origin);
  const empty = await indexBytes(databaseUrl, schema);
  await resetPeak(product.pid);
  const seconds = await indexNow(call, id, "full");
  const peak = await peakOfIndexer(product.pid);
  const checked = await check(schema, id, origin, commit);
  const history = await checkHistory({ call, id, origin, seed: Number(values.seed) });
  histories.push(history.counts);
  const first = await digestTables(databaseUrl, schema);
  const before = await indexBytes(databaseUrl, schema);
  const fullSeconds = await indexNow(call, id, "full");
  const second = await digestTables(databaseUrl, schema);
  const incrementalSeconds = await indexNow(call, id, "incremental");
  const third = await digestTables(databaseUrl, schema);
  await query(databaseUrl, "vacuum");
  const after = await indexBytes(databaseUrl, schema);
  const found = [
    ...checked.shown,
    ...changedTables(first, second, "full"),
    ...changedTables(second, third, "incremental"),
    ...history.problems,
  ];
  tell(found.map((problem) => `${origin.name}: ${problem}`));
  const ofSource = (bytes: number) => rounded((bytes - empty) / checked.searchableBytes);
  return {
    repository: origin.name,
    files: checked.files,
    MB: rounded(checked.bytes / 1e6),
    "searchable files": checked.searchableFiles,
    "searchable MB": rounded(checked.searchableBytes / 1e6),
    "not UTF-8": checked.notUtf8,
    chunks: checked.chunks,
    symbols: checked.symbols,
    skipped: Object.entries(checked.skipped)
      .toSorted(([, one], [, other]) => other - one)
      .map(([reason, count]) => `${count} ${reason}`)
      .join(", "),
    seconds: rounded(seconds),
    "MB/s": rounded(checked.searchableBytes / 1e6 / seconds),
    "again full, s": rounded(fullSeconds),
    "again incremental, s": rounded(incrementalSeconds),
    "index ÷ source": ofSource(before),
    vacuumed: ofSource(after),
    "peak MB": peak === undefined ? "unknown here" : Math.round(peak / 1e6),
    problems: checked.problems + found.length - checked.shown.length,
  };
}

async function check(schema: string, id: string, origin: Origin, commit: string): Promise<Checked> {
  const words = [product.databaseUrl, schema, id, origin.directory, commit];
  return JSON.parse(await runScript("packages/code-index/testing/check-against-git.ts", ...words)) as Checked;
}

async function walk(origin: Origin, tenant: string): Promise<object> {
  const { databaseUrl } = product;
  const schema = `tenant_${tenant}`;
  const call = await product.addTenant(tenant);
  const [base = "", ...commits] = await origin.newest(COMMITS + 1);
  await origin.setBranch(base);
  const id = await register(call, origin);
  await indexNow(call, id, "full");
  const took: number[] = [];
  const embedded: number[] = [];
  let { next } = await vectorsSince(schema, 0);
  for (const commit of commits) {
    await origin.setBranch(commit);
    took.push(await indexNow(call, id, "incremental"));
    const since = await vectorsSince(schema, next);
    embedded.push(since.count);
    next = since.next;
  }
  const checked = await check(schema, id, origin, commits.at(-1) ?? "");
  const other = await product.addTenant(`${tenant}_fresh`);
  await indexNow(other, await register(other, origin), "full");
  const compared = await runScript("packages/code-index/testing/compare-tenants.ts", databaseUrl, tenant, `${tenant}_fresh`);
  const found = [...checked.shown, ...(JSON.parse(compared) as string[])];
  tell(found.map((problem) => `${origin.name}, walked: ${problem}`));
  return {
    repository: origin.name,
    commits: commits.length,
    "seconds, median": rounded(percentile(took, 0.5)),
    p95: rounded(percentile(took, 0.95)),
    "embedded, median": percentile(embedded, 0.5),
    "embedded, most": Math.max(...embedded),
    "embedded, all": embedded.reduce((sum, count) => sum + count, 0),
    "chunks at the end": checked.chunks,
    problems: found.length,
  };
}

async function register(call: Call, { name, url }: Origin): Promise<string> {
  return (await call<{ id: string }>("/repos", { full_name: `acceptance/${name}`, clone_url: url, index: false })).id;
}

/** Vectors that were written by the database's transactions from one on. */
async function vectorsSince(schema: string, transaction: number): Promise<{ readonly count: number; readonly next: number }> {
  const [row] = await query<{ count: number; next: number }>(
    product.databaseUrl,
    "select pg_snapshot_xmax(pg_current_snapshot())::text::float8 as next, " +
      `(select count(*)::integer from ${schema}.vectors_1 where xmin::text::bigint >= ${transaction}) as count`,
  );
  return row ?? { count: 0, next: 0 };
}

function percentile(numbers: readonly number[], share: number): number {
  return numbers.toSorted((one, other) => one - other)[Math.ceil(numbers.length * share) - 1] ?? 0;
}

function rounded(number: number): number {
  return Math.round(number * 100) / 100;
}
