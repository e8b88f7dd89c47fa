import { createHash } from "node:crypto";
import type { EmbeddingConfig } from "#config.ts";
import { createEmbedder } from "#embedding/create-embedder.ts";
import { SPLITTER_REVISION } from "#splitting/revision.ts";
import { capture, type Captured } from "./capture.ts";
import { makeCommitQueries } from "./commit-queries.ts";
import { makeSymbolQueries, takeDocstrings } from "./definition-queries.ts";
import { openEvaluatedIndex, type EvaluatedIndex } from "./evaluated-index.ts";
import { EVALUATED_COMMITS } from "./fill-history.ts";
import { checkOut, git, repositoryName, type Checkout } from "./git.ts";
import type { EvalQuery } from "./query-set.ts";
import { readAskedSet, type AskedSet } from "./read-set.ts";
import { searchByRipgrep } from "./ripgrep.ts";

export type CapturedRepository = {
  readonly name: string;
  readonly language: string;
  readonly half?: AskedSet["half"];
  /** Which model made the vectors. */
  readonly embedder: string;
  /** What people asked, and what was made, each of a commit of its own. */
  readonly parts: readonly Captured[];
};

type Capturing = {
  readonly server: string;
  readonly path: string;
  readonly embedding: EmbeddingConfig;
  /** Made queries of each family at the most. */
  readonly count: number;
  /** Whether the indexes stay, for the next time. */
  readonly keep: boolean;
};

/** Takes and makes the queries of a repository, indexes it by itself, so that what others hold does not count, and searches. */
export async function captureRepository(capturing: Capturing): Promise<CapturedRepository> {
  const { path, embedding, count } = capturing;
  const name = repositoryName(path);
  const began = performance.now();
  const set = await readAskedSet(name);
  const asked = set === undefined ? [] : [await captureAsked(capturing, set)];
  const made = count === 0 ? [] : [await captureMade(capturing)];
  const queries = [...asked, ...made].flatMap((part) => part.queries);
  console.error(`${name}: ${queries.length} queries, ${Math.round((performance.now() - began) / 1000)} s`);
  return { name, language: set?.language ?? commonest(queries), half: set?.half, embedder: modelOf(embedding), parts: [...asked, ...made] };
}

async function captureAsked(capturing: Capturing, { commit, fixes, queries }: AskedSet): Promise<Captured> {
  const history = new Set((await git(capturing.path, ["rev-list", commit])).split("\n"));
  if (fixes.some((fix) => history.has(fix))) {
    throw new Error(`${repositoryName(capturing.path)}: a fix is in the history of the commit that is indexed, which would tell of it.`);
  }
  return captureCommit({ ...capturing, commit, version: "as it is" }, async (index, repo, checkout) => {
    await index.add(repo, checkout);
    return queries;
  });
}

async function captureMade(capturing: Capturing): Promise<Captured> {
  const { path, count } = capturing;
  const { base, queries: commits } = await makeCommitQueries(path, count);
  return captureCommit({ ...capturing, commit: base, version: `without ${count} comments` }, async (index, repo, checkout) => {
    const docstrings = await takeDocstrings(checkout, index.splitter, count);
    await index.add(repo, checkout);
    return [...commits, ...docstrings, ...(await makeSymbolQueries(index.database, index.tenant, repo, count))];
  });
}

type OfCommit = Capturing & { readonly commit: string; readonly version: string };

async function captureCommit(
  { server, path, embedding, keep, commit, version }: OfCommit,
  fill: (index: EvaluatedIndex, repo: string, checkout: Checkout) => Promise<readonly EvalQuery[]>,
): Promise<Captured> {
  const repo = `eval/${repositoryName(path)}`;
  const content = [repo, commit, version, modelOf(embedding), SPLITTER_REVISION, EVALUATED_COMMITS].join("\0");
  const keptAs = keep ? `eval_${createHash("sha256").update(content).digest("hex").slice(0, 32)}` : undefined;
  const index = await openEvaluatedIndex({ server, embedding, keptAs });
  try {
    const checkout = await checkOut(path, commit);
    try {
      const queries = await fill(index, repo, checkout);
      const compare = async (text: string) => (await searchByRipgrep(checkout.directory, text)) ?? [];
      return await capture({ index, repo, queries, compare });
    } finally {
      await checkout.remove();
    }
  } finally {
    await index.close();
  }
}

/** By which captured searches of one model are told from those of another. */
export function modelOf(embedding: EmbeddingConfig): string {
  const identity = createEmbedder(embedding)?.identity;
  return identity === undefined ? "none" : `${identity.provider} (${identity.model})`;
}

function commonest(queries: readonly EvalQuery[]): string {
  const languages = Map.groupBy(queries, ({ language }) => (language === "c" ? "cpp" : language));
  return [...languages].toSorted((one, other) => other[1].length - one[1].length)[0]?.[0] ?? "";
}
