import { setTimeout as delay } from "node:timers/promises";
import { indexNow } from "#index-now.ts";
import { peakOfIndexer } from "#memory.ts";
import { startProduct, type Product } from "#product.ts";
import { repository, runScript } from "#scripts.ts";

import { runCindex, runCtags, type PeerFigures } from "./peers.ts";
import { copyTrees, type Tree } from "./trees.ts";

/**
 * `npm run bench:indexing -- /path/to/repository.git …`: the newest commits of the repositories given (of this one, when none
 * is), each by itself and by language, indexed by the product as it is started for real; beside `cindex` and `ctags` on the same files.
 */
const CHANGES = [1, 10, 100];
const ROUNDS = 3;
const GOAL = { mbPerSecond: 3, sizeOfSource: 4, peakGb: 1.5 };

type Preview = { readonly files: number; readonly bytes: number; readonly skipped: number; readonly chunks: number };
type Row = {
  readonly store: string;
  readonly tree: string;
  readonly files: number;
  readonly mb: number;
  readonly seconds: number;
  readonly sizeOfSource: number;
};

const stores = [
  { name: "PostgreSQL", url: process.env["TEST_DATABASE_URL"] },
  { name: "embedded", url: undefined },
].filter(({ name, url }) => name === "embedded" || url !== undefined);
const only = process.env["BENCH_STORE"];

const given = process.argv.slice(2);
const trees = await copyTrees(given.length === 0 ? [repository] : given);
const rows: Row[] = [];
const changes: Record<string, unknown>[] = [];
const peaks: Record<string, unknown>[] = [];
const peers = new Map<string, { readonly cindex: PeerFigures; readonly ctags: PeerFigures }>();
try {
  for (const { name, url } of stores.filter((store) => only === undefined || store.name === only)) {
    const product = await startProduct(url, 0);
    try {
      await measure(product, name);
    } catch (error) {
      console.error(product.output().slice(-20_000));
      throw error;
    } finally {
      await product.stop();
    }
  }
} finally {
  await trees.remove();
}
console.table(rows.map(inShort));
console.table(changes);
console.table(peaks);
console.log(JSON.stringify({ goal: GOAL, rows, peers: [...peers], changes, peaks }));

async function measure(product: Product, store: string): Promise<void> {
  let largest: { tree: Tree; id: string; bytes: number } | undefined;
  for (const [index, tree] of trees.all.entries()) {
    const path = { full_name: `bench/tree-${index}`, clone_url: tree.url, index: false };
    const { id } = await product.call<{ id: string }>("/repos", path);
    const { files, bytes } = await previewOf(product, id);
    const before = await indexBytes(product);
    const seconds = await indexNow(product.call, id, "full");
    const sizeOfSource = ((await indexBytes(product)) - before) / bytes;
    rows.push({ store, tree: tree.name, files, mb: bytes / 1e6, seconds, sizeOfSource });
    // Right after, so that what else the machine does meets them as well.
    if (!peers.has(tree.name)) {
      peers.set(tree.name, { cindex: await runCindex(tree), ctags: await runCtags(tree) });
    }
    console.table(rows.slice(-1).map(inShort));
    if (!tree.name.startsWith("all ") && bytes > (largest?.bytes ?? 0)) {
      largest = { tree, id, bytes };
    }
  }
  peaks.push({ store, "peak of the indexer": inMegabytes(await peakOfIndexer(product.pid)) });
  if (largest !== undefined) {
    await measureChanges(product, store, largest);
  }
}

async function measureChanges(product: Product, store: string, { tree, id }: { readonly tree: Tree; readonly id: string }): Promise<void> {
  for (const count of CHANGES) {
    const seconds: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await tree.change(count, `${store}, round ${round} of ${count}`);
      seconds.push(await indexNow(product.call, id, "incremental"));
    }
    changes.push({ store, tree: tree.name, "changed files": count, "seconds (median)": rounded(median(seconds)) });
  }
}

async function previewOf(product: Product, id: string): Promise<Preview> {
  for (;;) {
    const answer = await product.call<{ preview: Preview | null; error_message: string | null }>(`/repos/${id}/preview`);
    if (answer.preview !== null) {
      return answer.preview;
    }
    if (answer.error_message !== null) {
      throw new Error(answer.error_message);
    }
    await delay(500);
  }
}

/** Tables and indexes of the tenant. */
async function indexBytes({ databaseUrl }: Product): Promise<number> {
  const statement =
    "select coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace " +
    "where n.nspname like 'tenant\\_%' and c.relkind = 'r'";
  const printed = await runScript("packages/foundation/testing/run-sql.ts", databaseUrl, statement);
  const [row] = JSON.parse(printed) as { bytes: number }[];
  return row?.bytes ?? 0;
}

function inShort({ store, tree, files, mb, seconds, sizeOfSource }: Row) {
  const { cindex, ctags } = peers.get(tree) ?? {};
  const rate = (peer: PeerFigures) => (peer === undefined ? "not installed" : rounded(mb / peer.seconds));
  return {
    store,
    tree,
    files,
    MB: rounded(mb),
    "MB/s": rounded(mb / seconds),
    "files/s": Math.round(files / seconds),
    "index ÷ source": rounded(sizeOfSource),
    "cindex MB/s": rate(cindex),
    "cindex ÷ source": cindex === undefined ? "" : rounded(cindex.bytes / 1e6 / mb),
    "ctags MB/s": rate(ctags),
    "ctags ÷ source": ctags === undefined ? "" : rounded(ctags.bytes / 1e6 / mb),
  };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}

function rounded(number: number): number {
  return Math.round(number * 100) / 100;
}

function inMegabytes(bytes: number | undefined): string {
  return bytes === undefined ? "unknown here" : `${Math.round(bytes / 1e6)} MB`;
}
