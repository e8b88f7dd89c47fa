import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { freePort, waitUntilHealthy } from "#processes.ts";

const run = promisify(execFile);
const OUTPUT = { maxBuffer: 64 * 1024 * 1024 };
/** As many as the exact leg hands on. */
const FILES = 100;
const ROUNDS = 4;

/** Nanoseconds of the server's own, and those in which it waited for its turn. */
type Answer = { readonly Result: { readonly Duration: number; readonly Wait: number } };

type Timed = { readonly queries: string; readonly took: readonly number[] };

/**
 * Searches the files of a folder by Zoekt's server. Its times are those that it tells of its searches, without HTTP and JSON, as ours are
 * those of the leg.
 *
 * @param texts by kind
 * @returns milliseconds, of each kind the first time and later
 * @throws {Error} `ENOENT` where `zoekt-index` or `zoekt-webserver` is not on the PATH
 */
export async function timeZoekt(trees: string, texts: Readonly<Record<string, readonly string[]>>): Promise<readonly Timed[]> {
  const index = `${trees}-zoekt`;
  await run("zoekt-index", ["-index", index, trees], OUTPUT);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = spawn("zoekt-webserver", ["-index", index, "-rpc", "-html=false", "-listen", `127.0.0.1:${port}`], { stdio: "ignore" });
  await waitUntilHealthy(url, server, "/healthz");
  const timed: Timed[] = [];
  for (const [kind, ofKind] of Object.entries(texts)) {
    const [firstMs, laterMs]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      for (const text of ofKind) {
        (round === 0 ? firstMs : laterMs).push(await search(url, text));
      }
    }
    timed.push({ queries: `${kind}, the first time`, took: firstMs }, { queries: kind, took: laterMs });
  }
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  await ended;
  return timed;
}

/** @returns milliseconds */
async function search(url: string, text: string): Promise<number> {
  const literal = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  const quoted = literal.replaceAll(/[\\"]/g, String.raw`\$&`);
  const answer = await fetch(`${url}/api/search`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ Q: `case:no content:"${quoted}"`, Opts: { MaxDocDisplayCount: FILES } }),
  });
  if (!answer.ok) {
    throw new Error(`Zoekt answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
  }
  const { Result } = (await answer.json()) as Answer;
  return (Result.Duration + Result.Wait) / 1e6;
}
