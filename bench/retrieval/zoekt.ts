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

/** Milliseconds of each text the first time, and later. */
type ZoektTimes = { readonly firstMs: readonly number[]; readonly laterMs: readonly number[] };

export type Zoekt = {
  readonly time: (texts: readonly string[]) => Promise<ZoektTimes>;
  readonly stop: () => Promise<void>;
};

/**
 * Zoekt's server with the files of a folder; `undefined` where `zoekt-index` or `zoekt-webserver` is not on the PATH. Its times are
 * those that it tells of its searches, without HTTP and JSON, as ours are those of the leg.
 */
export async function startZoekt(trees: string): Promise<Zoekt | undefined> {
  const index = `${trees}-zoekt`;
  const indexed = run("zoekt-index", ["-index", index, trees], OUTPUT);
  const isInstalled = await indexed.then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") {
        return false;
      }
      throw error;
    },
  );
  if (!isInstalled) {
    return undefined;
  }
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = spawn("zoekt-webserver", ["-index", index, "-rpc", "-html=false", "-listen", `127.0.0.1:${port}`], { stdio: "ignore" });
  await waitUntilHealthy(url, server, "/healthz");
  return {
    time: async (texts) => {
      const firstMs = await timeEach(url, texts);
      const laterMs: number[] = [];
      for (let round = 1; round < ROUNDS; round++) {
        laterMs.push(...(await timeEach(url, texts)));
      }
      return { firstMs, laterMs };
    },
    stop: async () => {
      const ended = once(server, "exit");
      server.kill("SIGTERM");
      await ended;
    },
  };
}

async function timeEach(url: string, texts: readonly string[]): Promise<readonly number[]> {
  const took: number[] = [];
  for (const text of texts) {
    took.push(await search(url, text));
  }
  return took;
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
