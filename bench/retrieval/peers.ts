import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { runScript } from "#scripts.ts";
import type { Filled } from "./fill.ts";
import { asked, type Texts } from "./asked.ts";
import { timeZoekt, zoektQuery } from "./zoekt.ts";

const run = promisify(execFile);
/** A literal that is everywhere prints much; only the time is wanted. */
const OUTPUT = { maxBuffer: 1024 * 1024 * 1024 };
const QUERIES = 20;

type Measuring = Filled & { readonly queries: string; readonly folder: string };

type Peer = { readonly what: string; readonly queries: string; readonly took: readonly number[]; readonly perSecond?: number };

/** ripgrep, Debian's codesearch and Zoekt with the same texts on the same files, where they are installed. */
export async function timePeers({ url, schema, chunks, queries, folder }: Measuring) {
  const trees = join(folder, `trees-${chunks}`);
  await runScript("packages/code-index/testing/write-trees.ts", url, schema, trees);
  const texts = JSON.parse(await readFile(queries, "utf8")) as Texts;
  const peers = [...(await timeCommands(trees, join(folder, `index-${chunks}`), texts)), ...(await timeServer(trees, texts))];
  return peers.map(({ took, perSecond = "", ...peer }) => ({ chunks, ...peer, ...figuresOf(took), "a second": perSecond }));
}

async function timeServer(trees: string, texts: Texts): Promise<readonly Peer[]> {
  const own = (kind: "literals" | "symbols") => texts[kind].map((text) => zoektQuery(escapeForRegex(text), "case:no"));
  const tools = asked(texts).map(({ tool, kind, texts: given }) => {
    const expressions = given.map((text) =>
      tool === "find_references" ? `\\b${escapeForRegex(text)}\\b` : kind === "expressions" ? text : escapeForRegex(text),
    );
    return [`${tool}: ${kind}`, expressions.map((expression) => zoektQuery(expression, "case:yes"))] as const;
  });
  const timed = await timeZoekt(trees, { literals: own("literals"), symbols: own("symbols"), ...Object.fromEntries(tools) }).catch(
    (error: unknown) => {
      if (!isMissing(error)) {
        throw error;
      }
      return [];
    },
  );
  return timed.flatMap(({ queries, own: ownTimes, took, totalMs }) => [
    { what: "zoekt", queries, took: ownTimes },
    { what: "zoekt over HTTP", queries, took, perSecond: Math.round((took.length / totalMs) * 1_000) },
  ]);
}

function escapeForRegex(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** Each search is a process of its own. */
async function timeCommands(trees: string, indexFile: string, { literals }: Texts): Promise<readonly Peer[]> {
  const index = { ...process.env, CSEARCHINDEX: indexFile };
  await run("cindex", ["-reset", trees], { ...OUTPUT, env: index }).catch(() => undefined);
  const commands = [
    { what: "ripgrep", command: "rg", words: (literal: string) => ["-F", "-i", "-l", "--no-ignore", "--", literal, trees] },
    { what: "csearch", command: "csearch", words: (literal: string) => ["-i", "-l", escapeForRegex(literal)] },
  ];
  const peers: Peer[] = [];
  for (const { what, command, words } of commands) {
    const took: number[] = [];
    for (const literal of literals.slice(0, QUERIES)) {
      const began = performance.now();
      const isInstalled = await run(command, words(literal), { ...OUTPUT, env: index }).then(
        () => true,
        (error: unknown) => !isMissing(error),
      );
      if (isInstalled) {
        took.push(performance.now() - began);
      }
    }
    peers.push({ what, queries: "literals", took });
  }
  return peers;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function figuresOf(took: readonly number[]) {
  const sorted = took.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * 10) / 10;
  return sorted.length === 0 ? { "p50 ms": "not installed", "p95 ms": "not installed" } : { "p50 ms": at(0.5), "p95 ms": at(0.95) };
}
