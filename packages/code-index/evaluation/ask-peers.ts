import { execFile, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";
import { checkOut, repositoryName } from "#evaluation/git.ts";
import type { Judged } from "#evaluation/judge.ts";
import type { EvalQuery } from "#evaluation/query-set.ts";
import { readAskedSet } from "#evaluation/read-set.ts";

const MAKE = fileURLToPath(new URL("../../../tools/python-environment.sh", import.meta.url));
const ASK = fileURLToPath(new URL("peers/ask_semble.py", import.meta.url));
const REQUIREMENTS = "packages/code-index/evaluation/peers/requirements.txt";

const answerSchema = z.array(z.array(z.object({ path: z.string(), start_line: z.int(), end_line: z.int() })));

/** What semble answers, by a repository's name and `keyOf` the query, best first. */
export type Peers = ReadonlyMap<string, ReadonlyMap<string, readonly Judged[]>>;

export function keyOf({ text: asked, within }: Pick<EvalQuery, "text" | "within">): string {
  return `${within ?? "*"}\0${asked}`;
}

/** Asks semble what people asked of each of the repositories, over the trees that are indexed. */
export async function askPeers(paths: readonly string[]): Promise<Peers> {
  const { stdout } = await promisify(execFile)(MAKE, [REQUIREMENTS]);
  const peers = new Map<string, ReadonlyMap<string, readonly Judged[]>>();
  for (const path of paths) {
    const set = await readAskedSet(repositoryName(path));
    if (set !== undefined) {
      const checkout = await checkOut(path, set.commit);
      try {
        const answers = await askSemble(stdout.trim(), checkout.directory, set.queries);
        peers.set(repositoryName(path), new Map(set.queries.map((query, index) => [keyOf(query), answers[index] ?? []])));
      } finally {
        await checkout.remove();
      }
    }
  }
  return peers;
}

async function askSemble(python: string, directory: string, queries: readonly EvalQuery[]): Promise<readonly (readonly Judged[])[]> {
  const asked = spawn(python, [ASK], { stdio: ["pipe", "pipe", "inherit"] });
  asked.stdin.end(JSON.stringify({ directory, queries }));
  return answerSchema.parse(JSON.parse(await text(asked.stdout)));
}
