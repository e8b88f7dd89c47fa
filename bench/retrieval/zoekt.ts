import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { time, type Timed } from "#measure.ts";
import { freePort, waitUntilHealthy } from "#processes.ts";

const run = promisify(execFile);
const OUTPUT = { maxBuffer: 64 * 1024 * 1024 };
/** As many as the exact leg hands on. */
const FILES = 100;
const ROUNDS = 4;

/** Nanoseconds of the server's own, and those in which it waited for its turn. */
type Answer = { readonly Result: { readonly Duration: number; readonly Wait: number } };

type ZoektTimes = { readonly queries: string; readonly own: readonly number[] } & Timed;

/**
 * Searches the files of a folder by Zoekt's server. Its own times are those that it tells of its searches, without HTTP and JSON, as ours
 * are those of the leg.
 *
 * @param texts by kind, in Zoekt's language
 * @returns milliseconds, of each kind the first time and later, one and eight at once
 * @throws {Error} `ENOENT` where `zoekt-index` or `zoekt-webserver` is not on the PATH
 */
export async function timeZoekt(trees: string, texts: Readonly<Record<string, readonly string[]>>): Promise<readonly ZoektTimes[]> {
  const index = `${trees}-zoekt`;
  await run("zoekt-index", ["-index", index, trees], OUTPUT);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = spawn("zoekt-webserver", ["-index", index, "-rpc", "-html=false", "-listen", `127.0.0.1:${port}`], { stdio: "ignore" });
  await waitUntilHealthy(url, server, "/healthz");
  const timed: ZoektTimes[] = [];
  for (const [kind, ofKind] of Object.entries(texts)) {
    const ask = async (queries: string, repeated: readonly string[], atOnce = 1) => {
      const own: number[] = [];
      timed.push({ queries, own, ...(await time(repeated, atOnce, async (text) => void own.push(await search(url, text)))) });
    };
    const later = Array.from({ length: ROUNDS - 1 }, () => ofKind).flat();
    await ask(`${kind}, the first time`, ofKind);
    await ask(kind, later);
    await ask(`${kind}, 8 at once`, later, 8);
  }
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  await ended;
  return timed;
}

/** What a text's lines match, in Zoekt's language. */
export function zoektQuery(expression: string, letters: "case:yes" | "case:no"): string {
  return `${letters} content:"${expression.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
}

/** @returns milliseconds by the server's own clock */
async function search(url: string, text: string): Promise<number> {
  const answer = await fetch(`${url}/api/search`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ Q: text, Opts: { MaxDocDisplayCount: FILES } }),
  });
  if (!answer.ok) {
    throw new Error(`Zoekt answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
  }
  const { Result } = (await answer.json()) as Answer;
  return (Result.Duration + Result.Wait) / 1e6;
}
