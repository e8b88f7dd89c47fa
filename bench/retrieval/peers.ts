import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { runScript } from "#scripts.ts";
import type { Filled } from "./fill.ts";
import { startZoekt } from "./zoekt.ts";

const run = promisify(execFile);
/** A literal that is everywhere prints much; only the time is wanted. */
const OUTPUT = { maxBuffer: 1024 * 1024 * 1024 };
const QUERIES = 20;

type Measuring = Filled & { readonly queries: string; readonly folder: string };

/** ripgrep, Debian's codesearch and Zoekt with the same texts on the same files, where they are installed. */
export async function timePeers({ url, schema, chunks, queries, folder }: Measuring) {
  const trees = join(folder, `trees-${chunks}`);
  await runScript("packages/code-index/testing/write-trees.ts", url, schema, trees);
  const texts = JSON.parse(await readFile(queries, "utf8")) as Texts;
  const rowOf = (what: string, kind: string, took: readonly number[]) => ({
    chunks,
    "at once": 1,
    what,
    queries: kind,
    ...figuresOf(took),
    goal: "",
  });
  return [
    ...(await timeCommands(trees, join(folder, `index-${chunks}`), texts)).map(([what, took]) => rowOf(what, "literals", took)),
    ...(await timeZoekt(trees, texts)).map(([kind, took]) => rowOf("zoekt", kind, took)),
  ];
}

type Texts = { readonly literals: readonly string[]; readonly symbols: readonly string[] };

async function timeZoekt(trees: string, texts: Texts): Promise<readonly (readonly [kind: string, took: readonly number[]])[]> {
  const zoekt = await startZoekt(trees);
  if (zoekt === undefined) {
    return [["literals", []]];
  }
  try {
    const [literals, symbols] = [await zoekt.time(texts.literals), await zoekt.time(texts.symbols)];
    return [
      ["literals, the first time", literals.firstMs],
      ["literals", literals.laterMs],
      ["symbols, the first time", symbols.firstMs],
      ["symbols", symbols.laterMs],
    ];
  } finally {
    await zoekt.stop();
  }
}

/** Each search is a process of its own. */
async function timeCommands(
  trees: string,
  indexFile: string,
  { literals }: Texts,
): Promise<readonly (readonly [what: string, took: readonly number[]])[]> {
  const index = { ...process.env, CSEARCHINDEX: indexFile };
  await run("cindex", ["-reset", trees], { ...OUTPUT, env: index }).catch(() => undefined);
  const peers = [
    { what: "ripgrep", command: "rg", words: (literal: string) => ["-F", "-i", "-l", "--no-ignore", "--", literal, trees] },
    { what: "csearch", command: "csearch", words: (literal: string) => ["-i", "-l", literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")] },
  ];
  const times: [string, readonly number[]][] = [];
  for (const { what, command, words } of peers) {
    const took: number[] = [];
    for (const literal of literals.slice(0, QUERIES)) {
      const began = performance.now();
      const isInstalled = await run(command, words(literal), { ...OUTPUT, env: index }).then(
        () => true,
        (error: unknown) => !(error instanceof Error && "code" in error && error.code === "ENOENT"),
      );
      if (isInstalled) {
        took.push(performance.now() - began);
      }
    }
    times.push([what, took]);
  }
  return times;
}

function figuresOf(took: readonly number[]) {
  const sorted = took.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * 10) / 10;
  return sorted.length === 0 ? { "p50 ms": "not installed", "p95 ms": "not installed" } : { "p50 ms": at(0.5), "p95 ms": at(0.95) };
}
