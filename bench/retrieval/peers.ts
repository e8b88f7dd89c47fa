import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { runScript } from "#scripts.ts";
import type { Filled } from "./fill.ts";

const run = promisify(execFile);
/** A literal that is everywhere prints much; only the time is wanted. */
const OUTPUT = { maxBuffer: 1024 * 1024 * 1024 };
const QUERIES = 20;

type Measuring = Filled & { readonly queries: string; readonly folder: string };

/** ripgrep and Debian's codesearch with the same literals on the same files, where they are installed. */
export async function timePeers({ url, schema, chunks, queries, folder }: Measuring) {
  const trees = join(folder, `trees-${chunks}`);
  await runScript("packages/code-index/testing/write-trees.ts", url, schema, trees);
  const { literals } = JSON.parse(await readFile(queries, "utf8")) as { literals: readonly string[] };
  const index = { ...process.env, CSEARCHINDEX: join(folder, `index-${chunks}`) };
  await run("cindex", ["-reset", trees], { ...OUTPUT, env: index }).catch(() => undefined);
  const peers = [
    { what: "ripgrep", command: "rg", words: (literal: string) => ["-F", "-i", "-l", "--no-ignore", "--", literal, trees] },
    { what: "csearch", command: "csearch", words: (literal: string) => ["-i", "-l", literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")] },
  ];
  const rows = [];
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
    const sorted = took.toSorted((one, other) => one - other);
    const at = (share: number) =>
      sorted.length === 0 ? "not installed" : Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
    rows.push({ chunks, "at once": 1, what, queries: "literals", "p50 ms": at(0.5), "p95 ms": at(0.95), goal: "" });
  }
  return rows;
}
